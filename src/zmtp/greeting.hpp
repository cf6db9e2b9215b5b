// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The ZMTP greeting (RFC 37 section "Version Negotiation"). It is sent in three stages so that peers of every version
// can follow:
// - the signature at once;
// - the major version once the peer's signature shows a versioned peer;
// - the rest once its version is known.
//
// A 1.0 peer reads the signature as the header of a routing-id frame, hence the length in it.
#pragma once

#include "base/invariant.hpp"
#include "zmtp/peer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::zmtp {

inline constexpr std::size_t signature_size = 10;
inline constexpr std::size_t v2_greeting_size = 12;
inline constexpr std::size_t greeting_size = 64;
inline constexpr std::size_t mechanism_field_size = 20;

inline constexpr std::uint8_t own_major_version = 3;
inline constexpr std::uint8_t own_minor_version = 1;

/// Stage one: %xFF, eight octets of routing id length plus one, %x7F.
[[nodiscard]] std::array<std::byte, signature_size> encode_signature(std::size_t routing_id_size) noexcept;

/// Stage three for 3.x peers, octets 11 to 63: minor version, mechanism, as-server, filler. `mechanism` is cut at 20
/// characters.
[[nodiscard]] std::array<std::byte, greeting_size - signature_size - 1> encode_greeting_rest(std::string_view mechanism,
                                                                                             bool as_server) noexcept;

/// Reads a peer's greeting octet by octet and tells early which kind of peer it is.
class greeting_reader {
public:
    enum class stage : std::uint8_t {
        signature,    ///< not known yet whether the peer is versioned
        version,      ///< the peer is versioned, its major version is not here yet
        rest,         ///< the major version is known
        complete,     ///< the whole greeting is here
        unversioned,  ///< a 1.0 peer: octets() are the start of its routing-id frame
    };

    /// Takes the octets that belong to the greeting from the front of `in` and returns how many. Stops as soon as the
    /// stage is complete or unversioned; then takes nothing more.
    std::size_t advance(std::span<const std::byte> in) noexcept;

    [[nodiscard]] stage current() const noexcept { return stage_; }

    /// The octets taken so far.
    [[nodiscard]] std::span<const std::byte> octets() const noexcept { return {octets_.data(), size_}; }

    /// From stage rest on: revision 0 speaks 1.0 frames, 1 and 2 are ZMTP 2.0, 3 is 3.x, more is a future version.
    [[nodiscard]] std::uint8_t revision() const noexcept { return std::uint8_t(octets_[signature_size]); }

    /// In stage complete or unversioned: the version to speak with this peer.
    [[nodiscard]] protocol_version version() const noexcept;

    /// In stage complete, for revisions below 3: the octet after the revision.
    [[nodiscard]] std::uint8_t socket_type_octet() const noexcept { return std::uint8_t(octets_[11]); }

    /// In stage complete, for 3.x: compares the whole zero-padded field.
    [[nodiscard]] bool mechanism_is(std::string_view name) const noexcept;
    [[nodiscard]] bool as_server() const noexcept { return octets_[32] != std::byte{0}; }

private:
    std::array<std::byte, greeting_size> octets_{};
    std::uint8_t size_ = 0;
    stage stage_ = stage::signature;
};

/// This side's greeting on its way to the peer.
class greeting_writer {
public:
    /// Appends further octets; all of them together are at most greeting_size.
    void append(std::span<const std::byte> octets) noexcept
    {
        invariant([&] { return octets.size() <= octets_.size() - size_; });
        std::copy(octets.begin(), octets.end(), octets_.begin() + size_);
        size_ = std::uint8_t(size_ + octets.size());
    }
    /// Octets so far, sent or not.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] std::span<const std::byte> unsent() const noexcept
    {
        return std::span(octets_).first(size_).subspan(sent_);
    }
    /// `n` octets have been sent, in order. Returns how many of them belonged to the greeting.
    std::size_t consume(std::size_t n) noexcept
    {
        const std::size_t ours = std::min<std::size_t>(n, std::size_t(size_ - sent_));
        sent_ = std::uint8_t(sent_ + ours);
        return ours;
    }

private:
    std::array<std::byte, greeting_size> octets_{};
    std::uint8_t size_ = 0;
    std::uint8_t sent_ = 0;
};

}  // namespace zlink::zmtp
