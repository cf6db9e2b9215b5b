// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keys: vectors of RFC 7748, points that are refused, and the memory that keys lie in.
#include "crypto/keys.hpp"

#include "base/process_generation.hpp"
#include "crypto/secret_box.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

using namespace zlink;
using namespace zlink::crypto;

namespace {

std::array<std::byte, 32> from_hex(std::string_view digits)
{
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::array<std::byte, 32> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = std::byte(value(digits[2 * i]) << 4 | value(digits[2 * i + 1]));
    return out;
}

// The system's source is there when static objects have been destroyed: I/O threads may shake hands until the process
// is gone.
static_assert(!std::has_virtual_destructor_v<random_source>);

bool all_zero(key_view octets)
{
    return std::ranges::all_of(octets, [](std::byte b) { return b == std::byte{0}; });
}

/// Runs in a child of fork; true if it says true.
template <class F>
bool in_child(F says)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(says() ? 0 : 1);
    int status = -1;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(keys_test, public_half_is_that_of_rfc_7748)
{
    // Section 5.2: the base point times itself.
    const auto nine = from_hex("0900000000000000000000000000000000000000000000000000000000000000");
    const auto expected = from_hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    EXPECT_EQ(public_key_of(nine), expected);
    EXPECT_EQ(key_pair_of(nine).open, expected);
}

TEST(keys_test, pairs_agree)
{
    const key_pair one = make_key_pair(system_random()), other = make_key_pair(system_random());
    const secret_key here = agree(other.open, one.secret.octets()), there = agree(one.open, other.secret.octets());
    ASSERT_TRUE(here && there);
    EXPECT_TRUE(same_octets(here.octets(), there.octets()));
    EXPECT_FALSE(same_octets(here.octets(), one.secret.octets()));
    EXPECT_EQ(key_pair_of(one.secret.octets()).open, one.open);
    EXPECT_NE(one.open, other.open);
}

TEST(keys_test, points_that_give_a_key_anybody_could_guess_are_refused)
{
    const key_pair own = make_key_pair(system_random());
    // All points of low order (little endian), and what is the same modulo 2^255 - 19.
    for (const char* point : {"0000000000000000000000000000000000000000000000000000000000000000",
                              "0100000000000000000000000000000000000000000000000000000000000000",
                              "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                              "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                              "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                              "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                              "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"}) {
        EXPECT_FALSE(agree(from_hex(point), own.secret.octets())) << point;
    }
}

TEST(keys_test, move_and_are_forgotten)
{
    secret_key key = secret_key::random(system_random());
    const std::byte* const at = key.octets().data();
    secret_key moved = std::move(key);
    EXPECT_FALSE(key);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved.octets().data(), at);
    moved = secret_key(moved.octets());
    EXPECT_TRUE(moved);
    moved.forget();
    EXPECT_FALSE(moved);
    moved.forget();
}

TEST(keys_test, boxes_open_under_their_key_alone)
{
    const secret_key key = secret_key::random(system_random()), other = secret_key::random(system_random());
    const nonce number{};
    const std::array<std::byte, 5> text{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
    std::array<std::byte, text.size() + box_overhead> box{};
    std::array<std::byte, text.size()> back{};
    seal_box(key, number, text, box.data());
    ASSERT_TRUE(open_box(key, number, box, back.data()));
    EXPECT_EQ(back, text);
    EXPECT_FALSE(open_box(other, number, box, back.data()));
    nonce next = number;
    next.back() = std::byte{1};
    EXPECT_FALSE(open_box(key, next, box, back.data()));
}

TEST(key_memory_test, is_zero_when_taken_and_wiped_when_given_back)
{
    std::byte* const first = take_key_memory();
    ASSERT_TRUE(lies_in_key_arena(first));
    EXPECT_TRUE(all_zero(key_view(first, key_size)));
    std::memset(first, 0x5a, key_size);
    give_key_memory_back(first);
    // A pointer of the list of free ones may be there.
    EXPECT_EQ(std::count(first + sizeof(void*), first + key_size, std::byte{0x5a}), 0);

    std::byte* const again = take_key_memory();
    EXPECT_EQ(again, first);
    EXPECT_TRUE(all_zero(key_view(again, key_size)));
    give_key_memory_back(again);
}

TEST(key_memory_test, is_nobody_elses_while_taken)
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            std::vector<secret_key> keys;
            std::array<std::byte, key_size> mine;
            mine.fill(std::byte(t));
            for (int i = 0; i < 2000; ++i) {
                keys.emplace_back(mine);
                if (i % 3 == 0) keys.erase(keys.begin());
            }
            for (const secret_key& key : keys) EXPECT_TRUE(std::ranges::equal(key.octets(), mine));
        });
    }
    for (std::thread& t : threads) t.join();
}

