// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a dialer does with addresses and streams that follow a script: whom it tells what, and in which words. The
// test's thread drives the loop. Which action follows which event is dial_machine_test's.
#include "engine/dialer.hpp"

#include "planned_transport.hpp"
#include "runtime/driver.hpp"
#include "unit/failures.hpp"
#include "unit/runtime/event_loop_fixture.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;
using transport::test::opening;
using transport::test::planned_attempt;
using transport::test::planned_transport;
using transport::test::stream_plan;
using transport::test::stream_state;
using zlink::test::latest_failure_of_connection;

using made_attempt = result<std::unique_ptr<transport::attempt>>;

// --- the fixture
// --------------------------------------------------------------------------------------------------------

class dialer_test : public testing::Test, private dialer_owner {
protected:
    static constexpr const char* nothing = "nothing yet";

    struct failure {
        errc why;
        int closed;
    };

    dialer_test()
    {
        EXPECT_TRUE(loop_.open());
        target_.text = "plan://there";
        target_.over = &transport_;
        target_.where = std::make_shared<transport::address>();
        tell_failure_of_connection(nothing);
    }
    ~dialer_test() override
    {
        dialer_.reset();
        settle();
    }

    void dial(std::vector<opening> openings, const std::string& name = {})
    {
        dial_by([this, openings, name]() -> made_attempt {
            return std::unique_ptr<transport::attempt>(std::make_unique<planned_attempt>(name, openings, found_));
        });
    }
    /// For an attempt that cannot be made.
    void dial_by(std::function<made_attempt()> plan)
    {
        transport_.plan = std::move(plan);
        if (!dialer_) dialer_.emplace(loop_, static_cast<dialer_owner&>(*this), options_, target_);
        dialer_->start();
    }

    static opening leads_to(stream_plan plan)
    {
        auto state = std::make_shared<stream_state>();
        state->plan = std::move(plan);
        return {std::move(state)};
    }
    static opening fails(errc why, int number = -1) { return {nullptr, why, number}; }

    [[nodiscard]] bool is_over() const { return connected_ || failed_; }
    /// Until there is an outcome.
    void step()
    {
        const auto limit = runtime::clock::now() + runtime::test::patience;
        while (!is_over() && runtime::clock::now() < limit) (void)driver_.step_or_sleep(5ms);
        EXPECT_TRUE(is_over());
    }
    /// Until nothing is ready, and the system owes no answer.
    void settle()
    {
        pollfd ready{driver_.descriptor(), POLLIN, 0};
        do {
            (void)driver_.step({});
        } while (::poll(&ready, 1, 0) == 1);
        while (kept_.use_count() > 1) (void)driver_.step_or_sleep(5ms);
    }

    /// Empty: nothing was told.
    [[nodiscard]] std::string told() const
    {
        std::string latest = latest_failure_of_connection();
        return latest == nothing ? std::string{} : latest;
    }

    void expect_failure(errc why, int closed, const std::string& words)
    {
        ASSERT_TRUE(failed_);
        EXPECT_EQ(why, failed_->why);
        EXPECT_EQ(closed, failed_->closed);
        EXPECT_FALSE(connected_);
        EXPECT_EQ(words.empty() ? "" : target_.text + ": " + words, told());
    }

    session_options options_;
    transport::endpoint target_;
    std::optional<dialer> dialer_;
    std::unique_ptr<transport::stream> connected_;
    std::optional<failure> failed_;
    int delayed_ = 0;
    std::size_t found_ = 0;  ///< addresses of a name

private:
    void on_connected(std::unique_ptr<transport::stream> made) noexcept override { connected_ = std::move(made); }
    void on_connect_failed(errc why, int closed, std::string_view) noexcept override { failed_ = {why, closed}; }
    void on_connect_delayed() noexcept override { ++delayed_; }
    [[nodiscard]] std::shared_ptr<void> keep_alive() noexcept override { return kept_; }

    planned_transport transport_;
    std::shared_ptr<int> kept_ = std::make_shared<int>();
    runtime::test::countable_work work_;
    runtime::event_loop loop_{false};
    runtime::driver driver_{loop_, work_};
};

// --- what may come of an attempt
// ----------------------------------------------------------------------------------------

TEST_F(dialer_test, hands_over_what_is_connected_at_once)
{
    const opening one = leads_to({.in_progress = false});
    dial({one});
    ASSERT_TRUE(connected_);
    EXPECT_TRUE(one.made->open);
    EXPECT_EQ(0, delayed_);
    EXPECT_EQ(0, one.made->asked);
}

TEST_F(dialer_test, waits_until_a_descriptor_is_writable_and_watches_it_no_longer)
{
    const opening one = leads_to({.turns = {{}}});
    one.made->readiness.set(true, false);
    dial({one});
    EXPECT_EQ(1, delayed_);
    settle();
    EXPECT_FALSE(is_over());
    one.made->readiness.set(true, true);
    step();
    ASSERT_TRUE(connected_);
    EXPECT_TRUE(one.made->open);
    settle();
    EXPECT_EQ(1, one.made->asked);
}

