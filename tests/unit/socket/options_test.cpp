// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/options.hpp"

#include "socket/context_options.hpp"
#include "transport/ipc/ipc_options.hpp"
#include "transport/tcp/tcp_options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

constexpr int every_type[] = {ZMQ_PAIR,  ZMQ_PUB,  ZMQ_SUB,    ZMQ_REQ,     ZMQ_REP,    ZMQ_DEALER, ZMQ_ROUTER,
                              ZMQ_PULL,  ZMQ_PUSH, ZMQ_XPUB,   ZMQ_XSUB,    ZMQ_STREAM, ZMQ_SERVER, ZMQ_CLIENT,
                              ZMQ_RADIO, ZMQ_DISH, ZMQ_GATHER, ZMQ_SCATTER, ZMQ_PEER,   ZMQ_CHANNEL};

socket_options options_of(int type, const context_options& context = {})
{
    return initial_options(*socket_type_of(type), context);
}

errc set_int(socket_options& options, int option, int value)
{
    return set_option(options, option, &value, sizeof value);
}

errc set_bytes(socket_options& options, int option, std::string_view bytes)
{
    return set_option(options, option, bytes.data(), bytes.size());
}

template <class Number>
std::optional<Number> get_number(const socket_options& options, int option)
{
    Number value = 0;
    std::size_t size = sizeof value;
    if (get_option(options, option, &value, &size) != errc::none) {
        return std::nullopt;
    }
    EXPECT_EQ(size, sizeof value);
    return value;
}

std::optional<int> get_int(const socket_options& options, int option)
{
    return get_number<int>(options, option);
}

std::optional<std::string> get_bytes(const socket_options& options, int option)
{
    char room[300];
    std::size_t size = sizeof room;
    if (get_option(options, option, room, &size) != errc::none) {
        return std::nullopt;
    }
    return std::string(room, size);
}

// Integers that every socket type has and can read back.

struct number_case {
    const char* name;
    int option;
    int default_value;
    std::vector<int> accepted;
    std::vector<int> rejected;
};

class number_option_test : public testing::TestWithParam<number_case> {};

TEST_P(number_option_test, reads_its_default_on_every_socket_type)
{
    for (const int type : every_type) {
        EXPECT_EQ(get_int(options_of(type), GetParam().option), GetParam().default_value) << "type " << type;
    }
}

TEST_P(number_option_test, reads_back_every_value_in_range)
{
    for (const int type : every_type) {
        socket_options options = options_of(type);
        for (const int value : GetParam().accepted) {
            EXPECT_EQ(set_int(options, GetParam().option, value), errc::none) << value;
            EXPECT_EQ(get_int(options, GetParam().option), value);
        }
    }
}

TEST_P(number_option_test, refuses_values_out_of_range_and_keeps_the_old_one)
{
    socket_options options = options_of(ZMQ_DEALER);
    for (const int value : GetParam().rejected) {
        EXPECT_EQ(set_int(options, GetParam().option, value), errc::invalid_argument) << value;
    }
    EXPECT_EQ(get_int(options, GetParam().option), GetParam().default_value);
}

TEST_P(number_option_test, refuses_other_sizes_than_that_of_int)
{
    socket_options options = options_of(ZMQ_DEALER);
    const std::int64_t value = 1;
    for (const std::size_t size : {0, 1, 3, 8}) {
        EXPECT_EQ(set_option(options, GetParam().option, &value, size), errc::invalid_argument) << size;
        char room[8];
        std::size_t room_size = size;
        EXPECT_EQ(get_option(options, GetParam().option, room, &room_size), errc::invalid_argument) << size;
    }
    EXPECT_EQ(set_option(options, GetParam().option, nullptr, 0), errc::invalid_argument);
    EXPECT_EQ(set_option(options, GetParam().option, nullptr, sizeof(int)), errc::invalid_argument);
    EXPECT_EQ(get_int(options, GetParam().option), GetParam().default_value);
}

