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

TEST(z85, encodes_the_test_case_of_the_rfc)
{
    std::array<char, 11> text{};
    EXPECT_EQ(zmq_z85_encode(text.data(), rfc_bytes.data(), rfc_bytes.size()), text.data());
    EXPECT_EQ(text.data(), rfc_text);
}

TEST(z85, decodes_the_test_case_of_the_rfc)
{
    std::vector<std::uint8_t> bytes(rfc_bytes.size());
    EXPECT_EQ(zmq_z85_decode(bytes.data(), rfc_text.c_str()), bytes.data());
    EXPECT_EQ(bytes, rfc_bytes);
}

TEST(z85, writes_exactly_the_text_and_a_zero_byte)
{
    std::array<char, 8> text;
    text.fill('x');
    const std::array<std::uint8_t, 4> bytes{0, 0, 0, 1};
    zmq_z85_encode(text.data(), bytes.data(), bytes.size());
    EXPECT_EQ(std::string(text.data(), text.size()), std::string("00001\0xx", 8));
}

TEST(z85, handles_the_smallest_and_largest_group)
{
    const std::array<std::uint8_t, 8> bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    std::array<char, 11> text{};
    zmq_z85_encode(text.data(), bytes.data(), bytes.size());
    EXPECT_STREQ(text.data(), "00000%nSc0");
    std::array<std::uint8_t, 8> decoded{};
    ASSERT_NE(zmq_z85_decode(decoded.data(), text.data()), nullptr);
    EXPECT_EQ(decoded, bytes);
}

TEST(z85, every_byte_value_survives_a_round_trip)
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

TEST(z85, nothing_is_encoded_as_an_empty_text)
{
    char text = 'x';
    EXPECT_EQ(zmq_z85_encode(&text, nullptr, 0), &text);
    EXPECT_EQ(text, '\0');
}

TEST(z85, encoding_refuses_a_size_that_is_no_multiple_of_four)
{
    std::array<char, 16> text{};
    for (const std::size_t size : {1U, 2U, 3U, 5U, 7U}) {
        errno = 0;
        EXPECT_EQ(zmq_z85_encode(text.data(), rfc_bytes.data(), size), nullptr) << size;
        EXPECT_EQ(errno, EINVAL) << size;
    }
}

TEST(z85, decoding_refuses_malformed_text)
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

TEST(z85, null_pointers_are_refused)
{
    std::array<char, 8> text{};
    std::array<std::uint8_t, 4> bytes{};
    EXPECT_EQ(zmq_z85_encode(nullptr, bytes.data(), bytes.size()), nullptr);
    EXPECT_EQ(zmq_z85_encode(text.data(), nullptr, bytes.size()), nullptr);
    EXPECT_EQ(zmq_z85_decode(nullptr, "00000"), nullptr);
    EXPECT_EQ(zmq_z85_decode(bytes.data(), nullptr), nullptr);
}

TEST(curve_keys, say_that_they_are_not_supported_as_zmq_has_does)
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

}  // namespace
