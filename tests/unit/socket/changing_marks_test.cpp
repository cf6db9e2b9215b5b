// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// High-water marks that change while messages flow: nothing is lost, nobody waits for ever, and no thread touches what
// another one holds (for ThreadSanitizer).
#include "zmq.h"

#include "base/asymmetric_fence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace {

constexpr int patience_ms = 20'000;
#ifdef ZLINK_TSAN
constexpr int count = 4'000;
#else
constexpr int count = 30'000;
#endif

class changing_marks_test : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        for (void* s : {push_, pull_}) {
            set(s, ZMQ_LINGER, 0);
            set(s, ZMQ_SNDTIMEO, patience_ms);
            set(s, ZMQ_RCVTIMEO, patience_ms);
        }
        set(push_, ZMQ_SNDHWM, 3);
        set(pull_, ZMQ_RCVHWM, 3);
        ASSERT_EQ(0, zmq_bind(pull_, GetParam()));
        std::array<char, 200> endpoint{};
        std::size_t size = endpoint.size();
        ASSERT_EQ(0, zmq_getsockopt(pull_, ZMQ_LAST_ENDPOINT, endpoint.data(), &size));
        ASSERT_EQ(0, zmq_connect(push_, endpoint.data()));
    }
    ~changing_marks_test() override
    {
        zmq_close(push_);
        zmq_close(pull_);
        zmq_ctx_term(context_);
    }

    static void set(void* s, int option, int value) { EXPECT_EQ(0, zmq_setsockopt(s, option, &value, sizeof value)); }

    // The sender sends numbers, the receiver expects them; each calls its `between` before every message.
    template <class BetweenSends, class BetweenReceives>
    void run(BetweenSends between_sends, BetweenReceives between_receives)
    {
        std::atomic<bool> failed{false};
        std::thread sender([&] {
            for (int n = 0; n < count && !failed; ++n) {
                between_sends(n);
                if (zmq_send(push_, &n, sizeof n, 0) == sizeof n) continue;
                ADD_FAILURE() << "message " << n << " not sent: " << zmq_strerror(zmq_errno());
                failed = true;
            }
        });
        for (int n = 0; n < count && !failed; ++n) {
            between_receives(n);
            int got = -1;
            if (zmq_recv(pull_, &got, sizeof got, 0) == sizeof got && got == n) continue;
            ADD_FAILURE() << "message " << n << " not received: " << got << ", " << zmq_strerror(zmq_errno());
            failed = true;
        }
        sender.join();
    }

    void* context_ = zmq_ctx_new();
    void* push_ = zmq_socket(context_, ZMQ_PUSH);
    void* pull_ = zmq_socket(context_, ZMQ_PULL);
};

TEST_P(changing_marks_test, of_the_sender_hold_up_nobody_stress)
{
    run([&](int n) { set(push_, ZMQ_SNDHWM, 1 + n % 3); }, [](int) {});
}

TEST_P(changing_marks_test, of_the_receiver_hold_up_nobody_stress)
{
    run([](int) {}, [&](int n) { set(pull_, ZMQ_RCVHWM, 1 + n % 3); });
}

TEST_P(changing_marks_test, of_both_hold_up_nobody_stress)
{
    constexpr std::array<int, 7> marks{1, 1000, 2, 3, 40, 0, 7};
    run(
        [&](int n) {
            if (n % 5 == 0) set(push_, ZMQ_SNDHWM, marks[std::size_t(n / 5) % marks.size()]);
        },
        [&](int n) {
            if (n % 3 == 0) set(pull_, ZMQ_RCVHWM, marks[std::size_t(n / 3) % marks.size()]);
        });
}

INSTANTIATE_TEST_SUITE_P(over, changing_marks_test, testing::Values("tcp://127.0.0.1:*", "ipc://*", "inproc://marks"),
                         [](const auto& test) { return std::string(test.param, std::string(test.param).find(':')); });

}  // namespace
