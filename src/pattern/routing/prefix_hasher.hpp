// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Hashes of prefixes of the same octets, in one pass. The state goes on in strides of eight octets. The hash of any
// prefix is one multiplication away from the state at the stride in which the prefix ends.
#pragma once

#include "base/invariant.hpp"
#include "pattern/routing/topic_octets.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::pattern::routing {

class prefix_hasher {
public:
    static constexpr std::size_t stride = 8;

    /// `secret` should be unknown to the party that chooses topics, as it could otherwise choose topics that collide.
    prefix_hasher(topic_octets octets, std::uint64_t secret) noexcept
        : octets_(octets),
          state_(secret),
          word_(word_at(octets, 0))
    {}

    [[nodiscard]] topic_octets octets() const noexcept { return octets_; }

    /// The number of octets that the state covers; left(): of those after them.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] std::size_t left() const noexcept { return octets_.size() - at_; }

    /// Goes on by a stride, which must be there.
    void advance() noexcept
    {
        invariant([this] { return left() >= stride; });
        state_ = mix(state_ ^ word_, 0x9e3779b97f4a7c15);
        at_ += stride;
        word_ = word_at(octets_, at_);
    }

    /// Stands for the first at() octets.
    [[nodiscard]] std::uint64_t state() const noexcept { return state_; }

    /// The hash of the octets so far and `further` ones, which must be there: 1 to 8, or 0 of an empty topic.
    [[nodiscard]] std::uint64_t of(std::size_t further) const noexcept
    {
        invariant([&] { return further <= left() && further <= stride; });
        return mix(state_ ^ (word_ & first_octets(further)) ^ further * 0xc2b2ae3d27d4eb4f, 0xd6e8feb86659fd93);
    }

    /// The hash of all octets.
    [[nodiscard]] std::uint64_t of_all() noexcept
    {
        while (left() > stride) advance();
        return of(left());
    }

private:
    // Both halves of the product, folded.
    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept
    {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return std::uint64_t(product) ^ std::uint64_t(product >> 64);
    }

    topic_octets octets_;
    std::size_t at_ = 0;
    std::uint64_t state_;
    std::uint64_t word_;  ///< the next octets
};

}  // namespace zlink::pattern::routing
