// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/connection_cure.hpp"

#include <gtest/gtest.h>

using zlink::tool::cure_of_connect;

TEST(connection_cure_test, what_is_known_has_a_cure)
{
    EXPECT_NE(cure_of_connect("tcp://a:1", "Connection refused").find("bound to 127.0.0.1"), std::string::npos);
    EXPECT_NE(cure_of_connect("tls://a:1", "its name cannot be looked up").find("spelling"), std::string::npos);
    EXPECT_NE(cure_of_connect("tls://a:1", "certificate has expired").find("renew"), std::string::npos);
}

TEST(connection_cure_test, a_path_has_another_cure_than_a_port)
{
    EXPECT_NE(cure_of_connect("ipc:///a", "Connection refused"), cure_of_connect("tcp://a:1", "Connection refused"));
    EXPECT_NE(cure_of_connect("ipc:///a", "No such file or directory"), "");
}

TEST(connection_cure_test, what_is_not_known_has_none)
{
    EXPECT_EQ(cure_of_connect("tcp://a:1", ""), "");
    EXPECT_EQ(cure_of_connect("", "something else"), "");
}
