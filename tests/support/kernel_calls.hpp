// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// System calls that tests need and that older C libraries have no function for.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Before glibc 2.27.
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 0x0001U
#define MFD_ALLOW_SEALING 0x0002U
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 0x0001
#define F_SEAL_SHRINK 0x0002
#define F_SEAL_GROW 0x0004
#endif

namespace zlink::test {

/// gettid(), which glibc has from 2.30 on.
inline pid_t thread_id() noexcept
{
    return pid_t(::syscall(SYS_gettid));
}

/// memfd_create(), which glibc has from 2.27 on.
inline int memory_file(const char* name, unsigned flags) noexcept
{
    return int(::syscall(SYS_memfd_create, name, flags));
}

}  // namespace zlink::test
