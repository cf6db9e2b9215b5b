// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every stable socket option without security: for which socket types it is there, its size, default, range and errno.
//
// The table below is the contract; the tests walk it for each socket type.

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <climits>
#include <set>

namespace zlink::test {
namespace {

using zlink::test::socket;

const std::vector<int> all_types{ZMQ_PAIR,   ZMQ_PUB,  ZMQ_SUB,  ZMQ_REQ,  ZMQ_REP,  ZMQ_DEALER,
                                 ZMQ_ROUTER, ZMQ_PULL, ZMQ_PUSH, ZMQ_XPUB, ZMQ_XSUB, ZMQ_STREAM};
const std::set<int> publishers{ZMQ_PUB, ZMQ_XPUB};
const std::set<int> requesters{ZMQ_REQ};
const std::set<int> routers{ZMQ_REP, ZMQ_ROUTER};

struct int_option {
    const char* name;
    int option;
    std::optional<int> initial;  ///< none: the option cannot be read
    std::vector<int> accepted;   ///< each reads back as written, where it can be read
    std::vector<int> rejected;   ///< each is EINVAL
    std::set<int> types = {};    ///< socket types that know it for writing; none: all
};

std::ostream& operator<<(std::ostream& out, const int_option& option)
{
    return out << option.name;
}

const std::vector<int> any_non_negative{0, 1, 2, 255, 65536, INT_MAX};
const std::vector<int> minus_one_or_more{-1, 0, 1, 2, 255, 65536, INT_MAX};
const std::vector<int> positive{1, 2, 255, 65536, INT_MAX};
const std::vector<int> negative{-1, -2, INT_MIN};
const std::vector<int> below_minus_one{-2, INT_MIN};

const std::vector<int_option> int_options{
    {"Rate", ZMQ_RATE, 100, positive, {0, -1, INT_MIN}},
    {"RecoveryIvl", ZMQ_RECOVERY_IVL, 10000, any_non_negative, negative},
    {"Sndbuf", ZMQ_SNDBUF, -1, minus_one_or_more, below_minus_one},
    {"Rcvbuf", ZMQ_RCVBUF, -1, minus_one_or_more, below_minus_one},
    {"ReconnectIvl", ZMQ_RECONNECT_IVL, 100, minus_one_or_more, below_minus_one},
    {"ReconnectIvlMax", ZMQ_RECONNECT_IVL_MAX, 0, any_non_negative, negative},
    {"Backlog", ZMQ_BACKLOG, 100, any_non_negative, negative},
    {"Sndhwm", ZMQ_SNDHWM, 1000, any_non_negative, negative},
    {"Rcvhwm", ZMQ_RCVHWM, 1000, any_non_negative, negative},
    {"MulticastHops", ZMQ_MULTICAST_HOPS, 1, positive, {0, -1, INT_MIN}},
    {"MulticastMaxtpdu", ZMQ_MULTICAST_MAXTPDU, 1500, positive, {0, -1, INT_MIN}},
    {"Rcvtimeo", ZMQ_RCVTIMEO, -1, minus_one_or_more, below_minus_one},
    {"Sndtimeo", ZMQ_SNDTIMEO, -1, minus_one_or_more, below_minus_one},
    {"TcpKeepalive", ZMQ_TCP_KEEPALIVE, -1, {-1, 0, 1}, {-2, 2, INT_MAX}},
    {"TcpKeepaliveCnt", ZMQ_TCP_KEEPALIVE_CNT, -1, {-1, 0, 1, INT_MAX}, below_minus_one},
    {"TcpKeepaliveIdle", ZMQ_TCP_KEEPALIVE_IDLE, -1, {-1, 0, 1, INT_MAX}, below_minus_one},
    {"TcpKeepaliveIntvl", ZMQ_TCP_KEEPALIVE_INTVL, -1, {-1, 0, 1, INT_MAX}, below_minus_one},
    {"TcpMaxrt", ZMQ_TCP_MAXRT, 0, any_non_negative, negative},
    {"Immediate", ZMQ_IMMEDIATE, 0, {0, 1}, {-1, 2, INT_MAX}},
    {"Ipv6", ZMQ_IPV6, 0, {0, 1}, {-1, 2, INT_MAX}},
    {"Ipv4only", ZMQ_IPV4ONLY, 1, {0, 1}, {-1, 2, INT_MAX}},
    {"Conflate", ZMQ_CONFLATE, 0, {0, 1}, {-1, 2, INT_MAX}},
    {"Tos", ZMQ_TOS, 0, {0, 1, 0x28, 255}, negative},
    {"HandshakeIvl", ZMQ_HANDSHAKE_IVL, 30000, any_non_negative, negative},
    {"HeartbeatIvl", ZMQ_HEARTBEAT_IVL, 0, any_non_negative, negative},
    {"HeartbeatTtl", ZMQ_HEARTBEAT_TTL, 0, {0, 100, 1000, 6553500}, {6553600, INT_MAX}},
    {"HeartbeatTimeout", ZMQ_HEARTBEAT_TIMEOUT, -1, any_non_negative, negative},
    {"ConnectTimeout", ZMQ_CONNECT_TIMEOUT, 0, any_non_negative, negative},
    {"InvertMatching", ZMQ_INVERT_MATCHING, 0, {0, 1}, {}},
    {"UseFd", ZMQ_USE_FD, -1, {-1, 0, 1, INT_MAX}, below_minus_one},

    {"RouterMandatory", ZMQ_ROUTER_MANDATORY, std::nullopt, {0, 1}, {-1}, routers},
    {"RouterRaw", ZMQ_ROUTER_RAW, std::nullopt, {0, 1}, {-1}, routers},
    {"RouterHandover", ZMQ_ROUTER_HANDOVER, std::nullopt, {0, 1}, {-1}, routers},
    {"ProbeRouter", ZMQ_PROBE_ROUTER, std::nullopt, {0, 1}, {-1}, {ZMQ_REQ, ZMQ_DEALER, ZMQ_REP, ZMQ_ROUTER}},
    {"ReqCorrelate", ZMQ_REQ_CORRELATE, std::nullopt, {0, 1}, {-1}, requesters},
    {"ReqRelaxed", ZMQ_REQ_RELAXED, std::nullopt, {0, 1}, {-1}, requesters},
    {"XpubVerbose", ZMQ_XPUB_VERBOSE, std::nullopt, {0, 1}, {-1}, publishers},
    {"XpubVerboser", ZMQ_XPUB_VERBOSER, std::nullopt, {0, 1}, {-1}, publishers},
    {"XpubNodrop", ZMQ_XPUB_NODROP, std::nullopt, {0, 1}, {-1}, publishers},
    {"XpubManual", ZMQ_XPUB_MANUAL, std::nullopt, {0, 1}, {-1}, publishers},
    {"StreamNotify", ZMQ_STREAM_NOTIFY, std::nullopt, {0, 1}, {-1, 2}, {ZMQ_STREAM}},
};

bool is_known_to(const int_option& option, int type)
{
    return option.types.empty() || option.types.contains(type);
}

/// A socket without the settings that the fixture's wrapper makes.
class plain_socket {
public:
    plain_socket(void* ctx, int type) : handle_(zmq_socket(ctx, type)) { EXPECT_NE(nullptr, handle_); }
    plain_socket(const plain_socket&) = delete;
    plain_socket& operator=(const plain_socket&) = delete;
    ~plain_socket() { EXPECT_EQ(0, zmq_close(handle_)); }
    operator void*() const { return handle_; }

