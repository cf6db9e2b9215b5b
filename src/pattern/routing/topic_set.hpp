// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The topics that a subscriber asked for, each with a count: subscribing twice requires unsubscribing twice.
#pragma once

#include "base/growing_array.hpp"
#include "pattern/routing/topic_table.hpp"

#include <string>

namespace zlink::pattern::routing {

class topic_set {
public:
    /// False when memory is short; nothing changed then.
    [[nodiscard]] bool add(topic_octets topic) noexcept
    {
        bool is_new = false;
        const topic_table::id id = table_.insert(topic, is_new);
        if (id == topic_table::none) return false;
        if (!counts_.grow_to(std::size_t(id) + 1)) {
            table_.erase(id);
            return false;
        }
        if (is_new) counts_[id] = 0;
        ++counts_[id];
        return true;
    }

    enum class removed { unknown, one_of_several, last };

    removed remove(topic_octets topic) noexcept
    {
        const topic_table::id id = table_.find(topic);
        if (id == topic_table::none) return removed::unknown;
        if (--counts_[id] != 0) return removed::one_of_several;
        table_.erase(id);
        if (table_.size() == 0) counts_.clear();
        return removed::last;
    }

    /// Whether `octets` begin with any of the topics.
    [[nodiscard]] bool matches(topic_octets octets) const noexcept
    {
        bool any = false;
        table_.match(octets, [&any](topic_table::id) {
            any = true;
            return false;
        });
        return any;
    }

    [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }

    /// Calls `use(text)` for each topic, roughly in the order of subscription. May throw bad_alloc.
    template <class F>
    void for_each(F&& use) const
    {
        std::string text;
        for (topic_table::id id = 0; id < table_.limit(); ++id) {
            if (!table_.contains(id)) continue;
            text.clear();
            table_.append_text(id, text);
            use(text);
        }
    }

private:
    topic_table table_;
    growing_array<std::uint32_t> counts_;  ///< by the table's numbers
};

}  // namespace zlink::pattern::routing
