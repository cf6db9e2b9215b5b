// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which framing a connection gets, what each makes of a handshake and of a message, how it closes, and what it has
// words for.
#include "engine/connection/framing.hpp"

#include "engine/connection/framed_handshake.hpp"
#include "engine/connection/protocol_violation.hpp"
#include "engine/security_options.hpp"
#include "path_fixture.hpp"
#include "transport/negotiation.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::engine::test {
namespace {

using transport::negotiation;
using wire::close_reason;
using kind = carrier_failure::kind;
using state = zmtp::handshake::state;
using version = zmtp::protocol_version;

/// Negotiates as the test says, and keeps what ends it.
class negotiating_stream final : public scripted_stream {
public:
    negotiation with;

    [[nodiscard]] const negotiation* negotiates() const noexcept override { return &with; }

    void agree(bool client, bool mechanism) { with = {negotiation::state::agreed, client, mechanism}; }
};

session_options options_of(zmtp::socket_type type, bool raw = false)
{
    session_options options;
    options.type = type;
    options.raw = raw;
    return options;
}

const session_options dealer = options_of(zmtp::socket_type::dealer);

std::string text_of(std::span<const std::byte> octets)
{
    return text(octets.data(), octets.size());
}

/// A message of one frame, as it goes out.
std::string written(const framing& frames, const transport::stream& stream, const session_options& options = dealer,
                    version v = version::zmtp_3_1)
{
    std::vector<std::byte> out;
    frames.make_outbound(options, v, stream, nullptr).encode(octets_of("abc"), out);
    return text_of(out);
}

/// The messages that come of octets.
messages taken(const framing& frames, const transport::stream& stream, const std::string& octets,
               const session_options& options = dealer, version v = version::zmtp_3_1)
{
    const auto in = frames.make_inbound(options, v, stream, nullptr);
    joined_lane lane;
    wire::receive_arena arena;
    wire::inbound::scratch spare;
    wire::inbound::room to;
    EXPECT_TRUE(in->feed(octets_of(octets)));
    EXPECT_TRUE(in->prepare(arena, lane.writer, spare, to));
    EXPECT_EQ(wire::inbound::outcome::done, in->accept(0, false, arena, lane.writer, spare, nullptr));
    return lane.take_all();
}

zmtp::local_peer local_peer()
{
    zmtp::local_peer local;
    local.type = zmtp::socket_type::dealer;
    return local;
}

TEST(framing_test, is_chosen_by_the_socket_and_its_stream)
{
    const scripted_stream plain;
    const negotiating_stream negotiating;
    EXPECT_EQ(&zmtp_framing(), &framing_of(dealer, plain));
    EXPECT_EQ(&negotiated_framing(), &framing_of(dealer, negotiating));
    EXPECT_EQ(&raw_framing(), &framing_of(options_of(zmtp::socket_type::stream, true), plain));
}

TEST(framing_test, zmtp_has_frames_of_the_version_of_the_peer)
{
    const scripted_stream stream;
    EXPECT_EQ(std::string("\0\3abc", 5), written(zmtp_framing(), stream));
    EXPECT_EQ(std::string("\4\0abc", 5), written(zmtp_framing(), stream, dealer, version::zmtp_1_0));
    EXPECT_EQ(messages{{"abc"}}, taken(zmtp_framing(), stream, std::string("\0\3abc", 5)));
    EXPECT_EQ(messages{{"abc"}}, taken(zmtp_framing(), stream, std::string("\4\0abc", 5), dealer, version::zmtp_1_0));
}

TEST(framing_test, raw_has_bodies_and_no_handshake)
{
    const scripted_stream stream;
    const session_options raw = options_of(zmtp::socket_type::stream, true);
    EXPECT_EQ(nullptr, raw_framing().make_handshake(local_peer(), stream));
    EXPECT_EQ("abc", written(raw_framing(), stream, raw));
    EXPECT_EQ(messages{{"abc"}}, taken(raw_framing(), stream, "abc", raw));
}

TEST(framing_test, negotiated_has_messages_of_websocket)
{
    negotiating_stream stream;
    stream.agree(false, false);
    EXPECT_EQ(std::string("\x82\4\0abc", 6), written(negotiated_framing(), stream));
    const std::string masked("\x82\x84\1\2\3\4\1cam", 10);
    EXPECT_EQ(messages{{std::string("abi")}}, taken(negotiated_framing(), stream, masked)) << "unmasked as a server";
    stream.agree(true, false);
    EXPECT_EQ(std::string("\x82\x84"), written(negotiated_framing(), stream).substr(0, 2));
    EXPECT_EQ(messages{{"abc"}}, taken(negotiated_framing(), stream, std::string("\x82\4\0abc", 6)));
}

TEST(framing_test, knows_which_peers_answer_a_ping)
{
    EXPECT_FALSE(zmtp_framing().has_heartbeats(version::zmtp_1_0));
    EXPECT_FALSE(zmtp_framing().has_heartbeats(version::zmtp_2_0));
    EXPECT_TRUE(zmtp_framing().has_heartbeats(version::zmtp_3_0));
    EXPECT_TRUE(negotiated_framing().has_heartbeats(version::zmtp_3_0));
    EXPECT_FALSE(raw_framing().has_heartbeats(version::zmtp_3_1));
}

TEST(framing_test, of_zmtp_and_raw_octets_closes_without_a_word)
{
    scripted_stream stream;
    for (const framing* const frames : {&zmtp_framing(), &raw_framing()}) {
        EXPECT_EQ(0, frames->make_close_frame(close_reason::finished, stream).size);
        EXPECT_EQ("", frames->mistake(close_reason::protocol_error));
        say_close(*frames, stream, close_reason::finished);
    }
    EXPECT_EQ(0, stream.writes);
}

TEST(framing_test, negotiated_closes_with_a_code_for_each_reason)
{
    negotiating_stream stream;
    const auto code = [&](close_reason why) {
        return text_of(negotiated_framing().make_close_frame(why, stream).span());
    };
    EXPECT_EQ("", code(close_reason::finished)) << "not before it is agreed on";
    stream.agree(false, true);
    EXPECT_EQ("", code(close_reason::none));
    EXPECT_EQ("\x88\2\x03\xe8", code(close_reason::finished));
    EXPECT_EQ("\x88\2\x03\xea", code(close_reason::protocol_error));
    EXPECT_EQ("\x88\2\x03\xeb", code(close_reason::unsupported_data));
    EXPECT_EQ("\x88\2\x03\xf0", code(close_reason::refused));
    EXPECT_EQ("\x88\2\x03\xf1", code(close_reason::too_long));
}

TEST(framing_test, a_client_masks_its_close_frame)
{
    negotiating_stream stream;
    stream.agree(true, true);
    std::string frame = text_of(negotiated_framing().make_close_frame(close_reason::finished, stream).span());
    ASSERT_EQ(8U, frame.size());
    EXPECT_EQ("\x88\x82", frame.substr(0, 2));
    EXPECT_EQ('\x03', char(frame[6] ^ frame[2]));
    EXPECT_EQ('\xe8', char(frame[7] ^ frame[3]));
}

TEST(framing_test, what_it_says_last_ends_the_stream)
{
    negotiating_stream stream;
    stream.agree(false, true);
    stream.input = "what nobody reads any more";
    say_close(negotiated_framing(), stream, close_reason::too_long);
    EXPECT_EQ("\x88\2\x03\xf1", stream.output);
    EXPECT_EQ("", stream.input) << "so that closing does not reset the connection";
}

TEST(framing_test, a_stream_that_does_not_take_what_is_said_last_is_not_read)
{
    negotiating_stream stream;
    stream.agree(false, true);
    stream.input = "what nobody reads any more";
    stream.room = 1;
    say_close(negotiated_framing(), stream, close_reason::finished);
    EXPECT_EQ(0, stream.reads);
}

TEST(framing_test, negotiated_has_words_for_mistakes_alone)
{
    const framing& frames = negotiated_framing();
    EXPECT_NE("", frames.mistake(close_reason::protocol_error));
    EXPECT_NE("", frames.mistake(close_reason::unsupported_data));
    EXPECT_NE("", frames.mistake(close_reason::too_long));
    EXPECT_EQ("", frames.mistake(close_reason::none));
    EXPECT_EQ("", frames.mistake(close_reason::finished));
    EXPECT_EQ("", frames.mistake(close_reason::refused));
}

/// What has been told of connections from there on.
std::string told(std::uint64_t& position)
{
    char words[256] = "";
    (void)next_failure_of_connection(position, words, sizeof words);
    return words;
}

TEST(framing_test, a_mistake_is_told_with_the_peer_in_front)
{
    const endpoint_pair endpoints{"here", "there", true};
    std::uint64_t position = 0;
    while (!told(position).empty()) {
    }
    tell_mistake(endpoints, zmtp_framing(), close_reason::protocol_error);
    EXPECT_EQ("", told(position));
    tell_mistake(endpoints, negotiated_framing(), close_reason::unsupported_data);
    EXPECT_TRUE(told(position).starts_with("there: "));
}

TEST(framing_test, the_handshake_of_zmtp_begins_with_a_greeting)
{
    const scripted_stream stream;
    const auto made = zmtp_framing().make_handshake(local_peer(), stream);
    EXPECT_EQ('\xff', char(made->output().front()));
    EXPECT_EQ(state::in_progress, made->advance(octets_of("\xff")).state);
    EXPECT_EQ(kind::none, made->failure().what);
}

TEST(framing_test, the_negotiated_handshake_waits_until_the_stream_has_agreed)
{
    negotiating_stream stream;
    const auto made = negotiated_framing().make_handshake(local_peer(), stream);
    EXPECT_TRUE(made->output().empty());
    EXPECT_EQ(state::in_progress, made->advance({}).state);
    EXPECT_TRUE(made->output().empty());
    stream.agree(false, false);
    EXPECT_EQ(state::in_progress, made->advance({}).state);
    EXPECT_EQ(std::string("\x82\1\0", 3), text_of(made->output())) << "an empty routing id";
    made->consume_output(made->output().size());
    const std::string id_and_message("\x82\x81\0\0\0\0\0\x82\x84\0\0\0\0\0abc", 17);
    const framed_handshake::step done = made->advance(octets_of(id_and_message));
    EXPECT_EQ(state::done, done.state);
    EXPECT_EQ(id_and_message.substr(7), text_of(done.unread));
}

TEST(framing_test, the_negotiated_handshake_names_what_failed)
{
    negotiating_stream stream;
    const auto fails = [&](std::string_view octets) {
        const auto made = negotiated_framing().make_handshake(local_peer(), stream);
        EXPECT_EQ(state::failed, made->advance(octets_of(octets)).state);
        return made->failure();
    };
    stream.with.now = negotiation::state::failed;
    const auto never = negotiated_framing().make_handshake(local_peer(), stream);
    EXPECT_EQ(kind::not_negotiated, never->failure().what);
    EXPECT_EQ(zmtp::handshake_error::carrier_unspecified, never->failure().error);
    stream.agree(true, true);
    const carrier_failure broken = fails("\x81\1x");
    EXPECT_EQ(kind::broken, broken.what);
    EXPECT_EQ(zmtp::handshake_error::carrier_unspecified, broken.error);
    EXPECT_EQ(close_reason::unsupported_data, broken.told_to_peer);
    const carrier_failure closed = fails(std::string_view("\x88\0", 2));
    EXPECT_EQ(kind::closed, closed.what);
    EXPECT_EQ(zmtp::handshake_error::none, closed.error);
}

TEST(framing_test, what_may_be_negotiated_follows_from_the_mechanism)
{
    security_settings security;
    EXPECT_EQ((std::vector<std::string>{"ZWS2.0/NULL", "ZWS2.0"}), negotiated_protocols(security));
    security.mechanism = mechanism_kind::plain;
    EXPECT_EQ("ZWS2.0/PLAIN", negotiated_protocols(security).front());
}

}  // namespace
}  // namespace zlink::engine::test