INSTANTIATE_TEST_SUITE_P(
    all, number_option_test,
    testing::Values(number_case{"sndhwm", ZMQ_SNDHWM, 1000, {0, 1, INT_MAX}, {-1}},
                    number_case{"rcvhwm", ZMQ_RCVHWM, 1000, {0, 1, INT_MAX}, {-1}},
                    number_case{"sndtimeo", ZMQ_SNDTIMEO, -1, {0, 250, -1}, {-2}},
                    number_case{"rcvtimeo", ZMQ_RCVTIMEO, -1, {0, 250, -1}, {-2}},
                    number_case{"conflate", ZMQ_CONFLATE, 0, {1, 0}, {-1, 2}},
                    number_case{"invert_matching", ZMQ_INVERT_MATCHING, 0, {1, 0}, {}},
                    number_case{"ipv6", ZMQ_IPV6, 0, {1, 0}, {-1, 2}},
                    number_case{"ipv4only", ZMQ_IPV4ONLY, 1, {0, 1}, {-1, 2}},
                    number_case{"backlog", ZMQ_BACKLOG, 100, {0, 4096}, {-1}},
                    number_case{"sndbuf", ZMQ_SNDBUF, -1, {0, 65536, -1}, {-2}},
                    number_case{"rcvbuf", ZMQ_RCVBUF, -1, {0, 65536, -1}, {-2}},
                    number_case{"tos", ZMQ_TOS, 0, {0, 0x28}, {-1}},
                    number_case{"priority", ZMQ_PRIORITY, 0, {0, 6}, {-1}},
                    number_case{"tcp_keepalive", ZMQ_TCP_KEEPALIVE, -1, {0, 1, -1}, {-2, 2}},
                    number_case{"tcp_keepalive_cnt", ZMQ_TCP_KEEPALIVE_CNT, -1, {0, 5, -1}, {-2}},
                    number_case{"tcp_keepalive_idle", ZMQ_TCP_KEEPALIVE_IDLE, -1, {0, 60, -1}, {-2}},
                    number_case{"tcp_keepalive_intvl", ZMQ_TCP_KEEPALIVE_INTVL, -1, {0, 60, -1}, {-2}},
                    number_case{"tcp_maxrt", ZMQ_TCP_MAXRT, 0, {0, 5000}, {-1}},
                    number_case{"use_fd", ZMQ_USE_FD, -1, {0, 7, -1}, {-2}}),
    [](const auto& test) { return std::string{test.param.name}; });

INSTANTIATE_TEST_SUITE_P(
    connection, number_option_test,
    testing::Values(number_case{"immediate", ZMQ_IMMEDIATE, 0, {1, 0}, {-1, 2}},
                    number_case{"handshake_ivl", ZMQ_HANDSHAKE_IVL, 30000, {0, 1, INT_MAX}, {-1}},
                    number_case{"connect_timeout", ZMQ_CONNECT_TIMEOUT, 0, {0, 900}, {-1}},
                    number_case{"reconnect_ivl", ZMQ_RECONNECT_IVL, 100, {-1, 0, 10}, {-2}},
                    number_case{"reconnect_ivl_max", ZMQ_RECONNECT_IVL_MAX, 0, {0, 5000}, {-1}},
                    number_case{"reconnect_stop", ZMQ_RECONNECT_STOP, 0, {ZMQ_RECONNECT_STOP_CONN_REFUSED, 3, 0}, {}},
                    number_case{"heartbeat_ivl", ZMQ_HEARTBEAT_IVL, 0, {0, 1000}, {-1}},
                    number_case{"heartbeat_ttl", ZMQ_HEARTBEAT_TTL, 0, {100, 6553500, 0}, {-100, 6553600, INT_MAX}},
                    number_case{"heartbeat_timeout", ZMQ_HEARTBEAT_TIMEOUT, -1, {0, 1000}, {-1}},
                    number_case{"in_batch_size", ZMQ_IN_BATCH_SIZE, 8192, {1, 100000}, {0, -1}},
                    number_case{"out_batch_size", ZMQ_OUT_BATCH_SIZE, 8192, {1, 100000}, {0, -1}},
                    number_case{"loopback_fastpath", ZMQ_LOOPBACK_FASTPATH, 0, {1, 0}, {}},
                    number_case{"rate", ZMQ_RATE, 100, {1, 40000}, {0, -1}},
                    number_case{"recovery_ivl", ZMQ_RECOVERY_IVL, 10000, {0, 60000}, {-1}},
                    number_case{"multicast_hops", ZMQ_MULTICAST_HOPS, 1, {1, 3}, {0, -1}},
                    number_case{"multicast_maxtpdu", ZMQ_MULTICAST_MAXTPDU, 1500, {1, 9000}, {0, -1}},
                    number_case{"multicast_loop", ZMQ_MULTICAST_LOOP, 1, {0, 1}, {}}),
    [](const auto& test) { return std::string{test.param.name}; });

TEST(options_test, busy_poll_can_be_set_and_not_read)
{
    socket_options options = options_of(ZMQ_DEALER);
    for (const int value : {0, 50, -1}) EXPECT_EQ(set_int(options, ZMQ_BUSY_POLL, value), errc::none);
    int room = 0;
    std::size_t size = sizeof room;
    EXPECT_EQ(get_option(options, ZMQ_BUSY_POLL, &room, &size), errc::invalid_argument);
}

// Options of single socket types: settable there alone, and not readable.

struct pattern_case {
    const char* name;
    int option;
    std::vector<int> types;
    std::vector<int> accepted;
    std::vector<int> rejected;
};

