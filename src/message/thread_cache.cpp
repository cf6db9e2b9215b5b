// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "message/thread_cache.hpp"

#include "base/fork_safe_free_list.hpp"
#include "base/invariant.hpp"
#include "base/process_generation.hpp"
#include "base/thread_state.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace zlink::message {

// Magazines on their way from thread to thread. Never destroyed: messages may be closed after static destructors have
// run.
struct thread_cache::depot {
    using list = fork_safe_free_list<free_block, &free_block::next_magazine>;

    static void give(magazine m, std::size_t index) noexcept
    {
        if (!m.first) return;
        m.first->count = m.count;
        if (lists[index].give(*m.first, most_in_depot)) return;
        while (free_block* block = m.first) {
            m.first = block->next;
            ASAN_UNPOISON_MEMORY_REGION(block, size_of(index));
            std::free(block);
        }
    }

    static magazine take(std::size_t index) noexcept
    {
        free_block* first = lists[index].take();
        return first ? magazine{first, first->count} : magazine{};
    }

    static constinit list lists[classes];
};

constinit thread_cache::depot::list thread_cache::depot::lists[classes];
ZLINK_FAST_TLS constinit thread_local thread_cache* thread_cache::current_ = &thread_cache::none_;
constinit thread_cache thread_cache::none_{none{}};

// Null: memory is short, or the thread's objects have ended. A cache is too large to be made for the calls that may
// still follow; malloc serves these.
thread_cache* thread_cache::of_this_thread() noexcept
{
    if (current_ != &none_) return current_;
    if (thread_state::current_phase() == thread_state::phase::ended) return nullptr;
    watch_forks();
    auto* made = new (std::nothrow) thread_cache;
    if (!made) return nullptr;
    if (!thread_state::keep(thread_slot::message_cache, made, give_back)) {
        delete made;
        return nullptr;
    }
    return current_ = made;
}

void thread_cache::give_back(void* object) noexcept
{
    auto* const c = static_cast<thread_cache*>(object);
    invariant([c] { return current_ == c; });
    current_ = &none_;
    for (std::size_t i = 0; i < classes; ++i) {
        depot::give(c->loaded_[i], i);
        depot::give(c->spare_[i], i);
    }
    for (const references& r : c->references_) {
        if (r.count) r.to->release(r.count);
    }
    delete c;
}

void* thread_cache::take_slow(std::size_t index) noexcept
{
    if (thread_cache* c = of_this_thread()) {
        magazine& m = c->loaded_[index];
        m = c->spare_[index].first ? std::exchange(c->spare_[index], {}) : depot::take(index);
        if (m.first) return take_at_once(size_of(index));
    }
    return std::malloc(size_of(index));
}

void thread_cache::give_slow(void* block, std::size_t index) noexcept
{
    thread_cache* c = of_this_thread();
    if (!c) return std::free(block);
    magazine& m = c->loaded_[index];
    if (m.count == magazine_size) depot::give(std::exchange(c->spare_[index], std::exchange(m, {})), index);
    m.push(block);
    poison(block, index);
}

void thread_cache::hold_slow(metadata& m) noexcept
{
    thread_cache* c = of_this_thread();
    if (!c) return m.add_ref();
    references& r = c->references_[slot_of(m)];
    if (r.count) r.to->release(r.count);
    m.add_ref(most_references);
    r = {&m, most_references - 1};
}

void thread_cache::let_go_slow(metadata& m) noexcept
{
    thread_cache* c = of_this_thread();
    if (!c) return m.release();
    references& r = c->references_[slot_of(m)];
    if (r.count) r.to->release(r.count);
    r = {&m, 1};
}

}  // namespace zlink::message
