// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/shared_frames.hpp"

#include "message/frame_header.hpp"

#include <algorithm>
#include <new>

namespace zlink::wire {

namespace {

// Frames that wait to be accepted, at most: a batch has hardly more than one of them.
constexpr std::size_t most_at_once = 16;

}  // namespace

pipe::lane_reader::gathered shared_frames::gather(pipe::lane_reader& lane, iovec* to, int max_count,
                                                  std::size_t max_bytes, std::size_t max_after_large) noexcept
{
    for (substitute& s : all_) s.before = not_in_batch;
    return lane.gather(to, max_count, max_bytes, max_after_large, this);
}

std::span<const std::byte> shared_frames::in_place_of(const std::byte* header, const pipe::span_body& body,
                                                      std::size_t before) noexcept
{
    const auto found = std::ranges::find(all_, header, &substitute::header);
    substitute* const s = found != all_.end() ? &*found : make(header, body);
    if (!s) return {};
    s->before = before;
    return std::span<const std::byte>(s->octets).subspan(s->accepted);
}

shared_frames::substitute* shared_frames::make(const std::byte* header, const pipe::span_body& body) noexcept
{
    if (all_.size() == most_at_once) return nullptr;
    try {
        all_.reserve(most_at_once);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    const auto where = arena_.put(body.data, body.size, body.owner->distribution());
    if (!where) {
        if (arena_.wants_segment()) maker_.segment_wanted();
        return nullptr;
    }
    const bool more = std::uint8_t(*header) & message::flag_more;
    // A frame behind it may have been there before: it found a slot when this one did not.
    const auto place = std::ranges::find(all_, not_in_batch, &substitute::before);
    const auto made = all_.insert(place, {header, message::header_size(body.size) + body.size, not_in_batch, 0, {}});
    shm::encode_reference_frame(made->octets.data(), *where, more);
    return &*made;
}

std::size_t shared_frames::accept(std::size_t octets) noexcept
{
    std::size_t in_lane = octets;
    const auto end = std::ranges::find_if(all_, [&](substitute& s) {
        if (s.before >= octets) return true;
        const std::size_t rest = s.octets.size() - s.accepted;
        const std::size_t taken = std::min(rest, octets - s.before);
        s.accepted += taken;
        in_lane -= taken;
        if (taken != rest) return true;
        in_lane += s.in_lane;
        return false;
    });
    all_.erase(all_.begin(), end);
    return in_lane;
}

std::size_t shared_frames::begun() const noexcept
{
    return !all_.empty() && all_.front().accepted != 0 ? all_.front().in_lane : 0;
}

}  // namespace zlink::wire
