// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

namespace zlink::sim {

/// Where memory lies decides the order of containers of addresses, so it has to be the same in each run. Begins the
/// program anew, if that takes it.
void forbid_random_addresses(char** argv);

}  // namespace zlink::sim
