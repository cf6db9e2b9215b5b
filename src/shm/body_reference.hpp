// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The frame that stands for a body in shared memory (docs/rfc/zmtp-shared-bodies.md): a short frame with a flag that
// ZMTP reserves, and 24 octets that tell where the body lies. Whoever may not use it takes it for an error.
#pragma once

#include "base/byte_order.hpp"
#include "message/frame_header.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::shm {

/// Of the reserved bits of ZMTP 3.x (RFC 37, section 2.3). With it, a frame may have MORE and no other flag.
inline constexpr std::uint8_t flag_shared = 0x08;

/// Place and size of a body. A slot's generation grows with each body that it holds.
struct body_reference {
    std::uint32_t segment = 0;
    std::uint32_t slot = 0;
    std::uint64_t generation = 0;
    std::uint64_t size = 0;
};

inline constexpr std::size_t reference_size = 24;
inline constexpr std::size_t reference_frame_size = message::short_header_size + reference_size;

/// Whether the frame that begins with these flags is of this kind.
[[nodiscard]] constexpr bool is_reference(std::uint8_t flags) noexcept
{
    return (flags & ~message::flag_more) == flag_shared;
}

/// Writes reference_frame_size octets.
inline void encode_reference_frame(std::byte* to, const body_reference& of, bool more) noexcept
{
    to[0] = std::byte(flag_shared | (more ? message::flag_more : 0));
    to[1] = std::byte(reference_size);
    to += message::short_header_size;
    store_be32(to, of.segment);
    store_be32(to + 4, of.slot);
    store_be64(to + 8, of.generation);
    store_be64(to + 16, of.size);
}

/// The reference_size octets behind the frame's header.
[[nodiscard]] inline body_reference decode_reference(const std::byte* from) noexcept
{
    return {load_be32(from), load_be32(from + 4), load_be64(from + 8), load_be64(from + 16)};
}

}  // namespace zlink::shm
