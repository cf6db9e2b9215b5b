// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Attempts to connect as scripts of events and actions: each is replayed as it should go, and with a failure at each of
// its steps. No thread, no socket, no clock.
#include "engine/dial_machine.hpp"

#include "base/invariant.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

namespace zlink::engine {

void PrintTo(const dial_machine::action& a, std::ostream* to)
{
    static constexpr const char* names[] = {"resolve",   "open",      "wait_writable", "wait_readable",
                                            "arm_limit", "connected", "failed"};
    static constexpr const char* causes[] = {"system", "look_up", "stream", "overdue_agreement"};
    *to << names[int(a.what)];
    if (a.what == dial_machine::action::kind::arm_limit) *to << " at " << a.at.time_since_epoch().count() << " ns";
    if (a.what != dial_machine::action::kind::failed) return;
    *to << " with " << to_errno(a.error) << " of " << causes[int(a.from)] << ", closed " << a.closed;
}

namespace {

using namespace std::chrono_literals;

using machine = dial_machine;
using action = machine::action;
using event = machine::event;

constexpr machine::time_point start{1h};
constexpr machine::limits both{5s, 2s};
constexpr bool more = true;

// --- events
// -----------------------------------------------------------------------------------------------------------

event begins_by_name()
{
    return machine::started{true};
}
event begins(bool any = true)
{
    return machine::started{false, any};
}
event found(bool any = true)
{
    return machine::resolved{errc::none, any};
}
event connects_at_once()
{
    return machine::opened{machine::opened::outcome::connected};
}
event is_under_way(int descriptor, bool others = false)
{
    return machine::opened{machine::opened::outcome::in_progress, others, descriptor};
}
event cannot_open(errc why, int descriptor = -1, bool others = false)
{
    return machine::opened{machine::opened::outcome::failed, others, descriptor, why};
}
event is_connected()
{
    return machine::ready{machine::ready::outcome::connected};
}
event wants_input(bool others = false)
{
    return machine::ready{machine::ready::outcome::wants_input, others};
}
event wants_output(bool others = false)
{
    return machine::ready{machine::ready::outcome::wants_output, others};
}
event is_refused(errc why, bool others = false)
{
    return machine::ready{machine::ready::outcome::failed, others, why};
}
event armed()
{
    return machine::limit_armed{};
}
event time_is_over()
{
    return machine::limit_reached{};
}
event no_memory(int descriptor = -1)
{
    return machine::unable{errc::out_of_memory, descriptor};
}

// --- actions
// ----------------------------------------------------------------------------------------------------------

constexpr action resolve{action::kind::resolve};
constexpr action open{action::kind::open};
constexpr action wait_writable{action::kind::wait_writable};
constexpr action wait_readable{action::kind::wait_readable};
constexpr action connected{action::kind::connected};

action arm(std::chrono::nanoseconds after_start)
{
    return {action::kind::arm_limit, start + after_start};
}
action failed(errc why, int closed = -1, machine::cause from = machine::cause::system)
{
    return {action::kind::failed, {}, why, from, closed};
}

// --- scripts
// ----------------------------------------------------------------------------------------------------------

struct step {
    event what;
    action then;
    std::chrono::nanoseconds at{};  ///< after the start
};

using script = std::vector<step>;

void play(machine& m, const script& steps)
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        ASSERT_TRUE(m.expects(steps[i].what)) << "step " << i;
        ASSERT_EQ(steps[i].then, m.resume(steps[i].what, start + steps[i].at)) << "step " << i;
    }
}

/// A new machine plays these.
void play(const script& steps, const machine::limits& limits = both)
{
    machine m(limits);
    play(m, steps);
}

/// All kinds of events, with what makes those of a kind differ.
struct named_event {
    const char* kind;
    event what;
};
const std::vector<named_event>& all_events()
{
    static const std::vector<named_event> all{
        {"started", begins_by_name()},
        {"started", begins()},
        {"started", begins(false)},
        {"resolved", found()},
        {"resolved", found(false)},
        {"resolved", machine::resolved{errc::host_unreachable}},
        {"opened", connects_at_once()},
        {"opened", is_under_way(9)},
        {"opened", cannot_open(errc::network_unreachable, 9, more)},
        {"opened", cannot_open(errc::network_unreachable, 9)},
        {"ready", is_connected()},
        {"ready", wants_input()},
        {"ready", wants_output()},
        {"ready", is_refused(errc::connection_refused, more)},
        {"ready", is_refused(errc::connection_refused)},
        {"limit_armed", armed()},
        {"limit_reached", time_is_over()},
        {"unable", no_memory()},
    };
    return all;
}

