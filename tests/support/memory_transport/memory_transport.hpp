// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// mem://name: streams in memory as a transport of a process, for tests. It is in no build of the library but the tests'
// own (memory_registry.cpp), and has no way but those that every transport has.
//
// "mem://*" makes a name up. What follows a "?" is the script of that side's streams, see stream_script.hpp.
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::memory {

[[nodiscard]] const stream_transport& the_transport() noexcept;

}  // namespace zlink::transport::memory
