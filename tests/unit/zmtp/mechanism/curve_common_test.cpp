// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pieces of CURVE's commands: nonces, fields and boxes, octet by octet (RFC 26).
#include "zmtp/mechanism/curve_common.hpp"

#include "unit/zmtp/handshake_script.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace zlink::zmtp::curve {
namespace {

using namespace zlink::zmtp::test;

/// 1, 2, 3 and so on.
class counting final : public crypto::random_source {
public:
    void fill(std::span<std::byte> to) noexcept override
    {
        for (std::byte& b : to) b = std::byte(++last_);
    }

private:
    std::uint8_t last_ = 0;
};

octets counted(std::size_t size)
{
    octets out(size);
    counting().fill(out);
    return out;
}

TEST(curve_common_test, a_command_begins_with_its_whole_name)
{
    const octets hello = wire({5, "HELLO", 1, 0});
    EXPECT_TRUE(begins_with(hello, hello_name));
    EXPECT_TRUE(begins_with(std::span(hello).first(6), hello_name));
    EXPECT_FALSE(begins_with(std::span(hello).first(5), hello_name));
    EXPECT_FALSE(begins_with({}, hello_name));
    EXPECT_FALSE(begins_with(wire({5, "READY"}), error_name));
    EXPECT_EQ("\5ERROR", error_name);
}

TEST(curve_common_test, a_short_nonce_is_a_prefix_and_a_number)
{
    EXPECT_EQ(hex(wire({"CurveZMQHELLO---", zeros(5), 1, 2, 3})), hex(short_nonce(hello_prefix, 0x010203)));
}

TEST(curve_common_test, a_long_nonce_is_a_prefix_and_random_octets)
{
    const octets random = counted(long_nonce_size);
    EXPECT_EQ(hex(wire({"COOKIE--", random})), hex(long_nonce(cookie_prefix, random)));
}

TEST(curve_common_test, a_new_long_nonce_shows_its_random_octets)
{
    counting source;
    std::array<std::byte, long_nonce_size> random{};
    const crypto::nonce made = new_long_nonce(vouch_prefix, source, random);
    EXPECT_EQ(hex(counted(long_nonce_size)), hex(random));
    EXPECT_EQ(hex(long_nonce(vouch_prefix, random)), hex(made));
}

TEST(curve_common_test, fields_are_read_in_the_order_they_were_written)
{
    const octets key = counted(crypto::key_size);
    octets command(2 + crypto::key_size + number_size + 3);
    field_writer to(command.data());
    to.put("ab");
    to.put(key);
    to.put_number(0x0102030405060708);
    to.put("end");
    EXPECT_EQ(hex(wire({"ab", key, 1, 2, 3, 4, 5, 6, 7, 8, "end"})), hex(command));

    field_reader from(command);
    EXPECT_EQ("ab", text(from.take(2)));
    EXPECT_EQ(hex(key), hex(from.take_key()));
    EXPECT_EQ(0x0102030405060708u, from.take_number());
    EXPECT_EQ("end", text(from.rest()));
}

TEST(curve_common_test, a_box_opens_with_its_key_and_nonce_and_the_next_field_lies_behind_it)
{
    counting source;
    const crypto::secret_key key = crypto::secret_key::random(source);
    const octets words = wire({"words"});
    const crypto::nonce number = short_nonce(ready_prefix, 7), other = short_nonce(ready_prefix, 8);
    octets command(boxed(words.size()) + 1);
    field_writer to(command.data());
    to.put_box(key, number, words);
    to.put("!");
    EXPECT_EQ(std::byte{'!'}, command.back());

    const auto box = std::span(command).first(boxed(words.size()));
    octets opened(words.size());
    EXPECT_FALSE(crypto::open_box(key, other, box, opened.data()));
    ASSERT_TRUE(crypto::open_box(key, number, box, opened.data()));
    EXPECT_EQ("words", text(opened));
}

TEST(curve_common_test, a_failure_has_the_words_of_its_error)
{
    const mechanism_failure failure = failure_of(handshake_error::zmtp_invalid_metadata);
    EXPECT_EQ(handshake_error::zmtp_invalid_metadata, failure.error);
    EXPECT_EQ(to_text(handshake_error::zmtp_invalid_metadata), failure.text);
    EXPECT_EQ(0, failure.auth_status);
}

}  // namespace
}  // namespace zlink::zmtp::curve