class pattern_option_test : public testing::TestWithParam<pattern_case> {};

TEST_P(pattern_option_test, is_accepted_by_its_socket_types_alone)
{
    for (const int type : every_type) {
        const bool has = std::ranges::find(GetParam().types, type) != GetParam().types.end();
        socket_options options = options_of(type);
        for (const int value : GetParam().accepted) {
            EXPECT_EQ(set_int(options, GetParam().option, value), has ? errc::none : errc::invalid_argument)
                << "type " << type << " value " << value;
        }
        for (const int value : GetParam().rejected) {
            EXPECT_EQ(set_int(options, GetParam().option, value), errc::invalid_argument)
                << "type " << type << " value " << value;
        }
        const long long wide = 1;
        EXPECT_EQ(set_option(options, GetParam().option, &wide, sizeof wide), errc::invalid_argument);
        EXPECT_EQ(get_int(options, GetParam().option), std::nullopt) << "type " << type;
    }
}

TEST_P(pattern_option_test, takes_effect_at_once)
{
    EXPECT_TRUE(takes_effect_at_once(GetParam().option));
}

const std::vector<int> publishers{ZMQ_PUB, ZMQ_XPUB};
const std::vector<int> routers{ZMQ_ROUTER, ZMQ_REP};

INSTANTIATE_TEST_SUITE_P(
    all, pattern_option_test,
    testing::Values(
        pattern_case{"req_relaxed", ZMQ_REQ_RELAXED, {ZMQ_REQ}, {0, 1, 2}, {-1}},
        pattern_case{"req_correlate", ZMQ_REQ_CORRELATE, {ZMQ_REQ}, {0, 1, 2}, {-1}},
        pattern_case{"probe_router", ZMQ_PROBE_ROUTER, {ZMQ_REQ, ZMQ_REP, ZMQ_DEALER, ZMQ_ROUTER}, {0, 1}, {-1}},
        pattern_case{"router_mandatory", ZMQ_ROUTER_MANDATORY, routers, {0, 1}, {-1}},
        pattern_case{"router_handover", ZMQ_ROUTER_HANDOVER, routers, {0, 1}, {-1}},
        pattern_case{"router_raw", ZMQ_ROUTER_RAW, routers, {0, 1}, {-1}},
        pattern_case{"stream_notify", ZMQ_STREAM_NOTIFY, {ZMQ_STREAM}, {0, 1}, {-1, 2}},
        pattern_case{"xpub_verbose", ZMQ_XPUB_VERBOSE, publishers, {0, 1, 2}, {-1}},
        pattern_case{"xpub_verboser", ZMQ_XPUB_VERBOSER, publishers, {0, 1}, {-1}},
        pattern_case{"xpub_nodrop", ZMQ_XPUB_NODROP, {ZMQ_PUB, ZMQ_XPUB, ZMQ_RADIO}, {0, 1}, {-1}},
        pattern_case{"xpub_manual", ZMQ_XPUB_MANUAL, publishers, {0, 1}, {-1}},
        pattern_case{"xpub_manual_last_value", ZMQ_XPUB_MANUAL_LAST_VALUE, publishers, {0, 1}, {-1}},
        pattern_case{"xsub_verbose_unsubscribe", ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, {ZMQ_XSUB}, {0, 1}, {-1}},
        pattern_case{"only_first_subscribe", ZMQ_ONLY_FIRST_SUBSCRIBE, {ZMQ_PUB, ZMQ_XPUB, ZMQ_XSUB}, {0, 1}, {-1}}),
    [](const auto& test) { return std::string{test.param.name}; });

TEST(options_test, router_notify_takes_the_documented_bits_and_reads_everywhere)
{
    socket_options options = options_of(ZMQ_ROUTER);
    EXPECT_EQ(get_int(options, ZMQ_ROUTER_NOTIFY), 0);
    EXPECT_EQ(set_int(options, ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT), errc::none);
    EXPECT_EQ(set_int(options, ZMQ_ROUTER_NOTIFY, 4), errc::invalid_argument);
    EXPECT_EQ(get_int(options, ZMQ_ROUTER_NOTIFY), 3);
    socket_options dealer = options_of(ZMQ_DEALER);
    EXPECT_EQ(set_int(dealer, ZMQ_ROUTER_NOTIFY, 1), errc::invalid_argument);
    EXPECT_EQ(get_int(dealer, ZMQ_ROUTER_NOTIFY), 0);
}

TEST(options_test, verbose_and_verboser_overwrite_one_another)
{
    socket_options options = options_of(ZMQ_XPUB);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_VERBOSER, 1), errc::none);
    EXPECT_TRUE(options.pattern.xpub_verbose && options.pattern.xpub_verboser);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_VERBOSE, 1), errc::none);
    EXPECT_TRUE(options.pattern.xpub_verbose && !options.pattern.xpub_verboser);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_VERBOSER, 0), errc::none);
    EXPECT_FALSE(options.pattern.xpub_verbose || options.pattern.xpub_verboser);
}