    int set(int option, int value) { return zmq_setsockopt(handle_, option, &value, sizeof value); }

    std::optional<int> get(int option)
    {
        int value = 0;
        std::size_t size = sizeof value;
        if (zmq_getsockopt(handle_, option, &value, &size) != 0) return std::nullopt;
        EXPECT_EQ(sizeof value, size);
        return value;
    }

private:
    void* handle_;
};

class int_option_test : public ::testing::TestWithParam<int_option> {
protected:
    context ctx_;
};

TEST_P(int_option_test, has_its_default_on_every_socket_type)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        EXPECT_EQ(GetParam().initial, s.get(GetParam().option)) << "socket type " << type;
        if (!GetParam().initial) {
            EXPECT_EQ(EINVAL, zmq_errno()) << "write-only";
        }
    }
}

TEST_P(int_option_test, reads_back_what_it_accepts)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        if (!is_known_to(GetParam(), type)) continue;
        for (const int value : GetParam().accepted) {
            EXPECT_EQ(0, s.set(GetParam().option, value)) << "socket type " << type << ", value " << value;
            if (GetParam().initial) {
                EXPECT_EQ(value, s.get(GetParam().option)) << "socket type " << type;
            }
        }
    }
}

TEST_P(int_option_test, rejects_what_is_out_of_range_and_keeps_its_value)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        for (const int value : GetParam().rejected) {
            errno = 0;
            EXPECT_EQ(-1, s.set(GetParam().option, value)) << "socket type " << type << ", value " << value;
            EXPECT_EQ(EINVAL, zmq_errno());
            EXPECT_EQ(GetParam().initial, s.get(GetParam().option)) << "socket type " << type;
        }
    }
}

