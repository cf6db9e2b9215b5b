// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/chunk_plan.hpp"

#include "base/invariant.hpp"
#include "pipe/lane.hpp"
#include "pipe/span.hpp"

#include <algorithm>

namespace zlink::pipe {

namespace {

// Messages in a span, at most: the grain of exact credits for readers that move octets without counting frames.
constexpr std::uint32_t largest_mark = 32;

// Chunks start small (first_size), so that a quiet connection costs little, and grow while traffic fills them.
constexpr std::size_t largest_size = 64 * 1024;

// Each chunk is larger than the last by this part of it. So the unused rest of the last chunk of a full queue is a
// small part of the whole. A busy lane is at the largest size after some forty chunks. A chunk in which the reader has
// slept was large enough: the reader had read everything then. So thirty lanes that are read empty between bursts fit
// in the cache together.
constexpr std::size_t growth = 8;

}  // namespace

void chunk_plan::set_hwm(std::uint64_t hwm) noexcept
{
    most_in_span_ = hwm == 0 ? largest_mark : std::uint32_t(std::min<std::uint64_t>(largest_mark, low_water_mark(hwm)));
}

std::uint32_t chunk_plan::end_at(std::uint32_t messages, std::uint64_t written,
                                 std::uint64_t credit_step) const noexcept
{
    invariant([&] { return messages <= written && credit_step > 0; });
    return std::uint32_t(std::min<std::uint64_t>(most_in_span_, messages + credit_step - written % credit_step));
}

// About the planned size, cut to hold a whole number of frames, and the spans that go with them. Chunks of equal size
// come back from the pool, also where a span rather than a frame finds no room.
std::size_t chunk_plan::size_for(std::size_t need, std::uint64_t credit_step) noexcept
{
    if (need != 0) usual_need_ = need;
    if (usual_need_ == 0) return next_size_;
    // At least two, so that the spans of small chunks take a small part.
    const std::size_t frames = std::max<std::size_t>(2, (next_size_ - 2 * span_room) / usual_need_);
    // The spans that end in between, where credit is due, count as well.
    const std::size_t cut_short = credit_step > most_in_span_ ? 1 + frames / credit_step : 0;
    return frames * usual_need_ + (2 + frames / most_in_span_ + cut_short) * span_room;
}

void chunk_plan::chunk_made(bool reader_slept) noexcept
{
    if (!reader_slept) next_size_ = std::min(next_size_ + next_size_ / growth, largest_size);
}

}  // namespace zlink::pipe