TEST(options_test, manual_last_value_implies_manual)
{
    socket_options options = options_of(ZMQ_XPUB);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_MANUAL_LAST_VALUE, 1), errc::none);
    EXPECT_TRUE(options.pattern.xpub_manual && options.pattern.xpub_manual_last_value);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_MANUAL, 0), errc::none);
    EXPECT_FALSE(options.pattern.xpub_manual || options.pattern.xpub_manual_last_value);
}

TEST(options_test, linger_defaults_follow_the_context_and_the_socket_type)
{
    context_options blocky;
    EXPECT_EQ(get_int(options_of(ZMQ_PUSH, blocky), ZMQ_LINGER), -1);
    EXPECT_EQ(get_int(options_of(ZMQ_SUB, blocky), ZMQ_LINGER), 0);
    EXPECT_EQ(get_int(options_of(ZMQ_XSUB, blocky), ZMQ_LINGER), 0);
    context_options gentle;
    gentle.blocky = false;
    EXPECT_EQ(get_int(options_of(ZMQ_PUSH, gentle), ZMQ_LINGER), 0);

    socket_options options = options_of(ZMQ_PUSH);
    EXPECT_EQ(set_int(options, ZMQ_LINGER, 500), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_LINGER), 500);
    EXPECT_EQ(set_int(options, ZMQ_LINGER, -2), errc::invalid_argument);
}

TEST(options_test, ipv6_default_follows_the_context)
{
    context_options context;
    context.ipv6 = true;
    EXPECT_EQ(get_int(options_of(ZMQ_PUSH, context), ZMQ_IPV6), 1);
    EXPECT_EQ(get_int(options_of(ZMQ_PUSH, context), ZMQ_IPV4ONLY), 0);
}

TEST(options_test, wide_numbers_want_eight_bytes)
{
    socket_options options = options_of(ZMQ_PAIR);
    EXPECT_EQ(get_number<std::uint64_t>(options, ZMQ_AFFINITY), 0u);
    EXPECT_EQ(get_number<std::int64_t>(options, ZMQ_MAXMSGSIZE), -1);
    for (const int option : {ZMQ_AFFINITY, ZMQ_MAXMSGSIZE}) {
        const std::int64_t value = 1'000'000'000'000;
        EXPECT_EQ(set_option(options, option, &value, sizeof value), errc::none) << option;
        EXPECT_EQ(get_number<std::int64_t>(options, option), value) << option;
        EXPECT_EQ(set_int(options, option, 5), errc::invalid_argument) << option;
        EXPECT_EQ(get_int(options, option), std::nullopt) << option;
    }
}

TEST(options_test, flags_that_are_lax_in_libzmq_take_any_number_as_true)
{
    socket_options options = options_of(ZMQ_PUB);
    for (const int option : {ZMQ_INVERT_MATCHING, ZMQ_LOOPBACK_FASTPATH, ZMQ_MULTICAST_LOOP}) {
        EXPECT_EQ(set_int(options, option, -7), errc::none) << option;
        EXPECT_EQ(get_int(options, option), 1) << option;
    }
}

TEST(options_test, heartbeat_ttl_is_cut_to_tenths_of_a_second)
{
    socket_options options = options_of(ZMQ_DEALER);
    EXPECT_EQ(set_int(options, ZMQ_HEARTBEAT_TTL, 1999), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_HEARTBEAT_TTL), 1900);
    EXPECT_EQ(set_int(options, ZMQ_HEARTBEAT_TTL, 6553599), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_HEARTBEAT_TTL), 6553500);
    EXPECT_EQ(set_int(options, ZMQ_HEARTBEAT_TTL, 99), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_HEARTBEAT_TTL), 0);
}

TEST(options_test, ipv4only_is_the_reverse_of_ipv6)
{
    socket_options options = options_of(ZMQ_DEALER);
    ASSERT_EQ(set_int(options, ZMQ_IPV4ONLY, 0), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_IPV6), 1);
    ASSERT_EQ(set_int(options, ZMQ_IPV6, 0), errc::none);
    EXPECT_EQ(get_int(options, ZMQ_IPV4ONLY), 1);
}