TEST_P(int_option_test, is_unknown_to_other_socket_types)
{
    for (const int type : all_types) {
        if (is_known_to(GetParam(), type)) continue;
        plain_socket s(ctx_, type);
        errno = 0;
        EXPECT_EQ(-1, s.set(GetParam().option, 1)) << "socket type " << type;
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_P(int_option_test, has_the_size_of_an_int)
{
    const auto& option = GetParam();
    const int type = option.types.empty() ? ZMQ_DEALER : *option.types.begin();
    plain_socket s(ctx_, type);
    const char bytes[16] = {};
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{5}, std::size_t{8}}) {
        errno = 0;
        EXPECT_EQ(-1, zmq_setsockopt(s, option.option, bytes, size)) << size;
        EXPECT_EQ(EINVAL, zmq_errno()) << size;
    }
    EXPECT_EQ(option.initial, s.get(option.option));
}

TEST_P(int_option_test, is_not_read_into_a_buffer_of_another_size)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    char bytes[16];
    std::fill(std::begin(bytes), std::end(bytes), '\x55');
    std::size_t size = 3;
    EXPECT_EQ(-1, zmq_getsockopt(s, GetParam().option, bytes, &size));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_TRUE(std::all_of(std::begin(bytes), std::end(bytes), [](char byte) { return byte == '\x55'; }));
}

INSTANTIATE_TEST_SUITE_P(all, int_option_test, ::testing::ValuesIn(int_options),
                         [](const auto& instance) { return std::string(instance.param.name); });

class options_test : public zmq_test {
protected:
    /// The outcome of zmq_setsockopt: 0 or the errno.
    static int set_bytes(void* s, int option, const void* value, std::size_t size)
    {
        return zmq_setsockopt(s, option, value, size) == 0 ? 0 : zmq_errno();
    }

    static int set_text(void* s, int option, const std::string& value)
    {
        return set_bytes(s, option, value.data(), value.size());
    }
};

TEST_F(options_test, linger_is_for_ever_except_for_subscribers)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        const bool subscriber = type == ZMQ_SUB || type == ZMQ_XSUB;
        EXPECT_EQ(subscriber ? 0 : -1, s.get(ZMQ_LINGER)) << type;
        for (const int value : {-1, 0, 1, INT_MAX}) {
            EXPECT_EQ(0, s.set(ZMQ_LINGER, value));
            EXPECT_EQ(value, s.get(ZMQ_LINGER));
        }
        EXPECT_EQ(-1, s.set(ZMQ_LINGER, -2));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_EQ(INT_MAX, s.get(ZMQ_LINGER));
    }
}

