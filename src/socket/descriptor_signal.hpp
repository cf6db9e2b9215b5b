// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Around a call that changes what a socket is ready for, or may take in what the descriptor told of: whoever sleeps on ZMQ_FD
// is signalled afterwards and looks again. (After sending and receiving, and when it asks for ZMQ_EVENTS, a program knows.)
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
