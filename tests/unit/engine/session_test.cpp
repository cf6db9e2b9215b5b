// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sessions that connect: what they tell their host, when they try again, and how they end.
#include "engine/session.hpp"

#include "engine_fixture.hpp"
#include "support/memory_transport/memory_peer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;
using zlink::test::memory_listener;

class session_test : public engine_fixture {
protected:
    std::shared_ptr<session> connect(const std::string& endpoint, pipe::pipe_end* end)
    {
        const auto target = transport::parse_connect_endpoint(endpoint);
        EXPECT_TRUE(target);
        auto s = std::make_shared<session>(worker_, host_ref(host_), options(), alive_, *target, end);
        start(s);
        return s;
    }
};

TEST_F(session_test, connects_and_tells_who_the_peer_is)
{
    memory_listener there;
    there.open();
    pipe::pipe& p = make_pipe();
    connect(there.endpoint(), &p.second());
    raw_peer peer = there.accept();
    const auto connected = host_.wait_for(monitor_event::connected);
    ASSERT_TRUE(connected);
    EXPECT_EQ(there.endpoint(), connected->endpoints.remote);
    EXPECT_EQ(there.endpoint(), connected->endpoints.identifier());
    EXPECT_EQ(there.endpoint(), connected->endpoints.local);

    const auto facts = peer.handshake(zmtp_version::v3_1, "DEALER", "there");
    EXPECT_EQ("DEALER", facts.socket_type);
    EXPECT_EQ("here", facts.identity);
    const auto who = host_.wait_for_identification();
    ASSERT_TRUE(who);
    EXPECT_EQ("there", who->routing_id);
    EXPECT_FALSE(who->again);
    EXPECT_EQ(1u, host_.count(monitor_event::handshake_succeeded));

    peer.send_message({"to", "you"});
    EXPECT_EQ((parts{"to", "you"}), host_.receive(p.first()));
    host_.send(p.first(), {"and", "back"});
    EXPECT_EQ((parts{"and", "back"}), peer.read_message());
}

TEST_F(session_test, without_a_pipe_hands_one_over_after_the_handshake)
{
    options_.connection.immediate = true;
    memory_listener there;
    there.open();
    connect(there.endpoint(), nullptr);
    raw_peer peer = there.accept();
    ASSERT_TRUE(host_.wait_for(monitor_event::connected));
    (void)peer.read_bytes(10);  // the handshake is under way
    EXPECT_EQ(0u, host_.pipes());
    peer.send_bytes(zlink::test::zmtp3_greeting() + zlink::test::zmtp_ready("DEALER", "there"));
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    EXPECT_EQ("there", attached->routing_id);
    EXPECT_EQ(7u, attached->endpoint_id);
    peer.send_message({"hello"});
    EXPECT_EQ(parts{"hello"}, host_.receive(*attached->end));
}

TEST_F(session_test, tries_again_until_it_is_let_in)
{
    memory_listener there;
    pipe::pipe& p = make_pipe();
    host_.send(p.first(), {"early"});
    connect(there.endpoint(), &p.second());
    const auto retried = host_.wait_for(monitor_event::connect_retried, 3);
    ASSERT_TRUE(retried);
    EXPECT_EQ(there.endpoint(), retried->endpoints.remote);
    EXPECT_EQ(0u, host_.count(monitor_event::connected));
    there.open();
    raw_peer peer = there.accept();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    EXPECT_EQ(parts{"early"}, peer.read_message());
}

TEST_F(session_test, gives_up_at_once_if_it_shall_not_reconnect)
{
    options_.connection.reconnect_ivl = -1ms;
    memory_listener there;
    pipe::pipe& p = make_pipe();
    connect(there.endpoint(), &p.second());
    EXPECT_TRUE(host_.wait_for_ended(7));
    EXPECT_EQ(0u, host_.count(monitor_event::connect_retried));
    EXPECT_TRUE(host_.wait_for_close(p.first()));
}

TEST_F(session_test, keeps_the_pipe_over_a_lost_connection)
{
    memory_listener there;
    there.open();
    pipe::pipe& p = make_pipe();
    connect(there.endpoint(), &p.second());
    {
        raw_peer peer = there.accept();
        peer.handshake(zmtp_version::v3_1, "DEALER", "first");
        peer.send_message({"one"});
        EXPECT_EQ(parts{"one"}, host_.receive(p.first()));
    }
    EXPECT_TRUE(host_.wait_for_disconnections(1));
    raw_peer peer = there.accept();
    peer.handshake(zmtp_version::v3_1, "DEALER", "second");
    const auto who = host_.wait_for_identification(2);
    ASSERT_TRUE(who);
    EXPECT_EQ("second", who->routing_id);
    EXPECT_TRUE(who->again);
    peer.send_message({"two"});
    EXPECT_EQ(parts{"two"}, host_.receive(p.first()));
}

TEST_F(session_test, stopped_with_linger_writes_what_is_queued)
{
    memory_listener there;
    there.open();
    pipe::pipe& p = make_pipe();
    for (const char* m : {"one", "two", "three"}) host_.send(p.first(), {m, pattern_of(1000)});
    const auto s = connect(there.endpoint(), &p.second());
    raw_peer peer = there.accept();
    ASSERT_TRUE(host_.wait_for(monitor_event::connected));
    s->stop(patience);
    peer.handshake(zmtp_version::v3_1, "DEALER");
    for (const char* m : {"one", "two", "three"}) EXPECT_EQ((parts{m, pattern_of(1000)}), peer.read_message());
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(host_.wait_for_ended(7));
}

TEST_F(session_test, stopped_between_two_tries_writes_what_is_queued_and_ends)
{
    memory_listener there;
    pipe::pipe& p = make_pipe();
    host_.send(p.first(), {"late"});
    const auto s = connect(there.endpoint(), &p.second());
    ASSERT_TRUE(host_.wait_for(monitor_event::connect_retried, 2));
    s->stop(2 * patience);
    there.open();
    raw_peer peer = there.accept();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    EXPECT_EQ(parts{"late"}, peer.read_message());
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(host_.wait_for_ended(7));
}

TEST_F(session_test, stopped_without_linger_ends_with_messages_queued)
{
    memory_listener there;
    there.open();
    pipe::pipe& p = make_pipe();
    host_.send(p.first(), {"never sent"});
    const auto s = connect(there.endpoint(), &p.second());
    raw_peer peer = there.accept();
    ASSERT_TRUE(host_.wait_for(monitor_event::connected));
    s->stop(0ms);
    EXPECT_TRUE(host_.wait_for_ended(7));
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(host_.wait_for_close(p.first()));
}

TEST_F(session_test, ends_when_the_socket_has_closed_the_pipe_and_all_is_written)
{
    memory_listener there;
    there.open();
    pipe::pipe& p = make_pipe();
    connect(there.endpoint(), &p.second());
    raw_peer peer = there.accept();
    host_.send(p.first(), {"last words"});
    host_.close(p.first());
    peer.handshake(zmtp_version::v3_1, "DEALER");
    EXPECT_EQ(parts{"last words"}, peer.read_message());
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(host_.wait_for_ended(7));
}

}  // namespace
}  // namespace zlink::engine::test
