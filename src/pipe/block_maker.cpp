// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/block_maker.hpp"

#include "base/many_octets.hpp"
#include "message/buffer.hpp"

#include <exception>
#include <new>
#include <utility>

namespace zlink::pipe {

namespace {

// Scratch memory of more than this is not kept.
constexpr std::size_t largest_kept = 64 * 1024;

std::byte* aligned(std::byte* at, std::size_t to) noexcept
{
    return at + (to - reinterpret_cast<std::uintptr_t>(at) % to) % to;
}

}  // namespace

message_block* block_maker::take(lane_reader& from) noexcept
{
    bool whole = true;
    incoming f;
    while (from.next(f)) {
        try {
            if (whole) collect(f, from.position());
        } catch (const std::exception&) {
            whole = false;
        }
        (void)from.pop(f);
        if (!f.more) break;
    }
    message_block* const made = whole && !pieces_.empty() ? assemble() : nullptr;
    forget_pieces();
    return made;
}

void block_maker::forget_pieces() noexcept
{
    for (piece& p : pieces_) {
        if (p.body.there()) p.body.drop();
    }
    pieces_.clear();
    octets_.clear();
    if (octets_.capacity() > largest_kept) std::vector<std::byte>().swap(octets_);
    if (properties_) std::exchange(properties_, nullptr)->release();
}

// `at`: the frame's header.
void block_maker::collect(const incoming& f, const std::byte* at)
{
    if (pieces_.empty() && f.metadata) {
        f.metadata->add_ref();
        properties_ = f.metadata;
    }
    const std::size_t octets = message::decode_header(at).size + (f.by_reference ? 0 : f.size);
    if (pieces_.empty() || pieces_.back().body.there()) pieces_.emplace_back();
    octets_.insert(octets_.end(), at, at + octets);
    pieces_.back().octets += octets;
    if (f.by_reference) {
        f.owner->add_ref();
        pieces_.back().body.set(f.owner, f.data, f.size);
        pieces_.back().body.shared = f.shared;
    }
}

// A span for each piece, all in one buffer. Null: memory is short.
message_block* block_maker::assemble() noexcept
{
    const std::size_t room =
        alignof(message_block) + sizeof(message_block) + alignof(span) + pieces_.size() * sizeof(span);
    message::buffer* const memory = message::buffer::allocate(room + octets_.size());
    if (!memory) return nullptr;
    std::byte* const at = aligned(memory->data(), alignof(message_block));
    std::byte* place = aligned(at + sizeof(message_block), alignof(span));
    std::byte* octets = place + pieces_.size() * sizeof(span);
    copy_many_octets(octets, octets_.data(), octets_.size());
    auto* const made = new (at) message_block;
    made->octets = octets_.size();
    for (piece& p : pieces_) {
        auto* const s = new (place) span;
        place += sizeof(span);
        s->begin = octets;
        octets += p.octets;
        s->chunk = memory;
        s->ends_message = false;
        if (p.body.there()) {
            s->body.set(std::exchange(p.body.owner, nullptr), p.body.data, p.body.size);
            s->body.shared = p.body.shared;
            made->octets += s->body.size;
        }
        // Relaxed: the relay's lock orders these, with the message.
        s->published.store(octets, std::memory_order_relaxed);
        s->end.store(octets, std::memory_order_relaxed);
        if (made->last) {
            made->last->next.store(s, std::memory_order_relaxed);
        } else {
            made->first = s;
        }
        made->last = s;
    }
    made->first->metadata = std::exchange(properties_, nullptr);
    made->last->messages = 1;
    made->last->ends_message = true;
    made->last->releases_chunk = true;
    return made;
}

}  // namespace zlink::pipe
