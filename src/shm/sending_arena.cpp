// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/sending_arena.hpp"

#include "base/many_octets.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace zlink::shm {

namespace {

// A segment has as many slots as there are in these octets. Less, and a flood of one core often finds no free slot;
// more, and bodies leave the cache before they are read (docs/decisions/0031-shared-bodies.md).
constexpr std::uint64_t octets_of_segment = 2 * 1024 * 1024;
constexpr std::uint64_t fewest_slots = 2;
constexpr std::uint64_t slots_for_each = 4;  ///< of a publisher's connections

// Larger bodies go through the stream: their segments would be most of what a socket may make.
constexpr std::uint64_t largest_body = 4 * 1024 * 1024;

// Steps of two and of one and a half, in whole pages.
std::uint64_t slot_size_for(std::uint64_t size) noexcept
{
    const std::uint64_t above = std::bit_ceil(size);
    return runtime::whole_pages(size <= above / 4 * 3 ? above / 4 * 3 : above);
}

}  // namespace

sending_arena::sending_arena(std::shared_ptr<budget> of, sending_memory::readers who)
    : budget_(std::move(of)),
      memory_(who == sending_memory::readers::many ? budget_->memories.common(budget_) : budget_->memories.own(budget_))
{
    const auto held = memory_->hold();
    ++memory_->arenas_;
    // Where there is not a slot for each, some that hold theirs could keep all others from having any.
    for (sending_segment& s : memory_->segments_) s.retired |= s.layout.slots < memory_->arenas_;
}

// A peer that has gone may still read what it has not returned, so nobody writes there any more.
sending_arena::~sending_arena()
{
    const auto held = memory_->hold();
    if (making_) {
        budget_->made.give_back(making_->layout.octets());
        memory_->growing_ = false;
    }
    --memory_->arenas_;
    while (!shares_.empty()) {
        segment_share& share = shares_.front();
        if (share.holds_at_least(1)) share.of->retired = true;
        leave(share);
    }
}

std::optional<body_reference> sending_arena::put(const std::byte* body, std::size_t size,
                                                 std::uint64_t distribution) noexcept
{
    if (size < budget_->limits().least || size > largest_body) return std::nullopt;
    auto held = memory_->hold();
    std::byte* to = nullptr;
    const auto where = place({distribution, body, size}, to);
    if (!where) return where;
    if (to && memory_->who_ == sending_memory::readers::one) {
        // The slot is lent meanwhile, whatever the peer says it has returned.
        held.unlock();
        copy_many_octets(to, body, size);
        held.lock();
        memory_->end_filling(to);
    } else if (to) {
        copy_many_octets(to, body, size);
    }
    budget_->made.count_body();
    return where;
}

// `to`: where the body has to be copied. Null: it is there.
std::optional<body_reference> sending_arena::place(const body_origin& body, std::byte*& to) noexcept
{
    const sending_segment* const lies_in = memory_->segment_at(body.at);
    bool served = false;
    for (segment_share& share : shares_) {
        sending_segment& s = *share.of;
        if (lies_in ? &s != lies_in : !s.serves(body.size)) continue;
        served = true;
        if (!share.ready()) continue;
        share.used = true;
        if (share.holds_at_least(memory_->share_of(s))) continue;
        if (lies_in) return tell(share, s.slot_at(body.at), body.size);
        const auto same = s.slot_with(body);
        if (same && share.told[*same] != s.slots[*same].generation) return tell(share, same, body.size);
        const auto slot = s.free_slot();
        if (!slot) continue;
        const bool alone = memory_->who_ == sending_memory::readers::one;
        s.slots[*slot] = {s.slots[*slot].generation + 1, alone ? body_origin{} : body, alone};
        to = s.address_of(*slot);
        return tell(share, slot, body.size);
    }
    if (!served) note_missing(body.size);
    return std::nullopt;
}

// None: the peer knows of this body already.
std::optional<body_reference> sending_arena::tell(segment_share& share, std::optional<std::uint32_t> slot,
                                                  std::size_t size) noexcept
{
    if (!slot) return std::nullopt;
    const std::uint64_t generation = share.of->slots[*slot].generation;
    if (share.told[*slot] == generation) return std::nullopt;
    share.told[*slot] = generation;
    return body_reference{share.of->layout.id, *slot, generation, size};
}

void sending_arena::note_missing(std::size_t size) noexcept
{
    if (refused_) return;
    wish_.size = size;
    wish_.octets += size;
}

bool sending_arena::wants_segment() noexcept
{
    const auto held = memory_->hold();
    if (wish_.octets < budget_->limits().worth_a_segment || agreeing_) return false;
    return !std::exchange(wish_.told, true);
}

