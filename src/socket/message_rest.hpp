// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The message that a socket has taken from its pipes as a whole, and that its program has not taken yet: the parts were
// more than there was room for. The next receive, of whatever kind, begins with them.
//
// Threads: the socket's.
#pragma once

#include "base/invariant.hpp"
#include "message/frame.hpp"

#include <cstddef>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace zlink::socket {

class message_rest {
public:
    [[nodiscard]] bool any() const noexcept { return taken_ != parts_.size(); }
    [[nodiscard]] std::size_t count() const noexcept { return parts_.size() - taken_; }
    /// Its last part is still in the pipe.
    [[nodiscard]] bool unfinished() const noexcept { return any() && parts_.back().more(); }

    /// Room for one more part. False: memory is short.
    [[nodiscard]] bool reserve() noexcept
    {
        try {
            if (parts_.size() == parts_.capacity()) parts_.reserve(2 * parts_.size() + 4);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }
    /// After reserve(). `f` is left empty.
    void add(message::frame& f) noexcept
    {
        invariant([this] { return parts_.size() < parts_.capacity() && (!any() || unfinished()); });
        parts_.emplace_back();
        parts_.back().init_move(f);
    }
    /// The first part, which take() takes.
    [[nodiscard]] message::frame& first() noexcept { return parts_[taken_]; }
    void take() noexcept
    {
        invariant([this] { return any(); });
        if (++taken_ == parts_.size()) clear();
    }
    void clear() noexcept
    {
        parts_.clear();
        taken_ = 0;
    }

private:
    std::vector<message::owned_frame> parts_;
    std::size_t taken_ = 0;
};

}  // namespace zlink::socket
