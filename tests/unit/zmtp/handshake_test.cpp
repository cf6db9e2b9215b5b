// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The handshake with peers of every version, as scripts of what is read and what is expected to be written.
#include "zmtp/handshake.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "zmtp/mechanism/null.hpp"
#include "zmtp/metadata.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;

namespace {

// --- 3.x ---------------------------------------------------------------------------------------------------------

TEST(handshake_test, with_31_peer_follows_the_worked_example_of_the_rfc)
{
    const octets dealer_ready = wire({0x04, 41, 5, "READY", 11, "Socket-Type", 0, 0, 0, 6, "DEALER",  //
                                      8, "Identity", 0, 0, 0, 0});
    const octets router_ready = wire({0x04, 28, 5, "READY", 11, "Socket-Type", 0, 0, 0, 6, "ROUTER"});
    script dealer(local(socket_type::dealer));
    dealer.writes(signature())
        .reads(signature())
        .writes(wire({3}))
        .reads(wire({3}))
        .writes(greeting_rest())
        .writes({})
        .reads(greeting_rest())
        .writes(dealer_ready)
        .reads(wire({router_ready, 0, 1, "m"}), state::done)
        .writes({});
    EXPECT_EQ(dealer.unread, 3u);
    EXPECT_EQ(dealer.machine.remote().version, protocol_version::zmtp_3_1);
    EXPECT_EQ(dealer.machine.remote().socket_type, "ROUTER");
    EXPECT_TRUE(dealer.machine.remote().routing_id.empty());
    EXPECT_TRUE(dealer.machine.remote().forwards_subscriptions);
    EXPECT_EQ(dealer.machine.error(), handshake_error::none);
}

TEST(handshake_test, sends_nothing_past_the_signature_before_the_peer_is_known)
{
    script push(local(socket_type::push));
    push.writes(signature()).reads(wire({0xff, zeros(8)})).writes({}).reads(wire({0x7f})).writes(wire({3}));
    push.reads(wire({3})).writes(greeting_rest()).reads(wire({1})).writes({});
}

TEST(handshake_test, accepts_a_whole_greeting_and_ready_at_once_and_at_every_split)
{
    const octets in = wire({greeting(),
                            ready(wire({property_of("Socket-Type", "DEALER"), property_of("Identity", "me"),
                                        property_of("X-App", "value")})),
                            0, 5, "hello"});
    for (std::size_t cut = 0; cut <= in.size(); ++cut) {
        script router(local(socket_type::router, "R"));
        const auto first = router.machine.advance(std::span(in).first(cut));
        const auto second = router.machine.advance(std::span(in).subspan(first.consumed));
        EXPECT_EQ(second.state, state::done);
        EXPECT_EQ(first.consumed + second.consumed, in.size() - 7) << "cut at " << cut;
        EXPECT_EQ(text(router.machine.remote().routing_id), "me");
        const std::vector<property> expected{{"Socket-Type", "DEALER"}, {"Identity", "me"}, {"X-App", "value"}};
        EXPECT_EQ(router.machine.remote().properties, expected);
        router.writes(wire({signature(2), 3, greeting_rest(),
                            ready(wire({property_of("Socket-Type", "ROUTER"), property_of("Identity", "R")}))}));
    }
}

TEST(handshake_test, takes_octets_one_by_one)
{
    const octets in = wire({greeting(), ready_of("PULL"), 0});
    script push(local(socket_type::push));
    for (std::size_t i = 0; i + 1 < in.size(); ++i) {
        EXPECT_EQ(push.machine.advance(std::span(in).subspan(i, 1)).consumed, 1u);
    }
    EXPECT_EQ(push.machine.current(), state::done);
    EXPECT_EQ(push.machine.advance(std::span(in).last(1)).consumed, 0u);
}

TEST(handshake_test, output_may_be_written_in_pieces)
{
    script push(local(socket_type::push));
    push.reads(greeting());
    octets out;
    while (!push.machine.output().empty()) {
        out.push_back(push.machine.output()[0]);
        push.machine.consume_output(1);
    }
    EXPECT_EQ(hex(out), hex(wire({greeting(), ready_of("PUSH")})));
}

TEST(handshake_test, tells_a_30_peer_from_a_31_one)
{
    script sub(local(socket_type::sub));
    sub.reads(greeting(0)).reads(ready_of("PUB"), state::done);
    EXPECT_EQ(sub.machine.remote().version, protocol_version::zmtp_3_0);
}

TEST(handshake_test, treats_a_future_version_as_31)
{
    script sub(local(socket_type::sub));
    sub.reads(wire({signature(), 7, greeting_rest(0)})).reads(ready_of("PUB"), state::done);
    EXPECT_EQ(sub.machine.remote().version, protocol_version::zmtp_3_1);
}

TEST(handshake_test, identity_is_announced_by_req_dealer_router_and_subscribers_alone)
{
    const std::pair<socket_type, std::string> cases[] = {
        {socket_type::req, "REP"},   {socket_type::dealer, "DEALER"}, {socket_type::router, "ROUTER"},
        {socket_type::rep, "REQ"},   {socket_type::pair, "PAIR"},     {socket_type::pub, "SUB"},
        {socket_type::xpub, "XSUB"}, {socket_type::sub, "PUB"},       {socket_type::xsub, "XPUB"},
        {socket_type::push, "PULL"}, {socket_type::pull, "PUSH"},
    };
    for (const auto& [type, peer] : cases) {
        script s(local(type, "id"));
        s.writes(signature(3)).reads(greeting());
        const std::string name(socket_type_name(type));
        const octets plain = property_of("Socket-Type", name);
        const bool announces = announces_identity(type) || announces_set_identity(type);
        const octets metadata = announces ? wire({plain, property_of("Identity", "id")}) : plain;
        s.writes(wire({3, greeting_rest(), ready(metadata)})).reads(ready_of(peer), state::done);
    }
}

TEST(handshake_test, a_subscriber_that_has_no_routing_id_announces_none)
{
    script sub(local(socket_type::sub, ""));
    sub.writes(signature(1)).reads(greeting());
    sub.writes(wire({3, greeting_rest(), ready(property_of("Socket-Type", "SUB"))}));
}

TEST(handshake_test, sends_application_properties)
{
    script push(
        local(socket_type::push, "", {{"X-One", "1"}, {"", "cannot be sent"}, {"X-Two", std::string(300, '2')}}));
    push.writes(signature()).reads(greeting());
    push.writes(wire({3, greeting_rest(),
                      ready(wire({property_of("Socket-Type", "PUSH"), property_of("X-One", "1"),
                                  property_of("X-Two", std::string(300, '2'))}))}));
}

TEST(handshake_test, property_names_of_the_peer_may_have_any_case)
{
    script router(local(socket_type::router));
    router.reads(greeting())
        .reads(ready(wire({property_of("SOCKET-TYPE", "DEALER"), property_of("identity", "me")})), state::done);
    EXPECT_EQ(router.machine.remote().socket_type, "DEALER");
    EXPECT_EQ(text(router.machine.remote().routing_id), "me");
}

TEST(handshake_test, peer_need_not_tell_its_type)
{
    script push(local(socket_type::push));
    push.reads(greeting()).reads(ready({}), state::done);
    EXPECT_EQ(push.machine.remote().socket_type, "");
}

TEST(handshake_test, long_ready_is_taken_up_to_the_limit)
{
    octets metadata;
    (void)append_property(metadata, "X-Long", std::string(null_mechanism::longest_ready - 6 - 1 - 6 - 4, 'v'));
    octets frame;
    const octets body = wire({5, "READY", metadata});
    ASSERT_EQ(body.size(), null_mechanism::longest_ready);
    script push(local(socket_type::push));
    push.reads(greeting()).reads(wire({0x06, zeros(6), 0x10, 0, body}), state::done);

    script other(local(socket_type::push));
    other.reads(greeting()).reads(wire({0x06, zeros(6), 0x10, 1}), state::failed);
    other.fails_with(handshake_error::zmtp_malformed_command_unspecified);
}

// --- failures of 3.x ---------------------------------------------------------------------------------------------

TEST(handshake_test, incompatible_peer_is_refused_with_an_error)
{
    for (const char* type : {"PUB", "REQ", "ROUTER", "NONSENSE", ""}) {
        script push(local(socket_type::push));
        push.writes(signature()).reads(greeting()).writes(wire({3, greeting_rest(), ready_of("PUSH")}));
        push.reads(ready_of(type), state::failed).fails_with(handshake_error::zmtp_invalid_metadata);
        push.writes(command_frame(wire({5, "ERROR", 19, "Invalid socket type"})));
    }
}

TEST(handshake_test, bad_metadata_is_refused)
{
    const octets cases[] = {
        wire({0, 0, 0, 0, 0}),
        wire({200, "x"}),
        wire({1, "a", 0xff, 0xff, 0xff, 0xff}),
        wire({property_of("Socket-Type", "PULL"), 9}),
        property_of("Identity", std::string(256, 'i')),
    };
    for (const octets& metadata : cases) {
        script push(local(socket_type::push));
        push.reads(greeting()).reads(ready(metadata), state::failed).fails_with(handshake_error::zmtp_invalid_metadata);
    }
}

TEST(handshake_test, other_mechanism_is_refused)
{
    for (const char* mechanism : {"PLAIN", "CURVE", "NULLX", "null", ""}) {
        script push(local(socket_type::push));
        push.writes(signature()).reads(wire({signature(), 3, greeting_rest(1, mechanism)}), state::failed);
        push.fails_with(handshake_error::zmtp_mechanism_mismatch).writes(wire({3, greeting_rest()}));
    }
}

TEST(handshake_test, commands_out_of_place_are_refused)
{
    for (const octets& body :
         {wire({9, "SUBSCRIBE", "t"}), wire({4, "PING", 0, 0}), wire({5, "HELLO"}), wire({1, "x"})}) {
        script push(local(socket_type::push));
        push.reads(greeting()).reads(command_frame(body), state::failed);
        push.fails_with(handshake_error::zmtp_unexpected_command);
    }
}

TEST(handshake_test, malformed_commands_are_refused)
{
    const octets cases[] = {
        wire({0x04, 0}),  // no name
        wire({0x04, 1, 0}),
        wire({0x04, 3, 5, "RE"}),     // name longer than the body
        wire({0x05, 6, 5, "READY"}),  // MORE on a command
        wire({0x0c}),                 // reserved bit
        wire({0x84}),
        wire({0x06, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
        wire({0x06, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
    };
    for (const octets& in : cases) {
        script push(local(socket_type::push));
        push.reads(greeting()).reads(in, state::failed);
        push.fails_with(handshake_error::zmtp_malformed_command_unspecified);
    }
    script message(local(socket_type::push));
    message.reads(greeting()).reads(wire({0x00, 6, 5, "READY"}), state::failed);
    message.fails_with(handshake_error::zmtp_unexpected_command);
}

TEST(handshake_test, error_of_the_peer_is_a_failure_without_detail)
{
    script push(local(socket_type::push));
    push.reads(greeting());
    drain(push.machine);
    push.reads(command_frame(wire({5, "ERROR", 8, "go\x01 away"})), state::failed);
    push.fails_with(handshake_error::no_detail).writes({});
    EXPECT_EQ(push.machine.error_text(), "go? away");
    EXPECT_FALSE(is_protocol_error(push.machine.error()));
}

TEST(handshake_test, error_with_a_zap_status_is_a_failure_of_authentication)
{
    for (const auto& [reason, status] : {std::pair{"300", 300}, {"400", 400}, {"500", 500}}) {
        script push(local(socket_type::push));
        push.reads(greeting()).reads(command_frame(wire({5, "ERROR", 3, reason})), state::failed);
        push.fails_with(handshake_error::auth);
        EXPECT_EQ(push.machine.auth_status(), status);
    }
    script push(local(socket_type::push));
    push.reads(greeting()).reads(command_frame(wire({5, "ERROR", 3, "200"})), state::failed);
    push.fails_with(handshake_error::no_detail);
}

TEST(handshake_test, malformed_error_is_refused)
{
    for (const octets& body : {wire({5, "ERROR"}), wire({5, "ERROR", 4, "abc"})}) {
        script push(local(socket_type::push));
        push.reads(greeting()).reads(command_frame(body), state::failed);
        push.fails_with(handshake_error::zmtp_malformed_command_error);
    }
}

TEST(handshake_test, error_codes_are_those_of_the_c_api)
{
    EXPECT_EQ(unsigned(handshake_error::zmtp_unspecified), 0x10000000u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_unexpected_command), 0x10000001u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_malformed_command_unspecified), 0x10000011u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_malformed_command_error), 0x10000015u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_malformed_command_ready), 0x10000016u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_invalid_metadata), 0x10000018u);
    EXPECT_EQ(unsigned(handshake_error::zmtp_mechanism_mismatch), 0x11000002u);
    EXPECT_EQ(unsigned(handshake_error::zap_unspecified), 0x20000000u);
    EXPECT_EQ(unsigned(handshake_error::zap_malformed_reply), 0x20000001u);
    EXPECT_EQ(unsigned(handshake_error::zap_bad_request_id), 0x20000002u);
    EXPECT_EQ(unsigned(handshake_error::zap_bad_version), 0x20000003u);
    EXPECT_EQ(unsigned(handshake_error::zap_invalid_status_code), 0x20000004u);
    EXPECT_EQ(unsigned(handshake_error::zap_invalid_metadata), 0x20000005u);
}

