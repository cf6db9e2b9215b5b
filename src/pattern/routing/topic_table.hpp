// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Topics by prefix: gives each topic a small number, and finds the numbers of all topics that a message begins with.
//
// A few topics are compared one by one. More topics are in a hash table; a filter before it tells which prefixes of a
// message are worth a look. A message that matches no topic costs one or two cache lines. A message that matches costs
// about three more for each topic found, however many topics there are.
#pragma once

#include "base/growing_array.hpp"
#include "base/small_octets.hpp"
#include "pattern/routing/few_topics.hpp"
#include "pattern/routing/prefix_hasher.hpp"
#include "pattern/routing/topic_filter.hpp"
#include "pattern/routing/topic_index.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::pattern::routing {

class topic_table {
public:
    using id = topic_index::id;
    static constexpr id none = topic_index::none;

    topic_table() noexcept;
    topic_table(const topic_table&) = delete;
    topic_table& operator=(const topic_table&) = delete;
    ~topic_table();

    /// The number of the topic, new or not; `none` when memory is short (nothing changed then).
    [[nodiscard]] id insert(topic_octets topic, bool& is_new) noexcept;

    /// `none` if it is not here.
    [[nodiscard]] id find(topic_octets topic) const noexcept;

    /// The number becomes free for another topic.
    void erase(id topic) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// Numbers lie below this.
    [[nodiscard]] id limit() const noexcept { return id(entries_.size()); }
    [[nodiscard]] bool contains(id topic) const noexcept { return topic < limit() && !entries_[topic].is_free(); }

    /// Appends the topic's octets to `to`. May throw bad_alloc.
    void append_text(id topic, std::string& to) const;

    /// Calls `found(id)` for each topic that `octets` begins with, shortest first, until it returns false.
    template <class F>
    void match(topic_octets octets, F&& found) const
    {
        if (!indexed_) {
            few_.match(octets, [&](std::size_t length, id topic) {
                return length > 2 * sizeof(std::uint64_t) && !is(topic, octets.first(length)) ? true : found(topic);
            });
        } else {
            filter_.match({octets, secret_}, [&](std::size_t length, std::uint64_t hash) {
                const id topic = find(octets.first(length), hash);
                return topic == none || found(topic);
            });
        }
    }

private:
    // A cache line; a longer topic is kept elsewhere.
    struct alignas(64) entry {
        static constexpr std::size_t room = 56;
        static constexpr std::uint32_t free_size = 0xffffffff;

        std::uint32_t size = free_size;
        id next_free = none;
        union {
            std::byte here[room];
            std::byte* elsewhere;
        };

        [[nodiscard]] bool is_free() const noexcept { return size == free_size; }
        [[nodiscard]] topic_octets text() const noexcept { return {size <= room ? here : elsewhere, size}; }
        [[nodiscard]] bool assign(topic_octets octets) noexcept;
        void release() noexcept;
    };

    [[nodiscard]] bool is(id topic, topic_octets octets) const noexcept
    {
        const topic_octets text = entries_[topic].text();
        return text.size() == octets.size() && equal_octets(text.data(), octets.data(), octets.size());
    }
    [[nodiscard]] std::uint64_t hash_of(topic_octets topic) const noexcept
    {
        return prefix_hasher(topic, secret_).of_all();
    }
    [[nodiscard]] id find(topic_octets topic, std::uint64_t hash) const noexcept;
    [[nodiscard]] bool reserve_entry() noexcept;
    [[nodiscard]] bool list(topic_octets topic, id number) noexcept;
    [[nodiscard]] bool start_index(std::size_t length_to_come) noexcept;
    [[nodiscard]] bool build_filter(std::size_t length_to_come) noexcept;
    void release_all() noexcept;

    const std::uint64_t secret_;  ///< of the hashes
    std::size_t count_ = 0;
    bool indexed_ = false;  ///< the filter and the index are used, not the short list
    few_topics few_;
    topic_filter filter_;
    topic_index index_;
    growing_array<entry> entries_;  ///< by number
    id first_free_ = none;
};

}  // namespace zlink::pattern::routing