/// A step at which the attempt stands, the way there, and what comes of each event there.
struct stage {
    const char* name;
    script way;
    std::vector<step> outcomes;
};

const std::vector<stage>& stages()
{
    constexpr machine::cause by_name = machine::cause::look_up;
    constexpr machine::cause by_stream = machine::cause::stream;
    constexpr machine::cause overdue = machine::cause::overdue_agreement;
    static const script to_idle{};
    static const script to_resolving{{begins_by_name(), resolve}};
    static const script to_opening{{begins_by_name(), resolve}, {found(), open}};
    static const script to_next_opening{{begins(), open},
                                        {is_under_way(7, more), arm(5s)},
                                        {armed(), wait_writable},
                                        {is_refused(errc::timed_out, more), open}};
    static const script to_limiting{{begins(), open}, {is_under_way(7), arm(5s)}};
    static const script to_connecting{{begins(), open}, {is_under_way(7), arm(5s)}, {armed(), wait_writable}};
    static const script to_limiting_input{
        {begins(), open}, {is_under_way(7), arm(5s)}, {armed(), wait_writable}, {wants_input(), arm(2s)}};
    static const script to_limiting_output{
        {begins(), open}, {is_under_way(7), arm(5s)}, {armed(), wait_writable}, {wants_output(), arm(2s)}};
    static const script to_agreeing{{begins(), open},
                                    {is_under_way(7), arm(5s)},
                                    {armed(), wait_writable},
                                    {wants_output(), arm(2s)},
                                    {armed(), wait_writable}};
    static const std::vector<stage> all{
        {"idle",
         to_idle,
         {{begins_by_name(), resolve},
          {begins(), open},
          {begins(false), failed(errc::host_unreachable)},
          {no_memory(), failed(errc::out_of_memory)}}},
        {"resolving",
         to_resolving,
         {{found(), open},
          {found(false), failed(errc::host_unreachable)},
          {machine::resolved{errc::host_unreachable}, failed(errc::host_unreachable, -1, by_name)},
          {machine::resolved{errc::out_of_memory}, failed(errc::out_of_memory, -1, by_name)},
          {no_memory(), failed(errc::out_of_memory)}}},
        {"opening",
         to_opening,
         {{connects_at_once(), connected},
          {is_under_way(7), arm(5s)},
          {cannot_open(errc::too_many_files), failed(errc::too_many_files)},
          {cannot_open(errc::connection_refused, 7), failed(errc::connection_refused, 7)},
          {cannot_open(errc::connection_refused, 7, more), open},
          {no_memory(7), failed(errc::out_of_memory, 7)}}},
        {"opening_after_another_address",
         to_next_opening,
         {{connects_at_once(), connected},
          {is_under_way(7), arm(5s)},
          {cannot_open(errc::too_many_files), failed(errc::too_many_files)},
          {cannot_open(errc::connection_refused, 8), failed(errc::connection_refused, 8)},
          {cannot_open(errc::connection_refused, 8, more), open},
          {no_memory(8), failed(errc::out_of_memory, 8)}}},
        {"limiting_connect", to_limiting, {{armed(), wait_writable}, {no_memory(), failed(errc::out_of_memory, 7)}}},
        {"connecting",
         to_connecting,
         {{is_connected(), connected},
          {wants_input(), arm(2s)},
          {wants_output(), arm(2s)},
          {is_refused(errc::connection_refused), failed(errc::connection_refused, 7, by_stream)},
          {is_refused(errc::connection_refused, more), open},
          {time_is_over(), failed(errc::timed_out, 7)}}},
        {"limiting_agreement_input",
         to_limiting_input,
         {{armed(), wait_readable}, {no_memory(), failed(errc::out_of_memory, 7)}}},
        {"limiting_agreement_output",
         to_limiting_output,
         {{armed(), wait_writable}, {no_memory(), failed(errc::out_of_memory, 7)}}},
        {"agreeing",
         to_agreeing,
         {{is_connected(), connected},
          {wants_input(), wait_readable},
          {wants_output(), wait_writable},
          {is_refused(errc::connection_reset), failed(errc::connection_reset, 7, by_stream)},
          {is_refused(errc::connection_reset, more), failed(errc::connection_reset, 7, by_stream)},
          {time_is_over(), failed(errc::timed_out, 7, overdue)}}},
    };
    return all;
}

class dial_stage_test : public testing::TestWithParam<stage> {
protected:
    [[nodiscard]] static bool is_over(const action& a)
    {
        return a.what == action::kind::connected || a.what == action::kind::failed;
    }
    /// Of what can come here.
    [[nodiscard]] static bool comes_here(const event& what)
    {
        for (const step& one : GetParam().outcomes) {
            if (one.what.index() == what.index()) return true;
        }
        return false;
    }
};

