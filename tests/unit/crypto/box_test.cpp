// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/box.hpp"

#include "box_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace zlink::crypto {
namespace {

class box_test : public with_implementation {};

INSTANTIATE_TEST_SUITE_P(by, box_test, testing::ValuesIn(implementations()), name_of);

// The box of the paper "Cryptography in NaCl" (D. J. Bernstein, 2009), sections 8 to 10.
TEST_P(box_test, is_that_of_the_nacl_paper)
{
    const octets bobs_public = from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    const octets alices_secret = from_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    const octets prefix = from_hex("69696ee955b62b73cd62bda875fc73d6");
    const std::uint64_t number = 0x8219e0036b7a0b37;
    const octets text = from_hex("be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc"
                                 "e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31"
                                 "0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde"
                                 "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864"
                                 "5e0705");
    const octets sealed = from_hex("f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce"
                                   "48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972"
                                   "71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae"
                                   "90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b3"
                                   "7973f622a43d14a6599b1f654cb45a74e355a5");
    octets shared(32);
    ASSERT_EQ(crypto_box_beforenm(raw(shared.data()), raw(bobs_public.data()), raw(alices_secret.data())), 0);
    EXPECT_EQ(shared, from_hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"));
    const shared_secret secret(shared, prefix);
    const box_key key(secret.key(), secret.nonce_prefix());
    EXPECT_EQ(octets(key.octets().begin(), key.octets().end()),
              from_hex("dc908dda0b9344a953629b733820778880f3ceb421bb61b91cbd4c3e66256ce4"));

    octets out(sealed.size());
    const box_to_seal to_seal = of(number, text, out.data());
    seal(key, {&to_seal, 1});
    EXPECT_EQ(out, sealed);

    octets rest(text.size() - 1);
    box_to_open to_open{number, sealed, rest.data()};
    ASSERT_EQ(open(key, {&to_open, 1}), 1u);
    EXPECT_EQ(to_open.first, std::uint8_t(text[0]));
    EXPECT_TRUE(std::ranges::equal(rest, std::span(text).subspan(1)));
}

TEST_P(box_test, of_every_size_is_nacls_and_opens_again_without_touching_its_neighbours)
{
    random_octets random(1);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    std::vector<std::size_t> sizes;
    for (std::size_t size = 1; size < 1400; ++size) sizes.push_back(size);
    for (const std::size_t size : {4095u, 4096u, 4097u, 8191u, 16384u + 31u, 65536u, 65537u, 1000003u})
        sizes.push_back(size);
    for (const std::size_t size : sizes) {
        const octets text = random.make(size);
        const std::uint64_t number = random.number();
        const octets expected = secret.seal_plainly(number, text);

        constexpr std::byte guard{0xa5};
        octets out(size + box_overhead + 64, guard);
        const box_to_seal to_seal = of(number, text, out.data() + 32);
        seal(key, {&to_seal, 1});
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + 32)) << size;
        ASSERT_TRUE(std::all_of(out.begin(), out.begin() + 32, [](std::byte b) { return b == guard; })) << size;
        ASSERT_TRUE(std::all_of(out.end() - 32, out.end(), [](std::byte b) { return b == guard; })) << size;

        octets opened(size - 1 + 64, guard);
        box_to_open to_open{number, expected, opened.data() + 32};
        ASSERT_EQ(open(key, {&to_open, 1}), 1u) << size;
        ASSERT_EQ(to_open.first, std::uint8_t(text[0])) << size;
        ASSERT_TRUE(std::equal(text.begin() + 1, text.end(), opened.begin() + 32)) << size;
        ASSERT_TRUE(std::all_of(opened.begin(), opened.begin() + 32, [](std::byte b) { return b == guard; })) << size;
        ASSERT_TRUE(std::all_of(opened.end() - 32, opened.end(), [](std::byte b) { return b == guard; })) << size;
    }
}

