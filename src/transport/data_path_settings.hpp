// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The amounts that a connection reads and writes at a time.
#pragma once

#include <cstddef>

namespace zlink::transport {

/// Sizes in bytes. Reasons for the defaults: docs/decisions/0004. Transports and knobs change them.
struct data_path_settings {
    std::size_t in_batch = 512 * 1024;         ///< maximum per read
    std::size_t out_batch = 32 * 1024;         ///< maximum gathered per write
    std::size_t out_batch_small = 4 * 1024;    ///< the same when the batch starts with a large frame
    std::size_t writev_threshold = 32 * 1024;  ///< bodies from this size on are referenced, not copied
    std::size_t max_transfer = 0;              ///< cap per system call; 0: none
};

}  // namespace zlink::transport
