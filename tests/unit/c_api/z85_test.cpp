// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_z85_encode() and zmq_z85_decode() against the vectors of RFC 32 and against malformed input.
#include "zmq.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

const std::vector<std::uint8_t> rfc_bytes{0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b};
const std::string rfc_text = "HelloWorld";

TEST(z85_test, encodes_the_test_case_of_the_rfc)
{
    std::array<char, 11> text{};
    EXPECT_EQ(zmq_z85_encode(text.data(), rfc_bytes.data(), rfc_bytes.size()), text.data());
    EXPECT_EQ(text.data(), rfc_text);
}

TEST(z85_test, decodes_the_test_case_of_the_rfc)
{
    std::vector<std::uint8_t> bytes(rfc_bytes.size());
    EXPECT_EQ(zmq_z85_decode(bytes.data(), rfc_text.c_str()), bytes.data());
    EXPECT_EQ(bytes, rfc_bytes);
}

TEST(z85_test, writes_exactly_the_text_and_a_zero_byte)
{
    std::array<char, 8> text;
    text.fill('x');
    const std::array<std::uint8_t, 4> bytes{0, 0, 0, 1};
    zmq_z85_encode(text.data(), bytes.data(), bytes.size());
    EXPECT_EQ(std::string(text.data(), text.size()), std::string("00001\0xx", 8));
}

TEST(z85_test, handles_the_smallest_and_largest_group)
{
    const std::array<std::uint8_t, 8> bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    std::array<char, 11> text{};
    zmq_z85_encode(text.data(), bytes.data(), bytes.size());
    EXPECT_STREQ(text.data(), "00000%nSc0");
    std::array<std::uint8_t, 8> decoded{};
    ASSERT_NE(zmq_z85_decode(decoded.data(), text.data()), nullptr);
    EXPECT_EQ(decoded, bytes);
}

TEST(z85_test, every_byte_value_survives_a_round_trip)
{
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    std::vector<char> text(bytes.size() * 5 / 4 + 1);
    ASSERT_NE(zmq_z85_encode(text.data(), bytes.data(), bytes.size()), nullptr);
    std::vector<std::uint8_t> decoded(bytes.size());
    ASSERT_NE(zmq_z85_decode(decoded.data(), text.data()), nullptr);
    EXPECT_EQ(decoded, bytes);
}

TEST(z85_test, nothing_is_encoded_as_an_empty_text)
{
    char text = 'x';
    EXPECT_EQ(zmq_z85_encode(&text, nullptr, 0), &text);
    EXPECT_EQ(text, '\0');
}

TEST(z85_test, encoding_refuses_a_size_that_is_no_multiple_of_four)
{
    std::array<char, 16> text{};
    for (const std::size_t size : {1U, 2U, 3U, 5U, 7U}) {
        errno = 0;
        EXPECT_EQ(zmq_z85_encode(text.data(), rfc_bytes.data(), size), nullptr) << size;
        EXPECT_EQ(errno, EINVAL) << size;
    }
}

TEST(z85_test, decoding_refuses_malformed_text)
{
    const std::array malformed{
        "",
        "1",
        "1234",
        "123456",  // length
        "0000\"",
        "00 00",
        "00,00",
        "00\x80"
        "00",
        "\xff"
        "0000",  // foreign characters
        "%nSc1",
        "#####",  // 2^32 and more
    };
    for (const char* text : malformed) {
        std::array<std::uint8_t, 8> bytes{};
        errno = 0;
        EXPECT_EQ(zmq_z85_decode(bytes.data(), text), nullptr) << text;
        EXPECT_EQ(errno, EINVAL) << text;
    }
}

TEST(z85_test, null_pointers_are_refused)
{
    std::array<char, 8> text{};
    std::array<std::uint8_t, 4> bytes{};
    EXPECT_EQ(zmq_z85_encode(nullptr, bytes.data(), bytes.size()), nullptr);
    EXPECT_EQ(zmq_z85_encode(text.data(), nullptr, bytes.size()), nullptr);
    EXPECT_EQ(zmq_z85_decode(nullptr, "00000"), nullptr);
    EXPECT_EQ(zmq_z85_decode(bytes.data(), nullptr), nullptr);
}

#ifdef ZLINK_CURVE

/// The keys that zmq_curve(7) has.
struct named_pair {
    const char* open;
    const char* secret;
};
constexpr named_pair man_page[] = {
    {"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"},
    {"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"},
};

TEST(curve_keys_test, come_in_pairs_and_never_twice)
{
    ASSERT_EQ(zmq_has("curve"), 1);
    std::array<char, 41> open{}, secret{}, derived{}, other_open{}, other_secret{};
    ASSERT_EQ(zmq_curve_keypair(open.data(), secret.data()), 0);
    EXPECT_EQ(std::string(open.data()).size(), 40u);
    EXPECT_EQ(std::string(secret.data()).size(), 40u);
    ASSERT_EQ(zmq_curve_public(derived.data(), secret.data()), 0);
    EXPECT_EQ(derived, open);
    ASSERT_EQ(zmq_curve_keypair(other_open.data(), other_secret.data()), 0);
    EXPECT_NE(other_secret, secret);
}

TEST(curve_keys_test, public_ones_are_those_of_the_man_page)
{
    for (const named_pair& pair : man_page) {
        std::array<char, 41> open{};
        ASSERT_EQ(zmq_curve_public(open.data(), pair.secret), 0);
        EXPECT_STREQ(open.data(), pair.open);
    }
}

TEST(curve_keys_test, malformed_ones_are_refused)
{
    std::array<char, 41> open{};
    const std::string good = man_page[0].secret;
    for (const std::string& bad :
         {std::string(), good.substr(1), good + "0", good + "00000", good.substr(0, 35), good.substr(1) + " "}) {
        errno = 0;
        EXPECT_EQ(zmq_curve_public(open.data(), bad.c_str()), -1) << bad;
        EXPECT_EQ(errno, EINVAL);
    }
    errno = 0;
    EXPECT_EQ(zmq_curve_public(nullptr, good.c_str()), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(zmq_curve_public(open.data(), nullptr), -1);
    EXPECT_EQ(zmq_curve_keypair(nullptr, open.data()), -1);
    EXPECT_EQ(zmq_curve_keypair(open.data(), nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
}

#else

TEST(curve_keys_test, say_that_they_are_not_supported_as_zmq_has_does)
{
    std::array<char, 41> public_key{};
    std::array<char, 41> secret_key{};
    ASSERT_EQ(zmq_has("curve"), 0);
    errno = 0;
    EXPECT_EQ(zmq_curve_keypair(public_key.data(), secret_key.data()), -1);
    EXPECT_EQ(errno, ENOTSUP);
    errno = 0;
    EXPECT_EQ(zmq_curve_public(public_key.data(), secret_key.data()), -1);
    EXPECT_EQ(errno, ENOTSUP);
}

#endif

}  // namespace
