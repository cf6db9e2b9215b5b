// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Streams in memory, two ends of one at a time. Each does to its octets what its script says. It keeps some that have
// come to itself, as a stream does that unpacks records. It is pending then.
#pragma once

#include "support/memory_transport/stream_script.hpp"
#include "transport/stream.hpp"

#include <memory>
#include <string>
#include <utility>

namespace zlink::transport::memory {

/// Their ends are named by `endpoint`. May throw std::bad_alloc and std::system_error.
[[nodiscard]] std::pair<std::unique_ptr<stream>, std::unique_ptr<stream>>
make_streams(const stream_script& first, const stream_script& second, const std::string& endpoint = "mem://stream");

}  // namespace zlink::transport::memory
