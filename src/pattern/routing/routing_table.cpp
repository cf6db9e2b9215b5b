// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/routing_table.hpp"

#include "base/invariant.hpp"

#include <functional>
#include <new>

namespace zlink::pattern::routing {

namespace {

constexpr std::size_t first_size = 16;

std::uint32_t hash_of(std::string_view routing_id) noexcept
{
    const std::size_t h = std::hash<std::string_view>{}(routing_id);
    return std::uint32_t(h ^ (std::uint64_t(h) >> 32));
}

}  // namespace

pipe::pipe_end* routing_table::look_up(std::string_view routing_id) noexcept
{
    if (count_ == 0) return nullptr;
    const std::uint32_t hash = hash_of(routing_id);
    for (std::size_t i = hash & mask(); slots_[i].end; i = (i + 1) & mask()) {
        if (slots_[i].hash != hash) continue;
        const std::string& name = routing_of(*slots_[i].end).routing_id;
        if (name != routing_id) continue;
        last_name_ = &name;
        return last_found_ = slots_[i].end;
    }
    return nullptr;
}

bool routing_table::insert(pipe::pipe_end& end) noexcept
{
    if ((count_ + 1) * 4 > slots_.size() * 3 && !grow()) return false;
    invariant([&] { return !look_up(routing_of(end).routing_id); });
    const std::uint32_t hash = hash_of(routing_of(end).routing_id);
    std::size_t i = hash & mask();
    while (slots_[i].end) i = (i + 1) & mask();
    slots_[i] = {&end, hash};
    ++count_;
    return true;
}

void routing_table::erase(const pipe::pipe_end& end) noexcept
{
    if (last_found_ == &end) last_found_ = nullptr;
    if (count_ == 0) return;
    std::size_t hole = hash_of(routing_of(end).routing_id) & mask();
    while (slots_[hole].end != &end) {
        if (!slots_[hole].end) return;
        hole = (hole + 1) & mask();
    }
    // Closes the gap: entries that a collision has pushed past it move up.
    for (std::size_t i = (hole + 1) & mask(); slots_[i].end; i = (i + 1) & mask()) {
        const std::size_t home = slots_[i].hash & mask();
        if (((i - home) & mask()) < ((i - hole) & mask())) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = {};
    --count_;
}

bool routing_table::grow() noexcept
{
    try {
        std::vector<slot> larger(slots_.empty() ? first_size : slots_.size() * 2);
        const std::size_t larger_mask = larger.size() - 1;
        for (const slot& s : slots_) {
            if (!s.end) continue;
            std::size_t i = s.hash & larger_mask;
            while (larger[i].end) i = (i + 1) & larger_mask;
            larger[i] = s;
        }
        slots_.swap(larger);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace zlink::pattern::routing