TEST(key_memory_test, goes_on_where_the_arena_ends)
{
    // More keys than the arena has room for.
    std::vector<std::byte*> taken;
    while (taken.size() < 300'000) taken.push_back(take_key_memory());
    EXPECT_TRUE(lies_in_key_arena(taken.front()));
    EXPECT_FALSE(lies_in_key_arena(taken.back()));
    EXPECT_TRUE(all_zero(key_view(taken.back(), key_size)));
    for (std::byte* octets : taken) give_key_memory_back(octets);
}

/// Whether the kernel keeps the page out of swap.
bool is_locked(const std::byte* at)
{
    const auto where = reinterpret_cast<std::uintptr_t>(at);
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0, end = 0;
        char dash = 0;
        std::istringstream range(line);
        if (range >> std::hex >> begin >> dash >> end && dash == '-') here = begin <= where && where < end;
        if (here && line.starts_with("VmFlags:")) return (line + ' ').find(" lo ") != std::string::npos;
    }
    return false;
}

/// Whether as much as the arena locks at a time may be locked; asks the kernel, as sanitizers make of mlock nothing.
bool may_lock_more()
{
    constexpr std::size_t step = 16 * 1024;
    alignas(step) static std::byte probe[step];
    (void)::mlock(probe, sizeof probe);
    const bool allowed = is_locked(probe);
    (void)::munlock(probe, sizeof probe);
    return allowed;
}

TEST(key_memory_test, is_locked_where_that_is_allowed)
{
    const bool allowed = may_lock_more();
    const secret_key key = secret_key::random(system_random());
    EXPECT_TRUE(is_locked(key.octets().data()) || !allowed);
}

TEST(key_memory_test, works_where_nothing_may_be_locked)
{
    EXPECT_TRUE(in_child([] {
        const rlimit nothing{0, 0};
        if (::setrlimit(RLIMIT_MEMLOCK, &nothing) != 0) return false;
        const key_pair one = make_key_pair(system_random()), other = make_key_pair(system_random());
        return same_octets(agree(one.open, other.secret.octets()).octets(),
                           agree(other.open, one.secret.octets()).octets());
    }));
}

TEST(key_memory_test, has_pages_without_access_around)
{
    const secret_key key = secret_key::random(system_random());
    const std::byte* at = key.octets().data();
    const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
    at -= reinterpret_cast<std::uintptr_t>(at) % page;
    while (lies_in_key_arena(at - page)) at -= page;
    EXPECT_DEATH((void)*static_cast<const volatile std::byte*>(at - 1), "");
}

TEST(key_memory_test, is_wiped_in_a_child_of_fork_which_has_keys_of_its_own)
{
    watch_forks();
    secret_key key = secret_key::random(system_random());
    ASSERT_TRUE(lies_in_key_arena(key.octets().data()));
    ASSERT_FALSE(all_zero(key.octets()));
    give_key_memory_back(take_key_memory());
    EXPECT_TRUE(in_child([&] {
        if (!all_zero(key.octets())) return false;
        key.forget();
        const key_pair one = make_key_pair(system_random()), other = make_key_pair(system_random());
        return one.open != other.open && same_octets(agree(one.open, other.secret.octets()).octets(),
                                                     agree(other.open, one.secret.octets()).octets());
    }));
    EXPECT_FALSE(all_zero(key.octets()));
}

TEST(key_memory_test, draws_other_octets_in_a_child_of_fork)
{
    // A pipe brings the child's.
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::array<std::byte, 32> here, there;
    system_random().fill(here);
    EXPECT_TRUE(in_child([&] {
        system_random().fill(there);
        return ::write(ends[1], there.data(), there.size()) == ssize_t(there.size());
    }));
    ASSERT_EQ(::read(ends[0], there.data(), there.size()), ssize_t(there.size()));
    system_random().fill(here);
    EXPECT_NE(here, there);
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
