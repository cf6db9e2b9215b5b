// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// States of the receiving path, one by one: what leads into each, what it does there, and what leads out.
#include "engine/connection/receive_path.hpp"

#include "engine/connection/command_path.hpp"
#include "load/limits.hpp"
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

// What epoll was asked for is taken away behind the path's back: so it shows whether it asks again.
TEST_F(receive_path_test, asks_for_input_once_while_each_read_takes_all)
{
    const auto asks = [this](int count) {
        worker_.loop().arm(descriptor_.get(), handler_, 0);
        stream_.input = messages(count);
        EXPECT_EQ(outcome::goes_on, read());
        expect_received(count);
        return asked_for() != 0;
    };
    EXPECT_TRUE(asks(1));
    EXPECT_FALSE(asks(1));
    interest_.note_report(runtime::events::readable);
    EXPECT_FALSE(asks(2));
    interest_.note_report(runtime::events::readable | runtime::events::ended);
    EXPECT_TRUE(asks(1));
    EXPECT_TRUE(asks(1)) << "the end has to be reported";
}

// As of a stream that wraps another.
TEST_F(receive_path_test, asks_for_input_each_time_if_a_read_may_end_early_elsewhere)
{
    stream_.takes_all = false;
    for (int i = 0; i < 3; ++i) {
        worker_.loop().arm(descriptor_.get(), handler_, 0);
        stream_.input = messages(1);
        EXPECT_EQ(outcome::goes_on, read());
        expect_received(1);
        EXPECT_EQ(runtime::events::readable, asked_for());
    }
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
    path_.note_rejected();
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
    path_.note_rejected();
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

class receive_rest_test : public receive_path_test {
protected:
    /// The application takes large messages, and has enough of them.
    void rest()
    {
        pass(large_);
        EXPECT_TRUE(received());
        pass(large_ + large_);
        stream_.input = large_;
        ASSERT_EQ(outcome::goes_on, read());
        ASSERT_EQ(state::throttled, path_.now());
    }

    /// The timer of a rest is set. (The worker may have set another one, which is later.)
    [[nodiscard]] bool rest_is_timed() { return run_until_idle() <= load::limits::read_throttle::look_after; }

    const std::string large_ = encode({pattern_of(700'000)});

private:
    void pass(const std::string& octets)
    {
        stream_.input = octets;
        while (!stream_.input.empty()) ASSERT_EQ(outcome::goes_on, read());
    }

    const much_memory in_use_;
};

TEST_F(receive_rest_test, leaves_large_messages_in_the_kernel_until_the_application_stops_taking)
{
    rest();
    EXPECT_FALSE(path_.waits_for_credit());
    EXPECT_EQ(large_.size(), stream_.input.size());
    // It takes none: then what has come is read up to the mark.
    while (path_.now() == state::throttled) ASSERT_EQ(outcome::goes_on, read());
    EXPECT_EQ(state::open, path_.now());
    EXPECT_GT(large_.size(), stream_.input.size());
    path_.stop();
}

TEST_F(receive_rest_test, tells_when_a_rest_is_over)
{
    rest();
    EXPECT_EQ(0, rests_over_);
    EXPECT_TRUE(run_until([&] { return rests_over_ != 0; }));
    EXPECT_FALSE(rest_is_timed()) << "once";
    EXPECT_EQ(1, rests_over_);
}

TEST_F(receive_rest_test, a_rest_does_not_end_after_a_stop)
{
    rest();
    path_.stop();
    EXPECT_FALSE(rest_is_timed());
    EXPECT_EQ(0, rests_over_);
}

// --- what the descriptor is asked for
// ----------------------------------------------------------------------------------

TEST_F(receive_path_test, asks_for_input_while_it_is_open)
{
    EXPECT_EQ(0u, asked_for());
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(runtime::events::readable, asked_for());
}

TEST_F(receive_path_test, asks_for_no_input_while_the_lane_is_full)
{
    stream_.input = messages(int(hwm));
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(outcome::goes_on, read());
    ASSERT_EQ(state::lane_full, path_.now());
    EXPECT_EQ(0u, asked_for());
    expect_received(int(hwm));
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(runtime::events::readable, asked_for());
}

TEST_F(receive_rest_test, asks_for_no_input_while_it_rests)
{
    rest();
    EXPECT_EQ(0u, asked_for());
    path_.stop();
}

TEST_F(receive_path_test, asks_for_the_end_alone_once_it_is_detached)
{
    EXPECT_EQ(outcome::goes_on, read());
    pipe_.io.mute();
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(runtime::events::ended, asked_for());
}

TEST_F(receive_path_test, asks_for_the_end_of_a_refused_peer_whose_lane_is_full)
{
    stream_.input = messages(int(hwm));
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(outcome::goes_on, read());
    path_.note_rejected();
    EXPECT_EQ(runtime::events::ended, asked_for());
}

TEST_F(receive_path_test, leaves_the_interest_to_an_application_that_holds_the_token)
{
    pipe_.io.read_token.offer();
    ASSERT_EQ(pipe::io_token::taken::fresh, pipe_.io.read_token.take());
    EXPECT_EQ(outcome::goes_on, read());
    EXPECT_EQ(0u, asked_for());
    EXPECT_TRUE(pipe_.io.read_token.give());
}

// A stream that wraps another has taken more octets from the descriptor than one turn reads.
TEST_F(receive_path_test, comes_again_for_input_that_the_stream_keeps)
{
    traffic_context at = context(zmtp::protocol_version::zmtp_3_1, true);
    receive_path path{at, *this, nullptr};
    stream_.input = messages(1);
    EXPECT_EQ(outcome::goes_on, path.read(commands_, commands_.heartbeat()));
    run_until_idle();
    EXPECT_EQ(0u, handler_.reported) << "nothing is kept";
    expect_received(1);
    // More than a turn of eight reads takes.
    stream_.keeps = true;
    stream_.most = 10;
    stream_.input = encode({std::string(100, 'x')});
    EXPECT_EQ(outcome::goes_on, path.read(commands_, commands_.heartbeat()));
    ASSERT_FALSE(stream_.input.empty());
    run_until_idle();
    EXPECT_EQ(runtime::events::readable, handler_.reported);
}

}  // namespace
}  // namespace zlink::engine::test