TEST(options_test, routing_id_is_1_to_255_bytes_of_any_kind)
{
    socket_options options = options_of(ZMQ_DEALER);
    EXPECT_EQ(get_bytes(options, ZMQ_ROUTING_ID), "");
    EXPECT_EQ(set_bytes(options, ZMQ_ROUTING_ID, std::string(256, 'x')), errc::invalid_argument);
    EXPECT_EQ(set_bytes(options, ZMQ_ROUTING_ID, ""), errc::invalid_argument);
    const std::string binary{"a\0b\xff\0", 5};
    EXPECT_EQ(set_bytes(options, ZMQ_ROUTING_ID, binary), errc::none);
    EXPECT_EQ(get_bytes(options, ZMQ_ROUTING_ID), binary);
    EXPECT_EQ(set_bytes(options, ZMQ_IDENTITY, std::string(255, 'x')), errc::none);
    EXPECT_EQ(get_bytes(options, ZMQ_IDENTITY), std::string(255, 'x'));
    char small[254];
    std::size_t size = sizeof small;
    EXPECT_EQ(get_option(options, ZMQ_ROUTING_ID, small, &size), errc::invalid_argument);
}

TEST(options_test, connect_routing_id_belongs_to_sockets_that_route)
{
    for (const int type : every_type) {
        const bool has = type == ZMQ_ROUTER || type == ZMQ_REP || type == ZMQ_STREAM;
        socket_options options = options_of(type);
        EXPECT_EQ(set_bytes(options, ZMQ_CONNECT_ROUTING_ID, "peer"), has ? errc::none : errc::invalid_argument)
            << "type " << type;
        EXPECT_EQ(options.connect_routing_id, has ? "peer" : "");
        EXPECT_EQ(set_bytes(options, ZMQ_CONNECT_ROUTING_ID, ""), errc::invalid_argument);
        EXPECT_EQ(set_bytes(options, ZMQ_CONNECT_ROUTING_ID, std::string(256, 'x')),
                  has ? errc::none : errc::invalid_argument);
        EXPECT_EQ(get_bytes(options, ZMQ_CONNECT_ROUTING_ID), std::nullopt);
    }
}

TEST(options_test, device_name_is_a_short_string_that_keeps_every_octet)
{
    socket_options options = options_of(ZMQ_DEALER);
    EXPECT_EQ(get_bytes(options, ZMQ_BINDTODEVICE), std::string(1, '\0'));
    EXPECT_EQ(set_bytes(options, ZMQ_BINDTODEVICE, "eth0"), errc::none);
    EXPECT_EQ(get_bytes(options, ZMQ_BINDTODEVICE), (std::string{"eth0", 5}));
    EXPECT_EQ(set_option(options, ZMQ_BINDTODEVICE, "eth1", 5), errc::none);
    EXPECT_EQ(get_bytes(options, ZMQ_BINDTODEVICE), (std::string{"eth1\0", 6}));
    char exact[6];
    std::size_t size = sizeof exact;
    EXPECT_EQ(get_option(options, ZMQ_BINDTODEVICE, exact, &size), errc::none);
    size = 5;
    EXPECT_EQ(get_option(options, ZMQ_BINDTODEVICE, exact, &size), errc::invalid_argument);
    EXPECT_EQ(set_bytes(options, ZMQ_BINDTODEVICE, std::string(17, 'x')), errc::invalid_argument);
    EXPECT_EQ(set_bytes(options, ZMQ_BINDTODEVICE, ""), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_BINDTODEVICE, nullptr, 0), errc::none);
    EXPECT_EQ(get_bytes(options, ZMQ_BINDTODEVICE), std::string(1, '\0'));
}

TEST(options_test, welcome_message_belongs_to_publishers_and_can_be_taken_back)
{
    socket_options options = options_of(ZMQ_XPUB);
    EXPECT_EQ(set_bytes(options, ZMQ_XPUB_WELCOME_MSG, "hi"), errc::none);
    EXPECT_EQ(options.pattern.xpub_welcome_msg, "hi");
    EXPECT_EQ(set_option(options, ZMQ_XPUB_WELCOME_MSG, nullptr, 0), errc::none);
    EXPECT_EQ(options.pattern.xpub_welcome_msg, "");
    socket_options dealer = options_of(ZMQ_DEALER);
    EXPECT_EQ(set_bytes(dealer, ZMQ_XPUB_WELCOME_MSG, "hi"), errc::invalid_argument);
}

TEST(options_test, event_messages_are_binary_and_can_be_taken_back)
{
    socket_options options = options_of(ZMQ_ROUTER);
    const std::string binary{"\0x", 2};
    EXPECT_EQ(set_bytes(options, ZMQ_HELLO_MSG, binary), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_DISCONNECT_MSG, "bye"), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_HICCUP_MSG, "hic"), errc::none);
    EXPECT_EQ(options.connection.hello_message, binary);
    EXPECT_EQ(options.pattern.disconnect_message, "bye");
    EXPECT_EQ(options.connection.hiccup_message, "hic");
    EXPECT_EQ(set_option(options, ZMQ_HELLO_MSG, nullptr, 0), errc::none);
    EXPECT_EQ(options.connection.hello_message, "");
    EXPECT_EQ(set_option(options, ZMQ_HELLO_MSG, nullptr, 3), errc::invalid_argument);
}

