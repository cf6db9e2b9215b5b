// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which Asio is compiled in.
#include "runtime/asio.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <typeinfo>

namespace zlink::runtime {
namespace {

TEST(asio_test, is_another_one_than_that_of_the_program)
{
    EXPECT_NE(std::string_view::npos, std::string_view(typeid(net::io_context).name()).find("zlink_asio"));
}

}  // namespace
}  // namespace zlink::runtime
