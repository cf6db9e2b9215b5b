// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// MESSAGE commands of CURVE (RFC 26): each frame of the traffic, messages as well as commands, in a box of its own.
// Nonces of one direction count up; a number is never accepted twice, nor after a larger one. A missing box is not
// noticed.
//
//     "\x07MESSAGE", the number (8 octets), the box: flags (MORE, COMMAND) and body of the frame
#pragma once

#include "zmtp/mechanism/curve_common.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::zmtp::curve {

// Flags in a box, which are not those of frame headers.
inline constexpr std::uint8_t box_flag_more = 0x01;
inline constexpr std::uint8_t box_flag_command = 0x02;

inline constexpr std::size_t message_prefix_size = message_name.size() + number_size;
inline constexpr std::size_t message_overhead = message_prefix_size + crypto::box_overhead + 1;

/// For the traffic of each role. The numbers are those that READY and INITIATE had: the last ones that were used.
/// May throw std::bad_alloc.
[[nodiscard]] sealing make_server_sealing(const crypto::secret_key& shared, std::uint64_t own_number,
                                          std::uint64_t peer_number);
[[nodiscard]] sealing make_client_sealing(const crypto::secret_key& shared, std::uint64_t own_number,
                                          std::uint64_t peer_number);

}  // namespace zlink::zmtp::curve
