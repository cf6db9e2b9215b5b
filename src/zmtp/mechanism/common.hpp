// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of the mechanisms: metadata of both sides, and ERROR.
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

/// Appends the metadata that `local` sends: Socket-Type, Identity, properties of the application.
void append_own_metadata(std::vector<std::byte>& out, const local_peer& local);

/// Takes the peer's metadata into `peer`. Returns the reason if they are not acceptable (an error of kind
/// zmtp_invalid_metadata), else empty.
[[nodiscard]] std::string_view take_metadata(std::span<const std::byte> metadata, const local_peer& local,
                                             remote_peer& peer);

/// The failure that follows from the data of an ERROR command.
[[nodiscard]] mechanism_failure failure_told(std::span<const std::byte> error_data);

}  // namespace zlink::zmtp
