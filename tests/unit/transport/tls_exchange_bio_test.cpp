// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// OpenSSL's view of an exchange: it reads the octets that are there, and writes where there is room.
#include "transport/tls/openssl/exchange_bio.hpp"

#include "transport/tls/openssl/entry.hpp"
#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/tls_machine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zlink::transport::tls::openssl {
namespace {

class exchange_bio_test : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(inside_);
        ASSERT_TRUE(bio_);
    }

    /// Up to `most` octets; what OpenSSL is told otherwise.
    std::string read(std::size_t most)
    {
        std::string to(most, '\0');
        std::size_t got = 0;
        if (BIO_read_ex(bio_.get(), to.data(), most, &got) != 1)
            return BIO_should_retry(bio_.get()) ? "(later)" : "(no)";
        return to.substr(0, got);
    }
    bool write(std::string_view octets)
    {
        std::size_t written = 0;
        return BIO_write_ex(bio_.get(), octets.data(), octets.size(), &written) == 1 && written == octets.size();
    }

    const entry inside_;
    std::string from_ = "octets", to_ = std::string(6, '.');
    exchange between_{std::as_bytes(std::span(from_)), std::as_writable_bytes(std::span(to_))};
    exchange* now_ = &between_;
    bio_ptr bio_{make_exchange_bio(&now_)};
};

TEST_F(exchange_bio_test, takes_octets_from_the_front)
{
    EXPECT_EQ("oct", read(3));
    EXPECT_EQ(3u, between_.in.size());
    EXPECT_EQ("ets", read(100));
    EXPECT_TRUE(between_.in.empty());
    EXPECT_EQ("(later)", read(1));
}

TEST_F(exchange_bio_test, fills_the_room_from_the_front)
{
    EXPECT_TRUE(write("ab"));
    EXPECT_TRUE(write("cd"));
    EXPECT_EQ("abcd..", to_);
    EXPECT_EQ(2u, between_.out.size());
}

TEST_F(exchange_bio_test, without_room_for_all_nothing_is_written)
{
    EXPECT_FALSE(write("1234567"));
    EXPECT_EQ("......", to_);
    EXPECT_EQ(6u, between_.out.size());
    EXPECT_FALSE(BIO_should_retry(bio_.get())) << "it is an error";
}

TEST_F(exchange_bio_test, without_an_exchange_no_octets_come_and_there_is_no_room)
{
    now_ = nullptr;
    EXPECT_EQ("(later)", read(1));
    EXPECT_FALSE(write("x"));
}

TEST_F(exchange_bio_test, names_the_exchange_at_each_call)
{
    EXPECT_EQ("o", read(1));
    const std::string other = "other";
    exchange second{std::as_bytes(std::span(other)), {}};
    now_ = &second;
    EXPECT_EQ("other", read(100));
    EXPECT_FALSE(write("x"));
    now_ = &between_;
    EXPECT_EQ("ctets", read(100));
}

TEST_F(exchange_bio_test, can_be_flushed)
{
    EXPECT_EQ(1, BIO_flush(bio_.get()));
}

TEST_F(exchange_bio_test, the_entry_may_be_nested)
{
    const entry once_more;
    EXPECT_TRUE(once_more);
}

}  // namespace
}  // namespace zlink::transport::tls::openssl
