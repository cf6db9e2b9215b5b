// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of the mechanisms: which there are, metadata of both sides, and what an ERROR tells.
#include "zmtp/mechanism/common.hpp"

#include "zmtp/mechanism/table.hpp"
#include "zmtp/metadata.hpp"
#include "zmtp/peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp {
namespace {

std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::vector<std::byte> metadata(const std::vector<property>& properties)
{
    std::vector<std::byte> out;
    for (const auto& [name, value] : properties) EXPECT_TRUE(append_property(out, name, std::string_view(value)));
    return out;
}

TEST(mechanisms_test, each_has_a_row_of_its_own_and_is_found)
{
    std::vector<std::string_view> names;
    for (const mechanism_row& row : all_mechanisms()) {
        EXPECT_EQ(&row, find_mechanism(row.kind));
        EXPECT_EQ(names.end(), std::find(names.begin(), names.end(), row.name));
        names.push_back(row.name);
    }
    ASSERT_LE(2u, names.size());
    EXPECT_EQ("NULL", names[0]);
    EXPECT_EQ("PLAIN", names[1]);
}

TEST(local_peer_test, has_the_defaults_if_it_has_no_security)
{
    local_peer local;
    EXPECT_EQ(&local.security_or_default(), &local_peer().security_or_default());
    const auto own = std::make_shared<const security_settings>();
    local.security = own;
    EXPECT_EQ(own.get(), &local.security_or_default());
}

TEST(mechanism_metadata_test, of_this_side_has_the_type_and_an_identity_if_the_type_announces_one)
{
    local_peer local;
    local.type = socket_type::dealer;
    local.routing_id = {std::byte{'m'}, std::byte{'e'}};
    local.app_properties = {{"X-One", "1"}};
    std::vector<std::byte> out;
    append_own_metadata(out, local);
    EXPECT_EQ(metadata({{"Socket-Type", "DEALER"}, {"Identity", "me"}, {"X-One", "1"}}), out);
    local.type = socket_type::push;
    out.clear();
    append_own_metadata(out, local);
    EXPECT_EQ(metadata({{"Socket-Type", "PUSH"}, {"X-One", "1"}}), out);
}

class peers_metadata_test : public testing::Test {
protected:
    peers_metadata_test() { local_.type = socket_type::dealer; }
    std::string_view take(const std::vector<property>& properties)
    {
        return take_metadata(metadata(properties), local_, remote_);
    }

    local_peer local_;
    remote_peer remote_;
};

TEST_F(peers_metadata_test, is_taken_in_its_order)
{
    EXPECT_EQ("", take({{"Socket-Type", "ROUTER"}, {"identity", "it"}, {"X-One", "1"}}));
    EXPECT_EQ("ROUTER", remote_.socket_type);
    EXPECT_EQ(2u, remote_.routing_id.size());
    EXPECT_EQ((std::vector<property>{{"Socket-Type", "ROUTER"}, {"identity", "it"}, {"X-One", "1"}}),
              remote_.properties);
}

TEST_F(peers_metadata_test, comes_behind_what_the_handler_has_said)
{
    remote_.properties = {{"User-Id", "joe"}};
    EXPECT_EQ("", take({{"Socket-Type", "ROUTER"}, {"User-Id", "root"}}));
    EXPECT_EQ((std::vector<property>{{"User-Id", "joe"}, {"Socket-Type", "ROUTER"}}), remote_.properties);
}

TEST_F(peers_metadata_test, need_not_tell_the_type)
{
    EXPECT_EQ("", take({}));
    EXPECT_EQ("", remote_.socket_type);
}

TEST_F(peers_metadata_test, is_refused_if_the_type_does_not_fit)
{
    for (const char* type : {"PUB", "pair", "", "NONSENSE"})
        EXPECT_EQ("Invalid socket type", take({{"Socket-Type", type}})) << type;
}

TEST_F(peers_metadata_test, is_refused_if_it_is_malformed_or_the_identity_too_long)
{
    EXPECT_EQ("Malformed metadata", take_metadata(octets("\5Nam"), local_, remote_));
    EXPECT_EQ("", take({{"Identity", std::string(max_routing_id_size, 'x')}}));
    EXPECT_EQ("Identity too long", take({{"Identity", std::string(max_routing_id_size + 1, 'x')}}));
}

TEST(failure_told_test, a_status_of_the_handler_is_a_failure_of_authentication)
{
    for (const int status : {300, 400, 500}) {
        const auto failure = failure_told(octets('\3' + std::to_string(status)));
        EXPECT_EQ(handshake_error::auth, failure.error);
        EXPECT_EQ(status, failure.auth_status);
    }
}

TEST(failure_told_test, other_words_are_passed_on_in_print)
{
    const auto failure = failure_told(octets("\5a\nb\x80"
                                             "c"));
    EXPECT_EQ(handshake_error::no_detail, failure.error);
    EXPECT_EQ("a?b?c", failure.text);
    EXPECT_EQ(0, failure.auth_status);
}

TEST(failure_told_test, a_malformed_error_is_a_failure_of_its_own)
{
    EXPECT_EQ(handshake_error::zmtp_malformed_command_error, failure_told(octets("\5a")).error);
    EXPECT_EQ(handshake_error::zmtp_malformed_command_error, failure_told({}).error);
}

}  // namespace
}  // namespace zlink::zmtp
