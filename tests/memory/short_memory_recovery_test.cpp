// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that is short for a moment: a context gives back what it has taken.
#include "allocations.hpp"

#include <gtest/gtest.h>
#include <zmq.h>

#include <cerrno>
#include <cstddef>

namespace {

using zlink::test::count_allocations;
using zlink::test::counted_allocations;

TEST(short_memory_test, contexts_and_sockets_give_back_what_they_took)
{
    const auto use = [](long failure) {
        void* const context = zmq_ctx_new();
        count_allocations(failure);
        void* const socket = zmq_socket(context, ZMQ_DEALER);
        const int error = zmq_errno();
        const long all = counted_allocations();
        EXPECT_TRUE(socket || error == ENOMEM) << error << " without allocation " << failure;
        if (socket) zmq_close(socket);
        zmq_ctx_term(context);
        return all;
    };
    for (int i = 0; i < 3; ++i) (void)use(-1);  // what is kept for the next one is there then
    for (long i = 0;; ++i) {
        const std::size_t before = zlink::test::octets_in_use();
        const long all = use(i);
        EXPECT_EQ(before, zlink::test::octets_in_use()) << "after allocation " << i << " of " << all << " failed";
        if (all <= i) break;
    }
}

}  // namespace
