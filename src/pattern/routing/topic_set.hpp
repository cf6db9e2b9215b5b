// What a subscriber asked for: topics, each with a count, as subscribing twice takes unsubscribing twice.
#pragma once

#include "pattern/routing/prefix_tree.hpp"

#include <new>

namespace zlink::pattern::routing {

class topic_set {
public:
    /// False when memory is short; nothing changed then.
    [[nodiscard]] bool add(topic_octets topic) noexcept
    {
        bool is_new = false;
        const prefix_tree::id id = tree_.insert(topic, is_new);
        if (id == prefix_tree::none) return false;
        try {
            if (counts_.size() <= id) counts_.resize(id + 1);
        } catch (const std::bad_alloc&) {
            tree_.erase(id);
            return false;
        }
        if (is_new) counts_[id] = 0;
        ++counts_[id];
        return true;
    }

    enum class removed { unknown, one_of_several, last };

    removed remove(topic_octets topic) noexcept
    {
        const prefix_tree::id id = tree_.find(topic);
        if (id == prefix_tree::none) return removed::unknown;
        if (--counts_[id] != 0) return removed::one_of_several;
        tree_.erase(id);
        return removed::last;
    }

    /// Whether `octets` begin with any of the topics.
    [[nodiscard]] bool matches(topic_octets octets) const noexcept
    {
        bool any = false;
        tree_.match(octets, [&any](prefix_tree::id) {
            any = true;
            return false;
        });
        return any;
    }

    [[nodiscard]] std::size_t size() const noexcept { return tree_.size(); }

    /// Calls `use(text)` for each topic, in the order of subscription more or less. May throw bad_alloc.
    template <class F>
    void for_each(F&& use) const
    {
        std::string text;
        for (prefix_tree::id id = 0; id < tree_.limit(); ++id) {
            if (!tree_.contains(id)) continue;
            text.clear();
            tree_.append_text(id, text);
            use(text);
        }
    }

private:
    prefix_tree tree_;
    std::vector<std::uint32_t> counts_;  ///< by the tree's numbers
};

}  // namespace zlink::pattern::routing