result<std::optional<segment_layout>> sending_arena::make_segment() noexcept
{
    if (!making_) {
        const auto held = memory_->hold();
        if (wish_.octets < budget_->limits().worth_a_segment || agreeing_ || refused_) return errc::again;
        if (sending_segment* const there = memory_->segment_for(wish_.size)) return take_part(*there);
        if (const errc e = begin_making(wish_.size); e != errc::none) return e;
    }
    const result<bool> whole = making_->memory.step();
    if (whole && !*whole) return std::optional<segment_layout>();
    result<runtime::made_memory> memory =
        whole ? making_->memory.finish() : result<runtime::made_memory>(whole.error());
    const auto held = memory_->hold();
    const segment_layout l = making_->layout;
    making_.reset();
    memory_->growing_ = false;
    if (memory) {
        try {
            memory_->segments_.push_back({.layout = l,
                                          .memory = std::move(*memory),
                                          .slots = std::vector<sending_slot>(l.slots),
                                          .one_page = l.slot_size == runtime::whole_pages(1),
                                          .retired = l.slots < memory_->arenas_});
            return take_part(memory_->segments_.back());
        } catch (const std::bad_alloc&) {
            memory = errc::out_of_memory;
        }
    }
    return give_up_making(l, memory.error());
}

// Under the lock. Errors: `again`; those of the system.
errc sending_arena::begin_making(std::size_t size) noexcept
{
    // If it fails for now, it is tried again after as many bodies.
    wish_ = {};
    if (memory_->growing_) return errc::again;
    const std::uint64_t slot = slot_size_for(size);
    const std::uint64_t each = memory_->who_ == sending_memory::readers::many ? slots_for_each * memory_->arenas_ : 0;
    const std::uint64_t wanted = std::max(octets_of_segment, slot * std::max(fewest_slots, each));
    const std::uint64_t octets = std::min(wanted, budget_->made.left());
    const segment_layout l{memory_->next_id_,
                           std::uint32_t(std::min<std::uint64_t>(octets / slot, segment_layout::most_slots)), slot};
    if (!l.in_bounds() || l.slots < memory_->arenas_ || !budget_->made.take(l.octets())) return errc::again;
    result<runtime::memory_maker> begun = runtime::memory_maker::begin(std::size_t(l.octets()));
    if (!begun) return give_up_making(l, begun.error());
    making_ = making{l, std::move(*begun)};
    ++memory_->next_id_;
    memory_->growing_ = true;
    return errc::none;
}

// Under the lock.
errc sending_arena::give_up_making(const segment_layout& l, errc why) noexcept
{
    budget_->made.give_back(l.octets());
    refused_ = true;
    return why;
}

// Under the lock.
result<std::optional<segment_layout>> sending_arena::take_part(sending_segment& in) noexcept
{
    wish_ = {};
    try {
        in.shares.reserve(in.shares.size() + 1);
        shares_.push_back({.of = &in, .told = std::vector<std::uint64_t>(in.layout.slots), .returns = {}});
        in.shares.push_back(&shares_.back());
    } catch (const std::bad_alloc&) {
        memory_->drop_if_unused(in);
        return errc::again;
    }
    agreeing_ = true;
    return std::optional(in.layout);
}

segment_share* sending_arena::find(std::uint32_t id, segment_share::state is) noexcept
{
    const auto found =
        std::ranges::find_if(shares_, [&](const segment_share& s) { return s.of->layout.id == id && s.is == is; });
    return found == shares_.end() ? nullptr : &*found;
}

result<unique_fd> sending_arena::accepted(std::uint32_t id) noexcept
{
    const auto held = memory_->hold();
    segment_share* const share = find(id, segment_share::state::offered);
    if (!share) return errc::protocol_error;
    share->is = segment_share::state::sent;
    unique_fd& descriptor = share->of->memory.descriptor;
    if (memory_->who_ == sending_memory::readers::one) return std::move(descriptor);
    return runtime::another_descriptor(descriptor.get());
}

result<void> sending_arena::returned(std::uint32_t id, int descriptor) noexcept
{
    const auto held = memory_->hold();
    segment_share* const share = find(id, segment_share::state::sent);
    if (!share) return errc::protocol_error;
    const auto size = runtime::whole_pages(std::size_t(share->of->layout.octets_of_returns()));
    auto mapped = runtime::map_shared_memory(descriptor, size);
    if (!mapped) return mapped.error();
    share->returns = std::move(*mapped);
    share->is = segment_share::state::ready;
    agreeing_ = false;
    return {};
}

bool sending_arena::refused(std::uint32_t id) noexcept
{
    const auto held = memory_->hold();
    segment_share* share = find(id, segment_share::state::offered);
    if (!share) share = find(id, segment_share::state::sent);
    if (!share) return false;
    refused_ = true;
    agreeing_ = false;
    leave(*share);
    return true;
}

// Under the lock.
void sending_arena::leave(segment_share& share) noexcept
{
    sending_segment& s = *share.of;
    std::erase(s.shares, &share);
    memory_->drop_if_unused(s);
    shares_.remove_if([&](const segment_share& one) { return &one == &share; });
}

void sending_arena::retire_unused(std::vector<std::uint32_t>& retired)
{
    const auto held = memory_->hold();
    for (auto at = shares_.begin(); at != shares_.end();) {
        segment_share& share = *at++;
        const sending_segment& s = *share.of;
        const bool used = std::exchange(share.used, false) && !s.retired;
        if (!share.ready() || used || share.holds_at_least(1) || s.lends()) continue;
        retired.push_back(s.layout.id);
        leave(share);
    }
}

bool sending_arena::has_segments() noexcept
{
    const auto held = memory_->hold();
    return !shares_.empty();
}

}  // namespace zlink::shm
