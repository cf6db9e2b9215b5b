// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/socket_memory.hpp"

#include "base/fork_safe_free_list.hpp"
#include "base/fork_safe_mutex.hpp"
#include "socket/handle_gate.hpp"

#include <mutex>
#include <new>

namespace zlink::socket {

namespace {

using node = socket_memory::node;

/// First in, first out.
class kept_memory {
public:
    constexpr kept_memory() noexcept = default;
    kept_memory(const kept_memory&) = delete;
    kept_memory& operator=(const kept_memory&) = delete;

    /// The oldest, if more than `least` are kept. Null: there is none.
    [[nodiscard]] node* take(std::uint32_t least) noexcept
    {
        const std::lock_guard held(mutex_);
        forget_after_fork();
        if (count_ <= least) return nullptr;
        node* const oldest = oldest_;
        oldest_ = oldest->next;
        --count_;
        return oldest;
    }
    void give(node& n) noexcept
    {
        const std::lock_guard held(mutex_);
        forget_after_fork();
        n.next = nullptr;
        (count_ != 0 ? newest_->next : oldest_) = &n;
        newest_ = &n;
        ++count_;
    }

private:
    void forget_after_fork() noexcept
    {
        const std::uint32_t mine = fork_safe_mutex::of_this_process();
        if (filled_by_ == mine) return;
        filled_by_ = mine;
        count_ = 0;
    }

    fork_safe_mutex mutex_;
    std::uint32_t filled_by_ = 0;  ///< the process that owns what is kept
    std::uint32_t count_ = 0;
    node* oldest_ = nullptr;
    node* newest_ = nullptr;
};

constinit kept_memory once_shared;
constinit fork_safe_free_list<node, &node::next> never_shared;

node* take_kept(bool shared) noexcept
{
    if (shared) return once_shared.take(0);
    if (node* const own = never_shared.take()) return own;
    return once_shared.take(socket_memory::most_kept_apart);
}

}  // namespace

void* socket_memory::take(std::size_t size, bool shared)
{
    if (node* const kept = take_kept(shared)) return kept;
    void* const whole = ::operator new(handle_gate::room + size);
    ::new (whole) handle_gate;
    return static_cast<std::byte*>(whole) + handle_gate::room;
}

void socket_memory::give(void* memory) noexcept
{
    node& kept = *static_cast<node*>(memory);
    handle_gate::of(memory).was_shared() ? once_shared.give(kept) : never_shared.give(kept);
}

}  // namespace zlink::socket