TEST_P(box_test, no_boxes_are_sealed_and_opened_at_once)
{
    random_octets random(2);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    seal(key, {});
    EXPECT_EQ(open(key, {}), 0u);
}

/// How many boxes the random comparison takes: ZLINK_TEST_BOXES, or what is done in a moment.
std::size_t wanted_boxes(std::size_t otherwise)
{
    const char* const text = std::getenv("ZLINK_TEST_BOXES");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Batches of random boxes: sealing gives what crypto_box_easy_afternm gives, opening in place the texts again.
void compare_with_nacl(std::size_t wanted, std::size_t largest)
{
    random_octets random(wanted + largest);
    const std::size_t most = 70;
    const octets texts = random.make(most * largest + 4096);
    octets expected((largest + box_overhead) * most), sealed(expected.size());
    std::unique_ptr<box_key> key;
    std::unique_ptr<shared_secret> secret;
    std::vector<box_to_seal> to_seal;
    std::vector<box_to_open> to_open;
    for (std::size_t done = 0, batch = 0; done < wanted; ++batch) {
        if (batch % 16 == 0) {
            secret = std::make_unique<shared_secret>(random);
            key = std::make_unique<box_key>(secret->key(), secret->nonce_prefix());
        }
        const std::size_t count = 1 + random.below(random.below(2) == 0 ? 9 : most);
        const bool same_size = random.below(2) == 0;
        std::size_t at = 0, text_at = random.below(4096), size = 1 + random.below(largest);
        std::uint64_t number = random.number();
        to_seal.clear(), to_open.clear();
        for (std::size_t i = 0; i < count; ++i) {
            if (!same_size)
                size = 1 + random.below(random.below(3) == 0 ? largest : std::min<std::size_t>(largest, 130));
            const auto text = std::span(texts).subspan(text_at, size);
            secret->seal_plainly(number, text, &expected[at]);
            to_seal.push_back(of(number, text, &sealed[at]));
            to_open.push_back({number, {&sealed[at], size + box_overhead}, &sealed[at]});
            at += size + box_overhead, text_at += size;
            number += random.below(5) == 0 ? random.number() : 1;
        }
        seal(*key, to_seal);
        ASSERT_EQ(std::memcmp(sealed.data(), expected.data(), at), 0) << "batch " << batch;
        ASSERT_EQ(open(*key, to_open), count) << "batch " << batch;
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(to_open[i].first, to_seal[i].first) << "batch " << batch;
            ASSERT_EQ(std::memcmp(to_open[i].to, to_seal[i].rest.data(), to_seal[i].rest.size()), 0)
                << "batch " << batch;
        }
        done += count;
    }
}

TEST_P(box_test, random_small_ones_are_nacls)
{
    compare_with_nacl(wanted_boxes(60000), 200);
}

TEST_P(box_test, random_ones_up_to_4_kb_are_nacls)
{
    compare_with_nacl(wanted_boxes(400000) / 10, 4097);
}

TEST(box_key_test, is_wiped_when_it_goes)
{
    random_octets random(7);
    const shared_secret secret(random);
    alignas(box_key) std::byte memory[sizeof(box_key)];
    auto* const key = new (memory) box_key(secret.key(), secret.nonce_prefix());
    EXPECT_FALSE(sodium_is_zero(raw(key->octets().data()), 32));
    key->~box_key();
    EXPECT_TRUE(sodium_is_zero(raw(memory), sizeof memory));
}

TEST(box_implementation_test, is_the_one_asked_for_or_the_next_slower_one)
{
    EXPECT_TRUE(is_available(box_implementation::libsodium));
    box_implementation best = box_implementation::libsodium;
    for (const auto which : {box_implementation::libsodium, box_implementation::avx2, box_implementation::avx512}) {
        if (is_available(which)) best = which;
        use_box_implementation(which);
        EXPECT_EQ(box_implementation_in_use(), best);
    }
}

}  // namespace
}  // namespace zlink::crypto
