// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// N DEALERs, which one thread uses in turn, and the ROUTER that they talk to.
#pragma once

#include "harness/zmq_ends.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::size_t dealer_id_size = 4;

// Socket number i has the routing id "D" and i in three octets.
class dealers {
public:
    dealers(zmq_context& context, const settings& of)
    {
        for (unsigned i = 0; i < of.peers; ++i) {
            const char id[dealer_id_size] = {'D', static_cast<char>(i >> 16), static_cast<char>(i >> 8),
                                             static_cast<char>(i)};
            sockets_.emplace_back(context, ZMQ_DEALER, of);
            sockets_.back().set(ZMQ_ROUTING_ID, std::string(id, sizeof id));
        }
        lane_ = of.peers - 1;
    }

    [[nodiscard]] std::string bind() { return {}; }  // ROUTER does
    void connect(const std::string& endpoint)
    {
        for (zmq_handle& socket : sockets_) socket.connect(endpoint);
    }

    void send(const char* octets, std::size_t size)
    {
        if (++lane_ == sockets_.size()) lane_ = 0;
        bench::send(sockets_[lane_], octets, size);
    }
    // The answer to what was sent last.
    [[nodiscard]] std::size_t receive(inbox& in) { return bench::receive(sockets_[lane_], in); }

    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(sockets_.size()); }
    [[nodiscard]] const zmq_handle& socket(unsigned lane) const { return sockets_[lane]; }

private:
    std::vector<zmq_handle> sockets_;
    unsigned lane_;
};

// Answers to whom it received from last.
class crowd_router {
public:
    crowd_router(zmq_context& context, const settings& of)
        : socket_(context, ZMQ_ROUTER, of),
          transport_(of.transport),
          lanes_(of.peers)
    {}

    [[nodiscard]] std::string bind() { return socket_.bind(transport_); }
    void connect(const std::string&) {}

    void send(const char* octets, std::size_t size)
    {
        bench::send(socket_, id_, sizeof id_, ZMQ_SNDMORE);
        bench::send(socket_, octets, size);
    }
    [[nodiscard]] std::size_t receive(inbox& in)
    {
        if (receive_part(socket_, id_, sizeof id_) != sizeof id_ || id_[0] != 'D' || lane() >= lanes_) [[unlikely]] {
            fail(exit_status::failed, "a message came from a peer of another name");
        }
        return bench::receive(socket_, in);
    }

    [[nodiscard]] unsigned lanes() const { return lanes_; }
    [[nodiscard]] unsigned lane() const
    {
        const auto octet = [this](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(id_[i])); };
        return octet(1) << 16 | octet(2) << 8 | octet(3);
    }
    void again() {}

private:
    zmq_handle socket_;
    std::string transport_;
    unsigned lanes_;
    char id_[dealer_id_size]{};
};

}  // namespace bench
