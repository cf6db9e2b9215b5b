// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// N SUBs on one thread, which reads them in turn.
#pragma once

#include "harness/zmq_ends.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

class subscribers {
public:
    subscribers(zmq_context& context, const settings& of)
    {
        for (unsigned i = 0; i < of.peers; ++i) {
            sockets_.emplace_back(context, ZMQ_SUB, of);
            sockets_.back().set(ZMQ_SUBSCRIBE, std::string());
        }
        lane_ = of.peers - 1;
    }

    [[nodiscard]] std::string bind() { return {}; }  // PUB does
    void connect(const std::string& endpoint)
    {
        for (zmq_handle& socket : sockets_) socket.connect(endpoint);
    }

    void send(const char*, std::size_t) {}
    [[nodiscard]] std::size_t receive(inbox& in)
    {
        if (++lane_ == sockets_.size()) lane_ = 0;
        return bench::receive(sockets_[lane_], in);
    }

    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(sockets_.size()); }
    [[nodiscard]] unsigned lane() const { return lane_; }
    void again() { lane_ = (lane_ == 0 ? lanes() : lane_) - 1; }

private:
    std::vector<zmq_handle> sockets_;
    unsigned lane_;
};

}  // namespace bench
