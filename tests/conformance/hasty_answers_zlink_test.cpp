// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A server that may not wait answers more than its queues hold, and its I/O thread has no core. It writes by itself
// where it can, and never waits for that thread.
#include "io_lag_wait_fixture.hpp"

#include <zlink.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

std::uint64_t waits()
{
    zlink_load_counter_t c{};
    for (std::size_t i = 0; zlink_load_counter(i, &c) == 0; ++i) {
        if (std::string(c.name) == "io_wait") return c.times;
    }
    return 0;
}

enum class hurry { by_flag, by_option };

class hasty_answers : public io_lag_wait_fixture {
protected:
    // How many answers come. The last one may wait, and comes in any case.
    template <class Answer>
    int answers_that_come(socket& server, Answer answer)
    {
        socket client = clients_.open(ZMQ_DEALER);
        ask(server, client);
        client.send_parts({"", "last"});
        int came = 0;
        std::thread reading([&] {
            while (client.recv_parts() != parts{"", "re: last"} && !HasFailure()) ++came;
        });
        const std::uint64_t before = waits();
        for (int i = 0; i < requests; ++i) answer(false);
        EXPECT_EQ(before, waits());
        answer(true);
        reading.join();
        return came;
    }

    int answers_of_a_rep(hurry how)
    {
        socket rep = ctx_.open(ZMQ_REP);
        if (how == hurry::by_option) rep.set(ZMQ_SNDTIMEO, 0);
        return answers_that_come(rep, [&](bool last) {
            if (last) rep.set(ZMQ_SNDTIMEO, -1);
            const std::string text = "re: " + rep.recv();
            const int flags = how == hurry::by_flag && !last ? ZMQ_DONTWAIT : 0;
            EXPECT_EQ(int(text.size()), zmq_send(rep, text.data(), text.size(), flags));
        });
    }

    int answers_of_a_router()
    {
        socket router = ctx_.open(ZMQ_ROUTER);
        return answers_that_come(router, [&](bool last) {
            parts message = router.recv_parts();
            message.back() = "re: " + message.back();
            for (std::size_t i = 0; i < message.size(); ++i) {
                const int flags = (i + 1 < message.size() ? ZMQ_SNDMORE : 0) | (last ? 0 : ZMQ_DONTWAIT);
                EXPECT_EQ(int(message[i].size()), zmq_send(router, message[i].data(), message[i].size(), flags));
            }
        });
    }

    // An I/O thread that loses its core just while it writes keeps others from writing: what the queue does not hold
    // then is dropped.
    template <class Answers>
    static void expect_all_once(Answers answers)
    {
        int came = 0;
        for (int i = 0; i < 10 && came != requests && !HasFailure(); ++i) came = answers();
        EXPECT_EQ(requests, came);
    }
};

using hasty_answers_by_itself_test = hasty_answers;

TEST_P(hasty_answers_by_itself_test, a_rep_answers_every_request)
{
    for (const hurry how : {hurry::by_flag, hurry::by_option}) {
        expect_all_once([&] { return answers_of_a_rep(how); });
    }
}

TEST_P(hasty_answers_by_itself_test, a_router_answers_every_request)
{
    expect_all_once([&] { return answers_of_a_router(); });
}

std::string name_of(const testing::TestParamInfo<const char*>& test)
{
    return {test.param, std::strcspn(test.param, ":")};
}

INSTANTIATE_TEST_SUITE_P(over, hasty_answers_by_itself_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         name_of);

class hasty_answers_by_its_io_thread_test : public hasty_answers {};

// What the queue does not hold is dropped there, if the I/O thread has not had its turn.
TEST_P(hasty_answers_by_its_io_thread_test, a_server_waits_for_nobody)
{
    constexpr int usual_hwm = 1000;
    for (const hurry how : {hurry::by_flag, hurry::by_option}) EXPECT_LE(usual_hwm, answers_of_a_rep(how));
    EXPECT_LE(usual_hwm, answers_of_a_router());
}

INSTANTIATE_TEST_SUITE_P(over, hasty_answers_by_its_io_thread_test, ::testing::Values("ws://127.0.0.1:*"), name_of);

}  // namespace
}  // namespace zlink::test
