// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets that nobody can foresee, also where the kernel refuses them: then the first of them must not tell the next.
#include "base/process_secret.hpp"
#include "base/random_octets.hpp"
#include "base/sip_hash.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

namespace {

bool call_is_forbidden = false;
bool device_is_forbidden = false;
int asked_device = 0;

}  // namespace

// In the place of the C library's, for all of this program.
extern "C" ssize_t getrandom(void* to, size_t size, unsigned flags)
{
    if (!call_is_forbidden) return ::syscall(SYS_getrandom, to, size, flags);
    errno = EPERM;
    return -1;
}

extern "C" int open(const char* path, int flags, ...)
{
    if (std::string_view(path) == "/dev/urandom") {
        ++asked_device;
        if (device_is_forbidden) {
            errno = EACCES;
            return -1;
        }
    }
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return int(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

namespace zlink {
namespace {

using words = std::array<std::uint64_t, 4>;

words draw()
{
    words drawn{};
    random_octets(std::as_writable_bytes(std::span(drawn)));
    return drawn;
}

class random_octets_test : public ::testing::TestWithParam<bool> {
protected:
    random_octets_test()
    {
        call_is_forbidden = true;
        device_is_forbidden = GetParam();
        asked_device = 0;
    }
    ~random_octets_test() override { call_is_forbidden = device_is_forbidden = false; }
};

TEST_P(random_octets_test, without_the_call_no_word_comes_twice_or_is_the_secret)
{
    std::set<std::uint64_t> seen{process_secret(), process_key()[0]};
    for (int i = 0; i < 100; ++i) {
        for (const std::uint64_t word : draw()) EXPECT_TRUE(seen.insert(word).second) << i;
    }
    EXPECT_EQ(100, asked_device);
}

TEST_P(random_octets_test, without_the_call_a_child_draws_others_than_its_parent)
{
    int channel[2];
    ASSERT_EQ(0, ::pipe(channel));
    const pid_t child = ::fork();
    if (child == 0) {
        const words drawn = draw();
        ::_exit(::write(channel[1], drawn.data(), sizeof drawn) == ssize_t(sizeof drawn) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    ASSERT_EQ(0, status);
    words of_child{};
    ASSERT_EQ(ssize_t(sizeof of_child), ::read(channel[0], of_child.data(), sizeof of_child));
    ::close(channel[0]);
    ::close(channel[1]);
    EXPECT_NE(of_child, draw());
}

INSTANTIATE_TEST_SUITE_P(both, random_octets_test, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "without_the_device" : "with_the_device"; });

TEST(sip_hash_test, is_what_its_authors_say)
{
    // The vector of 16 octets: key and message are 0, 1, ... 15.
    constexpr std::uint64_t low = 0x0706050403020100, high = 0x0f0e0d0c0b0a0908;
    EXPECT_EQ(0x3f2acc7f57c29bdbU, sip_hash({low, high}, low, high));
}

}  // namespace
}  // namespace zlink
