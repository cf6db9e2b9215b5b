// Topics by prefix: a radix tree that gives each topic a small number, and finds the numbers of all topics a message
// begins with in one walk along its octets. Nothing recurses, so a topic may be of any length.
//
// A node is one block of memory: header, the first octets of its children, its label (the octets between its parent and
// itself), pointers to the children. A step of a walk touches one or two cache lines, and a tree of a million topics
// is only a few steps deeper than one of a thousand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace zlink::pattern::routing {

using topic_octets = std::span<const std::byte>;

class prefix_tree {
public:
    using id = std::uint32_t;
    static constexpr id none = 0xffffffff;

    prefix_tree() = default;
    prefix_tree(const prefix_tree&) = delete;
    prefix_tree& operator=(const prefix_tree&) = delete;
    ~prefix_tree();

    /// The number of the topic, new or not; `none` when memory is short (nothing changed then).
    [[nodiscard]] id insert(topic_octets topic, bool& is_new) noexcept;

    /// `none` if it is not here.
    [[nodiscard]] id find(topic_octets topic) const noexcept;

    /// The number becomes free for another topic.
    void erase(id topic) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// Numbers lie below this.
    [[nodiscard]] id limit() const noexcept { return id(nodes_.size()); }
    [[nodiscard]] bool contains(id topic) const noexcept { return topic < nodes_.size() && !is_free(nodes_[topic]); }

    /// The topic's octets behind what `to` holds. May throw bad_alloc.
    void append_text(id topic, std::string& to) const;

    /// Calls `found(id)` for each topic that `octets` begins with, shortest first, until it returns false.
    template <class F>
    void match(topic_octets octets, F&& found) const
    {
        const std::byte* at = octets.data();
        std::size_t left = octets.size();
        for (const node* n = root_; n; n = step(*n, at, left)) {
            if (n->topic != none && !found(n->topic)) return;
        }
    }

private:
    struct node {
        node* parent;
        id topic;
        std::uint32_t label_size;
        std::uint16_t children;
        std::uint16_t capacity;  ///< children there is room for
    };

    // Places within a node's block.
    static std::byte* keys(node& n) noexcept { return reinterpret_cast<std::byte*>(&n + 1); }
    static const std::byte* keys(const node& n) noexcept { return reinterpret_cast<const std::byte*>(&n + 1); }
    static std::byte* label(node& n) noexcept { return keys(n) + n.capacity; }
    static const std::byte* label(const node& n) noexcept { return keys(n) + n.capacity; }
    static std::size_t links_offset(std::size_t capacity, std::size_t label_size) noexcept
    {
        return (sizeof(node) + capacity + label_size + alignof(node*) - 1) & ~(alignof(node*) - 1);
    }
    static node** links(node& n) noexcept
    {
        return reinterpret_cast<node**>(reinterpret_cast<std::byte*>(&n) + links_offset(n.capacity, n.label_size));
    }
    static node* const* links(const node& n) noexcept { return links(const_cast<node&>(n)); }

    /// The child that goes on with the next octet, wherever its label leads; or null.
    static node* child(const node& n, std::byte key) noexcept
    {
        const void* hit = n.children ? std::memchr(keys(n), int(key), n.children) : nullptr;
        return hit ? links(n)[static_cast<const std::byte*>(hit) - keys(n)] : nullptr;
    }

    /// The child whose whole label comes next; moves on behind it.
    static node* step(const node& n, const std::byte*& at, std::size_t& left) noexcept
    {
        if (left == 0) return nullptr;
        node* c = child(n, *at);
        if (!c || c->label_size > left || std::memcmp(label(*c), at, c->label_size) != 0) return nullptr;
        at += c->label_size;
        left -= c->label_size;
        return c;
    }

    // Entries of nodes_ that are free hold the next free number, marked by the lowest bit.
    static bool is_free(const node* entry) noexcept { return reinterpret_cast<std::uintptr_t>(entry) & 1; }

    static node* make(std::size_t label_size, std::size_t capacity) noexcept;
    static void set_child(node& n, std::size_t i, node& c) noexcept;
    static std::size_t place_of(const node& n, std::byte key) noexcept;

    bool reserve_number() noexcept;
    void number(node& n) noexcept;
    void moved(node& to) noexcept;
    node* resize(node& n, std::size_t capacity) noexcept;
    bool add_child(node& n, node& c) noexcept;
    node* remove_child(node& n, std::byte key) noexcept;
    node* split(node& c, std::size_t at, bool with_branch) noexcept;
    void merge_with_child(node& n) noexcept;

    node* root_ = nullptr;
    std::vector<node*> nodes_;  ///< by number
    id first_free_ = none;
    std::size_t count_ = 0;
};

}  // namespace zlink::pattern::routing
