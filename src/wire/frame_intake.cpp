// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/frame_intake.hpp"

#include "base/invariant.hpp"
#include "pipe/receive_count.hpp"

#include <algorithm>

namespace zlink::wire {

namespace {

// Reads start at this size and grow after full reads. A read may also overshoot the receive high-water mark by as much.
constexpr std::size_t first_read = 8 * 1024;

// Octets of the frames behind a large body that the read of the body's rest takes, at most.
constexpr std::size_t read_behind_body = 8 * 1024;

// If messages have this size on average, they are read one by one, each into its own memory. Of smaller ones a read
// takes many.
constexpr std::size_t own_read_from = 32 * 1024;

// If a read brings so few octets, they are copied out of a chunk that connections share. The copy costs no more than a
// span of its own.
constexpr std::size_t copied = 256;

// If the program has left earlier messages unread, octets of a larger read are copied too. So unread messages of one
// connection do not keep the octets of other connections between them. Up to `copied_if_behind` they go into one chunk
// with others, up to `alone_if_behind` they get memory of their own.
constexpr std::size_t copied_if_behind = 2 * 1024;
constexpr std::size_t alone_if_behind = 8 * 1024;

// Memory of kept octets is kept itself up to this size: for small frames, which are cut by many reads. An idle
// connection keeps no more. (The octets that come with the end of a handshake take 4 KB.)
constexpr std::size_t largest_reserve = 1024;

void* aligned_for_span(std::byte* at) noexcept
{
    const auto above = reinterpret_cast<std::uintptr_t>(at) + alignof(pipe::span) - 1;
    return reinterpret_cast<void*>(above & ~(alignof(pipe::span) - 1));
}

}  // namespace

frame_intake::frame_intake(const frame_limits& l) noexcept
    : next_read_(first_read),
      largest_read_(l.max_transfer ? std::min(l.most_at_once, l.max_transfer) : l.most_at_once),
      large_from_(std::clamp<std::size_t>(l.large_from, 1, largest_kept)),
      max_transfer_(l.max_transfer),
      grows_(l.grows)
{
    largest_read_ = std::max<std::size_t>(largest_read_, 1);
    next_read_ = std::min(next_read_, largest_read_);
}

bool frame_intake::feed(std::span<const std::byte> some) noexcept
{
    try {
        kept_.assign(some.begin(), some.end());
    } catch (...) {
        return false;
    }
    kept_is_ = some.empty() ? keeping::partial : keeping::unread;
    return true;
}

bool frame_intake::keep_unread(octets there, octets more) noexcept
{
    try {
        kept_.reserve(std::size_t(there.end - there.begin) + std::size_t(more.end - more.begin));
        kept_.assign(there.begin, there.end);
        kept_.insert(kept_.end(), more.begin, more.end);
    } catch (...) {
        return false;
    }
    kept_is_ = keeping::unread;
    return true;
}

bool frame_intake::keep_partial(octets there, std::uint64_t missing) noexcept
{
    try {
        kept_.assign(there.begin, there.end);
    } catch (...) {
        return false;
    }
    missing_ = std::size_t(missing);
    // A command, or a frame below the large size, that is longer than a read.
    if (missing_ != 0) next_read_ = std::min(std::max(next_read_, first_read), largest_read_);
    return true;
}

void frame_intake::drop_kept() noexcept
{
    kept_.clear();
    if (kept_.capacity() > largest_reserve) std::vector<std::byte>().swap(kept_);
}

std::size_t frame_intake::read_size(pipe::lane_writer& lane) const noexcept
{
    // If the body gets memory of its own, this read brings the header and the part of the body that is copied.
    const std::size_t wanted = octets_per_message_ >= own_read_from ? std::min(next_read_, first_read) : next_read_;
    const std::uint64_t below_mark = std::min<std::uint64_t>(lane.octet_room(), largest_read_);
    const auto size = std::size_t(std::min<std::uint64_t>(wanted, below_mark + first_read));
    if (lane.hwm() == 0) return size;
    const std::uint64_t most = std::min<std::uint64_t>(lane.room(), largest_read_);
    return std::min<std::uint64_t>(size, most * octets_per_message_ + first_read);
}

void frame_intake::learn(std::size_t got) noexcept
{
    if (got == wanted_ && wanted_ >= next_read_) {
        next_read_ = std::min(next_read_ * 2, largest_read_);
    } else if (got * 4 < next_read_) {
        next_read_ = std::max(next_read_ / 2, std::min(first_read, largest_read_));
    }
}

bool frame_intake::prepare(receive_arena& arena, pipe::lane_writer& lane, inbound::scratch& spare,
                           inbound::room& to) noexcept
{
    if (large_.active()) return prepare_large(arena, to);
    if (collects()) {
        // No further than to the end of the frame. The frame is then handled like octets that were there before.
        const std::size_t most = std::min(missing_, spare.size());
        wanted_ = max_transfer_ ? std::min(most, max_transfer_) : most;
        to = {{{spare.data(), wanted_}, {}}, 1, wanted_};
        return true;
    }
    wanted_ = has_unread() ? 0 : read_size(lane);
    front_ = growth_of(kept_.size() + wanted_);
    const std::size_t before = front_ + kept_.size();
    if (!arena.reserve(before + std::min(wanted_, first_read))) return false;
    // A fresh chunk is better than a short read.
    if (arena.room() < before + wanted_ && !arena.reserve(before + wanted_)) return false;
    to = {{{arena.at() + before, wanted_}, {}}, has_unread() ? 0 : 1, wanted_};
    return true;
}

bool frame_intake::prepare_large(receive_arena& arena, inbound::room& to) noexcept
{
    front_ = growth_of(read_behind_body);
    const std::size_t before = message::long_header_size + front_;
    if (!arena.reserve(before + 2 * sizeof(pipe::span) + read_behind_body)) return false;
    std::size_t space = 0;
    std::byte* const body = large_.space(space);
    if (!space) return false;
    wanted_ = large_.last_space() ? space + read_behind_body : space;
    if (max_transfer_) wanted_ = std::min(wanted_, max_transfer_);
    // The body's header and span come first in the arena, then the octets behind the body.
    const std::size_t first = std::min(space, wanted_);
    to = {{{body, first}, {arena.at() + before, wanted_ - first}}, wanted_ > first ? 2 : 1, wanted_};
    return true;
}

bool frame_intake::add_to_large(std::size_t got, const receive_arena& arena, octets& behind) noexcept
{
    std::size_t space = 0;
    (void)large_.space(space);
    const std::size_t body = std::min(got, space);
    large_.arrived(body);
    behind.begin = arena.at() + message::long_header_size + front_;
    behind.end = behind.begin + (got - body);
    return large_.complete();
}

bool frame_intake::begin_large(const message::frame_header& h, octets there) noexcept
{
    const auto size = std::size_t(there.end - there.begin);
    return large_.begin(h) && large_.take(there.begin, size) == size;
}

inbound::outcome frame_intake::collect(std::size_t got, const inbound::scratch& spare) noexcept
{
    try {
        kept_.insert(kept_.end(), spare.data(), spare.data() + got);
    } catch (...) {
        return inbound::outcome::failed;
    }
    missing_ -= got;
    if (missing_ != 0) return inbound::outcome::done;
    kept_is_ = keeping::unread;
    return inbound::outcome::again;
}

bool frame_intake::hand_over_large(const message::frame_header& h, message::buffer* body, receive_arena& arena,
                                   pipe::lane_writer& lane) noexcept
{
    invariant([&] { return body != nullptr && h.body_size != 0; });
    std::byte* header = arena.at();
    void* place = arena.take_span(header + message::long_header_size + front_ + read_behind_body);
    if (!place) {
        body->release();
        return false;
    }
    const auto more = std::uint8_t(h.flags & message::flag_more);
    std::byte* end = header + message::encode_header(header, more, h.body_size);
    arena.take(header + message::long_header_size);
    arena.chunk()->add_ref();
    octets_per_message_ = std::max<std::size_t>(1, (octets_per_message_ * 3 + h.body_size) / 4);
    if (!more) pipe::count_receive();
    lane.append_span(arena.chunk(), place, header, more ? header : end, end, more ? 0 : 1, body, body->data(),
                     std::size_t(h.body_size));
    return true;
}

bool frame_intake::hand_over_lent(bool more, message::buffer* body, pipe::lane_writer& lane) noexcept
{
    message::buffer* const own = message::buffer::allocate(message::long_header_size + 2 * sizeof(pipe::span));
    if (!own) {
        body->release();
        return false;
    }
    std::byte* const begin = own->data();
    std::byte* const end = begin + message::encode_header(begin, more ? message::flag_more : 0, body->capacity());
    if (!more) pipe::count_receive();
    lane.append_span(own, aligned_for_span(end), begin, more ? begin : end, end, more ? 0 : 1, body, body->data(),
                     body->capacity());
    return true;
}

bool frame_intake::hand_over(std::byte* begin, const zmtp::frame_scanner::outcome& found, receive_arena& arena,
                             pipe::lane_writer& lane, const std::byte* in_use) noexcept
{
    auto* end = const_cast<std::byte*>(found.frames_end);
    auto* visible = found.messages_end ? const_cast<std::byte*>(found.messages_end) : begin;
    if (found.messages) {
        octets_per_message_ = std::max<std::size_t>(1, std::size_t(visible - begin) / found.messages);
        pipe::count_receive();
    }
    // If many connections share a chunk, a few octets of one connection that is not read would keep all of it.
    std::uint32_t messages = found.messages;
    const bool behind = arena.shared() && lane.reader_is_behind();
    if (arena.shared() && std::size_t(end - begin) <= (behind ? copied_if_behind : copied)) {
        if (messages && lane.append_copy(begin, visible, messages)) {
            begin = visible;
            messages = 0;
        }
        // In this case nothing refers to the arena's octets: the next ones may take their place.
        if (begin == end || (messages == 0 && lane.append_copy(begin, end, 0))) return true;
    }
    const auto size = std::size_t(end - begin);
    void* const place = behind && size <= alone_if_behind ? nullptr : arena.take_span(in_use);
    if (place) {
        arena.chunk()->add_ref();
        arena.take(end);
        lane.append_span(arena.chunk(), place, begin, messages ? visible : begin, end, messages);
        return true;
    }
    // A chunk of its own; also if many commands between the frames used up the room for spans.
    message::buffer* own = message::buffer::allocate(size + 2 * sizeof(pipe::span));
    if (!own) return false;
    copy_many_octets(own->data(), begin, size);
    lane.append_span(own, aligned_for_span(own->data() + size), own->data(),
                     messages ? own->data() + (visible - begin) : own->data(), own->data() + size, messages);
    return true;
}

}  // namespace zlink::wire