TEST_F(options_test, affinity_is_a_64_bit_mask)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        std::uint64_t value = 7;
        std::size_t size = sizeof value;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_AFFINITY, &value, &size));
        EXPECT_EQ(0U, value);
        EXPECT_EQ(sizeof value, size);
        for (const std::uint64_t mask : {std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
            EXPECT_EQ(0, set_bytes(s, ZMQ_AFFINITY, &mask, sizeof mask));
            EXPECT_EQ(0, zmq_getsockopt(s, ZMQ_AFFINITY, &value, &size));
            EXPECT_EQ(mask, value);
        }
        EXPECT_EQ(EINVAL, set_bytes(s, ZMQ_AFFINITY, &value, 4));
        size = 4;
        EXPECT_EQ(-1, zmq_getsockopt(s, ZMQ_AFFINITY, &value, &size));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_F(options_test, maxmsgsize_is_a_64_bit_number)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        std::int64_t value = 7;
        std::size_t size = sizeof value;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_MAXMSGSIZE, &value, &size));
        EXPECT_EQ(-1, value);
        EXPECT_EQ(sizeof value, size);
        for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40, std::int64_t{-1}}) {
            EXPECT_EQ(0, set_bytes(s, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
            EXPECT_EQ(0, zmq_getsockopt(s, ZMQ_MAXMSGSIZE, &value, &size));
            EXPECT_EQ(limit, value);
        }
        EXPECT_EQ(EINVAL, set_bytes(s, ZMQ_MAXMSGSIZE, &value, 4));
    }
}

TEST_F(options_test, routing_id_holds_one_to_255_bytes)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        char buffer[300];
        std::size_t size = sizeof buffer;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_ROUTING_ID, buffer, &size));
        EXPECT_EQ(0U, size) << "not set";
        for (const std::string& id : {std::string("x"), std::string("a\0b", 3), std::string(255, 'i')}) {
            EXPECT_EQ(0, set_text(s, ZMQ_ROUTING_ID, id));
            size = sizeof buffer;
            ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_ROUTING_ID, buffer, &size));
            EXPECT_EQ(id, std::string(buffer, size)) << "no terminator is added";
        }
        EXPECT_EQ(EINVAL, set_text(s, ZMQ_ROUTING_ID, ""));
        EXPECT_EQ(EINVAL, set_text(s, ZMQ_ROUTING_ID, std::string(256, 'i')));
        size = 254;
        EXPECT_EQ(-1, zmq_getsockopt(s, ZMQ_ROUTING_ID, buffer, &size)) << "too short a buffer";
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_F(options_test, connect_routing_id_is_for_routers)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        const bool known = routers.contains(type) || type == ZMQ_STREAM;
        EXPECT_EQ(known ? 0 : EINVAL, set_text(s, ZMQ_CONNECT_ROUTING_ID, "peer")) << type;
        EXPECT_EQ(EINVAL, set_text(s, ZMQ_CONNECT_ROUTING_ID, "")) << type;
        EXPECT_EQ(std::nullopt, s.get(ZMQ_CONNECT_ROUTING_ID));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_F(options_test, subscriptions_are_for_sub_and_manual_xpub)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        const int expected = type == ZMQ_SUB ? 0 : EINVAL;
        EXPECT_EQ(expected, set_text(s, ZMQ_SUBSCRIBE, "topic")) << type;
        EXPECT_EQ(expected, set_text(s, ZMQ_UNSUBSCRIBE, "topic")) << type;
        EXPECT_EQ(expected, set_text(s, ZMQ_SUBSCRIBE, "")) << type;
        EXPECT_EQ(expected, set_bytes(s, ZMQ_SUBSCRIBE, nullptr, 0)) << type;
        EXPECT_EQ(std::nullopt, s.get(ZMQ_SUBSCRIBE));
        EXPECT_EQ(std::nullopt, s.get(ZMQ_UNSUBSCRIBE));
    }
    plain_socket manual(ctx_, ZMQ_XPUB);
    EXPECT_EQ(0, manual.set(ZMQ_XPUB_MANUAL, 1));
    EXPECT_EQ(0, set_text(manual, ZMQ_SUBSCRIBE, "topic"));
    EXPECT_EQ(0, set_text(manual, ZMQ_UNSUBSCRIBE, "topic"));
}

