// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that two processes share: what is made, and what is refused of a peer.
#include "runtime/shared_memory.hpp"

#include "support/kernel_calls.hpp"
#include "support/refused_call.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::runtime {
namespace {

constexpr int every_seal = F_SEAL_SHRINK | F_SEAL_GROW | 0x0010 /* F_SEAL_FUTURE_WRITE */ | F_SEAL_SEAL;

std::size_t some_pages()
{
    return whole_pages(1) * 3;
}

/// A memfd as a peer may make one.
unique_fd foreign(std::size_t size, bool allocated, int seals)
{
    unique_fd fd(zlink::test::memory_file("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(0, allocated ? ::fallocate(fd.get(), 0, 0, off_t(size)) : ::ftruncate(fd.get(), off_t(size)));
    if (seals != 0) {
        EXPECT_EQ(0, ::fcntl(fd.get(), F_ADD_SEALS, seals));
    }
    return fd;
}

errc refusal_of(int fd, std::size_t size)
{
    return map_shared_memory(fd, size).error();
}

TEST(shared_memory_test, the_reader_sees_what_the_maker_writes)
{
    auto made = make_shared_memory(some_pages());
    ASSERT_TRUE(made);
    auto read = map_shared_memory(made->descriptor.get(), some_pages());
    ASSERT_TRUE(read);
    EXPECT_EQ(std::byte{0}, read->data()[some_pages() - 1]);
    std::memset(made->map.data(), 7, some_pages());
    EXPECT_EQ(std::byte{7}, read->data()[0]);
    EXPECT_EQ(std::byte{7}, read->data()[some_pages() - 1]);
}

TEST(shared_memory_test, a_mapping_outlives_the_descriptor_and_the_makers_mapping)
{
    memory_map read;
    {
        auto made = make_shared_memory(some_pages());
        ASSERT_TRUE(made);
        made->map.data()[5] = std::byte{9};
        read = std::move(*map_shared_memory(made->descriptor.get(), some_pages()));
    }
    EXPECT_EQ(std::byte{9}, read.data()[5]);
}

TEST(shared_memory_test, nobody_else_can_change_it)
{
    auto made = make_shared_memory(some_pages());
    ASSERT_TRUE(made);
    const int fd = made->descriptor.get();
    EXPECT_EQ(-1, ::ftruncate(fd, 0));
    EXPECT_EQ(-1, ::ftruncate(fd, off_t(some_pages() * 2)));
    EXPECT_EQ(-1, ::pwrite(fd, "x", 1, 0));
    EXPECT_EQ(-1, ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, off_t(whole_pages(1))));
    EXPECT_EQ(MAP_FAILED, ::mmap(nullptr, some_pages(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    EXPECT_EQ(-1, ::madvise(made->map.data(), whole_pages(1), MADV_REMOVE)) << "not even by the maker's mapping";
}

TEST(shared_memory_test, what_a_private_mapping_writes_is_its_own_until_it_is_dropped)
{
    auto made = make_shared_memory(some_pages());
    ASSERT_TRUE(made);
    std::memset(made->map.data(), 1, some_pages());
    auto own = map_shared_memory_privately(made->descriptor.get(), some_pages());
    ASSERT_TRUE(own);
    own->data()[0] = std::byte{2};
    EXPECT_EQ(std::byte{1}, made->map.data()[0]);
    made->map.data()[0] = std::byte{3};
    EXPECT_EQ(std::byte{2}, own->data()[0]);
    EXPECT_TRUE(own->drop_copies(0, 1));
    EXPECT_EQ(std::byte{3}, own->data()[0]);
}

TEST(shared_memory_test, what_was_written_anywhere_is_dropped)
{
    const std::size_t size = whole_pages(1) * 1000;
    auto made = make_shared_memory(size);
    ASSERT_TRUE(made);
    auto own = map_shared_memory_privately(made->descriptor.get(), size);
    ASSERT_TRUE(own);
    for (const std::size_t at : {std::size_t(0), size / 2, size - 1}) {
        own->data()[at] = std::byte{2};
        EXPECT_TRUE(own->drop_copies(0, size));
        EXPECT_EQ(std::byte{0}, own->data()[at]);
    }
}

TEST(shared_memory_test, pages_that_the_process_locks_are_its_own_and_that_is_told)
{
    auto made = make_shared_memory(some_pages());
    ASSERT_TRUE(made);
    auto own = map_shared_memory_privately(made->descriptor.get(), some_pages());
    ASSERT_TRUE(own);
    ASSERT_EQ(0, ::mlock(own->data(), some_pages())) << "a process may lock some memory";
    made->map.data()[0] = std::byte{3};
    // Kernels before 5.18 drop no page that is locked.
    if (own->drop_copies(0, some_pages())) {
        EXPECT_EQ(std::byte{3}, own->data()[0]);
    } else {
        EXPECT_EQ(std::byte{0}, own->data()[0]);
    }
}

TEST(shared_memory_test, memory_of_another_size_is_refused)
{
    auto made = make_shared_memory(some_pages());
    ASSERT_TRUE(made);
    EXPECT_EQ(errc::protocol_error, refusal_of(made->descriptor.get(), some_pages() * 2));
    EXPECT_EQ(errc::protocol_error, refusal_of(made->descriptor.get(), whole_pages(1)));
    EXPECT_EQ(errc::protocol_error, refusal_of(made->descriptor.get(), 0));
    EXPECT_EQ(errc::protocol_error, refusal_of(made->descriptor.get(), ~std::size_t{0}));
}

TEST(shared_memory_test, memory_that_could_go_away_is_refused)
{
    EXPECT_EQ(errc::protocol_error, refusal_of(foreign(some_pages(), true, 0).get(), some_pages()));
    for (const int missing : {F_SEAL_SHRINK, F_SEAL_GROW, 0x0010, F_SEAL_SEAL}) {
        const unique_fd fd = foreign(some_pages(), true, every_seal & ~missing);
        EXPECT_EQ(errc::protocol_error, refusal_of(fd.get(), some_pages())) << "without seal " << missing;
    }
    EXPECT_EQ(errc::none, refusal_of(foreign(some_pages(), true, every_seal).get(), some_pages()));
}

TEST(shared_memory_test, memory_that_is_not_there_yet_is_refused)
{
    EXPECT_EQ(errc::protocol_error, refusal_of(foreign(some_pages(), false, every_seal).get(), some_pages()));
}

TEST(shared_memory_test, the_limit_for_files_ends_nobody)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit none{4096, 4096};
        const bool limited = ::setrlimit(RLIMIT_FSIZE, &none) == 0;
        ::_exit(limited && make_shared_memory(some_pages()).error() == errc::not_supported ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

TEST(shared_memory_test, a_kernel_without_the_call_does_not_support_it)
{
    for (const int error : {ENOSYS, EPERM}) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            if (!zlink::test::refuse_system_call(SYS_memfd_create, unsigned(error))) ::_exit(0);  // no seccomp here
            ::_exit(make_shared_memory(some_pages()).error() == errc::not_supported ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(child, ::waitpid(child, &status, 0));
        EXPECT_EQ(0, status) << error;
    }
}

TEST(shared_memory_test, other_descriptors_are_refused)
{
    int ends[2];
    ASSERT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    const unique_fd one(ends[0]);
    const unique_fd other(ends[1]);
    EXPECT_EQ(errc::protocol_error, refusal_of(one.get(), some_pages()));
    char name[] = "/tmp/zlink-test-XXXXXX";
    const unique_fd file(::mkstemp(name));
    ASSERT_TRUE(file);
    ::unlink(name);
    ASSERT_EQ(0, ::posix_fallocate(file.get(), 0, off_t(some_pages())));
    EXPECT_EQ(errc::protocol_error, refusal_of(file.get(), some_pages()));
    EXPECT_EQ(errc::protocol_error, refusal_of(-1, some_pages()));
}

}  // namespace
}  // namespace zlink::runtime
