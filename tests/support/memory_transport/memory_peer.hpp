// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A peer that plays its part over a stream in memory; see raw_peer.hpp.
#pragma once

#include "base/errc.hpp"
#include "support/memory_transport/memory_stream.hpp"
#include "support/memory_transport/memory_transport.hpp"
#include "support/raw_peer.hpp"

#include <poll.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace zlink::test {

/// One end of a stream. Its script must not ask for acknowledgements.
class memory_channel final : public octet_channel {
public:
    explicit memory_channel(std::unique_ptr<transport::stream> end) : end_(std::move(end)) {}

    [[nodiscard]] int fd() const override { return end_->descriptor(); }
    ssize_t send(const char* octets, std::size_t size) override
    {
        const iovec piece{const_cast<char*>(octets), size};
        return answer(end_->write(&piece, 1));
    }
    ssize_t receive(char* octets, std::size_t size) override
    {
        const iovec piece{octets, size};
        const transport::io_outcome came = end_->read(&piece, 1);
        if (end_->has_pending_output()) (void)end_->write(nullptr, 0);
        if (came.state == transport::io_outcome::status::closed) return 0;
        return answer(came);
    }
    int wait(short events, int timeout_ms) override
    {
        if ((events & POLLIN) && end_->pending()) return 1;
        pollfd item{end_->descriptor(), events, 0};
        return ::poll(&item, 1, timeout_ms);
    }
    void end_hard() override {}

private:
    static ssize_t answer(const transport::io_outcome& what)
    {
        if (what.octets != 0) return ssize_t(what.octets);
        errno = what.state == transport::io_outcome::status::failed ? to_errno(what.error) : EAGAIN;
        return -1;
    }

    std::unique_ptr<transport::stream> end_;
};

inline raw_peer memory_peer(std::unique_ptr<transport::stream> end)
{
    return raw_peer(std::make_unique<memory_channel>(std::move(end)));
}

/// Connects to what listens at "mem://name".
inline raw_peer connect_memory_peer(const std::string& endpoint)
{
    const auto where = transport::parse_connect_endpoint(endpoint);
    if (!where) throw raw_peer_error("no endpoint: " + endpoint);
    const transport::stream_options options;
    int number = -1;
    const auto attempt = where->over->streams()->connect(*where->where, options);
    auto made = (*attempt)->open(number);
    if (!made) throw raw_peer_error("nobody listens at " + endpoint);
    return memory_peer(std::move(made->made));
}

/// A name that nobody else uses, at which somebody listens from open() on.
class memory_listener {
public:
    /// `script`: of the streams accepted ("?read=1"), and of those that are connected, which have its endpoint.
    explicit memory_listener(const std::string& script = {})
    {
        static std::atomic<unsigned> next{0};
        endpoint_ = "mem://listener-" + std::to_string(next++) + script;
    }

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
    void open()
    {
        const auto where = transport::parse_bind_endpoint(endpoint_);
        int number = -1;
        auto bound = where->over->streams()->bind(*where->where, {}, number);
        if (!bound) throw raw_peer_error("cannot listen at " + endpoint_);
        acceptor_ = std::move(*bound);
    }
    void close() { acceptor_.reset(); }

    raw_peer accept(std::chrono::milliseconds patience = std::chrono::milliseconds(5000))
    {
        pollfd item{acceptor_->descriptor(), POLLIN, 0};
        if (::poll(&item, 1, int(patience.count())) != 1) throw raw_peer_error("nobody connected in time");
        auto accepted = acceptor_->accept({});
        if (!accepted) throw raw_peer_error("nobody is there to be accepted");
        return memory_peer(std::move(*accepted));
    }

private:
    std::string endpoint_;
    std::unique_ptr<transport::acceptor> acceptor_;
};

}  // namespace zlink::test