TEST_F(options_test, cancelling_what_was_never_subscribed_is_no_error)
{
    plain_socket s(ctx_, ZMQ_SUB);
    EXPECT_EQ(0, set_text(s, ZMQ_UNSUBSCRIBE, "never"));
}

TEST_F(options_test, welcome_message_is_for_publishers)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        EXPECT_EQ(publishers.contains(type) ? 0 : EINVAL, set_text(s, ZMQ_XPUB_WELCOME_MSG, "hello")) << type;
        EXPECT_EQ(publishers.contains(type) ? 0 : EINVAL, set_bytes(s, ZMQ_XPUB_WELCOME_MSG, nullptr, 0)) << type;
        EXPECT_EQ(std::nullopt, s.get(ZMQ_XPUB_WELCOME_MSG));
    }
}

TEST_F(options_test, bindtodevice_is_a_string)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    char buffer[32];
    std::size_t size = sizeof buffer;
    ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_BINDTODEVICE, buffer, &size));
    EXPECT_EQ(1U, size) << "the terminator alone";
    ASSERT_EQ(0, set_text(s, ZMQ_BINDTODEVICE, "lo"));
    size = sizeof buffer;
    ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_BINDTODEVICE, buffer, &size));
    EXPECT_EQ(3U, size);
    EXPECT_STREQ("lo", buffer);
    size = 2;
    EXPECT_EQ(-1, zmq_getsockopt(s, ZMQ_BINDTODEVICE, buffer, &size)) << "no room for the terminator";
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(0, set_bytes(s, ZMQ_BINDTODEVICE, nullptr, 0));
    size = sizeof buffer;
    ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_BINDTODEVICE, buffer, &size));
    EXPECT_EQ(1U, size);
}

// Of interfaces and filters every octet counts as given, and a filter ends where a C string does.
TEST_F(options_test, bind_to_device_keeps_every_octet)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    for (const std::string& name : {std::string("lo\0", 3), std::string("\0", 1), std::string("a\0b", 3)}) {
        ASSERT_EQ(0, set_bytes(s, ZMQ_BINDTODEVICE, name.data(), name.size()));
        char buffer[32];
        std::size_t size = sizeof buffer;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_BINDTODEVICE, buffer, &size));
        ASSERT_EQ(name.size() + 1, size) << "one terminator more";
        EXPECT_EQ(name + '\0', std::string(buffer, size));
    }
}

TEST_F(options_test, tcp_accept_filter_takes_short_addresses_and_numbers)
{
    plain_socket s(ctx_, ZMQ_PULL);
    const auto set = [&](std::string_view filter) {
        return set_bytes(s, ZMQ_TCP_ACCEPT_FILTER, filter.data(), filter.size());
    };
    using namespace std::string_view_literals;
    for (const auto filter : {"10.1"sv, "1\0\0\0"sv, "1234"sv, "0"sv, "10.0.0.0/8 and more"sv, "10.0.0.0/08"sv,
                              "10.0.0.0/8\0junk"sv, "10.0.0.1\0junk"sv, "10.0.0.0/0"sv})
        EXPECT_EQ(0, set(filter)) << filter;
    for (const auto filter :
         {"\1\0\0\0"sv, "127."sv, " 10.0.0.1"sv, "10.0.0.1 "sv, "10.0.0.1/"sv, "10.0.0.1/-1"sv, "10.0.0.1/00"sv})
        EXPECT_EQ(EINVAL, set(filter)) << filter;
}

