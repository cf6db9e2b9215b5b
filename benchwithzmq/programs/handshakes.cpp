// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connections, one after the other: a fresh DEALER connects to a ROUTER, sends a message, gets it back and closes. What
// is counted is a connection, from its socket's making to the reply; over curve+... with CURVE's handshake.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <optional>
#include <string>

namespace {

class visitor : public bench::single_lane {
public:
    visitor(bench::zmq_context& context, const bench::settings& of) : context_(context), settings_(of) {}

    [[nodiscard]] std::string bind() { return {}; }  // the host does
    void connect(const std::string& endpoint) { endpoint_ = endpoint; }

    void send(const char* octets, std::size_t size)
    {
        socket_.emplace(context_, ZMQ_DEALER, settings_);
        socket_->connect(endpoint_);
        bench::send(*socket_, octets, size);
    }
    [[nodiscard]] std::size_t receive(bench::inbox& in)
    {
        const std::size_t got = bench::receive(*socket_, in);
        socket_.reset();
        return got;
    }

private:
    bench::zmq_context& context_;
    const bench::settings& settings_;
    std::string endpoint_;
    std::optional<bench::zmq_handle> socket_;
};

// Answers to whom it received from last.
class host : public bench::single_lane {
public:
    host(bench::zmq_context& context, const bench::settings& of)
        : socket_(context, ZMQ_ROUTER, of),
          transport_(of.transport)
    {}

    [[nodiscard]] std::string bind() { return socket_.bind(transport_); }
    void connect(const std::string&) {}

    void send(const char* octets, std::size_t size)
    {
        bench::send(socket_, id_, sizeof id_, ZMQ_SNDMORE);
        bench::send(socket_, octets, size);
    }
    [[nodiscard]] std::size_t receive(bench::inbox& in)
    {
        if (bench::receive_part(socket_, id_, sizeof id_) != sizeof id_) [[unlikely]] {
            bench::fail(bench::exit_status::failed, "a routing id has not five octets");
        }
        return bench::receive(socket_, in);
    }

private:
    bench::zmq_handle socket_;
    std::string transport_;
    char id_[5]{};  // as ROUTER makes them
};

struct handshakes_pattern : bench::pattern_defaults {
    static constexpr const char* name = "HANDSHAKES";
    static constexpr bool lockstep = true;
    using context = bench::zmq_context;
    using sender = visitor;
    using receiver = host;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_throughput<handshakes_pattern>(argc, argv,
                                                     {.transports = "tcp ipc curve+tcp curve+ipc tls ws wss curve+ws"});
}
