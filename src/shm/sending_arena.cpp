// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/sending_arena.hpp"

#include "base/many_octets.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

namespace zlink::shm {

namespace {

// A segment has as many slots as there are in these octets. Less, and a flood of one core often finds no free slot;
// more, and bodies leave the cache before they are read (docs/decisions/0031-shared-bodies.md).
constexpr std::uint64_t octets_of_segment = 2 * 1024 * 1024;
constexpr std::uint64_t fewest_slots = 2;

// Larger bodies go through the stream: the I/O thread makes a segment, and other connections wait meanwhile. Two such
// slots take it 10 ms, 2 MB take 2.5 ms.
constexpr std::uint64_t largest_body = 4 * 1024 * 1024;

// So many bodies go through the stream before memory is made for their size: it costs as much as some of them.
constexpr std::uint32_t worth_a_segment = 4;

// Steps of two and of one and a half, in whole pages.
std::uint64_t slot_size_for(std::uint64_t size) noexcept
{
    const std::uint64_t above = std::bit_ceil(size);
    return runtime::whole_pages(size <= above / 4 * 3 ? above / 4 * 3 : above);
}

}  // namespace

sending_arena::~sending_arena()
{
    for (const sending_segment& s : segments_) budget_->made.give_back(s.layout.octets());
}

std::optional<body_reference> sending_arena::take_slot(std::size_t size, std::byte*& at) noexcept
{
    const std::lock_guard lock(mutex_);
    bool served = false;
    for (sending_segment& s : segments_) {
        if (!s.serves(size)) continue;
        served = true;
        if (s.is != sending_segment::state::ready) continue;
        s.used = true;
        if (const auto slot = s.free_slot()) {
            at = s.at(*slot);
            return body_reference{s.layout.id, *slot, ++s.generations[*slot], size};
        }
    }
    if (!served) note_missing(size);
    return std::nullopt;
}

std::optional<body_reference> sending_arena::put(const std::byte* body, std::size_t size) noexcept
{
    if (size < budget_->limits().least || size > largest_body) return std::nullopt;
    std::byte* at = nullptr;
    const auto where = take_slot(size, at);
    if (!where) return where;
    copy_many_octets(at, body, size);
    budget_->made.count_body();
    return where;
}

void sending_arena::note_missing(std::size_t size) noexcept
{
    if (refused_) return;
    wish_.size = size;
    ++wish_.count;
}

bool sending_arena::wants_segment() noexcept
{
    const std::lock_guard lock(mutex_);
    if (wish_.count < worth_a_segment || agreeing_) return false;
    return !std::exchange(wish_.told, true);
}

result<segment_layout> sending_arena::make_segment() noexcept
{
    const std::lock_guard lock(mutex_);
    if (wish_.count < worth_a_segment || agreeing_ || refused_) return errc::again;
    const segment_wish wanted = std::exchange(wish_, {});
    const std::uint64_t slot = slot_size_for(wanted.size);
    const std::uint64_t octets = std::min(std::max(octets_of_segment, slot * fewest_slots), budget_->made.left());
    const segment_layout l{next_id_, std::uint32_t(std::min<std::uint64_t>(octets / slot, segment_layout::most_slots)),
                           slot};
    if (!l.in_bounds() || !budget_->made.take(l.octets())) return errc::again;
    result<runtime::made_memory> memory = runtime::make_shared_memory(l.octets());
    if (memory) {
        try {
            segments_.push_back({.layout = l,
                                 .memory = std::move(*memory),
                                 .returns = {},
                                 .generations = std::vector<std::uint64_t>(l.slots)});
        } catch (const std::bad_alloc&) {
            memory = errc::out_of_memory;
        }
    }
    if (!memory) {
        budget_->made.give_back(l.octets());
        refused_ = true;
        return memory.error();
    }
    ++next_id_;
    agreeing_ = true;
    return l;
}

sending_segment* sending_arena::find(std::uint32_t id, sending_segment::state is) noexcept
{
    const auto found =
        std::ranges::find_if(segments_, [&](const sending_segment& s) { return s.layout.id == id && s.is == is; });
    return found == segments_.end() ? nullptr : &*found;
}

unique_fd sending_arena::accepted(std::uint32_t id) noexcept
{
    const std::lock_guard lock(mutex_);
    sending_segment* const s = find(id, sending_segment::state::offered);
    if (!s) return {};
    s->is = sending_segment::state::sent;
    return std::move(s->memory.descriptor);
}

bool sending_arena::returned(std::uint32_t id, int descriptor) noexcept
{
    const std::lock_guard lock(mutex_);
    sending_segment* const s = find(id, sending_segment::state::sent);
    if (!s) return false;
    auto mapped =
        runtime::map_shared_memory(descriptor, runtime::whole_pages(std::size_t(s->layout.octets_of_returns())));
    if (!mapped) return false;
    s->returns = std::move(*mapped);
    s->is = sending_segment::state::ready;
    agreeing_ = false;
    return true;
}

bool sending_arena::refused(std::uint32_t id) noexcept
{
    const std::lock_guard lock(mutex_);
    sending_segment* s = find(id, sending_segment::state::offered);
    if (!s) s = find(id, sending_segment::state::sent);
    if (!s) return false;
    refused_ = true;
    agreeing_ = false;
    drop(*s);
    return true;
}

void sending_arena::drop(sending_segment& s) noexcept
{
    budget_->made.give_back(s.layout.octets());
    segments_.remove_if([&](const sending_segment& one) { return &one == &s; });
}

void sending_arena::retire_unused(std::vector<std::uint32_t>& retired)
{
    const std::lock_guard lock(mutex_);
    for (auto at = segments_.begin(); at != segments_.end();) {
        sending_segment& s = *at++;
        if (s.is != sending_segment::state::ready || std::exchange(s.used, false) || !s.all_free()) continue;
        retired.push_back(s.layout.id);
        drop(s);
    }
}

bool sending_arena::has_segments() noexcept
{
    const std::lock_guard lock(mutex_);
    return !segments_.empty();
}

}  // namespace zlink::shm
