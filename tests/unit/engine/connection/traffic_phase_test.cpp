// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The phase of messages as a whole. The tests are of what it does at its beginning, what follows from events of the
// descriptor and of the pipe. Also of how it ends, and what it gives back.
#include "engine/connection/traffic_phase.hpp"

#include "path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <optional>

namespace zlink::engine::test {
namespace {

using runtime::events::ended;
using runtime::events::readable;
using runtime::events::writable;

class traffic_phase_test : public path_fixture, private traffic_owner, private pipe::pipe_client {
protected:
    traffic_phase_test()
    {
        end_.client = this;
        make_phase();
    }
    ~traffic_phase_test()
    {
        end_phase();
        EXPECT_EQ(static_cast<pipe::pipe_client*>(this), end_.client) << "given back";
    }

    void make_phase()
    {
        phase_.emplace(worker_, static_cast<traffic_owner&>(*this), ref_, endpoints_, options_, stream_, zmtp_framing(),
                       interest_, zmtp::protocol_version::zmtp_3_1);
    }
    void begin(bool wants_all = false) { phase_->begin(end_, wants_all); }
    void end_phase()
    {
        phase_->stop();
        EXPECT_TRUE(phase_->release(ending::lost));
    }
    /// As the worker does when it finds something in the lane, or is told of an event.
    void tell(std::uint32_t events) { end_.client->on_pipe_events(events); }

