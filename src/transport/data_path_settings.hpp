// How much a connection reads and writes at a time.
#pragma once

#include <cstddef>

namespace zlink::transport {

/// Sizes in bytes.
struct data_path_settings {
    std::size_t in_batch;          ///< most per read
    std::size_t out_batch;         ///< most gathered per write
    std::size_t out_batch_small;   ///< the same when the batch starts with a large frame
    std::size_t writev_threshold;  ///< bodies from this size on are referenced, not copied
    std::size_t max_transfer;      ///< cap per system call; 0: none
};

}  // namespace zlink::transport
