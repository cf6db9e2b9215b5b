// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The life of a session: its transitions, replayed, and how it ends.
#include "engine/session_life.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <set>
#include <utility>

namespace zlink::engine {
namespace {

using namespace std::chrono_literals;
using stage = session_life::stage;
using step = session_life::step;

constexpr stage all[] = {stage::created,     stage::connecting,  stage::waiting,
                         stage::handshaking, stage::established, stage::ended};

session_life lived(std::initializer_list<stage> stages)
{
    session_life life;
    for (const stage next : stages) {
        EXPECT_TRUE(session_life::may_follow(life.at(), next));
        life.go(next);
        EXPECT_EQ(next, life.at());
    }
    return life;
}

/// A session told to stop with a minute for its messages.
session_life lingering(session_life life)
{
    (void)life.begin_linger(1min, [] { return true; });
    EXPECT_TRUE(life.lingers());
    return life;
}

const session_life connecting = lived({stage::connecting});
const session_life waiting = lived({stage::connecting, stage::waiting});
const session_life handshaking = lived({stage::connecting, stage::handshaking});
const session_life established = lived({stage::connecting, stage::handshaking, stage::established});

TEST(session_life_test, knows_its_transitions_and_no_others)
{
    const std::set<std::pair<stage, stage>> known = {
        {stage::created, stage::connecting},     {stage::created, stage::handshaking},
        {stage::connecting, stage::handshaking}, {stage::connecting, stage::waiting},
        {stage::waiting, stage::connecting},     {stage::handshaking, stage::established},
        {stage::handshaking, stage::waiting},    {stage::established, stage::waiting},
        {stage::created, stage::ended},          {stage::connecting, stage::ended},
        {stage::waiting, stage::ended},          {stage::handshaking, stage::ended},
        {stage::established, stage::ended},
    };
    for (const stage from : all) {
        for (const stage to : all) {
            EXPECT_EQ(known.contains({from, to}), session_life::may_follow(from, to)) << int(from) << ' ' << int(to);
        }
    }
}

TEST(session_life_test, connects_again_after_each_failure_and_each_loss)
{
    const session_life life =
        lived({stage::connecting, stage::waiting, stage::connecting, stage::waiting, stage::connecting,
               stage::handshaking, stage::waiting, stage::connecting, stage::handshaking, stage::established,
               stage::waiting, stage::connecting, stage::handshaking, stage::established, stage::ended});
    EXPECT_TRUE(life.ended());
}

TEST(session_life_test, of_an_accepted_connection_begins_with_the_handshake)
{
    EXPECT_TRUE(lived({stage::handshaking, stage::established, stage::ended}).ended());
    EXPECT_TRUE(lived({stage::handshaking, stage::ended}).ended());
    EXPECT_TRUE(lived({stage::ended}).ended()) << "stopped before it began";
}

TEST(session_life_test, has_a_connection_from_the_handshake_on)
{
    for (const session_life& life : {session_life{}, connecting, waiting, lived({stage::ended})})
        EXPECT_FALSE(life.has_connection());
    for (const session_life& life : {handshaking, established}) EXPECT_TRUE(life.has_connection());
}

TEST(session_life_test, without_linger_ends_at_once)
{
    const auto unwritten = [] { return true; };
    for (session_life life : {session_life{}, connecting, waiting})
        EXPECT_EQ(step::end, life.begin_linger(0ms, unwritten));
    for (session_life life : {handshaking, established}) EXPECT_EQ(step::abort, life.begin_linger(0ms, unwritten));
}

TEST(session_life_test, lingers_without_a_connection_for_messages_only)
{
    for (const auto linger : {1min, -1min}) {
        for (const session_life& life : {session_life{}, connecting, waiting}) {
            session_life busy = life;
            EXPECT_EQ(step::go_on, busy.begin_linger(linger, [] { return true; }));
            session_life idle = life;
            EXPECT_EQ(step::end, idle.begin_linger(linger, [] { return false; }));
        }
    }
}

TEST(session_life_test, does_not_look_at_the_pipe_of_a_connection)
{
    const auto looks = [] {
        ADD_FAILURE();
        return false;
    };
    for (session_life life : {handshaking, established}) EXPECT_EQ(step::go_on, life.begin_linger(1min, looks));
    EXPECT_EQ(step::drain, lingering(established).stop_connection(looks));
    EXPECT_EQ(step::go_on, lingering(waiting).stop_connection(looks));
}

TEST(session_life_test, stops_a_handshake_unless_messages_wait_for_it)
{
    EXPECT_EQ(step::drain, lingering(handshaking).stop_connection([] { return true; }));
    EXPECT_EQ(step::abort, lingering(handshaking).stop_connection([] { return false; }));
}

TEST(session_life_test, ends_what_there_is_when_linger_is_over)
{
    for (const session_life& life : {connecting, waiting}) EXPECT_EQ(step::end, lingering(life).end_linger());
    for (const session_life& life : {handshaking, established}) EXPECT_EQ(step::abort, lingering(life).end_linger());
}

TEST(session_life_test, that_lingers_tries_again_for_messages_only)
{
    for (const bool unwritten : {false, true}) {
        const auto asks = [unwritten] { return unwritten; };
        EXPECT_TRUE(connecting.may_retry(asks));
        EXPECT_EQ(unwritten, lingering(connecting).may_retry(asks));
    }
}

}  // namespace
}  // namespace zlink::engine
