// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/topic_index.hpp"

#include "base/invariant.hpp"

#include <new>

namespace zlink::pattern::routing {

namespace {

constexpr std::size_t fewest_slots = 4;

}  // namespace

bool topic_index::reserve_one_more() noexcept
{
    if ((count_ + 1) * 4 <= slots_.size() * 3) return true;
    return resize(slots_.empty() ? fewest_slots : slots_.size() * 2);
}

bool topic_index::resize(std::size_t slots) noexcept
{
    try {
        huge_page_vector<slot> old(slots);
        slots_.swap(old);
        for (const slot& s : old) {
            if (s.topic != none) put(s);
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void topic_index::put(slot s) noexcept
{
    std::size_t i = home(s.tag);
    while (slots_[i].topic != none) i = next(i);
    slots_[i] = s;
}

void topic_index::insert(std::uint64_t hash, id topic) noexcept
{
    put({std::uint32_t(hash >> 32), topic});
    ++count_;
}

// Entries that follow in the same run move up, so that no search ends at the hole too early.
void topic_index::erase(std::uint64_t hash, id topic) noexcept
{
    std::size_t hole = home(std::uint32_t(hash >> 32));
    while (slots_[hole].topic != topic) {
        invariant([&] { return slots_[hole].topic != none; });
        hole = next(hole);
    }
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = next(hole); slots_[i].topic != none; i = next(i)) {
        if (((i - home(slots_[i].tag)) & mask) < ((i - hole) & mask)) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = {};
    --count_;
    if (count_ * 8 < slots_.size() && slots_.size() > fewest_slots) (void)resize(slots_.size() / 2);
}

void topic_index::release() noexcept
{
    huge_page_vector<slot>().swap(slots_);
    count_ = 0;
}

}  // namespace zlink::pattern::routing