// --- 2.0 ---------------------------------------------------------------------------------------------------------

TEST(handshake_test, with_20_peer_exchanges_socket_types_and_routing_ids)
{
    script dealer(local(socket_type::dealer, "D"));
    dealer.writes(signature(2)).reads(signature()).writes(wire({3})).reads(wire({1})).writes(wire({5}));
    dealer.reads(wire({6})).writes(wire({0, 1, "D"})).reads(wire({0, 3, "rid", 0, 1, "m"}), state::done).writes({});
    EXPECT_EQ(dealer.unread, 3u);
    EXPECT_EQ(dealer.machine.remote().version, protocol_version::zmtp_2_0);
    EXPECT_EQ(dealer.machine.remote().socket_type, "ROUTER");
    EXPECT_EQ(text(dealer.machine.remote().routing_id), "rid");
    EXPECT_TRUE(dealer.machine.remote().properties.empty());
    EXPECT_TRUE(dealer.machine.remote().forwards_subscriptions);
}

TEST(handshake_test, with_20_peer_is_the_same_at_every_split)
{
    const octets in = wire({signature(), 1, 2, 0, 4, "name", 0, 1, 1});
    for (std::size_t cut = 0; cut <= in.size(); ++cut) {
        script xpub(local(socket_type::xpub));
        const auto first = xpub.machine.advance(std::span(in).first(cut));
        const auto second = xpub.machine.advance(std::span(in).subspan(first.consumed));
        EXPECT_EQ(second.state, state::done);
        EXPECT_EQ(first.consumed + second.consumed, in.size() - 3);
        EXPECT_EQ(xpub.machine.remote().socket_type, "SUB");
        xpub.writes(wire({signature(), 3, 1, 0, 0}));  // XPUB appears as PUB
    }
}

