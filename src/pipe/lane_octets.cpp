// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The octet mode of lane_reader.
#include "pipe/lane_reader.hpp"

#include "pipe/queue_cap.hpp"

#include <algorithm>
#include <utility>

namespace zlink::pipe {

namespace {

// The last of the pieces ends with the header of the frame with this body, or with its end. True: other octets have
// taken the frame's place.
bool substitute(iovec* to, int& count, const std::byte* begin, const span_body& body,
                frame_substitutes& others) noexcept
{
    iovec& last = to[count - 1];
    const std::size_t header = message::header_size(body.size);
    const auto* const end = static_cast<const std::byte*>(last.iov_base) + last.iov_len;
    if (std::size_t(end - begin) < header || last.iov_len < header) {
        others.not_in_place_of(end - header);
        return false;
    }
    std::size_t before = 0;
    for (int i = 0; i < count; ++i) before += to[i].iov_len;
    const auto octets = others.in_place_of(end - header, body, before - header);
    if (octets.empty()) return false;
    last.iov_len -= header;
    if (last.iov_len != 0) ++count;
    to[count - 1] = {const_cast<std::byte*>(octets.data()), octets.size()};
    return true;
}

}  // namespace

void lane_reader::begin_octets() noexcept
{
    (void)readable();
    octets_ = true;
    resume_ = {current_, cursor_};
}

// Of a lane behind a relay: part of a message, or the whole of it, has not been committed.
bool lane_reader::has_octets() const noexcept
{
    return cursor_ != current_->end.load(std::memory_order_relaxed) || current_->next.load(std::memory_order_relaxed) ||
           (current_->body.there() && body_sent_ < current_->body.size);
}

lane_reader::gathered lane_reader::gather(iovec* to, int max_count, std::size_t max_bytes, std::size_t max_after_large,
                                          frame_substitutes* others) noexcept
{
    gathered out;
    span* s = current_;
    std::byte* at = cursor_;
    std::size_t body_sent = body_sent_;
    if (lane_.from && !has_octets()) (void)link_newest();
    while (out.count < max_count && out.bytes < max_bytes) {
        std::byte* visible = s->published.load(std::memory_order_acquire);
        // Loaded after `published`: if all octets of a span are visible, its end is seen too.
        const std::byte* end = s->end.load(std::memory_order_acquire);
        if (at != visible) {
            std::size_t n = std::min(std::size_t(visible - at), max_bytes - out.bytes);
            // The header of a frame that others may take the place of is not cut.
            if (others && end == visible && s->body.there() &&
                std::size_t(visible - at) - n < message::header_size(s->body.size)) {
                n = std::size_t(visible - at);
            }
            if (out.count && static_cast<std::byte*>(to[out.count - 1].iov_base) + to[out.count - 1].iov_len == at) {
                to[out.count - 1].iov_len += n;
            } else {
                to[out.count++] = {at, n};
            }
            out.bytes += n;
            at += n;
            out.at_boundary = at == visible;  // of an open span; an ended one is looked at below
        }
        if (at != end) break;
        if (s->body.there() && body_sent < s->body.size) {
            if (out.count == max_count) {
                out.at_boundary = false;
                break;
            }
            // Never cut by the batch size: the kernel takes as much as it can in one call.
            const bool first = out.bytes <= message::long_header_size;
            const std::byte* const from = s == current_ ? cursor_ : s->begin;
            if (!others || body_sent != 0 || out.count == 0 || !substitute(to, out.count, from, s->body, *others)) {
                to[out.count++] = {s->body.data + body_sent, s->body.size - body_sent};
            }
            out.bytes += s->body.size - body_sent;
            out.large = true;
            if (first) max_bytes = std::min(max_bytes, out.bytes + max_after_large);
        }
        out.at_boundary = s->ends_message;
        out.messages += s->messages - (s == current_ ? counted_ : 0);
        s = s->next.load(std::memory_order_acquire);
        if (!s || s == &lane_.closing) break;
        at = s->begin;
        body_sent = 0;
    }
    return out;
}

std::uint64_t lane_reader::messages_in(std::size_t n) const noexcept
{
    std::uint64_t messages = 0;
    const span* s = current_;
    const std::byte* at = cursor_;
    std::size_t body_sent = body_sent_;
    while (s && s != &lane_.closing) {
        const std::byte* const end = s->end.load(std::memory_order_acquire);
        if (!end && at) break;  // open; the sentinel has neither
        const std::size_t octets = std::size_t(end - at) + (s->body.there() ? s->body.size - body_sent : 0);
        if (octets > n) break;
        n -= octets;
        messages += s->messages - (s == current_ ? counted_ : 0);
        s = s->next.load(std::memory_order_acquire);
        if (s) at = s->begin;
        body_sent = 0;
    }
    return messages;
}

bool lane_reader::commit(std::size_t n) noexcept
{
    while (true) {
        std::byte* visible = current_->published.load(std::memory_order_acquire);
        const std::size_t bytes = std::min(n, std::size_t(visible - cursor_));
        move_to(cursor_ + bytes);
        n -= bytes;
        if (cursor_ != current_->end.load(std::memory_order_acquire)) break;
        if (current_->body.there() && body_sent_ < current_->body.size) {
            const std::size_t rest = std::min(n, current_->body.size - body_sent_);
            body_sent_ += rest;
            passed_.add(rest);
            n -= rest;
            if (body_sent_ < current_->body.size) break;
        }
        span* left = current_;
        if (!next_span()) {
            // The last for now (memory was short): the messages in it are done with, and no other may come before their
            // credit.
            read_.end_part();
            read_.add(left->messages - std::exchange(counted_, left->messages));
            break;
        }
        read_.add(left->messages - std::exchange(counted_, 0u));
        left->messages = 0;
        if (left->ends_message) {
            resume_ = {current_, cursor_};
        } else {
            // A message goes on into this span. Spans before it can be freed. Otherwise a stream in which messages
            // never end with a span would keep all of its memory.
            std::byte* at = nullptr;
            span* const in = position_boundary(at);
            resume_ = {in, at};
        }
        free_head_until(resume_.in);
    }
    invariant([this, n] { return octets_ && n == 0; });  // no more than gather() showed
    limit_ = cursor_;
    return messages_read() - credited_ >= step() && give_due_credit();
}

void lane_reader::note_taken() noexcept
{
    taken_messages::walk to = read_.walked();
    if (!to.at) to.at = current_->begin;
    const std::byte* const visible = current_->published.load(std::memory_order_acquire);
    while (to.at != cursor_) {
        const message::frame_header h = message::decode_header(to.at);
        const std::byte* const body = to.at + h.size;
        const bool beside = h.body_size > std::uint64_t(visible - body);
        const std::byte* const behind = beside ? body : body + h.body_size;
        if (behind > cursor_ || (beside && body_sent_ < current_->body.size)) break;
        to.messages += !(h.flags & message::flag_more);
        to.at = behind;
    }
    read_.note_part(to, counted_);
}

// Walks frames from the last known boundary to the last boundary at or before the cursor.
span* lane_reader::position_boundary(std::byte*& at) const noexcept
{
    span* s = resume_.in;
    std::byte* c = resume_.at;
    span* last = s;
    at = c;
    while (s != current_ || c < cursor_) {
        if (c == s->end.load(std::memory_order_acquire)) {
            s = s->next.load(std::memory_order_acquire);
            c = s->begin;
            continue;
        }
        const message::frame_header h = message::decode_header(c);
        std::byte* body = c + h.size;
        std::byte* visible = s->published.load(std::memory_order_acquire);
        if (h.body_size <= std::uint64_t(visible - body)) {
            c = body + h.body_size;
            if (s == current_ && c > cursor_) break;
        } else {
            c = body;
            if (s == current_ && (cursor_ < body || body_sent_ < s->body.size)) break;
        }
        if (!(h.flags & message::flag_more)) {
            last = s;
            at = c;
        }
    }
    return last;
}

std::size_t lane_reader::octets_to(boundary what) const noexcept
{
    std::byte* start = nullptr;
    const span* s = position_boundary(start);
    const std::byte* at = start;
    if (s == current_ && at == cursor_) return 0;
    std::size_t octets = 0;
    bool passed = false;  // the walk has come to the cursor
    while (true) {
        if (at == s->end.load(std::memory_order_acquire)) {
            if (s == current_ && !passed) {
                if (what == boundary::frame) return 0;
                passed = true;
            }
            s = s->next.load(std::memory_order_acquire);
            if (!s || s == &lane_.closing) return octets;
            at = s->begin;
            continue;
        }
        const message::frame_header h = message::decode_header(at);
        const std::byte* body = at + h.size;
        const bool beside = h.body_size > std::uint64_t(s->published.load(std::memory_order_acquire) - body);
        const std::byte* behind = beside ? body : body + h.body_size;
        octets += passed ? h.size + std::size_t(h.body_size) : 0;
        if (!passed && s == current_ && (behind > cursor_ || (beside && body_sent_ < s->body.size))) {
            const std::size_t sent = std::size_t(cursor_ - at) + (behind > cursor_ ? 0 : body_sent_);
            if (sent == 0 && what == boundary::frame) return 0;
            octets = h.size + std::size_t(h.body_size) - sent;
            passed = true;
        }
        if (passed && (what == boundary::frame || !(h.flags & message::flag_more))) return octets;
        at = behind;
    }
}

// Octets that were taken behind that place.
std::uint64_t lane_reader::octets_since(const span* s, const std::byte* at, std::size_t body_sent) const noexcept
{
    std::uint64_t octets = 0;
    for (; s != current_; at = s->begin, body_sent = 0) {
        octets += std::uint64_t(s->end.load(std::memory_order_acquire) - at);
        octets += (s->body.there() ? s->body.size : 0) - body_sent;
        s = s->next.load(std::memory_order_acquire);
    }
    return octets + std::uint64_t(cursor_ - at) + body_sent_ - body_sent;
}

void lane_reader::rewind() noexcept
{
    std::byte* at = nullptr;
    span* s = position_boundary(at);
    // Behind a large body that was sent whole, if that is where the boundary is.
    const std::size_t body_sent = at == s->end.load(std::memory_order_acquire) && s->body.there() ? s->body.size : 0;
    const std::uint64_t back = octets_since(s, at, body_sent);
    current_ = s;
    passed_.jump(cursor_, at, [&] { move_to(at); });
    passed_.take_back(back);
    limit_ = at;
    body_sent_ = body_sent;
    resume_ = {s, at};
    read_.end_part();
    note_taken();
    free_head_until(s);
    if (lane_.charge) lane_.charge->note_read(octets_read());
}

}  // namespace zlink::pipe
