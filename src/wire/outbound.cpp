// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/outbound.hpp"

#include "base/invariant.hpp"
#include "message/frame_header.hpp"

#include <algorithm>

namespace zlink::wire {

// Messages that go out whole with the coming write make room before it: their answers may come before it returns. If
// the last write fell short, the next one is expected to take no more. A lone message makes room all the same.
void outbound::announce_write(pipe::lane_reader& lane, std::size_t octets, std::uint64_t messages,
                              std::size_t per_write, pipe::owed_credit& credit) noexcept
{
    // If a write takes a part of staged octets, no frame is known to be in it.
    const auto messages_in = [&](std::size_t n) {
        if (n >= octets) return messages;
        return staging_ ? 0 : lane.messages_in(n);
    };
    announced_ = std::min(octets, per_write);
    std::uint64_t expected = messages_in(announced_);
    if (expected > 1) expected = messages_in(std::min(announced_, expected_));
    credit.add(lane.begin_write(expected));
}

outbound::batch outbound::gather(pipe::lane_reader& lane, iovec* to, int max_count, const limits& l,
                                 pipe::owed_credit& credit)
{
    if (!staging_) {
        const pipe::lane_reader::gathered found =
            shared_ ? shared_->gather(lane, to, max_count, l.batch, l.batch_after_large)
                    : lane.gather(to, max_count, l.batch, l.batch_after_large);
        ends_at_boundary_ = found.at_boundary;
        if (shared_ && shared_->in_batch()) return announce_references(lane, to, found, l.per_write, credit);
        gathered_ = found.bytes;
        announce_write(lane, found.bytes, found.messages, l.per_write, credit);
        return {found.count, found.bytes, found.large};
    }
    while (staging_->fill(lane, l.batch)) {
        const auto waiting = staging_->waiting();
        if (waiting.empty()) {
            credit.add(staging_->accept(lane, 0));
            continue;
        }
        // Sealed octets have their place in the stream, whether any of them are accepted or not.
        at_boundary_ = false;
        announce_write(lane, waiting.size(), lane.messages_in(staging_->waiting_in_lane()), l.per_write, credit);
        *to = {const_cast<std::byte*>(waiting.data()), waiting.size()};
        return {1, waiting.size(), false};
    }
    staging_->shrink();
    return {};
}

// A batch with references has fewer octets than in the lane. If its write is not known to take all of it, no room is made.
outbound::batch outbound::announce_references(pipe::lane_reader& lane, const iovec* pieces,
                                              const pipe::lane_reader::gathered& found, std::size_t per_write,
                                              pipe::owed_credit& credit) noexcept
{
    gathered_ = 0;
    for (int i = 0; i < found.count; ++i) gathered_ += pieces[i].iov_len;
    announced_ = std::min(gathered_, per_write);
    if (announced_ == gathered_ && expected_ >= announced_) credit.add(lane.begin_write(found.messages));
    return {found.count, gathered_, found.large};
}

bool outbound::accept(pipe::lane_reader& lane, std::size_t n) noexcept
{
    if (staging_) {
        const bool credit = staging_->accept(lane, n);
        at_boundary_ = staging_->at_boundary();
        note_accepted(lane, n);
        return credit;
    }
    invariant([&] { return n <= gathered_; });
    note_accepted(lane, n);
    if (n == 0) return false;
    gathered_ -= n;
    at_boundary_ = gathered_ == 0 && ends_at_boundary_;
    return lane.commit(shared_ ? shared_->accept(n) : n);
}

void outbound::encode(std::span<const std::byte> body, std::vector<std::byte>& to)
{
    if (staging_) return staging_->encode(body, to);
    std::byte header[message::long_header_size];
    to.insert(to.end(), header, header + message::encode_header(header, 0, body.size()));
    to.insert(to.end(), body.begin(), body.end());
}

}  // namespace zlink::wire
