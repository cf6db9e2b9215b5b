// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Positions are counted from 2^32 on, so that a number a little before the first octet has one, too.
#include "pure/tcp_stream.hpp"

#include <algorithm>

namespace zlink::tool {
namespace {

constexpr std::uint64_t origin = std::uint64_t{1} << 32;

}  // namespace

// Of the positions that the number may stand for, the one nearest to the next octet.
std::uint64_t tcp_stream::position_of(std::uint32_t sequence) const
{
    const auto expected = std::uint32_t(first_ + std::uint32_t(*next_ - origin));
    const auto distance = std::int32_t(sequence - expected);
    return *next_ + std::uint64_t(std::int64_t{distance});
}

void tcp_stream::add(std::uint32_t sequence, std::string_view octets, bool syn, bool fin)
{
    if (overflowed_) {
        return;
    }
    sequence += syn ? 1 : 0;
    if (!next_) {
        begun_ = syn;
        first_ = sequence;
        next_ = origin;
    }
    const std::uint64_t at = position_of(sequence);
    if (fin && !end_) {
        end_ = at + octets.size();
    }
    if (at + octets.size() > *next_ && !octets.empty()) {
        if (at <= *next_) {
            const std::string_view fresh = octets.substr(std::size_t(*next_ - at));
            *next_ += fresh.size();
            told_(fresh);
            release();
        } else {
            hold(at, octets);
        }
    }
}

void tcp_stream::hold(std::uint64_t at, std::string_view octets)
{
    if (held_size_ + octets.size() > most_) {
        overflowed_ = true;
        return;
    }
    auto& place = held_[at];
    if (place.size() < octets.size()) {
        held_size_ += octets.size() - place.size();
        place = octets;
    }
}

void tcp_stream::release()
{
    while (!held_.empty() && held_.begin()->first <= *next_) {
        const auto first = held_.extract(held_.begin());
        held_size_ -= first.mapped().size();
        const std::uint64_t known = *next_ - first.key();
        if (known < first.mapped().size()) {
            const std::string_view fresh = std::string_view(first.mapped()).substr(std::size_t(known));
            *next_ += fresh.size();
            told_(fresh);
        }
    }
}

}  // namespace zlink::tool
