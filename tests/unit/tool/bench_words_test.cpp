// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/bench_words.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {

TEST(bench_words_test, a_run_is_read_as_it_was_written)
{
    const bench_run run{true, 1024, 1234.5, 500, 5000, "machine-1"};
    EXPECT_EQ(decode_run(encode(run)), run);
    const bench_run other{false, 0, 0, 0, 1, ""};
    EXPECT_EQ(decode_run(encode(other)), other);
}

TEST(bench_words_test, counts_are_read_as_they_were_written)
{
    const bench_count count{1000, 900, 5'000'000'000, 100'000'000, {1, 2, 3}};
    EXPECT_EQ(decode_count(encode(count)), count);
    EXPECT_EQ(decode_count(encode(bench_count{})), bench_count{});
}

TEST(bench_words_test, what_is_cut_off_or_too_large_is_refused)
{
    const std::string run = encode(bench_run{true, 64, 1000, 500, 5000, "m"});
    for (std::size_t size = 0; size + 3 < run.size(); ++size) {
        EXPECT_FALSE(decode_run(run.substr(0, size)) && size < run.find("machine")) << size;
    }
    EXPECT_FALSE(decode_run("latency 2\nsize 1\nmillirate 1\nwarmup_ms 1\nduration_ms 1\nmachine m\n"));
    EXPECT_FALSE(decode_run("latency 1\nsize 99999999999\nmillirate 1\nwarmup_ms 1\nduration_ms 1\nmachine m\n"));
    EXPECT_FALSE(decode_run("latency 1\nsize -1\nmillirate 1\nwarmup_ms 1\nduration_ms 1\nmachine m\n"));
    EXPECT_FALSE(decode_run(""));
    EXPECT_FALSE(decode_run("\n\n\0 \n"));
    EXPECT_FALSE(decode_count(""));
    EXPECT_FALSE(decode_count("received 1\nmeasured 1\nduration_ns 1\nstep_ns 1\nover_time 1 x\n"));
    EXPECT_FALSE(decode_run(std::string(1 << 20, 'x')));
}

}  // namespace zlink::tool