TEST_F(options_test, tcp_accept_filter_of_a_short_address_means_that_address)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZMQ_TCP_ACCEPT_FILTER, "127.1");
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    push.send("x");
    EXPECT_EQ("x", pull.recv());
    socket picky = ctx_.open(ZMQ_PULL);
    picky.set(ZMQ_TCP_ACCEPT_FILTER, "127.2");
    raw_peer peer = raw_peer::connect_to(picky.bind("tcp://127.0.0.1:*"));
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_F(options_test, tcp_accept_filter_takes_networks)
{
    plain_socket s(ctx_, ZMQ_PULL);
    EXPECT_EQ(0, set_text(s, ZMQ_TCP_ACCEPT_FILTER, "127.0.0.1"));
    EXPECT_EQ(0, set_text(s, ZMQ_TCP_ACCEPT_FILTER, "10.0.0.0/8"));
    EXPECT_EQ(0, set_bytes(s, ZMQ_TCP_ACCEPT_FILTER, nullptr, 0)) << "clears the list";
    EXPECT_EQ(EINVAL, set_text(s, ZMQ_TCP_ACCEPT_FILTER, "nonsense/x"));
    EXPECT_EQ(EINVAL, set_text(s, ZMQ_TCP_ACCEPT_FILTER, "127.0.0.1/33"));
    EXPECT_EQ(EINVAL, set_text(s, ZMQ_TCP_ACCEPT_FILTER, ""));
    EXPECT_EQ(std::nullopt, s.get(ZMQ_TCP_ACCEPT_FILTER));
}

TEST_F(options_test, tcp_accept_filter_turns_others_away)
{
    socket picky = ctx_.open(ZMQ_PULL);
    picky.set(ZMQ_TCP_ACCEPT_FILTER, "10.11.12.13/32");
    const std::string endpoint = picky.bind("tcp://127.0.0.1:*");
    raw_peer peer = raw_peer::connect_to(endpoint);
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_F(options_test, heartbeat_ttl_is_counted_in_tenths_of_a_second)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    EXPECT_EQ(0, s.set(ZMQ_HEARTBEAT_TTL, 255));
    EXPECT_EQ(200, s.get(ZMQ_HEARTBEAT_TTL));
    EXPECT_EQ(0, s.set(ZMQ_HEARTBEAT_TTL, 99));
    EXPECT_EQ(0, s.get(ZMQ_HEARTBEAT_TTL));
    EXPECT_EQ(0, s.set(ZMQ_HEARTBEAT_TTL, 6553599));
    EXPECT_EQ(6553500, s.get(ZMQ_HEARTBEAT_TTL));
}

TEST_F(options_test, ipv6_and_ipv4only_are_opposites)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    EXPECT_EQ(0, s.set(ZMQ_IPV6, 1));
    EXPECT_EQ(0, s.get(ZMQ_IPV4ONLY));
    EXPECT_EQ(0, s.set(ZMQ_IPV4ONLY, 1));
    EXPECT_EQ(0, s.get(ZMQ_IPV6));
}

struct read_only_case {
    const char* name;
    int option;
};

std::ostream& operator<<(std::ostream& out, const read_only_case& instance)
{
    return out << instance.name;
}

class read_only_option_test : public ::testing::TestWithParam<read_only_case> {};

TEST_P(read_only_option_test, cannot_be_written)
{
    context ctx;
    for (const int type : all_types) {
        plain_socket s(ctx, type);
        errno = 0;
        EXPECT_EQ(-1, s.set(GetParam().option, 1)) << type;
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

INSTANTIATE_TEST_SUITE_P(all, read_only_option_test,
                         ::testing::Values(read_only_case{"Type", ZMQ_TYPE}, read_only_case{"Rcvmore", ZMQ_RCVMORE},
                                           read_only_case{"Fd", ZMQ_FD}, read_only_case{"Events", ZMQ_EVENTS},
                                           read_only_case{"LastEndpoint", ZMQ_LAST_ENDPOINT},
                                           read_only_case{"Mechanism", ZMQ_MECHANISM},
                                           read_only_case{"ThreadSafe", ZMQ_THREAD_SAFE}),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(options_test, read_only_ones_of_a_new_socket)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        EXPECT_EQ(type, s.get(ZMQ_TYPE));
        EXPECT_EQ(0, s.get(ZMQ_RCVMORE));
        EXPECT_EQ(ZMQ_NULL, s.get(ZMQ_MECHANISM));
        EXPECT_EQ(0, s.get(ZMQ_THREAD_SAFE));
        EXPECT_LE(0, s.get(ZMQ_FD).value_or(-1));
        char endpoint[64];
        std::size_t size = sizeof endpoint;
        ASSERT_EQ(0, zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, endpoint, &size));
        EXPECT_EQ(1U, size) << "an empty string";
    }
}

