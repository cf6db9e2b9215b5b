// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that two ends of a connection share: the real kernel's, with failures of our own. threads.cpp has
// memfd_create, which is made by syscall().

#include "sim/calls/call.hpp"

#include <fcntl.h>
#include <sys/mman.h>

using namespace zlink::sim;

namespace {

bool is_short()
{
    world& w = world::get();
    return w.current().in_library && w.chance().chance(w.how().no_memory);
}

}  // namespace

extern "C" {

int __real_fallocate(int, int, off_t, off_t);
int __wrap_fallocate(int fd, int mode, off_t at, off_t size)
{
    if (!world::exists()) return __real_fallocate(fd, mode, at, size);
    const kernel_call call("fallocate", std::uint64_t(size));
    return is_short() ? told(-ENOSPC) : __real_fallocate(fd, mode, at, size);
}
void* __real_mmap(void*, std::size_t, int, int, int, off_t);
void* __wrap_mmap(void* where, std::size_t size, int protection, int flags, int fd, off_t at)
{
    if (!world::exists() || fd < 0) return __real_mmap(where, size, protection, flags, fd, at);
    const kernel_call call("mmap", size);
    if (!is_short()) return __real_mmap(where, size, protection, flags, fd, at);
    errno = ENOMEM;
    return MAP_FAILED;
}
}