// After an end another attempt begins like the first one, whatever the one before has left.
TEST_P(dial_stage_test, each_event_has_its_outcome_and_a_failed_attempt_leaves_nothing)
{
    for (const step& one : GetParam().outcomes) {
        machine m(both);
        play(m, GetParam().way);
        ASSERT_FALSE(HasFatalFailure());
        EXPECT_EQ(one.then, m.resume(one.what, start));
        if (!is_over(one.then)) continue;
        for (const stage& another : stages()) {
            machine next = m;
            play(next, another.way);
            ASSERT_FALSE(HasFatalFailure()) << "on the way to " << another.name;
        }
        machine next = m;
        EXPECT_EQ(failed(errc::host_unreachable), next.resume(begins(false), start)) << "closed is of the last attempt";
    }
}

TEST_P(dial_stage_test, a_cancelled_attempt_leaves_nothing)
{
    machine m(both);
    play(m, GetParam().way);
    m.cancel();
    EXPECT_EQ(failed(errc::host_unreachable), m.resume(begins(false), start));
}

TEST_P(dial_stage_test, no_other_event_is_expected)
{
    machine m(both);
    play(m, GetParam().way);
    for (const named_event& one : all_events()) EXPECT_EQ(comes_here(one.what), m.expects(one.what)) << one.kind;
}

#ifdef ZLINK_INVARIANTS
TEST_P(dial_stage_test, an_event_that_cannot_come_ends_the_process)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const named_event& one : all_events()) {
        if (comes_here(one.what)) continue;
        machine m(both);
        play(m, GetParam().way);
        EXPECT_DEATH((void)m.resume(one.what, start), "broken invariant: .*dial_machine.cpp") << one.kind;
    }
}
#endif

INSTANTIATE_TEST_SUITE_P(all, dial_stage_test, testing::ValuesIn(stages()),
                         [](const testing::TestParamInfo<stage>& row) { return row.param.name; });

// --- whole attempts
// ---------------------------------------------------------------------------------------------------

/// Ends it in place of a step; `otherwise`: what the attempt ends with.
struct failure {
    event what;
    action otherwise;
};

/// What can fail at this place, where `descriptor` is open; a failure of an address is that of the last one.
std::vector<failure> failures_after(const action& pending, bool agreeing, int descriptor)
{
    const action no_memory_left = failed(errc::out_of_memory, descriptor);
    switch (pending.what) {
    case action::kind::resolve:
        return {{machine::resolved{errc::host_unreachable},
                 failed(errc::host_unreachable, descriptor, machine::cause::look_up)},
                {no_memory(), no_memory_left}};
    case action::kind::open:
        return {{cannot_open(errc::connection_refused, 70), failed(errc::connection_refused, 70)},
                {cannot_open(errc::too_many_files), failed(errc::too_many_files, descriptor)},
                {no_memory(), no_memory_left}};
    case action::kind::arm_limit: return {{no_memory(), no_memory_left}};
    case action::kind::wait_writable:
    case action::kind::wait_readable:
        return {
            {is_refused(errc::connection_reset), failed(errc::connection_reset, descriptor, machine::cause::stream)},
            {time_is_over(), failed(errc::timed_out, descriptor,
                                    agreeing ? machine::cause::overdue_agreement : machine::cause::system)}};
    case action::kind::connected:
    case action::kind::failed: break;
    }
    return {};
}

/// Replays it as it should go, then, for each step, up to there with each failure that may come in place of the next
/// one.
void replay(const script& steps, const machine::limits& limits = both)
{
    play(steps, limits);
    int descriptor = -1;
    bool agreeing = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (const auto* o = std::get_if<machine::opened>(&steps[i].what)) {
            if (o->descriptor >= 0) descriptor = o->descriptor;
        }
        if (const auto* r = std::get_if<machine::ready>(&steps[i].what)) {
            agreeing = r->how != machine::ready::outcome::failed;
            if (!agreeing) descriptor = -1;
        }
        const script way(steps.begin(), steps.begin() + long(i) + 1);
        for (const failure& one : failures_after(steps[i].then, agreeing, descriptor)) {
            machine m(limits);
            play(m, way);
            EXPECT_EQ(one.otherwise, m.resume(one.what, start + steps[i].at)) << "after step " << i;
            play(m, steps);  // and again, as if nothing had been
        }
    }
}

TEST(dial_machine_test, an_address_that_connects_at_once)
{
    replay({{begins(), open}, {connects_at_once(), connected}});
}

