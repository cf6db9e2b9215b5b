#include "pattern/routing/prefix_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace zlink::pattern::routing {

prefix_tree::~prefix_tree()
{
    // Down to a leaf, free it, back to its parent, until the root is a leaf.
    node* n = root_;
    while (n) {
        if (n->children) {
            n = links(*n)[--n->children];
            continue;
        }
        node* parent = n->parent;
        std::free(n);
        n = parent;
    }
}

prefix_tree::node* prefix_tree::make(std::size_t label_size, std::size_t capacity) noexcept
{
    void* block = std::malloc(links_offset(capacity, label_size) + capacity * sizeof(node*));
    if (!block) return nullptr;
    return new (block) node{nullptr, none, std::uint32_t(label_size), 0, std::uint16_t(capacity)};
}

void prefix_tree::set_child(node& n, std::size_t i, node& c) noexcept
{
    keys(n)[i] = *label(c);
    links(n)[i] = &c;
    c.parent = &n;
}

std::size_t prefix_tree::place_of(const node& n, std::byte key) noexcept
{
    return std::size_t(static_cast<const std::byte*>(std::memchr(keys(n), int(key), n.children)) - keys(n));
}

// Makes sure that number() succeeds.
bool prefix_tree::reserve_number() noexcept
{
    if (first_free_ != none) return true;
    if (nodes_.size() >= none - 1) return false;
    try {
        nodes_.push_back(reinterpret_cast<node*>(std::uintptr_t(none) * 2 + 1));
    } catch (const std::bad_alloc&) {
        return false;
    }
    first_free_ = id(nodes_.size() - 1);
    return true;
}

void prefix_tree::number(node& n) noexcept
{
    n.topic = first_free_;
    first_free_ = id(reinterpret_cast<std::uintptr_t>(nodes_[n.topic]) >> 1);
    nodes_[n.topic] = &n;
    ++count_;
}

// Everyone who points to a node learns its new place.
void prefix_tree::moved(node& to) noexcept
{
    if (to.topic != none) nodes_[to.topic] = &to;
    for (std::size_t i = 0; i < to.children; ++i) links(to)[i]->parent = &to;
    if (to.parent) {
        links(*to.parent)[place_of(*to.parent, *label(to))] = &to;
    } else {
        root_ = &to;
    }
}

// The node with room for so many children, in a new place; null when memory is short.
prefix_tree::node* prefix_tree::resize(node& n, std::size_t capacity) noexcept
{
    node* fresh = make(n.label_size, capacity);
    if (!fresh) return nullptr;
    fresh->parent = n.parent;
    fresh->topic = n.topic;
    fresh->children = n.children;
    std::memcpy(keys(*fresh), keys(n), n.children);
    std::memcpy(label(*fresh), label(n), n.label_size);
    std::copy_n(links(n), n.children, links(*fresh));
    moved(*fresh);
    std::free(&n);
    return fresh;
}

bool prefix_tree::add_child(node& n, node& c) noexcept
{
    node* parent = &n;
    if (n.children == n.capacity) {
        parent = resize(n, n.capacity == 0 ? 1 : std::size_t(n.capacity) * 2);
        if (!parent) return false;
    }
    set_child(*parent, parent->children++, c);
    return true;
}

// Returns the node, which may have moved.
prefix_tree::node* prefix_tree::remove_child(node& n, std::byte key) noexcept
{
    const std::size_t i = place_of(n, key), last = --n.children;
    keys(n)[i] = keys(n)[last];
    links(n)[i] = links(n)[last];
    if (n.capacity < 8 || n.children * 4u > n.capacity) return &n;
    node* smaller = resize(n, n.capacity / 2);
    return smaller ? smaller : &n;
}