TEST(options_test, metadata_properties_add_up)
{
    socket_options options = options_of(ZMQ_DEALER);
    EXPECT_EQ(set_bytes(options, ZMQ_METADATA, "X-key:value"), errc::none);
    EXPECT_EQ(set_option(options, ZMQ_METADATA, "X-other:a:b", 12), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_METADATA, "X-key:later"), errc::none);
    const std::vector<std::pair<std::string, std::string>> expected{{"X-key", "value"}, {"X-other", "a:b"}};
    EXPECT_EQ(options.connection.metadata, expected);
    for (const std::string& bad :
         {std::string{""}, std::string{"X-key"}, std::string{"X-key:"}, std::string{":value"}, std::string{"X-:value"},
          std::string{"key:value"}, "X-" + std::string(254, 'n') + ":v"}) {
        EXPECT_EQ(set_bytes(options, ZMQ_METADATA, bad), errc::invalid_argument) << bad;
    }
    EXPECT_EQ(set_bytes(options, ZMQ_METADATA, "X-" + std::string(253, 'n') + ":v"), errc::none);
    EXPECT_EQ(options.connection.metadata.size(), 3u);
}

TEST(options_test, accept_filters_are_numeric_addresses_with_a_prefix)
{
    socket_options options = options_of(ZMQ_ROUTER);
    for (const char* good : {"127.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "10.1/16"}) {
        EXPECT_EQ(set_bytes(options, ZMQ_TCP_ACCEPT_FILTER, good), errc::none) << good;
    }
    for (const char* bad :
         {"", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0.", "::1"}) {
        EXPECT_EQ(set_bytes(options, ZMQ_TCP_ACCEPT_FILTER, bad), errc::invalid_argument) << bad;
    }
    const std::vector<std::string> expected{"127.0.0.1/32", "10.0.0.0/8", "0.0.0.0/0", "10.0.0.1/16"};
    EXPECT_EQ(options.stream.of<transport::tcp::tcp_options>().accept_filters, expected);
    EXPECT_EQ(set_option(options, ZMQ_TCP_ACCEPT_FILTER, nullptr, 0), errc::none);
    EXPECT_TRUE(options.stream.of<transport::tcp::tcp_options>().accept_filters.empty());

    ASSERT_EQ(set_int(options, ZMQ_IPV6, 1), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_TCP_ACCEPT_FILTER, "[::1]"), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_TCP_ACCEPT_FILTER, "fe80::/10"), errc::none);
    EXPECT_EQ(set_bytes(options, ZMQ_TCP_ACCEPT_FILTER, "fe80::/129"), errc::invalid_argument);
    const std::vector<std::string> expected6{"::1/128", "fe80::/10"};
    EXPECT_EQ(options.stream.of<transport::tcp::tcp_options>().accept_filters, expected6);
}

TEST(options_test, ipc_filters_collect_ids_until_cleared)
{
    socket_options options = options_of(ZMQ_ROUTER);
    const uid_t user = 1000;
    const gid_t group = 100;
    const pid_t process = 4711;
    EXPECT_EQ(set_option(options, ZMQ_IPC_FILTER_UID, &user, sizeof user), errc::none);
    EXPECT_EQ(set_option(options, ZMQ_IPC_FILTER_GID, &group, sizeof group), errc::none);
    EXPECT_EQ(set_option(options, ZMQ_IPC_FILTER_PID, &process, sizeof process), errc::none);
    EXPECT_EQ(options.stream.of<transport::ipc::ipc_options>().filter_uid, std::set<uid_t>{user});
    EXPECT_EQ(options.stream.of<transport::ipc::ipc_options>().filter_gid, std::set<gid_t>{group});
    EXPECT_EQ(options.stream.of<transport::ipc::ipc_options>().filter_pid, std::set<pid_t>{process});
    EXPECT_EQ(set_option(options, ZMQ_IPC_FILTER_UID, &user, 2), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_IPC_FILTER_UID, nullptr, 0), errc::none);
    EXPECT_TRUE(options.stream.of<transport::ipc::ipc_options>().filter_uid.empty());
}

TEST(options_test, type_and_thread_safety_are_constants)
{
    for (const int type : every_type) {
        socket_options options = options_of(type);
        EXPECT_EQ(get_int(options, ZMQ_TYPE), type);
        EXPECT_EQ(get_int(options, ZMQ_THREAD_SAFE), int(type > ZMQ_STREAM));
        EXPECT_EQ(set_int(options, ZMQ_TYPE, type), errc::invalid_argument);
    }
}

