#include "crypto/box.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::crypto {
namespace {

using octets = std::vector<std::byte>;

const unsigned char* raw(const std::byte* at)
{
    return reinterpret_cast<const unsigned char*>(at);
}

unsigned char* raw(std::byte* at)
{
    return reinterpret_cast<unsigned char*>(at);
}

octets from_hex(std::string_view text)
{
    octets out(text.size() / 2);
    std::size_t size = 0;
    EXPECT_EQ(sodium_hex2bin(raw(out.data()), out.size(), text.data(), text.size(), nullptr, &size, nullptr), 0);
    EXPECT_EQ(size, out.size());
    return out;
}

/// Octets that are the same in every run.
class random_octets {
public:
    explicit random_octets(std::uint64_t seed) : engine_(seed) {}

    void fill(std::span<std::byte> to)
    {
        std::size_t i = 0;
        for (; i + 8 <= to.size(); i += 8) {
            const std::uint64_t v = engine_();
            std::memcpy(&to[i], &v, 8);
        }
        for (; i < to.size(); ++i) to[i] = std::byte(engine_());
    }

    octets make(std::size_t size)
    {
        octets out(size);
        fill(out);
        return out;
    }

    std::uint64_t number() { return engine_(); }
    std::size_t below(std::size_t limit) { return std::size_t(engine_() % limit); }

private:
    std::mt19937_64 engine_;
};

/// A shared key and a prefix of nonces, and what crypto_box_easy_afternm makes of them.
struct shared_secret {
    octets shared;
    octets prefix;

    explicit shared_secret(random_octets& random) : shared(random.make(32)), prefix(random.make(16)) {}
    shared_secret(octets s, octets p) : shared(std::move(s)), prefix(std::move(p)) {}

    [[nodiscard]] std::span<const std::byte, 32> key() const { return std::span<const std::byte, 32>(shared); }
    [[nodiscard]] std::span<const std::byte, 16> nonce_prefix() const { return std::span<const std::byte, 16>(prefix); }

    /// Seals `text`, whose first octet is the frame's flags, into `to`.
    void seal_plainly(std::uint64_t number, std::span<const std::byte> text, std::byte* to) const
    {
        unsigned char nonce[24];
        std::memcpy(nonce, prefix.data(), 16);
        for (int i = 0; i < 8; ++i) nonce[16 + i] = static_cast<unsigned char>(number >> (56 - 8 * i));
        ASSERT_EQ(crypto_box_easy_afternm(raw(to), raw(text.data()), text.size(), nonce, raw(shared.data())), 0);
    }

    [[nodiscard]] octets seal_plainly(std::uint64_t number, std::span<const std::byte> text) const
    {
        octets out(text.size() + box_overhead);
        seal_plainly(number, text, out.data());
        return out;
    }
};

box_to_seal of(std::uint64_t number, std::span<const std::byte> text, std::byte* to)
{
    return {number, std::uint8_t(text[0]), text.subspan(1), to};
}

std::vector<box_implementation> implementations()
{
    std::vector<box_implementation> found{box_implementation::libsodium, box_implementation::avx2,
                                          box_implementation::avx512};
    std::erase_if(found, [](box_implementation which) { return !is_available(which); });
    return found;
}

class box : public testing::TestWithParam<box_implementation> {
protected:
    void SetUp() override { use_box_implementation(GetParam()); }
    void TearDown() override { use_box_implementation(box_implementation::avx512); }
};

std::string name_of(const testing::TestParamInfo<box_implementation>& test)
{
    switch (test.param) {
    case box_implementation::avx512: return "avx512";
    case box_implementation::avx2: return "avx2";
    default: return "libsodium";
    }
}

INSTANTIATE_TEST_SUITE_P(by, box, testing::ValuesIn(implementations()), name_of);

// The box of the paper "Cryptography in NaCl" (D. J. Bernstein, 2009), sections 8 to 10.
TEST_P(box, is_that_of_the_nacl_paper)
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

TEST_P(box, of_every_size_is_nacls_and_opens_again_without_touching_its_neighbours)
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

TEST_P(box, no_boxes_are_sealed_and_opened_at_once)
{
    random_octets random(2);
    const shared_secret secret(random);
    const box_key key(secret.key(), secret.nonce_prefix());
    seal(key, {});
    EXPECT_EQ(open(key, {}), 0u);
}

/// A run of boxes one behind the other, as a peer sends them, with `gap` octets in front of each.
struct run_of_boxes {
    std::vector<octets> texts;
    std::uint64_t first_number = 0;
    octets stream;
    std::vector<std::size_t> at;  ///< where in `stream` each begins

    run_of_boxes(random_octets& random, const shared_secret& secret, const std::vector<std::size_t>& sizes,
                 std::size_t gap)
        : first_number(random.number() >> 1)
    {
        for (const std::size_t size : sizes) {
            texts.push_back(random.make(size));
            stream.resize(stream.size() + gap);
            at.push_back(stream.size());
            const octets sealed = secret.seal_plainly(first_number + at.size() - 1, texts.back());
            stream.insert(stream.end(), sealed.begin(), sealed.end());
        }
    }

    [[nodiscard]] std::span<const std::byte> sealed(std::size_t i) const
    {
        return {stream.data() + at[i], texts[i].size() + box_overhead};
    }
};

std::vector<std::size_t> random_sizes(random_octets& random, std::size_t count, std::size_t limit)
{
    std::vector<std::size_t> sizes(count);
    for (std::size_t& size : sizes) size = 1 + random.below(random.below(4) == 0 ? limit : 100);
    return sizes;
}

// Opening in place: each rest lands right behind the one before it, over boxes that were opened, or right in its own box.
TEST_P(box, opens_over_its_own_octets_and_those_of_boxes_before_it)
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
        EXPECT_TRUE(std::equal(memory.begin() + std::ptrdiff_t(to), memory.begin() + std::ptrdiff_t(run.at.back()),
                               run.stream.begin() + std::ptrdiff_t(to)) ||
                    to > run.at.back());
    }
}

TEST_P(box, opens_any_small_distance_in_front_of_its_own_beginning)
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

TEST_P(box, altered_in_any_octet_is_refused_and_ends_the_batch)
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

TEST_P(box, under_another_number_or_key_or_cut_short_is_refused)
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

TEST_P(box, random_small_ones_are_nacls)
{
    compare_with_nacl(wanted_boxes(60000), 200);
}

TEST_P(box, random_ones_up_to_4_KB_are_nacls)
{
    compare_with_nacl(wanted_boxes(400000) / 10, 4097);
}

TEST(box_key, is_wiped_when_it_goes)
{
    random_octets random(7);
    const shared_secret secret(random);
    alignas(box_key) std::byte memory[sizeof(box_key)];
    auto* const key = new (memory) box_key(secret.key(), secret.nonce_prefix());
    EXPECT_FALSE(sodium_is_zero(raw(key->octets().data()), 32));
    key->~box_key();
    EXPECT_TRUE(sodium_is_zero(raw(memory), sizeof memory));
}

TEST(box_implementation, is_the_one_asked_for_or_the_next_slower_one)
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
