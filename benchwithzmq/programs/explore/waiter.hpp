// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a thread waits for its sockets: zmq_poll, epoll on ZMQ_FD, or a zmq_poller (a draft: if the library has it).
#pragma once

#include "explore/workload.hpp"

#include <zmq.h>

#include <cstdint>
#include <vector>

namespace explore {

class waiter {
public:
    // `guest`: an idle socket, or null. With `timed` there is a timer. wait=receive means zmq_poll here.
    waiter(const workload& of, std::vector<void*> sockets, void* guest, bool timed);
    ~waiter();
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    [[nodiscard]] static bool has_poller();

    // Waits until a socket may have a message (or room, where that is wanted), or the timer ends. False if the context
    // ends. Then ready() tells which sockets.
    [[nodiscard]] bool wait(int timeout_ms);
    [[nodiscard]] const std::vector<unsigned>& ready() const { return ready_; }

    // A socket that was sent to: ZMQ_FD may have lost its edge.
    void sent_to(unsigned number);
    void want_room(unsigned number, bool wanted);

    void set_timer(std::uint64_t when_ns);

private:
    [[nodiscard]] bool poll(int timeout_ms);
    [[nodiscard]] bool watch(int timeout_ms);
    [[nodiscard]] bool ask_poller(int timeout_ms);
    void make_hot(unsigned number);
    [[nodiscard]] bool sift(bool& ended);

    const wait_kind kind_;
    std::vector<void*> sockets_;
    std::vector<unsigned> ready_;
    std::vector<short> wanted_;
    int timer_ = -1;
    int stranger_ = -1;
    std::vector<zmq_pollitem_t> items_;  // poll
    int epoll_ = -1;                     // descriptor
    std::vector<unsigned> hot_;          // sockets whose ZMQ_EVENTS are to be looked at
    std::vector<bool> is_hot_;
    void* poller_ = nullptr;  // poller
};

}  // namespace explore