TEST(options_test, mechanism_is_chosen_by_the_options_of_mechanisms)
{
    for (const int type : every_type) {
        socket_options options = options_of(type);
        EXPECT_EQ(get_int(options, ZMQ_MECHANISM), ZMQ_NULL);
        EXPECT_EQ(get_int(options, ZMQ_PLAIN_SERVER), 0);
        EXPECT_EQ(set_int(options, ZMQ_MECHANISM, ZMQ_PLAIN), errc::invalid_argument);

        EXPECT_EQ(set_int(options, ZMQ_PLAIN_SERVER, 1), errc::none);
        EXPECT_EQ(get_int(options, ZMQ_MECHANISM), ZMQ_PLAIN);
        EXPECT_EQ(get_int(options, ZMQ_PLAIN_SERVER), 1);
        EXPECT_EQ(set_int(options, ZMQ_PLAIN_SERVER, 2), errc::invalid_argument);
        EXPECT_EQ(set_int(options, ZMQ_PLAIN_SERVER, -1), errc::invalid_argument);
        EXPECT_EQ(set_int(options, ZMQ_PLAIN_SERVER, 0), errc::none);
        EXPECT_EQ(get_int(options, ZMQ_MECHANISM), ZMQ_NULL);

        for (const int credential : {ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD}) {
            EXPECT_EQ(set_int(options, ZMQ_PLAIN_SERVER, 1), errc::none);
            EXPECT_EQ(set_bytes(options, credential, "joe"), errc::none);
            EXPECT_EQ(get_int(options, ZMQ_MECHANISM), ZMQ_PLAIN);
            EXPECT_EQ(get_int(options, ZMQ_PLAIN_SERVER), 0);
            // Null takes the mechanism away, and leaves the text.
            EXPECT_EQ(set_option(options, credential, nullptr, 0), errc::none);
            EXPECT_EQ(get_int(options, ZMQ_MECHANISM), ZMQ_NULL);
            EXPECT_EQ(get_bytes(options, credential), std::string("joe\0", 4));
        }
    }
}

TEST(options_test, names_passwords_and_domains_have_up_to_255_octets)
{
    socket_options options = options_of(ZMQ_DEALER);
    const std::string longest(255, 'x');
    for (const int option : {ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD, ZMQ_ZAP_DOMAIN}) {
        EXPECT_EQ(set_bytes(options, option, longest), errc::none) << option;
        EXPECT_EQ(set_bytes(options, option, longest + 'x'), errc::invalid_argument) << option;
        EXPECT_EQ(get_bytes(options, option), longest + '\0') << option;
        EXPECT_EQ(set_option(options, option, nullptr, 1), errc::invalid_argument) << option;
    }
    for (const int option : {ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD, ZMQ_ZAP_DOMAIN}) {
        EXPECT_EQ(set_option(options, option, "", 0), errc::invalid_argument) << option;
    }
    EXPECT_EQ(set_option(options, ZMQ_ZAP_DOMAIN, nullptr, 0), errc::invalid_argument);
    EXPECT_EQ(get_bytes(options, ZMQ_ZAP_DOMAIN), longest + '\0');

    EXPECT_EQ(get_int(options, ZMQ_ZAP_ENFORCE_DOMAIN), 0);
    for (const int value : {1, 0, 7, -1}) {
        EXPECT_EQ(set_int(options, ZMQ_ZAP_ENFORCE_DOMAIN, value), errc::none);
        EXPECT_EQ(get_int(options, ZMQ_ZAP_ENFORCE_DOMAIN), value != 0);
    }
}

TEST(options_test, a_socks_proxy_is_a_text_that_can_be_taken_away)
{
    for (const int type : every_type) {
        socket_options options = options_of(type);
        const std::string longest(255, 'x');
        for (const int option : {ZMQ_SOCKS_PROXY, ZMQ_SOCKS_USERNAME, ZMQ_SOCKS_PASSWORD}) {
            EXPECT_EQ(get_bytes(options, option), std::string(1, '\0')) << option;
            EXPECT_EQ(set_bytes(options, option, longest), errc::none) << option;
            EXPECT_EQ(get_bytes(options, option), longest + '\0') << option;
            EXPECT_EQ(set_option(options, option, nullptr, 1), errc::invalid_argument) << option;
            EXPECT_EQ(set_option(options, option, nullptr, 0), errc::none) << option;
            EXPECT_EQ(get_bytes(options, option), std::string(1, '\0')) << option;
            EXPECT_EQ(set_bytes(options, option, std::string("joe\0", 4)), errc::none) << option;
            EXPECT_EQ(get_bytes(options, option), std::string("joe\0", 4)) << option;
            EXPECT_EQ(set_bytes(options, option, ""), errc::none) << option;
            EXPECT_EQ(get_bytes(options, option), std::string(1, '\0')) << option;
        }
        for (const int option : {ZMQ_SOCKS_USERNAME, ZMQ_SOCKS_PASSWORD}) {
            EXPECT_EQ(set_bytes(options, option, longest), errc::none) << option;
            EXPECT_EQ(set_bytes(options, option, longest + 'x'), errc::invalid_argument) << option;
            EXPECT_EQ(get_bytes(options, option), longest + '\0') << option;
        }
    }
}

