// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Opening in place, and what is not authentic.
#include "crypto/box.hpp"

#include "box_support.hpp"

#include <algorithm>

namespace zlink::crypto {
namespace {

class box_opening_test : public with_implementation {};

INSTANTIATE_TEST_SUITE_P(by, box_opening_test, testing::ValuesIn(implementations()), name_of);

// Opening in place: each rest lands right behind the one before it, over boxes that were opened, or right in its own
// box.
TEST_P(box_opening_test, opens_over_its_own_octets_and_those_of_boxes_before_it)
{
    random_octets random(3);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    for (std::size_t round = 0; round < 300; ++round) {
        const std::vector<std::size_t> sizes = round < 100 ? std::vector<std::size_t>(1 + round % 20, 1 + round)
                                                           : random_sizes(random, 1 + random.below(20), 3000);
        const run_of_boxes run(random, secret, sizes, round % 12);
        octets memory = run.stream;
        std::vector<box_to_open> boxes;
        std::size_t to = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            boxes.push_back(
                {run.first_number + i, {memory.data() + run.at[i], run.sealed(i).size()}, memory.data() + to});
            to += sizes[i] - 1;
        }
        ASSERT_EQ(open(key, boxes), sizes.size()) << round;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            ASSERT_EQ(boxes[i].first, std::uint8_t(run.texts[i][0])) << round << ' ' << i;
            ASSERT_TRUE(std::equal(run.texts[i].begin() + 1, run.texts[i].end(), boxes[i].to)) << round << ' ' << i;
        }
        ASSERT_TRUE(
            std::equal(memory.begin() + std::ptrdiff_t(to), memory.end(), run.stream.begin() + std::ptrdiff_t(to)))
            << round;
    }
}

TEST_P(box_opening_test, opens_any_small_distance_in_front_of_its_own_beginning)
{
    random_octets random(4);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    for (std::size_t distance = 0; distance <= 130; ++distance) {
        for (const std::size_t size : {1u, 2u, 17u, 33u, 65u, 129u, 500u, 1025u, 2500u, 9000u}) {
            const run_of_boxes run(random, secret, {size}, distance);
            octets memory = run.stream;
            box_to_open one{run.first_number, {memory.data() + distance, size + box_overhead}, memory.data()};
            ASSERT_EQ(open(key, {&one, 1}), 1u);
            ASSERT_EQ(one.first, std::uint8_t(run.texts[0][0]));
            ASSERT_TRUE(std::equal(run.texts[0].begin() + 1, run.texts[0].end(), memory.begin()))
                << distance << ' ' << size;
            ASSERT_TRUE(std::equal(memory.begin() + std::ptrdiff_t(size) - 1, memory.end(),
                                   run.stream.begin() + std::ptrdiff_t(size) - 1))
                << distance << ' ' << size;
        }
    }
}

/// Opens a run of which box `bad` is not authentic: those before it come out, of it and those behind it nothing does.
void expect_opens_up_to(const box_key& key, const run_of_boxes& run, std::span<const std::byte> stream, std::size_t bad)
{
    constexpr std::byte guard{0x5a};
    octets out(run.stream.size(), guard);
    std::vector<box_to_open> boxes;
    std::size_t to = 0, good_end = 0;
    for (std::size_t i = 0; i < run.texts.size(); ++i) {
        boxes.push_back({run.first_number + i, stream.subspan(run.at[i], run.sealed(i).size()), out.data() + to, 0x77});
        to += run.texts[i].size() - 1;
        if (i < bad) good_end = to;
    }
    ASSERT_EQ(open(key, boxes), bad);
    for (std::size_t i = 0; i < run.texts.size(); ++i) {
        if (i < bad) {
            ASSERT_EQ(boxes[i].first, std::uint8_t(run.texts[i][0]));
            ASSERT_TRUE(std::equal(run.texts[i].begin() + 1, run.texts[i].end(), boxes[i].to));
        } else {
            ASSERT_EQ(boxes[i].first, 0x77);
        }
    }
    ASSERT_TRUE(std::all_of(out.begin() + std::ptrdiff_t(good_end), out.end(), [](std::byte b) { return b == guard; }));
}

TEST_P(box_opening_test, altered_in_any_octet_is_refused_and_ends_the_batch)
{
    random_octets random(5);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    for (const std::size_t size : {1u, 16u, 65u, 200u}) {
        const run_of_boxes run(random, secret, std::vector<std::size_t>(9, size), 3);
        for (std::size_t bad = 0; bad < run.texts.size(); ++bad) {
            for (std::size_t octet = 0; octet < size + box_overhead; ++octet) {
                octets stream = run.stream;
                stream[run.at[bad] + octet] ^= std::byte(1u << random.below(8));
                expect_opens_up_to(key, run, stream, bad);
                if (HasFatalFailure()) return;
            }
        }
    }
    for (int round = 0; round < 300; ++round) {
        const run_of_boxes run(random, secret, random_sizes(random, 1 + random.below(20), 5000), 5);
        const std::size_t bad = random.below(run.texts.size());
        octets stream = run.stream;
        stream[run.at[bad] + random.below(run.sealed(bad).size())] ^= std::byte(1u << random.below(8));
        expect_opens_up_to(key, run, stream, bad);
        if (HasFatalFailure()) return;
    }
}

TEST_P(box_opening_test, under_another_number_or_key_or_cut_short_is_refused)
{
    random_octets random(6);
    const shared_secret secret(random), other(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    const box_key other_key(other.key(), secret.nonce_prefix()), other_prefix(secret.key(), other.nonce_prefix());
    for (const std::size_t size : {2u, 65u, 1025u, 70000u}) {
        const run_of_boxes run(random, secret, {size}, 0);
        octets out(size);
        const auto opens = [&](const box_key& by, std::uint64_t number, std::span<const std::byte> sealed) {
            box_to_open one{number, sealed, out.data()};
            return open(by, {&one, 1}) == 1;
        };
        EXPECT_TRUE(opens(key, run.first_number, run.stream));
        EXPECT_FALSE(opens(other_key, run.first_number, run.stream));
        EXPECT_FALSE(opens(other_prefix, run.first_number, run.stream));
        for (int bit = 0; bit < 64; ++bit) EXPECT_FALSE(opens(key, run.first_number ^ 1ull << bit, run.stream));
        EXPECT_FALSE(opens(key, run.first_number, std::span(run.stream).first(run.stream.size() - 1)));
        EXPECT_FALSE(opens(key, run.first_number, std::span(run.stream).first(box_overhead + 1)));
    }
}

}  // namespace
}  // namespace zlink::crypto
