// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A message that a socket has taken from its pipes as a whole, and that did not fit into the program's array. The parts
// wait here: the next receive, of whatever kind, begins with them.
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
    [[nodiscard]] bool any() const noexcept { return left_ != 0; }
    [[nodiscard]] std::size_t count() const noexcept { return left_; }
    /// Its last part is still in the pipe.
    [[nodiscard]] bool unfinished() const noexcept { return any() && parts_.back().more(); }

    /// Room for one more part. False: memory is short.
    [[nodiscard]] bool reserve() noexcept { return parts_.size() != parts_.capacity() || grow(); }
    /// After reserve(). `f` is left empty.
    void add(message::frame& f) noexcept
    {
        invariant([this] { return parts_.size() < parts_.capacity() && (!any() || unfinished()); });
        parts_.emplace_back();
        parts_.back().init_move(f);
        ++left_;
    }
    /// The first part, which take() takes.
    [[nodiscard]] message::frame& first() noexcept { return parts_[parts_.size() - left_]; }
    void take() noexcept
    {
        invariant([this] { return any(); });
        if (--left_ == 0) parts_.clear();
    }
    void clear() noexcept
    {
        parts_.clear();
        left_ = 0;
    }

private:
    [[nodiscard]] [[gnu::noinline]] bool grow() noexcept
    {
        try {
            parts_.reserve(2 * parts_.size() + 4);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    std::vector<message::owned_frame> parts_;
    std::size_t left_ = 0;  ///< parts at the end of parts_
};

}  // namespace zlink::socket
