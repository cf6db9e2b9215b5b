// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/subscription_table.hpp"

#include <algorithm>
#include <cstdlib>

namespace zlink::pattern::routing {

// The pipes of a topic.

bool subscription_table::pipe_set::reserve_one_more() noexcept
{
    if (count < capacity) return true;
    const std::uint32_t larger = capacity * 2;
    void* block = std::realloc(capacity == 1 ? nullptr : many, larger * sizeof(pipe::pipe_end*));
    if (!block) return false;
    auto** all = static_cast<pipe::pipe_end**>(block);
    if (capacity == 1) all[0] = one;
    many = all;
    capacity = larger;
    return true;
}

void subscription_table::pipe_set::release() noexcept
{
    if (capacity != 1) std::free(many);
    *this = {};
}

// The topics of a pipe.

std::uint32_t* subscription_table::topic_map::find(topic_table::id topic) noexcept
{
    if (count_ == 0) return nullptr;
    for (std::size_t i = home(topic); slots_[i].topic != topic_table::none; i = next(i)) {
        if (slots_[i].topic == topic) return &slots_[i].place;
    }
    return nullptr;
}

bool subscription_table::topic_map::reserve_one_more() noexcept
{
    if ((count_ + 1) * 4 <= slots_.size() * 3) return true;
    try {
        huge_page_vector<slot> old(slots_.empty() ? 4 : slots_.size() * 2);
        slots_.swap(old);
        count_ = 0;
        for (const slot& s : old) {
            if (s.topic != topic_table::none) insert(s.topic, s.place);
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void subscription_table::topic_map::insert(topic_table::id topic, std::uint32_t place) noexcept
{
    std::size_t i = home(topic);
    while (slots_[i].topic != topic_table::none) i = next(i);
    slots_[i] = {topic, place};
    ++count_;
}

void subscription_table::topic_map::erase(topic_table::id topic) noexcept
{
    std::size_t hole = home(topic);
    while (slots_[hole].topic != topic) hole = next(hole);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = next(hole); slots_[i].topic != topic_table::none; i = next(i)) {
        if (((i - home(slots_[i].topic)) & mask) < ((i - hole) & mask)) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = {};
    if (--count_ == 0) huge_page_vector<slot>().swap(slots_);
}

void subscription_table::topic_map::copy_to(std::vector<topic_table::id>& to) const
{
    to.reserve(count_);
    for (const slot& s : slots_) {
        if (s.topic != topic_table::none) to.push_back(s.topic);
    }
}

topic_table::id subscription_table::topic_map::any() const noexcept
{
    const auto taken =
        std::find_if(slots_.begin(), slots_.end(), [](const slot& s) { return s.topic != topic_table::none; });
    return taken == slots_.end() ? topic_table::none : taken->topic;
}

subscription_table::~subscription_table()
{
    for (std::size_t i = 0; i < sets_.size(); ++i) sets_[i].release();
}

subscription_table::added subscription_table::add(topic_octets topic, pipe::pipe_end& end) noexcept
{
    bool is_new = false;
    const topic_table::id id = table_.insert(topic, is_new);
    if (id == topic_table::none) return added::out_of_memory;
    try {
        if (!sets_.grow_to(std::size_t(id) + 1)) throw std::bad_alloc();
        topic_map& mine = pipes_[&end];
        if (mine.find(id)) return added::further;
        if (!mine.reserve_one_more() || !sets_[id].reserve_one_more()) throw std::bad_alloc();
        mine.insert(id, sets_[id].count);
    } catch (const std::bad_alloc&) {
        if (is_new) table_.erase(id);
        return added::out_of_memory;
    }
    pipe_set& all = sets_[id];
    all.pipes()[all.count++] = &end;
    return is_new ? added::first : added::further;
}

// Takes the pipe out of the topic's set; true if it was the last there, and the topic is gone.
bool subscription_table::leave(topic_table::id topic, pipe::pipe_end& end) noexcept
{
    topic_map& mine = pipes_.find(&end)->second;
    pipe_set& all = sets_[topic];
    const std::uint32_t place = *mine.find(topic);
    pipe::pipe_end* const last = all.pipes()[--all.count];
    if (last != &end) {
        all.pipes()[place] = last;
        *pipes_.find(last)->second.find(topic) = place;
    }
    mine.erase(topic);
    if (all.count != 0) return false;
    all.release();
    table_.erase(topic);
    if (table_.size() == 0) sets_.clear();
    return true;
}

subscription_table::removed subscription_table::remove(topic_octets topic, pipe::pipe_end& end) noexcept
{
    const topic_table::id id = table_.find(topic);
    const auto mine = pipes_.find(&end);
    if (id == topic_table::none || mine == pipes_.end() || !mine->second.find(id)) return removed::unknown;
    return leave(id, end) ? removed::last : removed::others_remain;
}

// The topics in the order of their numbers; none when memory is short.
std::vector<topic_table::id> subscription_table::topics_of(const pipe::pipe_end& end) const noexcept
{
    std::vector<topic_table::id> topics;
    const auto mine = pipes_.find(&end);
    if (mine == pipes_.end()) return topics;
    try {
        mine->second.copy_to(topics);
        std::sort(topics.begin(), topics.end());
    } catch (const std::bad_alloc&) {
        topics.clear();
    }
    return topics;
}

topic_table::id subscription_table::any_topic_of(const pipe::pipe_end& end) const noexcept
{
    const auto mine = pipes_.find(&end);
    return mine == pipes_.end() ? topic_table::none : mine->second.any();
}

}  // namespace zlink::pattern::routing