    /// Why the traffic is over. None: it is not.
    std::optional<ending> over_;
    int tokens_back_ = 0;
    std::uint32_t passed_on_ = 0;  ///< events of the pipe that were for the former client
    std::optional<traffic_phase> phase_;

private:
    void on_traffic_over(ending why, std::string_view) noexcept override
    {
        over_ = why;
        phase_->stop();
    }
    void on_token_back() noexcept override { ++tokens_back_; }
    void on_pipe_events(std::uint32_t events) noexcept override { passed_on_ |= events; }
};

// --- the beginning
// -----------------------------------------------------------------------------------------------------

TEST_F(traffic_phase_test, writes_and_reads_what_is_there_already)
{
    send({"queued"});
    stream_.input = encode({"early"});
    begin();
    EXPECT_EQ(encode({"queued"}), stream_.output);
    EXPECT_EQ(parts{"early"}, received());
    EXPECT_EQ(readable, asked_for());
    EXPECT_EQ(std::nullopt, over_);
}

TEST_F(traffic_phase_test, goes_on_with_the_octets_that_the_handshake_left)
{
    const std::string message = encode({"message"});
    ASSERT_TRUE(phase_->take_over(octets_of("ready"), octets_of(std::string_view(message).substr(0, 3))));
    ASSERT_TRUE(phase_->greet(octets_of("hello")));
    send({"queued"});
    stream_.input = message.substr(3);
    begin();
    phase_->on_ready(readable);
    EXPECT_EQ("ready" + encode({"hello"}) + encode({"queued"}), stream_.output);
    EXPECT_EQ(parts{"message"}, received());
}

TEST_F(traffic_phase_test, subscribes_for_a_peer_that_sends_no_subscriptions)
{
    begin(true);
    EXPECT_EQ(parts{"\1"}, received());
}

TEST_F(traffic_phase_test, offers_the_tokens_to_applications)
{
    begin();
    EXPECT_TRUE(pipe_.io.read_token.available());
    EXPECT_TRUE(pipe_.io.write_token.available());
    end_phase();
    EXPECT_FALSE(pipe_.io.read_token.offered());
    EXPECT_FALSE(pipe_.io.write_token.offered());
}

TEST_F(traffic_phase_test, offers_no_tokens_if_the_stream_wraps_another)
{
    stream_.lends = false;
    make_phase();
    begin();
    EXPECT_FALSE(pipe_.io.read_token.offered());
    EXPECT_FALSE(pipe_.io.write_token.offered());
}

// --- traffic
// -----------------------------------------------------------------------------------------------------------

TEST_F(traffic_phase_test, reads_when_there_is_input_and_asks_for_more)
{
    begin();
    stream_.input = encode({"message"});
    phase_->on_ready(readable);
    EXPECT_EQ(parts{"message"}, received());
    EXPECT_EQ(readable, asked_for());
}

TEST_F(traffic_phase_test, writes_when_the_lane_has_something)
{
    begin();
    send({"message"});
    tell(pipe::event_data);
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(traffic_phase_test, goes_on_writing_when_there_is_room_and_asks_for_room_no_more)
{
    begin();
    stream_.room = 3;
    send({"message"});
    tell(pipe::event_data);
    EXPECT_EQ(readable | writable, asked_for());
    stream_.room = scripted_stream::endless;
    phase_->on_ready(writable);
    EXPECT_EQ(encode({"message"}), stream_.output);
    EXPECT_EQ(readable, asked_for());
}

TEST_F(traffic_phase_test, goes_on_writing_after_input_if_the_stream_waited_for_that)
{
    begin();
    stream_.room = 0;
    stream_.waits_for_input = true;
    send({"message"});
    tell(pipe::event_data);
    stream_.room = scripted_stream::endless;
    phase_->on_ready(readable);
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(traffic_phase_test, reads_on_once_the_application_has_taken_messages)
{
    for (std::uint64_t i = 0; i < hwm; ++i) stream_.input += encode({"message"});
    begin();
    stream_.input = encode({"late"});
    phase_->on_ready(readable);
    EXPECT_EQ(0u, asked_for());
    for (std::uint64_t i = 0; i < hwm; ++i) EXPECT_EQ(parts{"message"}, received());
    EXPECT_EQ(std::nullopt, received());
    tell(pipe::event_credit);
    EXPECT_EQ(parts{"late"}, received());
    EXPECT_EQ(readable, asked_for());
}

TEST_F(traffic_phase_test, answers_a_ping)
{
    begin();
    stream_.input = command_frame(std::string("\4PING\0\0", 7) + "context");
    phase_->on_ready(readable);
    tell(events());
    EXPECT_EQ(command_frame("\4PONGcontext"), stream_.output);
}

TEST_F(traffic_phase_test, tells_the_former_client_that_the_socket_has_closed_the_pipe)
{
    begin();
    tell(pipe::event_data);
    EXPECT_EQ(0u, passed_on_);
    host_.close(socket_end_);
    tell(pipe::event_peer_closed);
    EXPECT_EQ(std::uint32_t(pipe::event_peer_closed), passed_on_);
}

// --- how it ends
// -------------------------------------------------------------------------------------------------------

TEST_F(traffic_phase_test, is_lost_when_the_peer_ends_the_stream)
{
    begin();
    stream_.input = encode({"last"});
    stream_.ended = true;
    phase_->on_ready(readable | ended);
    EXPECT_EQ(ending::lost, over_);
    EXPECT_EQ(parts{"last"}, received());
}

TEST_F(traffic_phase_test, is_lost_after_an_error_of_the_stream)
{
    begin();
    stream_.read_error = errc::connection_reset;
    phase_->on_ready(readable);
    EXPECT_EQ(ending::lost, over_);
    EXPECT_EQ(0u, host_.count(monitor_event::handshake_failed_protocol)) << "the peer is not to blame";
}

TEST_F(traffic_phase_test, tells_the_monitor_of_a_mistake_of_the_peer)
{
    begin();
    stream_.input = "\xff\xff";
    phase_->on_ready(readable);
    EXPECT_EQ(ending::protocol_error, over_);
    EXPECT_EQ(1u, host_.count(monitor_event::handshake_failed_protocol));
}

TEST_F(traffic_phase_test, is_finished_once_everything_is_written)
{
    begin();
    stream_.room = 3;
    send({"message"});
    phase_->drain();
    EXPECT_EQ(std::nullopt, over_);
    stream_.room = scripted_stream::endless;
    phase_->on_ready(writable);
    EXPECT_EQ(ending::finished, over_);
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(traffic_phase_test, is_finished_once_the_messages_of_a_closed_socket_are_written)
{
    begin();
    send({"last"});
    host_.close(socket_end_);
    tell(pipe::event_data | pipe::event_peer_closed);
    EXPECT_EQ(ending::finished, over_);
    EXPECT_EQ(encode({"last"}), stream_.output);
}

TEST_F(traffic_phase_test, sees_the_end_of_a_peer_that_is_not_read_any_more)
{
    begin();
    pipe_.io.mute();
    stream_.input = encode({"unread"});
    phase_->on_ready(readable);
    EXPECT_EQ(ended, asked_for());
    EXPECT_EQ(std::nullopt, over_);
    phase_->on_ready(ended);
    EXPECT_EQ(ending::lost, over_);
    EXPECT_EQ(std::nullopt, received());
}

TEST_F(traffic_phase_test, neither_reads_nor_writes_after_a_stop)
{
    begin();
    phase_->stop();
    send({"message"});
    stream_.input = encode({"message"});
    const int calls = stream_.reads + stream_.writes;
    phase_->on_ready(readable | writable);
    phase_->drain();
    EXPECT_EQ(calls, stream_.reads + stream_.writes);
}

// --- what it gives back
// ------------------------------------------------------------------------------------------------

TEST_F(traffic_phase_test, is_not_released_while_an_application_holds_a_token)
{
    for (pipe::io_token* token : {&pipe_.io.read_token, &pipe_.io.write_token}) {
        begin();
        ASSERT_TRUE(token->try_take());
        phase_->stop();
        EXPECT_FALSE(phase_->release(ending::lost));
        EXPECT_EQ(0, tokens_back_);
        ASSERT_TRUE(token->give()) << "the worker waits for it";
        tell(pipe::event_token);
        EXPECT_EQ(1, std::exchange(tokens_back_, 0));
        end_phase();
        make_phase();
    }
}

TEST_F(traffic_phase_test, takes_back_a_message_that_was_read_in_part)
{
    stream_.input = encode({"one"}) + encode({"two", "parts"}).substr(0, 7);
    begin();
    end_phase();
    EXPECT_EQ(parts{"one"}, received());
    EXPECT_EQ(std::nullopt, received());
    make_phase();
    stream_.input = encode({"three"});
    begin();
    EXPECT_EQ(parts{"three"}, received());
}

TEST_F(traffic_phase_test, the_next_connection_begins_with_the_message_that_was_cut)
{
    begin();
    send({"one"});
    send({"two", "parts"});
    stream_.room = encode({"one"}).size() + 7;
    tell(pipe::event_data);
    end_phase();
    stream_.output.clear();
    stream_.room = scripted_stream::endless;
    make_phase();
    begin();
    EXPECT_EQ(encode({"two", "parts"}), stream_.output);
}

TEST_F(traffic_phase_test, is_released_at_once_if_it_has_not_begun)
{
    phase_->stop();
    EXPECT_TRUE(phase_->release(ending::finished));
    EXPECT_EQ("", stream_.output);
}

}  // namespace
}  // namespace zlink::engine::test
