// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages that the library itself puts into a pipe.
#pragma once

#include "pipe/pipe.hpp"

#include <cstddef>
#include <string_view>

namespace zlink::pattern::routing {

/// Writes and publishes a message of one frame, past the high-water mark if need be. False when memory is short.
inline bool write_whole(pipe::pipe_end& end, std::string_view octets) noexcept
{
    if (!end.writer.write({reinterpret_cast<const std::byte*>(octets.data()), octets.size(), false})) return false;
    end.publish();
    return true;
}

}  // namespace zlink::pattern::routing
