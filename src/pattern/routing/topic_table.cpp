// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/topic_table.hpp"

#include "base/process_secret.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace zlink::pattern::routing {

namespace {

constexpr std::size_t longest_topic = 0x7fffffff;
constexpr std::size_t smallest_filter = 64;

}  // namespace

bool topic_table::entry::assign(topic_octets octets) noexcept
{
    std::byte* to = here;
    if (octets.size() > room) {
        to = static_cast<std::byte*>(std::malloc(octets.size()));
        if (!to) return false;
        elsewhere = to;
    }
    size = std::uint32_t(octets.size());
    if (size != 0) std::memcpy(to, octets.data(), size);
    return true;
}

void topic_table::entry::release() noexcept
{
    if (!is_free() && size > room) std::free(elsewhere);
    size = free_size;
}

topic_table::topic_table() noexcept : secret_(process_secret()) {}

topic_table::~topic_table()
{
    for (id i = 0; i < limit(); ++i) entries_[i].release();
}

topic_table::id topic_table::find(topic_octets topic, std::uint64_t hash) const noexcept
{
    return index_.find(hash, [&](id candidate) { return is(candidate, topic); });
}

topic_table::id topic_table::find(topic_octets topic) const noexcept
{
    if (indexed_) return find(topic, hash_of(topic));
    id known = none;
    few_.match(topic, [&](std::size_t length, id candidate) {
        if (length == topic.size() && is(candidate, topic)) known = candidate;
        return known == none;
    });
    return known;
}

// Makes sure that there is a free number.
bool topic_table::reserve_entry() noexcept
{
    if (first_free_ != none) return true;
    if (entries_.size() >= none - 1 || !entries_.grow_to(entries_.size() + 1)) return false;
    first_free_ = limit() - 1;
    return true;
}

// Builds the filter again with room to grow, for the present topics and one to come. Topics that are gone are
// forgotten. When memory is short, the filter is unchanged.
bool topic_table::build_filter(std::size_t length_to_come) noexcept
{
    std::size_t room = std::max({count_ * 2, entries_.size(), smallest_filter});  // it looks at all entries
    if (!filter_.reset(room)) return false;
    do {
        filter_.expect(length_to_come);
        for (id i = 0; i < limit(); ++i) {
            if (contains(i)) filter_.add({entries_[i].text(), secret_});
        }
    } while (!filter_.roomy() && filter_.reset(room *= 2));
    return true;
}

// Changes from the short list to filter and index. When memory is short, the short list stays.
bool topic_table::start_index(std::size_t length_to_come) noexcept
{
    for (id i = 0; i < limit(); ++i) {
        if (contains(i)) filter_.expect(entries_[i].size);
    }
    if (!build_filter(length_to_come)) return false;
    for (id i = 0; i < limit(); ++i) {
        if (!contains(i)) continue;
        if (!index_.reserve_one_more()) {
            index_.release();
            return false;
        }
        index_.insert(hash_of(entries_[i].text()), i);
    }
    few_.clear();
    indexed_ = true;
    return true;
}

// Adds the topic to the data that matching uses.
bool topic_table::list(topic_octets topic, id number) noexcept
{
    if (!indexed_) {
        if (few_.add(topic, number)) return true;
        if (!start_index(topic.size())) return false;
    }
    if (!index_.reserve_one_more()) return false;
    if (!filter_.covers(topic.size()) && !build_filter(topic.size())) return false;
    if (filter_.full()) (void)build_filter(topic.size());  // if that fails, the old one stays in use
    filter_.add({topic, secret_});
    index_.insert(hash_of(topic), number);
    return true;
}

topic_table::id topic_table::insert(topic_octets topic, bool& is_new) noexcept
{
    is_new = false;
    if (topic.size() > longest_topic) return none;
    const id known = find(topic);
    if (known != none) return known;
    if (!reserve_entry()) return none;
    entry made;
    if (!made.assign(topic)) return none;
    if (!list(topic, first_free_)) {
        made.release();
        return none;
    }
    const id fresh = first_free_;
    first_free_ = entries_[fresh].next_free;
    entries_[fresh] = made;
    ++count_;
    is_new = true;
    return fresh;
}

void topic_table::erase(id topic) noexcept
{
    entry& e = entries_[topic];
    if (indexed_) {
        index_.erase(hash_of(e.text()), topic);
    } else {
        few_.remove(topic);
    }
    e.release();
    e.next_free = first_free_;
    first_free_ = topic;
    if (--count_ == 0) release_all();
}

void topic_table::release_all() noexcept
{
    few_.clear();
    filter_.release();
    index_.release();
    indexed_ = false;
    entries_.clear();
    first_free_ = none;
}

void topic_table::append_text(id topic, std::string& to) const
{
    const topic_octets text = entries_[topic].text();
    to.append(reinterpret_cast<const char*>(text.data()), text.size());
}

}  // namespace zlink::pattern::routing
