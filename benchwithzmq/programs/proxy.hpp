// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A receiver behind a zmq_proxy that has a thread of its own.
#pragma once

#include "harness/zmq_ends.hpp"

#include <string>
#include <thread>

namespace bench {

// The last socket of the way and, in its process, the proxy in front of it: sockets of types Front, Back and Last.
template <int Front, int Back, int Last>
class receiver_behind_proxy : public single_lane {
public:
    receiver_behind_proxy(zmq_context& context, const settings& of)
        : context_(context),
          transport_(of.transport),
          front_(context, Front, of),
          back_(context, Back, of),
          socket_(context, Last, of)
    {
        if (Last == ZMQ_SUB) socket_.set(ZMQ_SUBSCRIBE, std::string());
    }
    ~receiver_behind_proxy()
    {
        context_.shut_down();  // the only thing that ends a zmq_proxy
        if (proxy_.joinable()) proxy_.join();
    }
    receiver_behind_proxy(const receiver_behind_proxy&) = delete;
    receiver_behind_proxy& operator=(const receiver_behind_proxy&) = delete;

    [[nodiscard]] std::string bind()
    {
        socket_.connect(back_.bind(transport_));
        const std::string endpoint = front_.bind(transport_);
        proxy_ = std::thread([this] { run_proxy(front_, back_); });
        return endpoint;
    }
    void connect(const std::string&) {}

    void send(const char*, std::size_t) {}
    [[nodiscard]] std::size_t receive(inbox& in) { return bench::receive(socket_, in); }

private:
    zmq_context& context_;
    std::string transport_;
    zmq_handle front_;
    zmq_handle back_;
    zmq_handle socket_;
    std::thread proxy_;
};

}  // namespace bench
