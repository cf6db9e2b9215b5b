// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What holds for every row of the table of transports.
#include "transport/option_rows.hpp"
#include "transport/registry.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace zlink::transport {
namespace {

TEST(registry_test, a_transport_has_streams_or_datagrams_or_joins_sockets_by_names)
{
    int joining = 0;
    for (const transport* const one : transports()) {
        const int kinds = (one->streams() != nullptr) + (one->datagrams() != nullptr) + (one->names() != nullptr);
        EXPECT_EQ(1, kinds) << one->scheme();
        joining += one->names() != nullptr;
    }
    EXPECT_EQ(1, joining);
    EXPECT_NE(nullptr, transport_of_names().names());
}

TEST(registry_test, an_option_belongs_to_one_transport)
{
    std::set<int> known;
    for (const transport* const one : transports()) {
        for (const option_row& row : one->options()) {
            EXPECT_TRUE(known.insert(row.option).second) << one->scheme() << ' ' << row.option;
            EXPECT_EQ(&row, find_option(row.option));
        }
    }
    EXPECT_FALSE(known.empty());
    EXPECT_EQ(nullptr, find_option(-1));
}

TEST(registry_test, an_option_of_several_transports_has_one_row)
{
    std::map<int, int> owners;
    for (const transport* const one : transports()) {
        for (const option_row& row : one->shared_options()) {
            ++owners[row.option];
            EXPECT_EQ(&row, find_option(row.option)) << one->scheme() << ' ' << row.option;
        }
    }
    EXPECT_FALSE(owners.empty());
    for (const auto& [option, count] : owners) EXPECT_LE(2, count) << option << " is not shared";
}

TEST(registry_test, addresses_with_a_host_tell_it_and_its_port)
{
    int with_hosts = 0;
    for (const transport* const one : transports()) {
        if (!one->has_hosts() || !one->streams()) continue;
        ++with_hosts;
        for (const std::string host : {"::1", "127.0.0.1", "example.org"}) {
            const bool brackets = host.find(':') != std::string::npos;
            const auto peer = one->parse_connect((brackets ? '[' + host + ']' : host) + ":5555");
            ASSERT_TRUE(peer) << one->scheme();
            const host_and_port told = one->streams()->host_of(**peer);
            EXPECT_EQ(host, told.host);
            EXPECT_EQ(5555, told.port);
        }
    }
    EXPECT_LE(2, with_hosts);
}

}  // namespace
}  // namespace zlink::transport
