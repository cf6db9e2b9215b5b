// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/receiving_arena.hpp"

#include "base/process_generation.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace zlink::shm {

/// A segment that a peer has made. It lives while the arena has it, and while a body of it is in use.
class foreign_segment {
public:
    struct maps {
        runtime::memory_map bodies;
        runtime::private_map borrowed;  ///< the same bodies, for programs that borrow them; empty: they get copies
        runtime::memory_map returns;
    };

    /// Its octets are taken from the budget already, and go back with it.
    foreign_segment(const segment_layout& l, std::shared_ptr<budget> from, maps memory)
        : layout(l),
          budget_(std::move(from)),
          maps_(std::move(memory)),
          slots_(l.slots)
    {
        for (slot& s : slots_) s.of = this;
    }

    /// Error protocol_error: the reference is not in bounds, or its slot is in use.
    [[nodiscard]] result<message::buffer*> body_of(const body_reference& r) noexcept
    {
        if (r.slot >= layout.slots || r.size == 0 || r.size > layout.slot_size) return errc::protocol_error;
        slot& s = slots_[r.slot];
        // Partner: give_back(), of the thread that released the last body.
        if (s.in_use.load(std::memory_order_acquire) || r.generation <= s.generation) return errc::protocol_error;
        message::buffer* const body = buffer_for(layout.slot_size * r.slot, std::size_t(r.size), s);
        if (!body) return errc::out_of_memory;
        s.generation = r.generation;
        s.in_use.store(true, std::memory_order_relaxed);  // before the body is handed to another thread
        refs_.fetch_add(1, std::memory_order_relaxed);
        budget_->taken.count_body();
        return body;
    }

    void release() noexcept
    {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    const segment_layout layout;

private:
    ~foreign_segment() { budget_->taken.give_back(layout.octets()); }

    struct slot {
        foreign_segment* of = nullptr;
        std::uint64_t generation = 0;  ///< of the last body
        std::atomic<bool> in_use{false};
    };

    // What the program has written into an earlier body of the slot must not be seen in this one. If that stays, or
    // nothing is borrowed, the program gets a copy.
    [[nodiscard]] message::buffer* buffer_for(std::uint64_t offset, std::size_t size, slot& s) noexcept
    {
        if (maps_.borrowed && maps_.borrowed.drop_copies(offset, size)) {
            return message::buffer::adopt(maps_.borrowed.data() + offset, size, give_back, &s);
        }
        return message::buffer::lend(maps_.bodies.data() + offset, size, give_back, &s);
    }

    // Of a child of fork the slots are not: its parent returns them.
    static void give_back(void* /*data*/, void* hint) noexcept
    {
        slot& s = *static_cast<slot*>(hint);
        foreign_segment& me = *s.of;
        const std::uint64_t generation = s.generation;
        // Partner: body_of(). Before the peer can know, which may use the slot at once.
        s.in_use.store(false, std::memory_order_release);
        if (me.process_ == process_generation()) {
            auto* const all = reinterpret_cast<std::atomic<std::uint64_t>*>(me.maps_.returns.data());
            // Partner: segment_share::holds(). All reads of the body come before it.
            all[&s - me.slots_.data()].store(generation, std::memory_order_release);
        }
        me.release();
    }

    const std::shared_ptr<budget> budget_;
    maps maps_;
    std::vector<slot> slots_;
    const std::uint64_t process_ = process_generation();
    std::atomic<std::uint32_t> refs_{1};  ///< partners: the last release() acquires what earlier ones released
};

receiving_arena::~receiving_arena()
{
    for (foreign_segment* s : segments_) s->release();
}

bool receiving_arena::has_room_for(const segment_layout& l) const noexcept
{
    const auto same = [&](const foreign_segment* s) { return s->layout.id == l.id; };
    return l.in_bounds() && segments_.size() < most_segments && std::ranges::none_of(segments_, same) &&
           l.octets() <= budget_->taken.left();
}

result<unique_fd> receiving_arena::take_segment(const segment_layout& l, int descriptor) noexcept
{
    if (!budget_->taken.take(l.octets())) return errc::no_buffer_space;
    result<unique_fd> taken = map_segment(l, descriptor);
    if (!taken) budget_->taken.give_back(l.octets());
    return taken;
}

result<unique_fd> receiving_arena::map_segment(const segment_layout& l, int descriptor) noexcept
{
    const auto size = std::size_t(l.octets());
    auto bodies = runtime::map_shared_memory(descriptor, size);
    if (!bodies) return bodies.error();
    result<runtime::private_map> borrowed = runtime::private_map{};
    if (handed_ == incoming_bodies::borrowed) borrowed = runtime::map_shared_memory_privately(descriptor, size);
    if (!borrowed) return borrowed.error();
    auto returns = runtime::make_shared_memory(runtime::whole_pages(std::size_t(l.octets_of_returns())));
    if (!returns) return returns.error() == errc::protocol_error ? errc::out_of_memory : returns.error();
    try {
        segments_.reserve(segments_.size() + 1);
        segments_.push_back(
            new foreign_segment(l, budget_, {std::move(*bodies), std::move(*borrowed), std::move(returns->map)}));
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
    return std::move(returns->descriptor);
}

bool receiving_arena::retire(std::uint32_t id) noexcept
{
    const auto found = std::ranges::find_if(segments_, [&](const foreign_segment* s) { return s->layout.id == id; });
    if (found == segments_.end()) return false;
    (*found)->release();
    segments_.erase(found);
    return true;
}

result<message::buffer*> receiving_arena::body_of(const body_reference& r) noexcept
{
    const auto found =
        std::ranges::find_if(segments_, [&](const foreign_segment* s) { return s->layout.id == r.segment; });
    if (found == segments_.end()) return errc::protocol_error;
    return (*found)->body_of(r);
}

}  // namespace zlink::shm
