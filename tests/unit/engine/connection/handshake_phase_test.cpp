// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The phase of the handshake: octets that it sends and reads, what it asks the descriptor for, and how it fails. Its
// peer is the same phase, over a stream of its own.
#include "engine/connection/handshake_phase.hpp"

#include "path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <cerrno>
#include <optional>

namespace zlink::engine::test {
namespace {

using outcome = handshake_phase::outcome;
using runtime::events::readable;
using runtime::events::writable;

class handshake_phase_test : public path_fixture {
protected:
    handshake_phase_test()
    {
        options_.routing_id = "here";
        peer_options_.type = zmtp::socket_type::router;
        peer_options_.routing_id = "there";
    }

    void make()
    {
        phase_.emplace(zmtp_framing(), options_, ref_, endpoints_, stream_, interest_, worker_.loop());
        peer_.emplace(zmtp_framing(), peer_options_, ref_, endpoints_, peer_stream_, peer_interest_, worker_.loop());
    }
    /// One step of a side whose stream has input. What is left over at the end goes out, as the traffic does it.
    static outcome step(handshake_phase& of, scripted_stream& stream)
    {
        const outcome what = of.on_ready(readable);
        if (what != outcome::done) return what;
        const auto left = of.output();
        stream.output.append(reinterpret_cast<const char*>(left.data()), left.size());
        of.consume_output(left.size());
        return what;
    }
    /// What the peer has to say to what has come so far.
    [[nodiscard]] std::string peer_says()
    {
        peer_stream_.input += std::exchange(stream_.output, {});
        if (peer_done_ == outcome::in_progress) peer_done_ = step(*peer_, peer_stream_);
        return std::exchange(peer_stream_.output, {});
    }
    /// Both, until neither has anything to say. `behind`: comes with the peer's READY, its last command.
    [[nodiscard]] outcome meet(const std::string& behind = {})
    {
        make();
        outcome what = phase_->start();
        for (std::string said = peer_says(); !said.empty(); said = peer_says()) {
            stream_.input += said + (said.find("READY") != std::string::npos ? behind : "");
            if (what == outcome::in_progress) what = step(*phase_, stream_);
        }
        return what;
    }

    session_options peer_options_;
    scripted_stream peer_stream_;
    descriptor_interest peer_interest_{worker_.loop(), handler_, runtime::input::unawaited};
    outcome peer_done_ = outcome::in_progress;
    std::optional<handshake_phase> phase_;
    std::optional<handshake_phase> peer_;
};

TEST_F(handshake_phase_test, two_sockets_that_go_together_meet)
{
    EXPECT_EQ(outcome::done, meet());
    EXPECT_EQ(outcome::done, peer_done_);
    EXPECT_EQ(zmtp::protocol_version::zmtp_3_1, phase_->peer().version);
    EXPECT_EQ("ROUTER", phase_->peer().socket_type);
    EXPECT_EQ(octets_of("there").size(), phase_->peer().routing_id.size());
    EXPECT_EQ(nullptr, phase_->question());
    EXPECT_TRUE(phase_->unread().empty());
}

TEST_F(handshake_phase_test, keeps_the_octets_behind_it_for_the_traffic)
{
    ASSERT_EQ(outcome::done, meet("traffic"));
    const auto unread = phase_->unread();
    EXPECT_EQ("traffic", std::string(reinterpret_cast<const char*>(unread.data()), unread.size()));
}

TEST_F(handshake_phase_test, asks_for_input_until_it_is_done)
{
    make();
    EXPECT_EQ(outcome::in_progress, phase_->start());
    EXPECT_EQ(readable, asked_for());
}

TEST_F(handshake_phase_test, asks_for_room_while_there_is_none)
{
    make();
    stream_.room = 3;
    EXPECT_EQ(outcome::in_progress, phase_->start());
    EXPECT_EQ(readable | writable, asked_for());
    EXPECT_EQ(3u, stream_.output.size());
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(outcome::in_progress, phase_->on_ready(writable));
    EXPECT_LT(3u, stream_.output.size());
    EXPECT_EQ(readable, asked_for());
}

TEST_F(handshake_phase_test, asks_for_no_room_if_the_stream_waits_for_input)
{
    make();
    stream_.room = 0;
    stream_.waits_for_input = true;
    EXPECT_EQ(outcome::in_progress, phase_->start());
    EXPECT_EQ(readable, asked_for());
}

TEST_F(handshake_phase_test, fails_when_the_stream_ends)
{
    make();
    stream_.ended = true;
    EXPECT_EQ(outcome::failed, phase_->start());
    EXPECT_EQ(ending::handshake_failed, phase_->ended());
    const auto told = host_.wait_for(monitor_event::handshake_failed_no_detail);
    ASSERT_TRUE(told);
    EXPECT_EQ(std::uint64_t(EPIPE), told->value);
}

TEST_F(handshake_phase_test, fails_with_the_error_of_the_stream)
{
    make();
    stream_.read_error = errc::connection_reset;
    EXPECT_EQ(outcome::failed, phase_->start());
    const auto told = host_.wait_for(monitor_event::handshake_failed_no_detail);
    ASSERT_TRUE(told);
    EXPECT_EQ(std::uint64_t(ECONNRESET), told->value);
}

TEST_F(handshake_phase_test, finds_the_end_by_reading_if_a_write_fails)
{
    make();
    stream_.write_error = errc::broken_pipe;
    EXPECT_EQ(outcome::in_progress, phase_->start()) << "the peer may have told a reason before";
    stream_.ended = true;
    EXPECT_EQ(outcome::failed, phase_->on_ready(readable));
}

TEST_F(handshake_phase_test, fails_if_the_sockets_do_not_go_together)
{
    peer_options_.type = zmtp::socket_type::pub;
    EXPECT_EQ(outcome::failed, meet());
    EXPECT_EQ(ending::protocol_error, phase_->ended());
    EXPECT_LE(1u, host_.count(monitor_event::handshake_failed_protocol));
}

TEST_F(handshake_phase_test, tells_that_a_web_server_answers)
{
    make();
    stream_.input = "HTTP/1.1 400 Bad Request\r\n\r\n";
    EXPECT_EQ(outcome::failed, phase_->start());
    const auto told = host_.wait_for(monitor_event::handshake_failed_no_detail);
    ASSERT_TRUE(told);
    EXPECT_EQ(std::uint64_t(EPROTONOSUPPORT), told->value);
}

TEST_F(handshake_phase_test, its_limit_is_a_timer_of_the_worker)
{
    make();
    bool over = false;
    ASSERT_TRUE(phase_->limit.start_after(std::chrono::milliseconds(1), [&] { over = true; }));
    EXPECT_TRUE(run_until([&] { return over; }));
}

}  // namespace
}  // namespace zlink::engine::test