TEST(options_test, other_security_is_not_there)
{
    socket_options options = options_of(ZMQ_DEALER);
    for (const int option : {
#ifndef ZLINK_CURVE
             ZMQ_CURVE_SERVER, ZMQ_CURVE_PUBLICKEY, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_SERVERKEY,
#endif
             ZMQ_GSSAPI_SERVER, ZMQ_GSSAPI_PRINCIPAL, ZMQ_GSSAPI_SERVICE_PRINCIPAL, ZMQ_GSSAPI_PLAINTEXT}) {
        EXPECT_EQ(set_int(options, option, 1), errc::invalid_argument) << option;
        EXPECT_EQ(set_bytes(options, option, std::string(32, 'k')), errc::invalid_argument) << option;
        EXPECT_EQ(get_int(options, option), std::nullopt) << option;
        EXPECT_EQ(get_bytes(options, option), std::nullopt) << option;
    }
}

TEST(options_test, live_options_are_left_to_the_socket)
{
    socket_options options = options_of(ZMQ_SUB);
    for (const int option :
         {ZMQ_SUBSCRIBE, ZMQ_UNSUBSCRIBE, ZMQ_EVENTS, ZMQ_FD, ZMQ_RCVMORE, ZMQ_LAST_ENDPOINT, ZMQ_TOPICS_COUNT}) {
        EXPECT_TRUE(is_live_option(option)) << option;
        EXPECT_TRUE(accepts_live_option(options, option)) << option;
        EXPECT_EQ(set_int(options, option, 1), errc::invalid_argument) << option;
        EXPECT_EQ(get_int(options, option), std::nullopt) << option;
    }
    EXPECT_FALSE(is_live_option(ZMQ_SNDHWM));
    EXPECT_FALSE(accepts_live_option(options, ZMQ_SNDHWM));
}

TEST(options_test, filters_belong_to_sub_and_to_publishers_in_manual_mode)
{
    for (const int type : every_type) {
        EXPECT_EQ(accepts_live_option(options_of(type), ZMQ_SUBSCRIBE), type == ZMQ_SUB) << "type " << type;
        EXPECT_EQ(accepts_live_option(options_of(type), ZMQ_UNSUBSCRIBE), type == ZMQ_SUB) << "type " << type;
        const bool pubsub = type == ZMQ_PUB || type == ZMQ_SUB || type == ZMQ_XPUB || type == ZMQ_XSUB;
        EXPECT_EQ(accepts_live_option(options_of(type), ZMQ_TOPICS_COUNT), pubsub) << "type " << type;
    }
    socket_options options = options_of(ZMQ_XPUB);
    ASSERT_EQ(set_int(options, ZMQ_XPUB_MANUAL, 1), errc::none);
    EXPECT_TRUE(accepts_live_option(options, ZMQ_SUBSCRIBE));
}

TEST(options_test, only_some_reach_what_already_runs)
{
    for (const int option : {ZMQ_SNDHWM, ZMQ_RCVHWM, ZMQ_LINGER, ZMQ_SNDTIMEO, ZMQ_RCVTIMEO, ZMQ_ROUTER_NOTIFY}) {
        EXPECT_TRUE(takes_effect_at_once(option)) << option;
    }
    for (const int option : {ZMQ_TOS, ZMQ_RECONNECT_IVL, ZMQ_ROUTING_ID, ZMQ_CONNECT_ROUTING_ID, ZMQ_MAXMSGSIZE, 999}) {
        EXPECT_FALSE(takes_effect_at_once(option)) << option;
    }
}

TEST(options_test, unknown_options_and_missing_pointers_are_refused)
{
    socket_options options = options_of(ZMQ_DEALER);
    for (const int option : {-1, 0, 1, 2, 3, 10, 999, INT_MAX}) {
        EXPECT_EQ(set_int(options, option, 1), errc::invalid_argument) << option;
        EXPECT_EQ(get_int(options, option), std::nullopt) << option;
    }
    int value = 0;
    std::size_t size = sizeof value;
    EXPECT_EQ(get_option(options, ZMQ_SNDHWM, nullptr, &size), errc::invalid_argument);
    EXPECT_EQ(get_option(options, ZMQ_SNDHWM, &value, nullptr), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_ROUTING_ID, nullptr, 5), errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::socket
