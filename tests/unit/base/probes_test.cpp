// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Tracing points do nothing that a program sees. tests/abi/probes_test.py looks at those of the library.
#include "base/probes.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace zlink::probes {
namespace {

TEST(probes_test, leave_everything_as_it_is)
{
    errno = 7;
    const int queue = 0;
    connect("tcp://127.0.0.1:5555", ECONNREFUSED);
    handshake("", 4096, "");
    publish(2, 64);
    drop(drop_cause::unwanted);
    mark(mark_side::receiving, &queue);
    EXPECT_EQ(7, errno);
}

}  // namespace
}  // namespace zlink::probes
