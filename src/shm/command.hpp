// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The commands by which two peers agree on a segment of shared memory (docs/rfc/zmtp-shared-bodies.md).
//
//   sender                        receiver
//   OFFER layout ------------------>         may a segment like this come?
//         <---------------- ACCEPT id        from here on, descriptors are taken; or DECLINE id
//   ARENA id, and a descriptor ---->         the bodies
//         <--- RETURNS id, and a descriptor  the page of returns; or DECLINE id: nothing comes of it
//   RETIRE id ---------------------->        no body will lie there any more
#pragma once

#include "base/result.hpp"
#include "shm/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::shm {

enum class command_kind : std::uint8_t { offer, accept, decline, arena, returns, retire };

struct command {
    command_kind kind = command_kind::offer;
    segment_layout segment;  ///< of an offer; of others the id alone
};

/// The names that these commands have on the wire begin like this; no other command does.
inline constexpr std::string_view name_prefix = "X-SHM-";

/// `name` begins with name_prefix. Error protocol_error: unknown, or of a wrong size.
[[nodiscard]] result<command> parse_command(std::string_view name, std::span<const std::byte> data) noexcept;

/// Appends a whole command frame. May throw std::bad_alloc, with nothing changed.
void append_command(std::vector<std::byte>& to, const command& c);

}  // namespace zlink::shm