TEST(dial_machine_test, an_address_that_takes_a_while)
{
    replay({{begins(), open},
            {is_under_way(7), arm(15s), 10s},
            {armed(), wait_writable, 10s},
            {is_connected(), connected, 11s}});
}

TEST(dial_machine_test, a_name_that_is_looked_up)
{
    replay({{begins_by_name(), resolve},
            {found(), open, 1s},
            {is_under_way(7), arm(6s), 1s},
            {armed(), wait_writable, 1s},
            {is_connected(), connected, 2s}});
}

TEST(dial_machine_test, addresses_are_tried_in_turn_each_with_its_limit)
{
    replay({{begins_by_name(), resolve},
            {found(), open, 1s},
            {cannot_open(errc::network_unreachable, 7, more), open, 1s},
            {is_under_way(8, more), arm(6s), 1s},
            {armed(), wait_writable, 1s},
            {is_refused(errc::connection_refused, more), open, 3s},
            {cannot_open(errc::too_many_files, -1, more), open, 3s},
            {is_under_way(9), arm(8s), 3s},
            {armed(), wait_writable, 3s},
            {is_connected(), connected, 4s}});
}

TEST(dial_machine_test, the_error_of_the_last_address_counts)
{
    replay({{begins(), open},
            {cannot_open(errc::network_unreachable, 7, more), open},
            {is_under_way(8, more), arm(5s)},
            {armed(), wait_writable},
            {is_refused(errc::connection_refused, more), open},
            {is_under_way(9), arm(5s)},
            {armed(), wait_writable},
            {is_refused(errc::host_unreachable), failed(errc::host_unreachable, 9, machine::cause::stream)}});
}

// What was refused after a wait is gone by then; what was refused at once is told of, if nothing was opened since.
TEST(dial_machine_test, the_descriptor_that_was_tried_last_is_told)
{
    play({{begins(), open},
          {cannot_open(errc::connection_refused, 7, more), open},
          {cannot_open(errc::too_many_files), failed(errc::too_many_files, 7)}});
    play({{begins(), open},
          {is_under_way(7, more), arm(5s)},
          {armed(), wait_writable},
          {is_refused(errc::connection_refused, more), open},
          {cannot_open(errc::too_many_files), failed(errc::too_many_files)}});
}

TEST(dial_machine_test, a_stream_that_has_to_agree_waits_for_what_it_wants)
{
    replay({{begins(), open},
            {is_under_way(7), arm(5s)},
            {armed(), wait_writable},
            {wants_input(), arm(3s), 1s},
            {armed(), wait_readable, 1s},
            {wants_input(), wait_readable, 2s},
            {wants_output(), wait_writable, 2s},
            {wants_input(), wait_readable, 2s},
            {is_connected(), connected, 2500ms}});
}

TEST(dial_machine_test, a_limit_that_is_reached_ends_the_attempt_though_there_are_addresses)
{
    play({{begins(), open},
          {is_under_way(7, more), arm(5s)},
          {armed(), wait_writable},
          {time_is_over(), failed(errc::timed_out, 7), 5s}});
}

TEST(dial_machine_test, what_cannot_agree_is_not_tried_at_another_address)
{
    play({{begins(), open},
          {is_under_way(7, more), arm(5s)},
          {armed(), wait_writable},
          {wants_input(more), arm(2s)},
          {armed(), wait_readable},
          {is_refused(errc::access_denied, more), failed(errc::access_denied, 7, machine::cause::stream)}});
}

// --- limits
// -----------------------------------------------------------------------------------------------------------

TEST(dial_machine_test, without_limits_none_is_armed)
{
    replay({{begins(), open},
            {is_under_way(7), wait_writable},
            {wants_output(), wait_writable, 1h},
            {wants_input(), wait_readable, 2h},
            {is_connected(), connected, 3h}},
           {});
}

TEST(dial_machine_test, an_agreement_has_a_limit_of_its_own)
{
    replay({{begins(), open},
            {is_under_way(7), wait_writable},
            {wants_input(), arm(1h + 2s), 1h},
            {armed(), wait_readable, 1h},
            {is_connected(), connected, 1h}},
           {0s, 2s});
}

TEST(dial_machine_test, the_limit_of_the_try_stays_if_it_is_earlier)
{
    const script near_its_end{{begins(), open},
                              {is_under_way(7), arm(5s)},
                              {armed(), wait_writable},
                              {wants_input(), wait_readable, 4s},
                              {is_connected(), connected, 4s}};
    replay(near_its_end);
    script at_the_same_time = near_its_end;
    at_the_same_time[3].at = 3s;
    replay(at_the_same_time);
    replay(near_its_end, {5s, 0s});
}

}  // namespace
}  // namespace zlink::engine
