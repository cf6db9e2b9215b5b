// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// States of the sending path, one by one: what leads into each, what it does there, and what leads out.
#include "engine/connection/send_path.hpp"

#include "path_fixture.hpp"

namespace zlink::engine::test {
namespace {

using state = send_path::state;
using outcome = send_path::outcome;

class send_path_test : public path_fixture {
protected:
    send_path_test()
    {
        end_.reader.begin_octets();
        path_.begin();
    }

    [[nodiscard]] outcome write() { return path_.write(commands_); }
    [[nodiscard]] bool io_thread_writes() const { return pipe_.io.io_thread_writes(); }

    command_path commands_{at_, *this};
    send_path path_{at_, nullptr};
};

TEST_F(send_path_test, writes_what_the_lane_holds)
{
    send({"one"});
    send({"two", "parts"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(encode({"one"}) + encode({"two", "parts"}), stream_.output);
    EXPECT_EQ(state::ready, path_.now());
    EXPECT_EQ(2u, path_.messages_taken());
    EXPECT_TRUE(io_thread_writes());
}

TEST_F(send_path_test, waits_for_room_and_goes_on_when_that_is_there)
{
    stream_.room = 3;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(state::wait_room, path_.now());
    EXPECT_FALSE(io_thread_writes());
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(outcome::goes_on, path_.go_on(commands_));
    EXPECT_EQ(state::ready, path_.now());
    EXPECT_EQ(encode({"message"}), stream_.output);
    EXPECT_TRUE(io_thread_writes());
}

TEST_F(send_path_test, does_not_write_while_it_waits)
{
    stream_.room = 0;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    const int writes = stream_.writes;
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(writes, stream_.writes);
    EXPECT_EQ(state::wait_room, path_.now());
}

TEST_F(send_path_test, waits_for_input_if_the_stream_says_so)
{
    stream_.room = 0;
    stream_.waits_for_input = true;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(state::wait_input, path_.now());
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(outcome::goes_on, path_.go_on(commands_));
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(send_path_test, is_broken_for_good_after_a_failed_write)
{
    stream_.write_error = errc::connection_reset;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write()) << "reading finds the end";
    EXPECT_EQ(state::broken, path_.now());
    EXPECT_FALSE(io_thread_writes());
    stream_.write_error = errc::none;
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(outcome::goes_on, path_.go_on(commands_));
    EXPECT_EQ(state::broken, path_.now());
    EXPECT_EQ("", stream_.output);
}

TEST_F(send_path_test, is_lost_if_a_write_fails_while_it_drains)
{
    stream_.write_error = errc::connection_reset;
    send({"message"});
    at_.advance(traffic_life::draining);
    EXPECT_EQ(outcome::lost, write());
}

TEST_F(send_path_test, is_drained_once_everything_is_written)
{
    stream_.room = 2;
    send({"message"});
    at_.advance(traffic_life::draining);
    EXPECT_EQ(outcome::goes_on, write());
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(outcome::drained, path_.go_on(commands_));
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(send_path_test, is_drained_when_the_socket_has_closed_the_pipe)
{
    send({"last"});
    host_.close(socket_end_);
    EXPECT_EQ(outcome::drained, write());
    EXPECT_EQ(encode({"last"}), stream_.output);
}

TEST_F(send_path_test, says_when_a_closing_peer_has_its_answer)
{
    ASSERT_TRUE(commands_.on_close({}));
    EXPECT_EQ(traffic_life::peer_closing, at_.life);
    EXPECT_TRUE(events() & pipe::event_data);
    EXPECT_EQ(outcome::close_answered, write());
    EXPECT_FALSE(stream_.output.empty());
}

TEST_F(send_path_test, is_lost_if_a_closing_peer_cannot_be_answered)
{
    ASSERT_TRUE(commands_.on_close({}));
    at_.advance(traffic_life::draining);
    EXPECT_EQ(traffic_life::peer_closing, at_.life);
    stream_.write_error = errc::connection_reset;
    EXPECT_EQ(outcome::lost, write());
}

TEST_F(send_path_test, asks_for_a_token_that_an_application_holds)
{
    pipe_.io.write_token.offer();
    ASSERT_TRUE(pipe_.io.write_token.try_take());
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(0, stream_.writes);
    EXPECT_TRUE(pipe_.io.write_token.wanted());
    EXPECT_TRUE(pipe_.io.write_token.give());
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(encode({"message"}), stream_.output);
    EXPECT_TRUE(pipe_.io.write_token.available()) << "given back";
}

TEST_F(send_path_test, writes_octets_of_the_streams_own)
{
    stream_.own = "alert";
    path_.write_own_octets();
    EXPECT_EQ("alert", stream_.output);
    path_.write_own_octets();
    EXPECT_EQ(1, stream_.writes) << "there are none";
}

TEST_F(send_path_test, leaves_octets_of_the_streams_own_until_there_is_room)
{
    stream_.room = 0;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    const int writes = stream_.writes;
    stream_.own = "alert";
    path_.write_own_octets();
    EXPECT_EQ(writes, stream_.writes);
}

TEST_F(send_path_test, takes_a_changed_mark_up_if_it_can_have_the_token)
{
    pipe_.io.write_token.offer();
    ASSERT_TRUE(pipe_.io.write_token.try_take());
    path_.note_changed_mark();
    path_.take_up_mark();
    EXPECT_TRUE(pipe_.io.write_token.wanted()) << "told when it comes back";
    EXPECT_TRUE(pipe_.io.write_token.give());
    path_.take_up_mark();
    EXPECT_TRUE(pipe_.io.write_token.available());
}

TEST_F(send_path_test, goes_on_in_its_next_turn_with_more_than_some_batches)
{
    // Each message goes out by a write of its own, and a turn has sixteen of them at most.
    std::string wire;
    for (int i = 0; i < 40; ++i) {
        send({pattern_of(200'000)});
        wire += encode({pattern_of(200'000)});
    }
    for (int turns = 0; stream_.output.size() < wire.size(); ++turns) {
        ASSERT_GT(10, turns);
        const std::size_t before = stream_.output.size();
        EXPECT_EQ(outcome::goes_on, write());
        ASSERT_LT(before, stream_.output.size());
        if (stream_.output.size() < wire.size()) {
            EXPECT_TRUE(events() & pipe::event_data) << "the worker comes again by itself";
        }
    }
    EXPECT_EQ(wire, stream_.output);
}

TEST_F(send_path_test, goes_on_behind_what_the_stream_has_taken)
{
    for (int i = 0; i < 3; ++i) send({pattern_of(60'000)});
    std::string wire;
    for (int i = 0; i < 3; ++i) wire += encode({pattern_of(60'000)});
    stream_.room = 100'000;
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(state::wait_room, path_.now());
    stream_.room = scripted_stream::endless;
    for (int i = 0; i < 10 && stream_.output.size() < wire.size(); ++i)
        EXPECT_EQ(outcome::goes_on, path_.go_on(commands_));
    EXPECT_EQ(wire, stream_.output);
}

TEST_F(send_path_test, asks_for_room_only_while_it_waits_for_that)
{
    send({"one"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(0u, asked_for());
    stream_.room = 0;
    send({"two"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(runtime::events::writable, asked_for());
}

TEST_F(send_path_test, asks_for_no_room_if_it_waits_for_input)
{
    stream_.room = 0;
    stream_.waits_for_input = true;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(0u, asked_for());
}

TEST_F(send_path_test, asks_for_room_beside_input)
{
    interest_.change_and_rearm(runtime::events::readable, 0);
    stream_.room = 0;
    send({"message"});
    EXPECT_EQ(outcome::goes_on, write());
    EXPECT_EQ(runtime::events::readable | runtime::events::writable, asked_for());
}

}  // namespace
}  // namespace zlink::engine::test
