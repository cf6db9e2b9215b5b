// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What commands of a peer do, and when PING, PONG and answers reach the writer.
#include "engine/connection/command_path.hpp"

#include "engine/connection/framing.hpp"
#include "path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <chrono>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;

const std::string ping = std::string("\4PING\0\0", 7) + "context";
const std::string pong = std::string("\4PONG") + "context";

class command_path_test : public path_fixture {
protected:
    command_path_test()
    {
        options_.type = zmtp::socket_type::xpub;
        end_.reader.begin_octets();
    }

    /// What is written when the writer has its turn.
    [[nodiscard]] std::string written()
    {
        pipe::owed_credit credit(&end_);
        path_.pass_on(writer_);
        const auto before = stream_.output.size();
        while (writer_.write_once(stream_, end_.reader, credit) == connection_writer::outcome::more) {
        }
        path_.note_written(writer_, stream_.output.size() != before);
        return stream_.output.substr(before);
    }

    command_path path_{at_, *this};
    connection_writer writer_ = make_writer(at_.frames, options_, at_.version, stream_, nullptr);
};

TEST_F(command_path_test, answers_a_ping_with_its_context)
{
    EXPECT_TRUE(path_.on_command(octets_of(ping)));
    EXPECT_TRUE(events() & pipe::event_data) << "the worker is told to write";
    EXPECT_EQ(command_frame(pong), written());
    EXPECT_EQ("", written()) << "once";
}

TEST_F(command_path_test, keeps_an_answer_until_the_stream_takes_it)
{
    stream_.room = 4;
    EXPECT_TRUE(path_.on_command(octets_of(ping)));
    const std::string first = written();
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(command_frame(pong), first + written());
}

TEST_F(command_path_test, refuses_a_ping_without_a_limit)
{
    EXPECT_FALSE(path_.on_command(octets_of("\4PING")));
}

TEST_F(command_path_test, takes_a_pong_and_what_it_does_not_know)
{
    EXPECT_TRUE(path_.on_command(octets_of(pong)));
    EXPECT_TRUE(path_.on_command(octets_of("\7UNKNOWNbody")));
    EXPECT_EQ("", written());
}

TEST_F(command_path_test, refuses_commands_of_the_handshake)
{
    EXPECT_FALSE(path_.on_command(octets_of("\5READY")));
    EXPECT_FALSE(path_.on_command(octets_of(std::string("\5ERROR\0", 7))));
}

TEST_F(command_path_test, passes_subscriptions_on_as_messages)
{
    EXPECT_TRUE(path_.on_command(octets_of("\11SUBSCRIBEtopic")));
    EXPECT_TRUE(path_.on_command(octets_of("\6CANCELtopic")));
    EXPECT_EQ(parts{std::string("\1topic")}, received());
    EXPECT_EQ(parts{std::string("\0topic", 6)}, received());
}

TEST_F(command_path_test, refuses_subscriptions_to_a_socket_that_does_not_publish)
{
    options_.type = zmtp::socket_type::dealer;
    EXPECT_FALSE(path_.on_command(octets_of("\11SUBSCRIBEtopic")));
    EXPECT_EQ(std::nullopt, received());
}

TEST_F(command_path_test, passes_memberships_on_to_a_radio_as_subscriptions_to_keys)
{
    options_.type = zmtp::socket_type::radio;
    EXPECT_TRUE(path_.on_command(octets_of("\4JOINgroup")));
    EXPECT_TRUE(path_.on_command(octets_of("\5LEAVE")));
    const std::string longest(255, 'g');
    EXPECT_TRUE(path_.on_command(octets_of("\4JOIN" + longest)));
    EXPECT_EQ(parts{std::string("\1\5group")}, received());
    EXPECT_EQ(parts{std::string("\0\0", 2)}, received());
    EXPECT_EQ(parts{"\1\377" + longest}, received());
}

TEST_F(command_path_test, refuses_a_group_that_is_too_long)
{
    options_.type = zmtp::socket_type::radio;
    EXPECT_FALSE(path_.on_command(octets_of("\4JOIN" + std::string(256, 'g'))));
    EXPECT_FALSE(path_.on_command(octets_of("\5LEAVE" + std::string(5000, 'g'))));
    EXPECT_EQ(std::nullopt, received());
}

TEST_F(command_path_test, refuses_memberships_and_subscriptions_out_of_place)
{
    EXPECT_FALSE(path_.on_command(octets_of("\4JOINgroup")));  // a publisher of topics
    options_.type = zmtp::socket_type::dish;
    EXPECT_FALSE(path_.on_command(octets_of("\4JOINgroup")));
    EXPECT_FALSE(path_.on_command(octets_of("\5LEAVEgroup")));
    options_.type = zmtp::socket_type::radio;
    EXPECT_FALSE(path_.on_command(octets_of("\11SUBSCRIBEtopic")));
    EXPECT_EQ(std::nullopt, received());
}

TEST_F(command_path_test, answers_a_close_of_the_peer_and_moves_on)
{
    EXPECT_TRUE(path_.on_close(octets_of("\3\350")));
    EXPECT_EQ(traffic_life::peer_closing, at_.life);
    EXPECT_NE("", written());
}

TEST_F(command_path_test, a_close_of_the_peer_does_not_start_stopped_traffic)
{
    at_.advance(traffic_life::stopped);
    EXPECT_TRUE(path_.on_close({}));
    EXPECT_TRUE(at_.stopped());
}

TEST_F(command_path_test, has_no_heartbeat_unless_it_is_asked_for)
{
    path_.start_heartbeat();
    EXPECT_EQ(0ms, path_.heartbeat().patience());
}

TEST_F(command_path_test, has_a_heartbeat_if_the_peer_knows_it)
{
    options_.connection.heartbeat_ivl = 1s;
    options_.connection.heartbeat_timeout = 8s;
    path_.start_heartbeat();
    EXPECT_EQ(4s, path_.heartbeat().patience());
    path_.stop();
}

#ifdef ZLINK_INVARIANTS

// An application that writes the connection, or reads it, has the writer, or the lane.
TEST_F(command_path_test, keeps_its_hands_off_what_an_application_holds)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    pipe_.io.write_token.offer();
    pipe_.io.read_token.offer();
    EXPECT_DEATH(path_.pass_on(writer_), "broken invariant: .*command_path.hpp");
    EXPECT_DEATH(path_.note_written(writer_, true), "broken invariant: .*command_path.hpp");
    EXPECT_DEATH((void)path_.deliver_subscription(true, {}), "broken invariant: .*command_path.cpp");
    EXPECT_DEATH((void)path_.on_command(octets_of(ping)), "broken invariant: .*command_path.cpp");
}

#endif

}  // namespace
}  // namespace zlink::engine::test
