// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SCATTER (RFC 49): messages of one frame go to the peers in turn.
#pragma once

#include "pattern/push.hpp"

namespace zlink::pattern {

using scatter = push_of<routing::single_frames>;

}  // namespace zlink::pattern