TEST_F(options_test, events_of_a_new_socket_depend_on_its_pattern)
{
    // Those that may drop what they are given can always be written to.
    const std::set<int> writable{ZMQ_PUB, ZMQ_XPUB, ZMQ_XSUB, ZMQ_ROUTER, ZMQ_STREAM};
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        EXPECT_EQ(writable.contains(type) ? ZMQ_POLLOUT : 0, s.get(ZMQ_EVENTS)) << type;
    }
}

TEST_F(options_test, state_options_are_read_into_larger_buffers_too)
{
    plain_socket s(ctx_, ZMQ_DEALER);
    for (const int option : {ZMQ_RCVMORE, ZMQ_FD, ZMQ_EVENTS, ZMQ_THREAD_SAFE}) {
        char buffer[64] = {};
        std::size_t size = sizeof buffer;
        EXPECT_EQ(0, zmq_getsockopt(s, option, buffer, &size)) << option;
        EXPECT_EQ(sizeof(int), size) << option;
        size = sizeof(int) - 1;
        EXPECT_EQ(-1, zmq_getsockopt(s, option, buffer, &size)) << option;
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_F(options_test, last_endpoint_tells_the_whole_endpoint_or_nothing)
{
    socket s = ctx_.open(ZMQ_PULL);
    const std::string endpoint = s.bind("tcp://127.0.0.1:*");
    ASSERT_EQ(0U, endpoint.find("tcp://127.0.0.1:"));
    char buffer[64];
    std::size_t size = endpoint.size() + 1;
    EXPECT_EQ(0, zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, buffer, &size));
    EXPECT_EQ(endpoint.size() + 1, size);
    EXPECT_STREQ(endpoint.c_str(), buffer);
    size = endpoint.size();
    EXPECT_EQ(-1, zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, buffer, &size));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(options_test, last_endpoint_follows_bind_and_connect)
{
    socket s = ctx_.open(ZMQ_DEALER);
    const std::string first = s.bind("tcp://127.0.0.1:*");
    const std::string second = s.bind("tcp://127.0.0.1:*");
    EXPECT_NE(first, second);
    socket client = ctx_.open(ZMQ_DEALER);
    client.connect(first);
    EXPECT_EQ(first, client.last_endpoint());
    const std::string inproc = unique_inproc();
    EXPECT_EQ(inproc, s.bind(inproc));
}

TEST_F(options_test, unknown_ones_are_invalid)
{
    for (const int type : all_types) {
        plain_socket s(ctx_, type);
        for (const int option : {-1, 0, 1, 9999}) {
            EXPECT_EQ(-1, s.set(option, 1)) << option;
            EXPECT_EQ(EINVAL, zmq_errno());
            EXPECT_EQ(std::nullopt, s.get(option)) << option;
            EXPECT_EQ(EINVAL, zmq_errno());
        }
    }
}

TEST_F(options_test, high_water_marks_reach_live_pipes)
{
    socket sender = ctx_.open(ZMQ_PUSH);
    socket receiver = ctx_.open(ZMQ_PULL);
    sender.set(ZMQ_SNDHWM, 2);
    receiver.set(ZMQ_RCVHWM, 2);
    const std::string endpoint = unique_inproc();
    receiver.bind(endpoint);
    sender.connect(endpoint);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(0, sender.try_send("x"));
    sender.set(ZMQ_SNDHWM, 8);
    int more = 0;
    while (more < 100 && sender.try_send("x") == 0) ++more;
    EXPECT_EQ(8, more) << "inproc adds both sides' marks: 8 and 2, of which 2 were used";
}

}  // namespace
}  // namespace zlink::test
