// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A look at all sockets of this process.
#pragma once

#include "stats/report.hpp"

#include <atomic>
#include <cstddef>
#include <optional>

namespace zlink::stats {

/// In the order of their creation, without labels. None: `ends` was set meanwhile, or there are more than `most_peers`
/// peers. May throw std::bad_alloc.
[[nodiscard]] std::optional<process_report> look_at_process(bool with_peers, std::size_t most_peers,
                                                            const std::atomic<bool>& ends);

}  // namespace zlink::stats
