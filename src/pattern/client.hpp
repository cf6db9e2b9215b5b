// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CLIENT (RFC 41): messages of one frame go to the servers and come from them in turn. ZMQ_PROBE_ROUTER is not an
// option of this type.
#pragma once

#include "pattern/dealer.hpp"

namespace zlink::pattern {

using client = dealer_of<routing::single_frames>;

}  // namespace zlink::pattern
