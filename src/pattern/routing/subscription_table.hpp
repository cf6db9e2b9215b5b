// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The subscriptions on the publisher's side: topics with the pipes that asked for them. Adding, removing and finding
// take time only for the topic's octets (and the pipes found). The departure of a pipe takes time for its own
// subscriptions.
#pragma once

#include "base/growing_array.hpp"
#include "base/huge_page_allocator.hpp"
#include "pattern/routing/topic_table.hpp"
#include "pipe/pipe.hpp"

#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zlink::pattern::routing {

class subscription_table {
public:
    subscription_table() = default;
    subscription_table(const subscription_table&) = delete;
    subscription_table& operator=(const subscription_table&) = delete;
    ~subscription_table();

    enum class added { first, further, out_of_memory };

    /// `further`: another pipe, or this one, has the topic already. Subscribing twice counts once.
    [[nodiscard]] added add(topic_octets topic, pipe::pipe_end& end) noexcept;

    enum class removed { unknown, others_remain, last };

    removed remove(topic_octets topic, pipe::pipe_end& end) noexcept;

    /// Ends all subscriptions of a pipe, roughly in the order of subscription, and calls `gone(topic, last)` for each:
    /// `last` if no other pipe has it. Calls may be missing when memory is short.
    template <class F>
    void remove_pipe(pipe::pipe_end& end, F&& gone) noexcept
    {
        std::string text;
        const auto end_one = [&](topic_table::id id) {
            bool told = true;
            try {
                text.clear();
                table_.append_text(id, text);
            } catch (const std::bad_alloc&) {
                told = false;
            }
            const bool last = leave(id, end);
            if (told) gone(std::string_view(text), last);
        };
        for (const topic_table::id id : topics_of(end)) end_one(id);
        for (topic_table::id id; (id = any_topic_of(end)) != topic_table::none;) end_one(id);
        pipes_.erase(&end);
    }

    /// Calls `found(pipe)` for all pipes with a topic that `octets` begin with; more than once for a pipe with several.
    template <class F>
    void match(topic_octets octets, F&& found) const
    {
        table_.match(octets, [&](topic_table::id id) {
            const pipe_set& s = sets_[id];
            pipe::pipe_end* const* const all = s.pipes();
            for (std::uint32_t i = 0; i < s.count; ++i) found(*all[i]);
            return true;
        });
    }

    /// Calls `found(pipe)` for all pipes with topics.
    template <class F>
    void for_each_pipe(F&& found) const
    {
        for (const auto& [end, topics] : pipes_) {
            if (topics.any() != topic_table::none) found(*end);
        }
    }

    /// The number of different topics.
    [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }

private:
    // The pipes of a topic; a single one, as most topics have, needs no memory of its own.
    struct pipe_set {
        std::uint32_t count = 0;
        std::uint32_t capacity = 1;
        union {
            pipe::pipe_end* one = nullptr;
            pipe::pipe_end** many;
        };

        [[nodiscard]] pipe::pipe_end* const* pipes() const noexcept { return capacity == 1 ? &one : many; }
        [[nodiscard]] pipe::pipe_end** pipes() noexcept { return capacity == 1 ? &one : many; }
        bool reserve_one_more() noexcept;
        void release() noexcept;
    };

    // The topics of a pipe, each with the pipe's place in that topic's set. Open addressing.
    class topic_map {
    public:
        [[nodiscard]] std::uint32_t* find(topic_table::id topic) noexcept;
        [[nodiscard]] bool reserve_one_more() noexcept;
        void insert(topic_table::id topic, std::uint32_t place) noexcept;
        void erase(topic_table::id topic) noexcept;

        void copy_to(std::vector<topic_table::id>& to) const;
        [[nodiscard]] topic_table::id any() const noexcept;

    private:
        struct slot {
            topic_table::id topic = topic_table::none;
            std::uint32_t place = 0;
        };
        [[nodiscard]] std::size_t home(topic_table::id topic) const noexcept
        {
            return (topic * 2654435761u) & (slots_.size() - 1);
        }
        [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_.size() - 1); }

        huge_page_vector<slot> slots_;  ///< a power of two of them, at most three quarters used
        std::size_t count_ = 0;
    };

    std::vector<topic_table::id> topics_of(const pipe::pipe_end& end) const noexcept;
    topic_table::id any_topic_of(const pipe::pipe_end& end) const noexcept;
    bool leave(topic_table::id topic, pipe::pipe_end& end) noexcept;

    topic_table table_;
    growing_array<pipe_set> sets_;  ///< by the table's numbers
    std::unordered_map<const pipe::pipe_end*, topic_map> pipes_;
};

}  // namespace zlink::pattern::routing
