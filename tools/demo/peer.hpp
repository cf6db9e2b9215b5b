// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A peer process of the demo: started by it with the cell's arguments, runs one role, or both of an inproc cell.
#pragma once

namespace zlink::tool::demo {

// "demo-peer" and NAME=VALUE arguments as the demo composes them. Returns the exit status.
int run_peer(int count, char** arguments);

}  // namespace zlink::tool::demo
