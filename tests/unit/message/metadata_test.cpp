// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Properties of a connection: found by their exact name for as long as anybody holds them.
#include "message/metadata.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace zlink::message {
namespace {

TEST(metadata_test, finds_properties_by_their_exact_name)
{
    metadata* m = metadata::create({{"Socket-Type", "DEALER"}, {"Identity", ""}, {"Peer-Address", "127.0.0.1"}});
    ASSERT_NE(nullptr, m);
    EXPECT_STREQ("DEALER", m->find("Socket-Type"));
    EXPECT_STREQ("", m->find("Identity"));
    EXPECT_STREQ("127.0.0.1", m->find("Peer-Address"));
    EXPECT_EQ(nullptr, m->find("socket-type"));
    EXPECT_EQ(nullptr, m->find("Socket-Typ"));
    EXPECT_EQ(nullptr, m->find("Socket-Type2"));
    EXPECT_EQ(nullptr, m->find(""));
    m->release();
}

TEST(metadata_test, may_be_empty)
{
    metadata* m = metadata::create({});
    ASSERT_NE(nullptr, m);
    EXPECT_EQ(nullptr, m->find("Identity"));
    m->release();
}

TEST(metadata_test, the_first_of_two_equal_names_counts)
{
    metadata* m = metadata::create({{"X-Key", "first"}, {"X-Key", "second"}});
    ASSERT_NE(nullptr, m);
    EXPECT_STREQ("first", m->find("X-Key"));
    m->release();
}

TEST(metadata_test, values_live_as_long_as_a_reference)
{
    metadata* m = metadata::create({{"X-Long", std::string(1000, 'v')}});
    ASSERT_NE(nullptr, m);
    const char* value = m->find("X-Long");
    m->add_ref();
    m->release();
    EXPECT_EQ(value, m->find("X-Long"));
    EXPECT_EQ(std::string(1000, 'v'), value);
    m->release();
}

TEST(metadata_test, is_freed_by_the_last_holder_on_any_thread_stress)
{
    for (int round = 0; round < 200; ++round) {
        metadata* m = metadata::create({{"X-Round", std::to_string(round)}});
        ASSERT_NE(nullptr, m);
        std::vector<std::jthread> holders;
        for (int i = 0; i < 3; ++i) {
            m->add_ref();
            holders.emplace_back([m, round] {
                for (int k = 0; k < 20; ++k) {
                    m->add_ref();
                    EXPECT_EQ(std::to_string(round), m->find("X-Round"));
                    m->release();
                }
                m->release();
            });
        }
        m->release();
    }
}

}  // namespace
}  // namespace zlink::message
