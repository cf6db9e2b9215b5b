// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Last-in first-out store of objects that threads leave for each other. It is usable in a child of fork, whatever the
// parent's threads were doing. Objects that the list held belong to the parent; the child does not use them any more.
#pragma once

#include "base/fork_safe_mutex.hpp"

#include <cstdint>
#include <limits>

namespace zlink {

/// `Next` is the member that chains nodes. Owns nothing. Thread-safe. For static storage.
template <class Node, Node* Node::*Next>
class fork_safe_free_list {
public:
    constexpr fork_safe_free_list() noexcept = default;
    fork_safe_free_list(const fork_safe_free_list&) = delete;
    fork_safe_free_list& operator=(const fork_safe_free_list&) = delete;

    /// Null: the list is empty.
    [[nodiscard]] Node* take() noexcept
    {
        lock();
        Node* n = first_;
        if (n) {
            first_ = n->*Next;
            --count_;
        }
        unlock();
        return n;
    }

    /// False: the list has `most` nodes already and does not take this one.
    [[nodiscard]] bool give(Node& n, std::uint32_t most) noexcept
    {
        lock();
        const bool room = count_ < most;
        if (room) {
            n.*Next = first_;
            first_ = &n;
            ++count_;
        }
        unlock();
        return room;
    }

    void give(Node& n) noexcept { (void)give(n, std::numeric_limits<std::uint32_t>::max()); }

private:
    void lock() noexcept
    {
        mutex_.lock();
        const std::uint32_t mine = fork_safe_mutex::of_this_process();
        if (filled_by_ != mine) {
            filled_by_ = mine;
            first_ = nullptr;
            count_ = 0;
        }
    }

    void unlock() noexcept { mutex_.unlock(); }

    fork_safe_mutex mutex_;
    std::uint32_t filled_by_ = 0;  ///< the process that owns the nodes in the list
    std::uint32_t count_ = 0;
    Node* first_ = nullptr;
};

}  // namespace zlink