// Puts a node above `c` that takes the first `at` octets of its label. It has room for a second child on demand.
prefix_tree::node* prefix_tree::split(node& c, std::size_t at, bool with_branch) noexcept
{
    node* upper = make(at, with_branch ? 2 : 1);
    if (!upper) return nullptr;
    std::memcpy(label(*upper), label(c), at);
    upper->parent = c.parent;
    moved(*upper);
    node** const old_links = links(c);
    std::memmove(label(c), label(c) + at, c.label_size - at);
    c.label_size -= std::uint32_t(at);
    std::memmove(links(c), old_links, c.children * sizeof(node*));
    set_child(*upper, upper->children++, c);
    return upper;
}

prefix_tree::id prefix_tree::insert(topic_octets topic, bool& is_new) noexcept
{
    is_new = false;
    if (topic.size() > 0x7fffffff) return none;
    if (!root_ && !(root_ = make(0, 0))) return none;
    node* n = root_;
    const std::byte* at = topic.data();
    std::size_t left = topic.size();
    while (node* next = step(*n, at, left)) n = next;

    if (left == 0 && n->topic != none) return n->topic;
    if (!reserve_number()) return none;
    is_new = true;
    if (left == 0) {
        number(*n);
        return n->topic;
    }
    node* c = child(*n, *at);
    const std::size_t common =
        c ? std::size_t(std::mismatch(at, at + std::min<std::size_t>(left, c->label_size), label(*c)).first - at) : 0;
    node* leaf = nullptr;
    if (common < left) {
        leaf = make(left - common, 0);
        if (!leaf) return none;
        std::memcpy(label(*leaf), at + common, left - common);
    }
    if (c) {
        n = split(*c, common, leaf != nullptr);
        if (!n) {
            std::free(leaf);
            return none;
        }
    }
    if (leaf && !add_child(*n, *leaf)) {
        std::free(leaf);
        return none;
    }
    number(leaf ? *leaf : *n);
    return leaf ? leaf->topic : n->topic;
}

prefix_tree::id prefix_tree::find(topic_octets topic) const noexcept
{
    const node* n = root_;
    const std::byte* at = topic.data();
    std::size_t left = topic.size();
    while (n && left != 0) n = step(*n, at, left);
    return n ? n->topic : none;
}

// A node that no topic ends at and that does not branch is joined with its only child.
void prefix_tree::merge_with_child(node& n) noexcept
{
    node& c = *links(n)[0];
    node* joined = make(n.label_size + c.label_size, c.capacity);
    if (!joined) return;  // the tree stays right, only less compact
    joined->topic = c.topic;
    joined->children = c.children;
    std::memcpy(keys(*joined), keys(c), c.children);
    std::memcpy(label(*joined), label(n), n.label_size);
    std::memcpy(label(*joined) + n.label_size, label(c), c.label_size);
    std::copy_n(links(c), c.children, links(*joined));
    joined->parent = n.parent;
    moved(*joined);
    std::free(&c);
    std::free(&n);
}

void prefix_tree::erase(id topic) noexcept
{
    node* n = nodes_[topic];
    nodes_[topic] = reinterpret_cast<node*>(std::uintptr_t(first_free_) * 2 + 1);
    first_free_ = topic;
    --count_;
    n->topic = none;
    while (n->parent && n->children == 0 && n->topic == none) {
        node* parent = n->parent;
        const std::byte key = *label(*n);
        std::free(n);
        n = remove_child(*parent, key);
    }
    if (n->parent && n->children == 1 && n->topic == none) merge_with_child(*n);
    if (count_ == 0) {
        std::vector<node*>().swap(nodes_);
        first_free_ = none;
    }
}

void prefix_tree::append_text(id topic, std::string& to) const
{
    const node* const end = nodes_[topic];
    std::size_t size = 0;
    for (const node* n = end; n; n = n->parent) size += n->label_size;
    to.resize(to.size() + size);
    char* at = to.data() + to.size();
    for (const node* n = end; n; n = n->parent) {
        at -= n->label_size;
        std::memcpy(at, label(*n), n->label_size);
    }
}

}  // namespace zlink::pattern::routing
