// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Thread-local variables of hot paths. With this attribute a variable lies at a fixed place of every thread and is
// accessed by one instruction. Without it, a shared library calls __tls_get_addr. A library with one such variable has
// all of its thread-local memory in the static TLS block. For all libraries that are loaded by dlopen, glibc keeps less
// than 2 KB of that block: keep it small.
#pragma once

#include <cstddef>  // defines __GLIBC__

#if defined(__GLIBC__)
#define ZLINK_FAST_TLS [[gnu::tls_model("initial-exec")]]
#else
#define ZLINK_FAST_TLS
#endif
