// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/outbound.hpp"

#include "base/invariant.hpp"
#include "message/frame_header.hpp"

namespace zlink::wire {

// Messages that go out whole with the coming write make room before it: their answers may come before it returns. If the
// last write fell short, the next one is expected to take no more. A lone message makes room all the same.
void outbound::announce_write(pipe::lane_reader& lane, std::size_t octets, std::uint64_t messages,
                              pipe::owed_credit& credit) noexcept
{
    announced_ = octets;
    if (expected_ < octets && messages > 1) messages = staging_ ? 0 : lane.messages_in(expected_);
    credit.add(lane.begin_write(messages));
}

outbound::batch outbound::gather(pipe::lane_reader& lane, iovec* to, int max_count, const limits& l,
                                 pipe::owed_credit& credit)
{
    if (!staging_) {
        const pipe::lane_reader::gathered found = lane.gather(to, max_count, l.batch, l.batch_after_large);
        gathered_ = found.bytes;
        ends_at_boundary_ = found.at_boundary;
        const bool whole = found.bytes <= l.per_write;
        announce_write(lane, whole ? found.bytes : l.per_write, whole ? found.messages : lane.messages_in(l.per_write),
                       credit);
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
        // If a write takes a part of the staged octets, no frame is known to be in it.
        const bool whole = waiting.size() <= l.per_write;
        announce_write(lane, whole ? waiting.size() : l.per_write,
                       whole ? lane.messages_in(staging_->waiting_in_lane()) : 0, credit);
        *to = {const_cast<std::byte*>(waiting.data()), waiting.size()};
        return {1, waiting.size(), false};
    }
    staging_->shrink();
    return {};
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
    return lane.commit(n);
}

void outbound::encode(std::span<const std::byte> body, std::vector<std::byte>& to)
{
    if (staging_) return staging_->encode(body, to);
    std::byte header[message::long_header_size];
    to.insert(to.end(), header, header + message::encode_header(header, 0, body.size()));
    to.insert(to.end(), body.begin(), body.end());
}

}  // namespace zlink::wire
