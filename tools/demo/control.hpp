// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The line of a demo peer to the demo that started it: events on standard output, orders on standard input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::tool::demo {

// One per role; both roles of an inproc cell share the process's descriptors, and only senders read orders.
class control {
public:
    explicit control(bool sender) : role_(sender ? "sender" : "receiver") {}

    // Writes "ROLE EVENT TEXT" as one line in one write.
    void say(std::string_view event, std::string_view text) const;

    // Tells the number of messages so far, at most five times a second; cheap to call often.
    void progress(std::uint64_t messages);

    // Whether the demo gave the order to begin. It may wait for so many ms. Throws a failure if the demo is gone.
    bool go(int wait_ms);

private:
    const char* role_;
    unsigned calls_ = 0;
    std::int64_t told_at_ = 0;
};

}  // namespace zlink::tool::demo
