// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CHANNEL (RFC 52): one peer, messages of one frame both ways.
#pragma once

#include "pattern/pair.hpp"

namespace zlink::pattern {

using channel = pair_of<routing::single_frames>;

}  // namespace zlink::pattern
