// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// context: what only hosted ones do.
#include "socket/context.hpp"

#include "base/cancellation.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <utility>

namespace zlink::socket {

namespace {

/// Contexts that drop() could not end at once. Reachable until the process ends.
struct dropped_contexts {
    std::mutex mutex;
    context* first = nullptr;
};

dropped_contexts& dropped() noexcept
{
    alignas(dropped_contexts) static std::byte memory[sizeof(dropped_contexts)];
    static dropped_contexts& all = *::new (static_cast<void*>(memory)) dropped_contexts;  // never destroyed
    return all;
}

}  // namespace

result<context*> context::create_hosted(host_calls calls) noexcept
{
    context* const c = create();
    if (!c) return errc::out_of_memory;
    errc failed = errc::out_of_memory;
    try {
        c->hosting_ = std::make_unique<hosting>(calls, c->alive_);
        auto worker = c->hosting_->make_worker();
        if (worker) {
            c->workers_.push_back(std::move(*worker));
            c->home_.store(process_generation(), std::memory_order_relaxed);
            return c;
        }
        failed = worker.error();
    } catch (const std::exception&) {
    }
    delete c;
    return failed;
}

std::optional<std::chrono::nanoseconds> context::step(std::chrono::nanoseconds budget) noexcept
{
    if (inherited()) return std::nullopt;
    const auto pause = hosting_->step(budget, runtime::looks::once);
    if (!any_alive()) return std::nullopt;
    return pause;
}

// No step waits. So either nothing lives any more after a few, or something from outside has to come.
bool context::end_by_steps() noexcept
{
    while (true) {
        const auto pause = hosting_->step(std::chrono::milliseconds(1), runtime::looks::until_nothing);
        const bool more = pause == std::chrono::nanoseconds::zero();
        if (!any_alive()) break;
        if (!more) return false;
    }
    end();
    return true;
}

std::uint64_t context::drop() noexcept
{
    const cancellation_held_off hold;
    shutdown();
    if (inherited()) {
        tag_ = dead_tag;
        return 0;
    }
    hosting_->forget_host();
    std::uint64_t messages = 0;
    // In a step: a free function of the program's ends the context, from inside.
    const bool may_step = !runtime::driver::this_thread_has_one();
    if (may_step) {
        // Sessions that have just begun, and sockets' wishes, come first.
        (void)hosting_->step({}, runtime::looks::until_nothing);
        messages = hosting_->drop_unwritten();
    }
    dropped_contexts& others = dropped();
    {
        const std::lock_guard guard(others.mutex);
        next_dropped_ = std::exchange(others.first, may_step ? nullptr : this);
    }
    if (!may_step) return 0;
    for (context* left = this; left;) {
        context* const each = std::exchange(left, left->next_dropped_);
        if (each->inherited()) continue;  // the parent has it
        if (each != this) (void)each->hosting_->drop_unwritten();
        if (each->end_by_steps()) continue;
        const std::lock_guard guard(others.mutex);
        each->next_dropped_ = std::exchange(others.first, each);
    }
    return messages;
}

}  // namespace zlink::socket