TEST(handshake_test, with_20_peer_of_a_wrong_type_fails)
{
    for (const int type : {8, 11, 255}) {
        script push(local(socket_type::push));
        push.reads(wire({signature(), 1, type}), state::failed).fails_with(handshake_error::zmtp_invalid_metadata);
    }
}

TEST(handshake_test, bad_routing_id_of_a_20_peer_fails)
{
    const octets cases[] = {
        wire({0x01, 1, "a"}),          // MORE
        wire({0x04, 5, 4, "PING"}),    // a command
        wire({0x08, 0}),               // a reserved flag
        wire({0x02, zeros(6), 1, 0}),  // too long, by its header
        wire({0x02, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
    };
    for (const octets& in : cases) {
        script push(local(socket_type::push));
        push.reads(wire({signature(), 1, 7})).reads(in, state::failed).fails_with(handshake_error::zmtp_unspecified);
    }
}

// --- 1.0 ---------------------------------------------------------------------------------------------------------

TEST(handshake_test, with_10_peer_completes_the_routing_id_frame_that_the_signature_began)
{
    script router(local(socket_type::router, "R"));
    router.writes(signature(2)).reads(wire({4})).writes(wire({"R"}));
    router.reads(wire({0, "rid", 2, 0, "m"}), state::done).writes({});
    EXPECT_EQ(router.unread, 3u);
    EXPECT_EQ(router.machine.remote().version, protocol_version::zmtp_1_0);
    EXPECT_EQ(text(router.machine.remote().routing_id), "rid");
    EXPECT_EQ(router.machine.remote().socket_type, "");
    EXPECT_FALSE(router.machine.remote().forwards_subscriptions);
}

TEST(handshake_test, with_10_peer_is_the_same_at_every_split_and_in_both_length_forms)
{
    for (const octets& in :
         {wire({1, 0, 9}), wire({6, 0, "peer1", 9}), wire({0xff, zeros(7), 6, 0, "peer1", 9}),
          wire({0xff, zeros(7), 1, 0, 9}), wire({0xff, zeros(6), 1, 0, 0, std::string(255, 'i'), 9})}) {
        for (std::size_t cut = 0; cut <= in.size(); ++cut) {
            script pair(local(socket_type::pair));
            const auto first = pair.machine.advance(std::span(in).first(cut));
            const auto second = pair.machine.advance(std::span(in).subspan(first.consumed));
            EXPECT_EQ(second.state, state::done);
            EXPECT_EQ(first.consumed + second.consumed, in.size() - 1);
            pair.writes(signature());
        }
    }
}

TEST(handshake_test, bad_routing_id_of_a_10_peer_fails)
{
    for (const octets& in : {wire({0}), wire({0xff, zeros(9)}), wire({0xff, zeros(6), 1, 1, 0})}) {
        script push(local(socket_type::push));
        push.reads(in, state::failed).fails_with(handshake_error::zmtp_unspecified);
    }
}

TEST(handshake_test, revision_0_is_a_10_peer_with_a_greeting)
{
    script push(local(socket_type::push, "P"));
    push.reads(wire({signature(), 0, 7})).writes(wire({signature(2), 3, 8, 2, 0, "P"}));
    push.reads(wire({2, 0, "x"}), state::done);
    EXPECT_EQ(push.machine.remote().version, protocol_version::zmtp_1_0);
    EXPECT_EQ(push.machine.remote().socket_type, "PULL");
}

TEST(handshake_test, what_begins_as_an_http_answer_is_no_10_peer)
{
    const octets in = wire({"HTTP/1.1 400 Bad Request\r\nServer: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"});
    ASSERT_GT(in.size(), 73u);  // as a routing id of 71 octets it would be whole
    for (std::size_t cut = 0; cut <= in.size(); ++cut) {
        script push(local(socket_type::push));
        const auto first = push.machine.advance(std::span(in).first(cut));
        const auto second = push.machine.advance(std::span(in).subspan(cut));
        EXPECT_EQ(first.consumed + second.consumed, 5u);  // "HTTP/", however it comes
        push.fails_with(handshake_error::http_answer);
        push.writes(signature());
    }
}

TEST(handshake_test, a_10_peer_whose_frame_is_as_long_as_http_begins_is_one)
{
    script push(local(socket_type::push));
    push.reads(wire({'H', 0, "TTP/", std::string(67, 'x')}), state::done);
    EXPECT_EQ(push.machine.remote().routing_id.size(), 71u);
}

TEST(handshake_test, peers_older_than_the_oldest_allowed_are_refused)
{
    const struct {
        octets greeting;
        int version;
    } peers[] = {{wire({4, 0, "rid"}), 1},
                 {wire({0xff, zeros(7), 4, 0, "rid"}), 1},
                 {wire({signature(), 0, 7, 2, 0, "x"}), 1},
                 {wire({signature(), 1, 7, 0, 1, "x"}), 2}};
    for (const auto& peer : peers) {
        for (int oldest = 1; oldest <= 3; ++oldest) {
            security_settings security;
            security.oldest_zmtp = oldest;
            script push(secured(local(socket_type::push), security));
            push.machine.advance(peer.greeting);
            if (peer.version >= oldest) {
                EXPECT_EQ(push.machine.current(), state::done) << push.machine.error_text();
            } else {
                push.fails_with(handshake_error::zmtp_unspecified);
            }
        }
    }
}

// --- both ends are ours ------------------------------------------------------------------------------------------

/// Passes output back and forth in parts of `part` octets until nothing moves.
void converse(handshake& a, handshake& b, std::size_t part)
{
    const auto pass = [part](handshake& from, handshake& to) {
        const auto out = from.output();
        const auto step = to.advance(out.first(std::min(part, out.size())));
        from.consume_output(step.consumed);
        return step.consumed > 0;
    };
    for (bool moved = true; moved;) {
        moved = pass(a, b);
        moved = pass(b, a) || moved;
    }
}

TEST(handshake_test, two_of_our_own_agree)
{
    for (int one = 0; one <= 10; ++one) {
        for (int other = 0; other <= 10; ++other) {
            for (const std::size_t part : {std::size_t(1), std::size_t(7), std::size_t(1000)}) {
                handshake a(local(socket_type(one), "a", {{"X-From", "a"}}));
                handshake b(local(socket_type(other), "bb"));
                converse(a, b, part);
                const bool legal = compatible(socket_type(one), socket_type(other));
                ASSERT_EQ(a.current(), legal ? state::done : state::failed);
                ASSERT_EQ(b.current(), legal ? state::done : state::failed);
                if (!legal) continue;
                EXPECT_EQ(a.remote().version, protocol_version::zmtp_3_1);
                EXPECT_EQ(a.remote().socket_type, socket_type_name(socket_type(other)));
                EXPECT_EQ(find_property(b.remote().properties, "X-From")->second, "a");
                const auto of_other = socket_type(other);
                const bool announces = announces_identity(of_other) || announces_set_identity(of_other);
                EXPECT_EQ(text(a.remote().routing_id), announces ? "bb" : "");
            }
        }
    }
}

}  // namespace
