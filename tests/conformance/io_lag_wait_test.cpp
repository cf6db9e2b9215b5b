// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers are dropped for a peer that is slow, and not because our own I/O thread was.
#include "io_lag_wait_fixture.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

// What is under way fits into the kernel's buffers: a client without a core is not to be taken for a slow one.
constexpr int at_once = 200;
constexpr int mark = 50;

class io_lag_wait_test : public io_lag_wait_fixture {
protected:
    // Those that are under way have all come before the next follow.
    template <class Answer>
    void expect_all_answers(socket& server, Answer answer)
    {
        socket client = clients_.open(ZMQ_DEALER);
        server.set(ZMQ_SNDHWM, mark);
        ask(server, client);
        std::atomic<int> came{0};
        std::thread reading([&] {
            for (int i = 0; i < requests && !HasFailure(); ++i) {
                EXPECT_EQ((parts{"", "re: " + std::to_string(i)}), client.recv_parts());
                came = HasFailure() ? requests : i + 1;
                came.notify_one();
            }
        });
        for (int i = 0; i < requests && came < requests; ++i) {
            if (i % at_once == 0) {
                for (int seen = came; seen < i; seen = came) came.wait(seen);
            }
            answer();
        }
        reading.join();
    }
};

TEST_P(io_lag_wait_test, every_request_to_a_rep_is_answered)
{
    socket rep = ctx_.open(ZMQ_REP);
    expect_all_answers(rep, [&] { rep.send("re: " + rep.recv()); });
}

TEST_P(io_lag_wait_test, every_answer_of_a_router_arrives)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    expect_all_answers(router, [&] {
        parts request = router.recv_parts();
        request.back() = "re: " + request.back();
        router.send_parts(request);
    });
}

INSTANTIATE_TEST_SUITE_P(over, io_lag_wait_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         [](const auto& test) { return std::string(test.param, std::strcspn(test.param, ":")); });

}  // namespace
}  // namespace zlink::test
