// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A context without threads: its I/O goes on when it is told to, so that an input has the same effect each time.
#pragma once

#include "fuzz_input.hpp"

#include <zlink/core.hpp>

#include <cstdint>

#include <poll.h>

namespace zlink::fuzz {

class hosted_context {
public:
    hosted_context() { require(core::context_create_hosted(nullptr, nullptr, handle_) == 0); }
    hosted_context(const hosted_context&) = delete;
    hosted_context& operator=(const hosted_context&) = delete;
    ~hosted_context() { core::context_drop(handle_); }

    [[nodiscard]] void* handle() const { return handle_; }
    /// False: there is more to do at once.
    bool step()
    {
        for (int i = 0; i < 50; ++i) {
            std::int64_t pause = 0;
            if (!core::context_step(handle_, 0, pause)) return true;
            // What its descriptors have brought meanwhile is the next step's.
            pollfd at{core::context_descriptor(handle_), POLLIN, 0};
            if (pause != 0 && ::poll(&at, 1, 0) == 0) return true;
        }
        return false;
    }

private:
    void* handle_ = nullptr;
};

}  // namespace zlink::fuzz
