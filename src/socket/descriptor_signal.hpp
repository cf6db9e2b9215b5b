// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Surrounds a call that changes a socket's readiness, or that may take in the news that the descriptor signalled.
// Afterwards it signals ZMQ_FD, so that a thread that sleeps on it looks again. (After sending and receiving, and when
// it asks for ZMQ_EVENTS, a program knows the state.)
//
// Threads: the socket's.
#pragma once

#include "socket/mailbox.hpp"

namespace zlink::socket {

class descriptor_signal {
public:
    explicit descriptor_signal(mailbox& box) noexcept : mailbox_(box), due_(box.pending()) {}
    descriptor_signal(const descriptor_signal&) = delete;
    descriptor_signal& operator=(const descriptor_signal&) = delete;
    ~descriptor_signal()
    {
        if (due_ && mailbox_.has_descriptor()) mailbox_.signal();
    }

    /// The call goes on to change something.
    void changes() noexcept { due_ = true; }

private:
    mailbox& mailbox_;
    bool due_;
};

}  // namespace zlink::socket
