#include "pattern/routing/subscription_trie.hpp"

#include <algorithm>
#include <cstdlib>

namespace zlink::pattern::routing {

// The pipes of a topic.

bool subscription_trie::pipe_set::reserve_one_more() noexcept
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

void subscription_trie::pipe_set::release() noexcept
{
    if (capacity != 1) std::free(many);
    *this = {};
}

// The topics of a pipe.

std::uint32_t* subscription_trie::topic_map::find(prefix_tree::id topic) noexcept
{
    if (count_ == 0) return nullptr;
    for (std::size_t i = home(topic); slots_[i].topic != prefix_tree::none; i = next(i)) {
        if (slots_[i].topic == topic) return &slots_[i].place;
    }
    return nullptr;
}

bool subscription_trie::topic_map::reserve_one_more() noexcept
{
    if ((count_ + 1) * 4 <= slots_.size() * 3) return true;
    try {
        std::vector<slot> old(slots_.empty() ? 4 : slots_.size() * 2);
        slots_.swap(old);
        count_ = 0;
        for (const slot& s : old) {
            if (s.topic != prefix_tree::none) insert(s.topic, s.place);
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void subscription_trie::topic_map::insert(prefix_tree::id topic, std::uint32_t place) noexcept
{
    std::size_t i = home(topic);
    while (slots_[i].topic != prefix_tree::none) i = next(i);
    slots_[i] = {topic, place};
    ++count_;
}

void subscription_trie::topic_map::erase(prefix_tree::id topic) noexcept
{
    std::size_t hole = home(topic);
    while (slots_[hole].topic != topic) hole = next(hole);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = next(hole); slots_[i].topic != prefix_tree::none; i = next(i)) {
        if (((i - home(slots_[i].topic)) & mask) < ((i - hole) & mask)) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = {};
    if (--count_ == 0) std::vector<slot>().swap(slots_);
}

void subscription_trie::topic_map::copy_to(std::vector<prefix_tree::id>& to) const
{
    to.reserve(count_);
    for (const slot& s : slots_) {
        if (s.topic != prefix_tree::none) to.push_back(s.topic);
    }
}

prefix_tree::id subscription_trie::topic_map::any() const noexcept
{
    const auto taken =
        std::find_if(slots_.begin(), slots_.end(), [](const slot& s) { return s.topic != prefix_tree::none; });
    return taken == slots_.end() ? prefix_tree::none : taken->topic;
}

subscription_trie::~subscription_trie()
{
    for (pipe_set& s : sets_) s.release();
}

subscription_trie::added subscription_trie::add(topic_octets topic, pipe::pipe_end& end) noexcept
{
    bool is_new = false;
    const prefix_tree::id id = tree_.insert(topic, is_new);
    if (id == prefix_tree::none) return added::out_of_memory;
    try {
        if (sets_.size() <= id) sets_.resize(id + 1);
        topic_map& mine = pipes_[&end];
        if (mine.find(id)) return added::further;
        if (!mine.reserve_one_more() || !sets_[id].reserve_one_more()) throw std::bad_alloc();
        mine.insert(id, sets_[id].count);
    } catch (const std::bad_alloc&) {
        if (is_new) tree_.erase(id);
        return added::out_of_memory;
    }
    pipe_set& all = sets_[id];
    all.pipes()[all.count++] = &end;
    return is_new ? added::first : added::further;
}

// Takes the pipe out of the topic's set; true if it was the last there, and the topic is gone.
bool subscription_trie::leave(prefix_tree::id topic, pipe::pipe_end& end) noexcept
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
    tree_.erase(topic);
    if (tree_.size() == 0) std::vector<pipe_set>().swap(sets_);
    return true;
}

subscription_trie::removed subscription_trie::remove(topic_octets topic, pipe::pipe_end& end) noexcept
{
    const prefix_tree::id id = tree_.find(topic);
    const auto mine = pipes_.find(&end);
    if (id == prefix_tree::none || mine == pipes_.end() || !mine->second.find(id)) return removed::unknown;
    return leave(id, end) ? removed::last : removed::others_remain;
}

// In the order of their numbers; none when memory is short.
std::vector<prefix_tree::id> subscription_trie::topics_of(const pipe::pipe_end& end) const noexcept
{
    std::vector<prefix_tree::id> topics;
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

prefix_tree::id subscription_trie::any_topic_of(const pipe::pipe_end& end) const noexcept
{
    const auto mine = pipes_.find(&end);
    return mine == pipes_.end() ? prefix_tree::none : mine->second.any();
}

}  // namespace zlink::pattern::routing
