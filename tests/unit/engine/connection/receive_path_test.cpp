// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// States of the receiving path, one by one: what leads into each, what it does there, and what leads out.
#include "engine/connection/receive_path.hpp"

#include "engine/connection/command_path.hpp"
#include "message/body_pool.hpp"
#include "path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

namespace zlink::engine::test {
namespace {

using state = receive_path::state;
using outcome = receive_path::outcome;

class receive_path_test : public path_fixture {
protected:
    [[nodiscard]] outcome read() { return path_.read(commands_, commands_.heartbeat()); }
    void expect_received(int count)
    {
        for (int i = 0; i < count; ++i) EXPECT_EQ(parts{"message"}, received());
        EXPECT_EQ(std::nullopt, received());
    }
    static std::string messages(int count)
    {
        std::string wire;
        for (int i = 0; i < count; ++i) wire += encode({"message"});
        return wire;
    }

    command_path commands_{at_, *this};
    receive_path path_{at_, *this, nullptr};
};

TEST_F(receive_path_test, passes_on_what_the_stream_has)
{
    stream_.input = messages(2);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::open, path_.now());
    expect_received(2);
}

TEST_F(receive_path_test, waits_for_the_application_when_the_lane_is_full)
{
    stream_.input = messages(int(hwm));
    EXPECT_EQ(outcome::goes_on, read());
    stream_.input = messages(1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::lane_full, path_.now());
    EXPECT_TRUE(path_.waits_for_credit());
    EXPECT_FALSE(stream_.input.empty()) << "left in the kernel";
    expect_received(int(hwm));
    EXPECT_TRUE(events() & pipe::event_credit);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::open, path_.now());
    expect_received(1);
}

TEST_F(receive_path_test, tells_that_the_peer_has_ended_the_stream)
{
    stream_.input = messages(1);
    stream_.ended = true;
    EXPECT_EQ(outcome::closed, read());
    expect_received(1);
}

TEST_F(receive_path_test, tells_of_an_error_of_the_stream)
{
    stream_.read_error = errc::connection_reset;
    EXPECT_EQ(outcome::failed, read());
    EXPECT_EQ(errc::connection_reset, path_.reader().error());
}

TEST_F(receive_path_test, tells_of_what_is_no_frame)
{
    stream_.input = "\xff\xff";
    EXPECT_EQ(outcome::failed, read());
    EXPECT_EQ(errc::protocol_error, path_.reader().error());
    EXPECT_EQ(outcome::failed, read()) << "for good";
}

TEST_F(receive_path_test, leaves_reading_to_an_application_that_holds_the_token)
{
    pipe_.io.read_token.offer();
    ASSERT_EQ(pipe::io_token::taken::fresh, pipe_.io.read_token.take());
    stream_.input = messages(1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(0, stream_.reads);
    EXPECT_TRUE(pipe_.io.read_token.give()) << "told that somebody has passed by";
    EXPECT_EQ(outcome::goes_on, read());
    expect_received(1);
    EXPECT_TRUE(pipe_.io.read_token.available()) << "given back";
}

TEST_F(receive_path_test, detaches_from_a_peer_that_nobody_hears)
{
    pipe_.io.read_token.offer();
    pipe_.io.mute();
    stream_.input = messages(1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::detached, path_.now());
    EXPECT_EQ(0, stream_.reads);
    EXPECT_FALSE(pipe_.io.read_token.available()) << "no application reads either";
}

TEST_F(receive_path_test, detaches_once_the_lane_of_a_refused_pipe_is_full)
{
    path_.note_refused();
    stream_.input = messages(int(hwm));
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::open, path_.now()) << "commands may come";
    stream_.input = messages(1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::detached, path_.now());
}

TEST_F(receive_path_test, detaches_a_full_lane_when_the_pipe_is_refused)
{
    stream_.input = messages(int(hwm) + 1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(outcome::goes_on, read());
    ASSERT_EQ(state::lane_full, path_.now());
    path_.note_refused();
    EXPECT_EQ(state::detached, path_.now());
}

TEST_F(receive_path_test, takes_a_changed_mark_up_if_it_can_have_the_token)
{
    pipe_.io.read_token.offer();
    ASSERT_EQ(pipe::io_token::taken::fresh, pipe_.io.read_token.take());
    path_.note_changed_mark();
    EXPECT_FALSE(path_.take_up_mark());
    EXPECT_TRUE(pipe_.io.read_token.wanted()) << "told when it comes back";
    EXPECT_TRUE(pipe_.io.read_token.give());
    EXPECT_TRUE(path_.take_up_mark()) << "read on";
    EXPECT_FALSE(path_.take_up_mark()) << "once";
}

TEST_F(receive_path_test, hands_commands_to_their_handler)
{
    stream_.input = command_frame(std::string("\4PING\0\0", 7)) + messages(1);
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_TRUE(events() & pipe::event_data) << "a PONG waits to be written";
    expect_received(1);
}

/// Takes blocks until the process has more in use than its pool keeps.
class much_memory {
public:
    much_memory()
    {
        while (message::body_pool::in_use() <= message::body_pool::most_kept) {
            blocks_.push_back(message::body_pool::take(message::body_pool::largest_block));
        }
    }
    ~much_memory()
    {
        for (void* block : blocks_) message::body_pool::give(block, message::body_pool::largest_block);
    }

private:
    std::vector<void*> blocks_;
};

TEST_F(receive_path_test, rests_while_the_application_has_large_messages_enough)
{
    const much_memory in_use;
    const std::string large = encode({pattern_of(700'000)});
    const auto pass = [&](const std::string& octets) {
        stream_.input = octets;
        while (!stream_.input.empty()) ASSERT_EQ(outcome::goes_on, read());
    };
    pass(large);
    EXPECT_TRUE(received()) << "the application takes messages";
    pass(large + large);
    stream_.input = large;
    ASSERT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::throttled, path_.now());
    EXPECT_FALSE(path_.waits_for_credit());
    EXPECT_EQ(large.size(), stream_.input.size());
    // It takes none: then what has come is read up to the mark.
    while (path_.now() == state::throttled) ASSERT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::open, path_.now());
    EXPECT_GT(large.size(), stream_.input.size());
    path_.stop();
}

}  // namespace
}  // namespace zlink::engine::test
