// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// GATHER (RFC 49): messages of one frame come from all peers in turn.
#pragma once

#include "pattern/pull.hpp"

namespace zlink::pattern {

using gather = pull_of<routing::single_frames>;

}  // namespace zlink::pattern
