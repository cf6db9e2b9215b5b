// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The timer around the heartbeats of a connection, on a loop that the test drives.
#include "engine/connection/connection_heartbeat.hpp"

#include "runtime/driver.hpp"
#include "runtime/event_loop.hpp"
#include "unit/engine/recording_host.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;

class connection_heartbeat_test : public testing::Test, private heartbeat_owner, private runtime::work_source {
protected:
    connection_heartbeat_test() { EXPECT_TRUE(loop_.open()); }

    /// The loop runs until `done`. False: that does not come.
    template <class Done>
    [[nodiscard]] bool run_until(Done done)
    {
        runtime::driver driver(loop_, *this);
        const auto end = runtime::clock::now() + patience;
        while (!done() && runtime::clock::now() < end) (void)driver.step_or_sleep(patience);
        return done();
    }
    /// For how long the loop has nothing to do.
    [[nodiscard]] std::chrono::nanoseconds idle()
    {
        runtime::driver driver(loop_, *this);
        std::chrono::nanoseconds pause{};
        while (pause <= pause.zero()) pause = driver.step({});
        return pause;
    }

    /// The loop runs until no timer is set.
    [[nodiscard]] bool runs_out()
    {
        runtime::driver driver(loop_, *this);
        const auto end = runtime::clock::now() + patience;
        while (driver.step({}) != runtime::event_loop::unlimited && runtime::clock::now() < end)
            (void)driver.step_or_sleep(patience);
        return driver.step({}) == runtime::event_loop::unlimited;
    }

    runtime::event_loop loop_{false};
    connection_heartbeat heartbeat_{loop_, *this};
    std::string ping_;  ///< the last that was sent
    int pings_ = 0;
    int silences_ = 0;
    int looks_ = 0;  ///< at octets that are unread
    bool unread_ = false;
    bool answered_ = false;  ///< a PING, as soon as it is sent

private:
    void send_ping(std::span<const std::byte> frame) noexcept override
    {
        ping_.assign(reinterpret_cast<const char*>(frame.data()), frame.size());
        ++pings_;
        if (answered_) heartbeat_.note_activity();
    }
    [[nodiscard]] bool has_unread_octets() noexcept override
    {
        ++looks_;
        return unread_;
    }
    void on_silence() noexcept override { ++silences_; }

    bool begin() noexcept override { return false; }
    bool piece() noexcept override { return false; }
    bool has_work() noexcept override { return false; }
    bool prepare_to_sleep() noexcept override { return false; }
};

TEST_F(connection_heartbeat_test, does_nothing_before_it_is_started)
{
    EXPECT_EQ(runtime::event_loop::unlimited, idle());
    EXPECT_EQ(0ms, heartbeat_.patience());
    heartbeat_.on_progress(true);
    heartbeat_.stop();
}

TEST_F(connection_heartbeat_test, sends_a_ping_each_time_that_one_is_due)
{
    heartbeat_.start({.ivl = 1ms, .ttl = 300ms, .timeout = 1h});
    EXPECT_TRUE(run_until([&] { return pings_ >= 3; }));
    EXPECT_EQ(std::string("\4\7\4PING\0\3", 9), ping_);
    EXPECT_EQ(0, silences_);
}

TEST_F(connection_heartbeat_test, waits_for_half_of_the_time_for_an_answer)
{
    heartbeat_.start({.ivl = 1h, .timeout = 8s});
    EXPECT_EQ(4s, heartbeat_.patience());
}

TEST_F(connection_heartbeat_test, tells_that_no_answer_has_come)
{
    heartbeat_.start({.ivl = 1ms, .timeout = 5ms});
    EXPECT_TRUE(run_until([&] { return silences_ != 0; }));
    EXPECT_LE(1, pings_);
    EXPECT_EQ(runtime::event_loop::unlimited, idle()) << "that was all";
    EXPECT_EQ(1, silences_);
}

TEST_F(connection_heartbeat_test, a_peer_whose_octets_have_not_been_read_is_not_silent)
{
    unread_ = true;
    heartbeat_.start({.ivl = 1ms, .timeout = 5ms});
    EXPECT_TRUE(run_until([&] { return looks_ >= 2; }));
    EXPECT_EQ(0, silences_);
}

TEST_F(connection_heartbeat_test, a_peer_whose_octets_are_read_is_not_silent)
{
    answered_ = true;
    heartbeat_.start({.ivl = 1ms, .timeout = 1ms});
    EXPECT_TRUE(run_until([&] { return pings_ >= 5; }));
    EXPECT_EQ(0, silences_);
}

TEST_F(connection_heartbeat_test, a_read_without_octets_is_no_sign_of_life)
{
    heartbeat_.start({.ivl = 1ms, .timeout = 5ms});
    EXPECT_TRUE(run_until([&] {
        heartbeat_.end_read(false);
        return silences_ != 0;
    }));
}

TEST_F(connection_heartbeat_test, the_time_to_live_of_a_ping_limits_the_silence_after_it)
{
    (void)heartbeat_.on_ping({.ttl = 1, .context = {}});
    heartbeat_.end_read(true);  // the octets of the PING itself
    EXPECT_TRUE(run_until([&] { return silences_ != 0; }));
    EXPECT_EQ(0, pings_) << "none were asked for";
}

TEST_F(connection_heartbeat_test, later_octets_lift_the_limit_of_a_ping)
{
    (void)heartbeat_.on_ping({.ttl = 1, .context = {}});
    heartbeat_.end_read(true);
    heartbeat_.end_read(true);
    EXPECT_TRUE(runs_out());
    EXPECT_EQ(0, silences_);
}

TEST_F(connection_heartbeat_test, answers_a_ping_without_a_limit_and_sets_none)
{
    const std::string context = "context";
    const auto pong = heartbeat_.on_ping({.ttl = 0, .context = std::as_bytes(std::span(context))});
    EXPECT_EQ(std::size_t{2} + 5 + context.size(), pong.bytes().size());
    EXPECT_EQ(runtime::event_loop::unlimited, idle());
}

TEST_F(connection_heartbeat_test, does_nothing_after_a_stop)
{
    heartbeat_.start({.ivl = 1ms, .timeout = 1ms});
    heartbeat_.stop();
    EXPECT_EQ(runtime::event_loop::unlimited, idle());
    (void)heartbeat_.on_ping({.ttl = 1, .context = {}});
    EXPECT_EQ(runtime::event_loop::unlimited, idle());
    EXPECT_EQ(0, pings_ + silences_);
}

}  // namespace
}  // namespace zlink::engine::test
