// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers are dropped for a peer that is slow, and not because our own I/O thread was.
#include "late_io_fixture.hpp"

#include <cstring>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

using late_io_test = late_io_fixture;

TEST_P(late_io_test, every_request_to_a_rep_is_answered)
{
    socket rep = ctx_.open(ZMQ_REP), client = clients_.open(ZMQ_DEALER);
    ask(rep, client);
    std::thread reading([&] { expect_all(client); });
    for (int i = 0; i < requests; ++i) rep.send("re: " + rep.recv());
    reading.join();
}

TEST_P(late_io_test, every_answer_of_a_router_arrives)
{
    socket router = ctx_.open(ZMQ_ROUTER), client = clients_.open(ZMQ_DEALER);
    ask(router, client);
    std::thread reading([&] { expect_all(client); });
    for (int i = 0; i < requests; ++i) {
        parts request = router.recv_parts();
        request.back() = "re: " + request.back();
        router.send_parts(request);
    }
    reading.join();
}

INSTANTIATE_TEST_SUITE_P(over, late_io_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         [](const auto& test) { return std::string(test.param, std::strcspn(test.param, ":")); });

}  // namespace
}  // namespace zlink::test