TEST_F(dialer_test, waits_for_what_a_stream_wants_to_agree_on)
{
    const opening one = leads_to({.turns = {{errc::again, true}, {errc::again, false}, {errc::again, true}, {}}});
    dial({one});
    settle();
    EXPECT_EQ(1, one.made->asked);
    one.made->readiness.set(true, false);
    settle();
    EXPECT_EQ(2, one.made->asked);
    one.made->readiness.set(false, true);
    settle();
    EXPECT_EQ(3, one.made->asked);
    one.made->readiness.set(true, false);
    step();
    EXPECT_TRUE(connected_);
}

TEST_F(dialer_test, goes_on_to_the_next_address_and_closes_the_one_before)
{
    const opening refused = leads_to({.turns = {{errc::connection_refused}}});
    const opening good = leads_to({.turns = {{}}});
    dial({fails(errc::network_unreachable, 3), refused, good});
    step();
    ASSERT_TRUE(connected_);
    EXPECT_FALSE(refused.made->open);
    EXPECT_TRUE(good.made->open);
    EXPECT_EQ(2, delayed_);
    EXPECT_EQ("", told());
}

TEST_F(dialer_test, tells_the_error_of_the_last_address)
{
    const opening refused = leads_to({.turns = {{errc::connection_refused}}});
    const int number = refused.made->readiness.descriptor();
    dial({fails(errc::network_unreachable, 3), refused});
    step();
    expect_failure(errc::connection_refused, number, "Connection refused");
    EXPECT_FALSE(refused.made->open);
}

TEST_F(dialer_test, without_addresses_there_is_no_way)
{
    dial({});
    expect_failure(errc::host_unreachable, -1, "No route to host");
}

TEST_F(dialer_test, leaves_the_words_to_a_stream_that_tells)
{
    dial({leads_to({.turns = {{errc::again, false}, {errc::access_denied}}, .tells = true})});
    step();
    ASSERT_TRUE(failed_);
    EXPECT_EQ(errc::access_denied, failed_->why);
    EXPECT_EQ("", told());
}

TEST_F(dialer_test, what_needs_memory_fails_for_want_of_it)
{
    dial_by([]() -> made_attempt { throw std::bad_alloc(); });
    expect_failure(errc::out_of_memory, -1, "Cannot allocate memory");
    failed_.reset();
    dial({{nullptr, errc::none, 5, true}});
    expect_failure(errc::out_of_memory, 5, "Cannot allocate memory");
}

TEST_F(dialer_test, an_attempt_that_cannot_be_made_fails_with_its_error)
{
    dial_by([]() -> made_attempt { return errc::no_device; });
    expect_failure(errc::no_device, -1, "No such device");
}

TEST_F(dialer_test, a_descriptor_that_cannot_be_watched_is_closed)
{
    const unique_fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const opening one = leads_to({.watched = null.get()});
    dial({one, leads_to({.turns = {{}}})});
    EXPECT_EQ(1, delayed_);
    expect_failure(errc::out_of_memory, null.get(), "Cannot allocate memory");
    EXPECT_FALSE(one.made->open);
}

// --- names
// ----------------------------------------------------------------------------------------------------------------

TEST_F(dialer_test, looks_a_name_up_first)
{
    dial({leads_to({.in_progress = false})}, "127.0.0.1");
    EXPECT_FALSE(is_over());
    step();
    EXPECT_TRUE(connected_);
    EXPECT_EQ(1u, found_);
}

TEST_F(dialer_test, says_that_a_name_cannot_be_looked_up)
{
    dial({leads_to({.in_progress = false})}, std::string(300, 'a'));  // too long for a name: nobody is asked
    step();
    expect_failure(errc::host_unreachable, -1, "its name cannot be looked up");
}

// --- limits, and the end
// ------------------------------------------------------------------------------------------------

TEST_F(dialer_test, a_try_that_takes_too_long_is_closed)
{
    options_.connection.connect_timeout = 1ms;
    const opening one = leads_to({});
    one.made->readiness.set(false, false);
    dial({one, leads_to({.in_progress = false})});
    step();
    expect_failure(errc::timed_out, one.made->readiness.descriptor(), "Connection timed out");
    EXPECT_FALSE(one.made->open);
}

TEST_F(dialer_test, an_agreement_that_takes_too_long_ends_in_the_streams_words)
{
    options_.connection.handshake_ivl = 1ms;
    const opening one = leads_to({.turns = {{errc::again, true}}, .tells = true, .overdue = "nobody nods"});
    dial({one});
    step();
    expect_failure(errc::timed_out, one.made->readiness.descriptor(), "nobody nods");
}

TEST_F(dialer_test, an_agreement_without_words_ends_in_those_of_the_error)
{
    options_.connection.handshake_ivl = 1ms;
    const opening one = leads_to({.turns = {{errc::again, true}}});
    dial({one});
    step();
    expect_failure(errc::timed_out, one.made->readiness.descriptor(), "Connection timed out");
}

TEST_F(dialer_test, after_cancel_there_is_no_outcome_until_it_is_started_again)
{
    options_.connection.connect_timeout = 1ms;
    const opening one = leads_to({});
    one.made->readiness.set(false, false);
    dial({one});
    dialer_->cancel();
    EXPECT_FALSE(one.made->open);
    dial({leads_to({.in_progress = false})}, "127.0.0.1");
    dialer_->cancel();
    settle();
    EXPECT_FALSE(is_over());
    dial({leads_to({.in_progress = false})});
    EXPECT_TRUE(connected_);
}

}  // namespace
}  // namespace zlink::engine::test
