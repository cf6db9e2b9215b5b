// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// Older headers have no names for them: those of glibc before 2.27, and the last one, of Linux 5.1, all before 2.31.
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 0x0001U
#define MFD_ALLOW_SEALING 0x0002U
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_SEAL_SEAL 0x0001
#define F_SEAL_SHRINK 0x0002
#define F_SEAL_GROW 0x0004
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
// Likewise, of Linux 5.14 and 5.18.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

namespace zlink::runtime {

namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
constexpr std::uint64_t block = 512;  // the unit of st_blocks
constexpr std::size_t one_step = 2 * 1024 * 1024;

result<memory_map> map(int descriptor, std::size_t size, int protection, int flags) noexcept
{
    void* const at = ::mmap(nullptr, size, protection, flags, descriptor, 0);
    if (at == MAP_FAILED) return from_errno(errno);
    return memory_map(static_cast<std::byte*>(at), size);
}

// A file beyond the process's limit is a signal that ends it by default.
bool within_limit(std::size_t size) noexcept
{
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

// glibc has a function of that name from 2.27 on.
unique_fd new_memory_file() noexcept
{
#ifdef SYS_memfd_create
    return unique_fd(int(::syscall(SYS_memfd_create, "zlink", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
#else
    errno = ENOSYS;
    return {};
#endif
}

bool allocate(int descriptor, std::size_t from, std::size_t size) noexcept
{
    int done = 0;
    do {
        done = ::fallocate(descriptor, 0, off_t(from), off_t(size));
    } while (done != 0 && errno == EINTR);
    return done == 0;
}

// Of the size that is expected, in memory, all of it there, and so sealed that this remains so.
bool is_shared_memory(int descriptor, std::size_t size) noexcept
{
    if (size == 0 || size > std::size_t(std::numeric_limits<off_t>::max())) return false;
    struct stat about {};
    struct statfs where {};
    if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    if (::fstatfs(descriptor, &where) != 0 || where.f_type != TMPFS_MAGIC) return false;
    const int found = ::fcntl(descriptor, F_GET_SEALS);
    if (found < 0 || (found & seals) != seals) return false;
    return about.st_size == off_t(size) && std::uint64_t(about.st_blocks) >= size / block;
}

// Of an entry of /proc/self/pagemap (Linux 4.2 and newer tell them to everybody): in memory, swapped out, of a file.
constexpr std::uint64_t page_present = std::uint64_t{1} << 63;
constexpr std::uint64_t page_swapped = std::uint64_t{1} << 62;
constexpr std::uint64_t page_of_file = std::uint64_t{1} << 61;

}  // namespace

memory_map::~memory_map()
{
    if (data_) ::munmap(data_, size_);
}

std::size_t whole_pages(std::size_t size) noexcept
{
    const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

result<memory_maker> memory_maker::begin(std::size_t size) noexcept
{
    if (!within_limit(size)) return errc::not_supported;
    unique_fd made = new_memory_file();
    if (!made) return errno == ENOSYS || errno == EPERM ? errc::not_supported : from_errno(errno);
    return memory_maker(std::move(made), size);
}

result<bool> memory_maker::step() noexcept
{
    const std::size_t n = std::min(one_step, size_ - done_);
    if (!allocate(memory_.get(), done_, n)) return from_errno(errno);
    done_ += n;
    return done_ == size_;
}

// Pages are mapped when they are written first: not all of them may be wanted.
result<made_memory> memory_maker::finish() noexcept
{
    result<memory_map> mapped = map(memory_.get(), size_, PROT_READ | PROT_WRITE, MAP_SHARED);
    if (!mapped) return mapped.error();
    if (::fcntl(memory_.get(), F_ADD_SEALS, seals) != 0) return errc::not_supported;
    return made_memory{std::move(memory_), std::move(*mapped)};
}

result<made_memory> make_shared_memory(std::size_t size) noexcept
{
    result<memory_maker> made = memory_maker::begin(size);
    if (!made) return made.error();
    for (;;) {
        const result<bool> whole = made->step();
        if (!whole) return whole.error();
        if (*whole) return made->finish();
    }
}

result<unique_fd> another_descriptor(int descriptor) noexcept
{
    unique_fd copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!copy) return from_errno(errno);
    return copy;
}

result<memory_map> map_shared_memory(int descriptor, std::size_t size) noexcept
{
    if (!is_shared_memory(descriptor, size)) return errc::protocol_error;
    return map(descriptor, size, PROT_READ, MAP_SHARED);
}

// If the pages cannot be mapped at once, each is found when it is read first.
private_map::private_map(memory_map of) noexcept
    : map_(std::move(of)),
      page_map_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC))
{
    (void)::madvise(map_.data(), map_.size(), MADV_POPULATE_READ);
}

// True as well if it cannot be known. To ask costs 1 us for 64 KB and 12 us for 1 MB. To drop all pages instead, and to
// find them anew, costs 7 and 77 us.
bool private_map::has_copies(const std::byte* at, std::size_t pages) const noexcept
{
    if (!page_map_) return true;
    std::array<std::uint64_t, 512> entries;
    auto where = off_t(reinterpret_cast<std::uintptr_t>(at) / whole_pages(1) * sizeof(std::uint64_t));
    while (pages != 0) {
        const std::size_t n = std::min(pages, entries.size());
        const auto octets = ssize_t(n * sizeof(std::uint64_t));
        if (::pread(page_map_.get(), entries.data(), std::size_t(octets), where) != octets) return true;
        const bool found = std::any_of(entries.begin(), entries.begin() + std::ptrdiff_t(n), [](std::uint64_t e) {
            return (e & (page_present | page_swapped)) != 0 && (e & page_of_file) == 0;
        });
        if (found) return true;
        pages -= n;
        where += octets;
    }
    return false;
}

bool private_map::drop_copies(std::size_t offset, std::size_t size) const noexcept
{
    std::byte* const at = data() + offset;
    const std::size_t whole = whole_pages(size);
    if (!has_copies(at, whole / whole_pages(1))) return true;
    return ::madvise(at, whole, MADV_DONTNEED) == 0 || ::madvise(at, whole, MADV_DONTNEED_LOCKED) == 0;
}

result<private_map> map_shared_memory_privately(int descriptor, std::size_t size) noexcept
{
    if (!is_shared_memory(descriptor, size)) return errc::protocol_error;
    result<memory_map> mapped = map(descriptor, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    if (!mapped) return mapped.error();
    return private_map(std::move(*mapped));
}

}  // namespace zlink::runtime
