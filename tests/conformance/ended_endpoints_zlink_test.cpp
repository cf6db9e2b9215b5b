// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What zmq_unbind and zmq_disconnect leave of the connections of an endpoint. (libzmq's I/O thread does the same, a
// moment after the call has returned.)
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

class ended_endpoints_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    // Two DEALERs in conversation, so that threads do the connection's I/O themselves.
    void converse(bool here_binds)
    {
        here_ = ctx_.open(ZMQ_DEALER);
        there_ = other_ctx_.open(ZMQ_DEALER);
        here_.set(ZMQ_LINGER, -1);
        socket& binder = here_binds ? here_ : there_;
        endpoint_ = binder.bind(GetParam());
        (here_binds ? there_ : here_).connect(endpoint_);
        for (int i = 0; i < 5 && !HasFailure(); ++i) {
            here_.send("question");
            EXPECT_EQ("question", there_.recv());
            there_.send("answer");
            EXPECT_EQ("answer", here_.recv());
        }
    }

    void end(bool bound)
    {
        if (bound) {
            here_.unbind(endpoint_);
        } else {
            here_.disconnect(endpoint_);
        }
    }

    void expect_silence_after_the_end(bool bound)
    {
        for (int i = 0; i < 20 && !HasFailure(); ++i) {
            converse(bound);
            end(bound);
            EXPECT_EQ(EAGAIN, here_.try_send("late question"));
            there_.try_send("late answer");
            here_.wait(ZMQ_POLLIN, 10);
            expect_no_message(here_);
            expect_no_message(there_);
        }
    }

    context other_ctx_;
    socket here_, there_;
    std::string endpoint_;
};

TEST_P(ended_endpoints_test, nothing_is_sent_or_received_after_unbind)
{
    expect_silence_after_the_end(true);
}

TEST_P(ended_endpoints_test, nothing_is_sent_or_received_after_disconnect)
{
    expect_silence_after_the_end(false);
}

TEST_P(ended_endpoints_test, what_was_received_before_unbind_stays_readable)
{
    converse(true);
    there_.send_parts({"early", "and whole"});
    EXPECT_TRUE(here_.wait(ZMQ_POLLIN));
    here_.unbind(endpoint_);
    EXPECT_EQ((parts{"early", "and whole"}), here_.recv_parts());
    expect_no_message_for(here_);
}

TEST_P(ended_endpoints_test, what_was_sent_before_goes_out)
{
    for (const bool bound : {true, false}) {
        converse(bound);
        const std::string large(300'000, 'x');
        for (int i = 0; i < 50; ++i) {
            here_.send(large);
        }
        end(bound);
        for (int i = 0; i < 50 && !HasFailure(); ++i) {
            EXPECT_EQ(large, there_.recv());
        }
    }
}

TEST_P(ended_endpoints_test, other_endpoints_go_on)
{
    converse(true);
    socket another = other_ctx_.open(ZMQ_DEALER);
    another.connect(here_.bind(GetParam()));
    another.send("hello");
    EXPECT_EQ("hello", here_.recv());
    here_.unbind(endpoint_);
    for (int i = 0; i < 3; ++i) {
        here_.send("question");
        EXPECT_EQ("question", another.recv());
        another.send("answer");
        EXPECT_EQ("answer", here_.recv());
    }
    expect_no_message(there_);
}

INSTANTIATE_TEST_SUITE_P(transports, ended_endpoints_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
