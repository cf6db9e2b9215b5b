// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Cancellation of a thread is held off for as long as it is to be, and by nested holders up to the outermost.
#include "base/cancellation.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

namespace zlink {
namespace {

/// Whether the calling thread can be cancelled.
bool enabled()
{
    int state = PTHREAD_CANCEL_ENABLE;
    (void)::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    (void)::pthread_setcancelstate(state, nullptr);
    return state == PTHREAD_CANCEL_ENABLE;
}

TEST(cancellation_test, is_held_off_up_to_the_outermost_holder)
{
    EXPECT_TRUE(enabled());
    {
        const cancellation_held_off outer;
        EXPECT_FALSE(enabled());
        {
            const cancellation_held_off inner;
            EXPECT_FALSE(enabled());
        }
        EXPECT_FALSE(enabled());
    }
    EXPECT_TRUE(enabled());
}

struct course {
    bool began = false;
    bool passed_hold = false;
    bool passed_point = false;
};

// The request is there before either point is reached: the thread makes it itself.
void* cancel_oneself(void* arg)
{
    auto& seen = *static_cast<course*>(arg);
    {
        const cancellation_held_off hold;
        (void)::pthread_cancel(::pthread_self());
        seen.began = true;
        cancellation_point();
        seen.passed_hold = true;
    }
    cancellation_point();
    seen.passed_point = true;
    return nullptr;
}

TEST(cancellation_test, takes_effect_at_the_first_point_behind_the_holder)
{
    course seen;
    pthread_t thread;
    ASSERT_EQ(0, ::pthread_create(&thread, nullptr, cancel_oneself, &seen));
    void* result = nullptr;
    ASSERT_EQ(0, ::pthread_join(thread, &result));
    EXPECT_EQ(PTHREAD_CANCELED, result);
    EXPECT_TRUE(seen.began);
    EXPECT_TRUE(seen.passed_hold);
    EXPECT_FALSE(seen.passed_point);
}

}  // namespace
}  // namespace zlink
