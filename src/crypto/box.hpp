// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Boxes of NaCl (crypto_box after its key agreement) as CURVE's MESSAGE commands carry them, one frame each (RFC 26).
//
// The nonces of one direction begin with the same 16 octets, so HSalsa20 gives one key for all of its boxes. The
// implementations agree octet for octet. That of libsodium is always there; those for AVX2 and AVX-512VL work on
// several boxes of a batch side by side. Nothing here allocates, or branches or indexes by secrets. Any thread may call
// anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zlink::crypto {

/// Octets of the Poly1305 authenticator, which precedes the cipher text.
inline constexpr std::size_t box_overhead = 16;

/// The key of all boxes in one direction of a connection: HSalsa20 of the shared key (crypto_box_beforenm) and of the
/// nonce's constant first 16 octets. Wiped when it is destroyed.
class box_key {
public:
    box_key(std::span<const std::byte, 32> shared, std::span<const std::byte, 16> nonce_prefix) noexcept;
    box_key(const box_key&) = delete;
    box_key& operator=(const box_key&) = delete;
    ~box_key();

    [[nodiscard]] std::span<const std::byte, 32> octets() const noexcept { return octets_; }

private:
    std::array<std::byte, 32> octets_;
};

/// One frame to be sealed. The plain text is `first` (a frame's flags) and `rest`.
struct box_to_seal {
    std::uint64_t number;  ///< the nonce's last 8 octets, big endian; never twice with one key
    std::uint8_t first;
    std::span<const std::byte> rest;
    std::byte* to;  ///< box_overhead + 1 + rest.size() octets; overlaps no input of the batch
};

void seal(const box_key& key, std::span<const box_to_seal> boxes) noexcept;

/// One box to be opened.
struct box_to_open {
    std::uint64_t number;
    std::span<const std::byte> sealed;  ///< at least box_overhead + 1 octets
    /// sealed.size() - box_overhead - 1 octets: the rest. May overlap its own box and boxes before it in the batch, if
    /// it does not begin behind its own box's beginning.
    std::byte* to;
    std::uint8_t first = 0;  ///< result
};

/// Opens in order, up to the first box that is not authentic; returns the number of boxes before it. For that box and
/// those after it nothing is written. Each authenticator is verified before anything of its box is decrypted.
[[nodiscard]] std::size_t open(const box_key& key, std::span<box_to_open> boxes) noexcept;

/// From the slowest to the fastest. `avx512` is `avx2` with a few instructions of AVX-512VL.
enum class box_implementation : std::uint8_t { libsodium, avx2, avx512 };

/// Whether this processor can run it.
[[nodiscard]] bool is_available(box_implementation which) noexcept;

/// From here on seal() and open() use this implementation, or the next slower one that is available. Default: the
/// fastest.
void use_box_implementation(box_implementation which) noexcept;
[[nodiscard]] box_implementation box_implementation_in_use() noexcept;

}  // namespace zlink::crypto
