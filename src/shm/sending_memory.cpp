// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/sending_memory.hpp"

#include "base/invariant.hpp"
#include "shm/budget.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::shm {

/// A slot that a message of the program has. It keeps the memory.
struct sending_memory::loan {
    std::shared_ptr<sending_memory> from;
    sending_segment& segment;
    std::uint32_t slot;
};

sending_memory::~sending_memory()
{
    for (const sending_segment& s : segments_) budget_->made.give_back(s.layout.octets());
}

message::buffer* sending_memory::lend(std::size_t size) noexcept
{
    const auto held = hold();
    sending_segment* const s = segment_for(size);
    if (!s || std::ranges::none_of(s->shares, &segment_share::ready)) return nullptr;
    const auto slot = s->free_slot();
    if (!slot) return nullptr;
    loan* const hint = new (std::nothrow) loan{shared_from_this(), *s, *slot};
    message::buffer* const lent = hint ? message::buffer::adopt(s->address_of(*slot), size, end_loan, hint) : nullptr;
    if (!lent) {
        delete hint;
        return nullptr;
    }
    s->slots[*slot] = {s->slots[*slot].generation + 1, {}, true};
    for (segment_share* const share : s->shares) share->used = true;
    return lent;
}

void sending_memory::end_loan(void* /*data*/, void* hint) noexcept
{
    const std::unique_ptr<loan> ended(static_cast<loan*>(hint));
    sending_memory& me = *ended->from;
    const auto held = me.hold();
    ended->segment.slots[ended->slot].lent = false;
    me.drop_if_unused(ended->segment);
}

void sending_memory::end_filling(const std::byte* at) noexcept
{
    sending_segment* const s = segment_at(at);
    s->slots[*s->slot_at(at)].lent = false;
    drop_if_unused(*s);
}

std::uint32_t sending_memory::share_of(const sending_segment& s) const noexcept
{
    return who_ == readers::one ? s.layout.slots : std::max(1u, s.layout.slots / std::max(1u, arenas_));
}

sending_segment* sending_memory::segment_for(std::size_t size) noexcept
{
    const auto found = std::ranges::find_if(segments_, [&](const sending_segment& s) { return s.serves(size); });
    return found == segments_.end() ? nullptr : &*found;
}

sending_segment* sending_memory::segment_at(const std::byte* body) noexcept
{
    const auto found = std::ranges::find_if(segments_, [&](const sending_segment& s) {
        const std::byte* const begin = s.memory.map.data();
        return body >= begin && body < begin + s.memory.map.size();
    });
    return found == segments_.end() ? nullptr : &*found;
}

void sending_memory::drop_if_unused(sending_segment& s) noexcept
{
    if (!s.shares.empty() || s.lends()) return;
    budget_->made.give_back(s.layout.octets());
    segments_.remove_if([&](const sending_segment& one) { return &one == &s; });
}

}  // namespace zlink::shm
