// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Attempts at one endpoint and the waits between them: each has its outcome, unless it is cancelled.
#include "engine/reconnector.hpp"

#include "engine_fixture.hpp"
#include "planned_transport.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;
using transport::test::opening;
using transport::test::planned_attempt;
using transport::test::planned_transport;
using transport::test::stream_state;

class reconnector_test : public engine_fixture, private dialer_owner {
protected:
    reconnector_test()
    {
        target_.text = "plan://there";
        target_.over = &transport_;
        target_.where = std::make_shared<transport::address>();
        options_.connection.reconnect_ivl = 7ms;
        transport_.plan = [this]() -> result<std::unique_ptr<transport::attempt>> {
            return std::unique_ptr<transport::attempt>(
                std::make_unique<planned_attempt>("", std::vector<opening>{next_}, found_));
        };
    }

    void SetUp() override
    {
        engine_fixture::SetUp();
        on_worker([this] { tried_.emplace(worker_, static_cast<dialer_owner&>(*this), options_, target_); });
    }
    void TearDown() override
    {
        on_worker([this] { tried_.reset(); });
        engine_fixture::TearDown();
    }

    static opening leads_to(bool in_progress)
    {
        auto state = std::make_shared<stream_state>();
        state->plan.in_progress = in_progress;
        return {std::move(state)};
    }

    opening next_;  ///< of an attempt
    std::optional<reconnector> tried_;
    int connected_ = 0;
    int delayed_ = 0;
    std::vector<errc> failures_;

private:
    void on_connected(std::unique_ptr<transport::stream>) noexcept override { ++connected_; }
    void on_connect_failed(errc why, int, std::string_view) noexcept override { failures_.push_back(why); }
    void on_connect_delayed() noexcept override { ++delayed_; }
    [[nodiscard]] std::shared_ptr<void> keep_alive() noexcept override { return std::make_shared<int>(); }

    planned_transport transport_;
    transport::endpoint target_;
    std::size_t found_ = 0;
};

TEST_F(reconnector_test, an_attempt_may_follow_another)
{
    next_ = {nullptr, errc::connection_refused};
    on_worker([this] { tried_->connect(); });
    next_ = leads_to(false);
    on_worker([this] { tried_->connect(); });
    EXPECT_EQ(std::vector{errc::connection_refused}, failures_);
    EXPECT_EQ(1, connected_);
    EXPECT_EQ(0, delayed_);
}

TEST_F(reconnector_test, a_cancelled_attempt_has_no_outcome)
{
    next_ = leads_to(true);
    on_worker([this] {
        tried_->connect();
        EXPECT_EQ(1, delayed_);
        tried_->cancel();
    });
    EXPECT_FALSE(next_.made->open);
    next_.made->readiness.set(true, true);
    let_a_round_pass();
    EXPECT_EQ(0, connected_);
    EXPECT_TRUE(failures_.empty());
}

TEST_F(reconnector_test, calls_when_the_wait_is_over)
{
    std::promise<runtime::clock::time_point> over;
    auto when = over.get_future();
    const auto begin = runtime::clock::now();
    on_worker([&] { EXPECT_TRUE(tried_->wait(3ms, [&over] { over.set_value(runtime::clock::now()); })); });
    ASSERT_EQ(std::future_status::ready, when.wait_for(patience));
    EXPECT_LE(3ms, when.get() - begin);
}

TEST_F(reconnector_test, a_cancelled_wait_is_never_over)
{
    bool first = false;
    std::promise<void> second;
    on_worker([&] {
        EXPECT_TRUE(tried_->wait(1ms, [&first] { first = true; }));
        tried_->cancel();
        EXPECT_TRUE(tried_->wait(2ms, [&second] { second.set_value(); }));
    });
    ASSERT_EQ(std::future_status::ready, second.get_future().wait_for(patience));
    on_worker([&first] { EXPECT_FALSE(first); });
}

TEST_F(reconnector_test, waits_are_as_long_as_the_options_say)
{
    on_worker([this] {
        const auto wait = tried_->policy().next_wait();
        ASSERT_TRUE(wait);
        EXPECT_LE(7ms, *wait);
        EXPECT_GE(14ms, *wait);
    });
}

}  // namespace
}  // namespace zlink::engine::test
