// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// vsock on loopback, for kernels with and without it. If the kernel has loopback (module vsock_loopback), it is used.
// If not, vsock_loopback.cpp takes the place of the C library's calls in the whole process. A stream socket of AF_VSOCK
// is a Unix socket whose abstract name stands for its context id and port. A line on stdout then says so, once.
#pragma once

#include <cstdint>

namespace zlink::test {

[[nodiscard]] bool kernel_has_vsock_loopback();

/// A port of loopback that nobody has bound.
[[nodiscard]] std::uint32_t free_vsock_port();

}  // namespace zlink::test
