// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The C++ API without Asio: messages, options, groups, sockets, pollers, monitors, statistics, and how they fail.
#include <zlink/zlink.hpp>

#include <gtest/gtest.h>

#include <zmq.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace zlink::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

constexpr auto patience = 10s;

/// Two sockets of one group that are connected, over tcp or inproc.
struct couple {
    explicit couple(socket_type one, socket_type other, const char* endpoint = "tcp://127.0.0.1:*")
        : bound(group, one),
          connected(group, other)
    {
        for (socket* s : {&bound, &connected}) {
            s->set(opt::rcvtimeo(patience));
            s->set(opt::sndtimeo(patience));
            s->set(opt::linger(0ms));
        }
        bound.bind(endpoint);
        connected.connect(bound.get<opt::last_endpoint>());
    }
    io_group group;
    socket bound;
    socket connected;
};

// --- messages

TEST(cpp_message_test, has_the_octets_that_it_was_made_of)
{
    EXPECT_TRUE(message().empty());
    EXPECT_EQ("hello", message("hello").view());
    EXPECT_EQ("he\0lo"s, message("he\0lo"s).view());
    const std::array<std::byte, 3> octets{std::byte{1}, std::byte{2}, std::byte{3}};
    const message of_span{std::span<const std::byte>(octets)};
    EXPECT_EQ(3u, of_span.bytes().size());
    EXPECT_EQ(std::byte{3}, of_span.bytes()[2]);
    message sized(std::size_t(1000));
    EXPECT_EQ(1000u, sized.size());
    std::memset(sized.data(), 'x', sized.size());
    EXPECT_EQ(std::string(1000, 'x'), sized.view());
}

TEST(cpp_message_test, is_moved_or_copied_by_request)
{
    static_assert(!std::is_copy_constructible_v<message> && !std::is_copy_assignable_v<message>);
    static_assert(std::is_nothrow_move_constructible_v<message> && std::is_nothrow_move_assignable_v<message>);
    for (const std::size_t size : {5u, 100u, 100000u}) {
        const std::string text(size, 'y');
        message first(text);
        message second = first.copy();
        EXPECT_EQ(text, first.view());
        EXPECT_EQ(text, second.view());
        message third = std::move(first);
        EXPECT_EQ(text, third.view());
        second = std::move(third);
        EXPECT_EQ(text, second.view());
        message& same = second;
        second = std::move(same);
        EXPECT_EQ(text, second.view());
        second.reset();
        EXPECT_TRUE(second.empty());
    }
}

TEST(cpp_message_test, takes_over_memory_and_lets_it_go_once)
{
    static int freed = 0;
    static char memory[1000] = "adopted";
    freed = 0;
    {
        message m =
            message::adopt(memory, sizeof memory, [](void*, void* hint) { ++*static_cast<int*>(hint); }, &freed);
        EXPECT_EQ(memory, m.data());
        message other = m.copy();
        m.reset();
        EXPECT_EQ(0, freed);
    }
    EXPECT_EQ(1, freed);
    EXPECT_EQ(std::string(500, 'z'), message::adopt(std::string(500, 'z')).view());
    EXPECT_EQ("short", message::adopt("short"s).view());
}

TEST(cpp_message_test, the_name_of_a_group_is_of_255_octets_at_most)
{
    message m("x");
    m.set_group("news");
    EXPECT_EQ("news", m.group());
    EXPECT_THROW(m.set_group(std::string(256, 'g')), std::system_error);
    EXPECT_EQ("news", m.group());
}

// --- errors

TEST(cpp_error_test, codes_are_those_of_errno_and_of_libzmq)
{
    EXPECT_EQ(make_error_code(errc::again), std::errc::resource_unavailable_try_again);
    EXPECT_EQ(make_error_code(errc::invalid_argument), std::errc::invalid_argument);
    EXPECT_EQ(ETERM, make_error_code(errc::terminated).value());
    EXPECT_EQ(EFSM, make_error_code(errc::wrong_state).value());
    EXPECT_EQ(ENOCOMPATPROTO, make_error_code(errc::incompatible_protocol).value());
    EXPECT_EQ(EMTHREAD, make_error_code(errc::no_thread).value());
    const std::error_code ec = errc::terminated;
    EXPECT_EQ(ec, errc::terminated);
    EXPECT_NE(ec, errc::again);
    EXPECT_NE(std::string::npos, ec.message().find("terminated"));
    EXPECT_STREQ("zlink", ec.category().name());
}

TEST(cpp_error_test, what_is_thrown_tells_cause_and_cure)
{
    io_group group;
    socket s(group, socket_type::pair);
    std::error_code ec;
    s.bind("tcp://127.0.0.1:x", ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_NE(nullptr, std::strstr(last_error(), "is not a port"));
    try {
        s.connect("nowhere");
        FAIL() << "connected";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), errc::invalid_argument);
        EXPECT_NE(nullptr, std::strstr(e.what(), "'nowhere'"));
    }
    // What follows has its own words, not those of the older failure.
    message m;
    EXPECT_FALSE(s.try_receive(m));
    s.set(opt::rcvtimeo(0ms));
    s.receive(m, ec);
    EXPECT_EQ(ec, errc::again);
    EXPECT_EQ(nullptr, std::strstr(last_error(), "nowhere")) << last_error();
}

TEST(cpp_error_test, a_socket_that_was_moved_from_or_closed_is_no_socket)
{
    io_group group;
    socket first(group, socket_type::pair);
    socket s = std::move(first);
    EXPECT_FALSE(first.is_open());
    std::error_code ec;
    first.bind("inproc://a", ec);
    EXPECT_EQ(ec, errc::not_a_socket);
    message m("x");
    EXPECT_FALSE(first.try_send(m, send_flags::none, ec));
    EXPECT_EQ(ec, errc::not_a_socket);
    EXPECT_EQ("x", m.view());
    s.close();
    s.close();
    EXPECT_THROW(s.receive(m), std::system_error);
    EXPECT_THROW((void)s.get<opt::sndhwm>(), std::system_error);
    EXPECT_THROW((void)s.statistics(), std::system_error);
    EXPECT_EQ(proxy(s, first), errc::not_a_socket);
}

TEST(cpp_error_test, a_group_that_was_moved_from_makes_no_sockets)
{
    io_group first;
    const io_group group = std::move(first);
    std::error_code ec;
    const socket s(first, socket_type::pair, ec);
    EXPECT_TRUE(ec);
    EXPECT_THROW(socket(first, socket_type::pair), std::system_error);
    EXPECT_THROW(io_group(-1), std::system_error);
    EXPECT_THROW((void)io_group::from(nullptr), std::system_error);
    EXPECT_THROW(socket(group, socket_type(99)), std::system_error);
}

// --- options

template <class Option, class Value>
concept takes = requires(Value v) { Option(v); };
template <class Option>
concept settable = requires(socket s, Option o) { s.set(o); };
template <class Option>
concept gettable = requires(socket s) { s.get<Option>(); };

TEST(cpp_option_test, wrong_types_and_directions_do_not_compile)
{
    static_assert(takes<opt::sndhwm, int> && takes<opt::sndhwm, short>);
    static_assert(!takes<opt::sndhwm, double> && !takes<opt::sndhwm, bool> && !takes<opt::sndhwm, char>);
    static_assert(!takes<opt::sndhwm, long long> && !takes<opt::sndhwm, unsigned>);
    static_assert(takes<opt::maxmsgsize, int> && takes<opt::maxmsgsize, long> && !takes<opt::maxmsgsize, float>);
    static_assert(takes<opt::affinity, unsigned> && !takes<opt::affinity, int>);
    static_assert(takes<opt::linger, std::chrono::seconds> && !takes<opt::linger, int>);
    static_assert(!takes<opt::linger, std::chrono::microseconds>);
    static_assert(takes<opt::ipv6, bool> && !takes<opt::ipv6, int>);
    static_assert(takes<opt::subscribe, const char*> && !takes<opt::subscribe, int>);
    static_assert(settable<opt::linger> && gettable<opt::linger>);
    static_assert(settable<opt::subscribe> && !gettable<opt::subscribe>);
    static_assert(!settable<opt::last_endpoint> && gettable<opt::last_endpoint>);
}

TEST(cpp_option_test, values_come_back)
{
    io_group group;
    socket s(group, socket_type::dealer);
    s.set(opt::linger(1s));
    EXPECT_EQ(1s, s.get<opt::linger>());
    s.set(opt::linger(opt::infinite));
    EXPECT_EQ(opt::infinite, s.get<opt::linger>());
    s.set(opt::rcvhwm(17));
    EXPECT_EQ(17, s.get<opt::rcvhwm>());
    s.set(opt::maxmsgsize(1 << 20));
    EXPECT_EQ(1 << 20, s.get<opt::maxmsgsize>());
    s.set(opt::affinity(1u));
    EXPECT_EQ(1u, s.get<opt::affinity>());
    s.set(opt::ipv6(true));
    EXPECT_TRUE(s.get<opt::ipv6>());
    s.set(opt::routing_id("a\0b"s));
    EXPECT_EQ("a\0b"s, s.get<opt::routing_id>());
    s.set(opt::name("orders"));
    EXPECT_EQ("orders", s.get<opt::name>());
    EXPECT_EQ("", s.get<opt::last_endpoint>());
    s.bind("inproc://values");
    EXPECT_EQ("inproc://values", s.get<opt::last_endpoint>());
    EXPECT_EQ(int(socket_type::dealer), s.get<opt::type>());
}

template <class... Options>
void read_all(socket& s)
{
    ((void)s.get<Options>(), ...);
}

TEST(cpp_option_test, all_that_any_socket_has_can_be_read)
{
    io_group group;
    socket s(group, socket_type::dealer);
    EXPECT_NO_THROW(
        (read_all<opt::affinity, opt::backlog, opt::bindtodevice, opt::conflate, opt::connect_timeout,
                  opt::handshake_ivl, opt::heartbeat_ivl, opt::heartbeat_timeout, opt::heartbeat_ttl, opt::immediate,
                  opt::invert_matching, opt::ipc_mode, opt::ipv6, opt::last_endpoint, opt::linger, opt::maxmsgsize,
                  opt::mechanism, opt::multicast_hops, opt::name, opt::oldest_zmtp, opt::on_full, opt::on_full_receive,
                  opt::plain_password, opt::plain_server, opt::plain_username, opt::priority, opt::rcvbuf, opt::rcvhwm,
                  opt::rcvhwm_bytes, opt::rcvmore, opt::rcvtimeo, opt::reconnect_ivl, opt::reconnect_ivl_max,
                  opt::reconnect_stop, opt::routing_id, opt::shared, opt::shm_borrow, opt::sndbuf, opt::sndhwm,
                  opt::sndhwm_bytes, opt::sndtimeo, opt::socks_password, opt::socks_proxy, opt::socks_username,
                  opt::tcp_keepalive, opt::tcp_keepalive_cnt, opt::tcp_keepalive_idle, opt::tcp_keepalive_intvl,
                  opt::tcp_maxrt, opt::tos, opt::type, opt::use_fd, opt::zap_domain, opt::zap_enforce_domain>(s)));
}

TEST(cpp_option_test, values_out_of_range_are_told)
{
    io_group group;
    socket s(group, socket_type::dealer);
    std::error_code ec;
    s.set(opt::linger(std::chrono::hours(24 * 365 * 100)), ec);
    EXPECT_EQ(ec, errc::invalid_argument);
    s.set(opt::subscribe("x"), ec);
    EXPECT_EQ(ec, errc::invalid_argument) << "of a DEALER";
    EXPECT_NE(nullptr, std::strstr(last_error(), "option 6"));
}

// --- sockets

TEST(cpp_socket_test, requests_and_replies_travel)
{
    couple c(socket_type::rep, socket_type::req);
    for (const std::size_t size : {0u, 10u, 1000u, 1000000u}) {
        const std::string text(size, 'q');
        c.connected.send(message(text));
        const message request = c.bound.receive();
        EXPECT_EQ(text, request.view());
        EXPECT_FALSE(request.more());
        EXPECT_NE(nullptr, request.property("Peer-Address"));
        EXPECT_EQ(nullptr, request.property("no such one"));
        c.bound.send(message("answer"));
        EXPECT_EQ("answer", c.connected.receive().view());
    }
    std::error_code ec;
    c.bound.send(message("out of turn"), send_flags::none, ec);
    EXPECT_EQ(ec, errc::wrong_state);
}

TEST(cpp_socket_test, several_parts_go_and_come_as_one)
{
    couple c(socket_type::pair, socket_type::pair, "inproc://parts");
    c.connected.send(multipart{"one", "", "three"});
    multipart got;
    c.bound.receive(got);
    ASSERT_EQ(3u, got.size());
    EXPECT_EQ("one", got[0].view());
    EXPECT_EQ("three", got.back().view());
    // More parts than there is usually room for.
    multipart many;
    for (int i = 0; i < 100; ++i) many.push_back(std::to_string(i));
    c.connected.send(std::move(many));
    EXPECT_TRUE(many.empty());
    c.bound.receive(got);
    ASSERT_EQ(100u, got.size());
    EXPECT_EQ("99", got[99].view());
    // Part by part.
    c.connected.send(message("a"), send_flags::more);
    c.connected.send(message("b"));
    EXPECT_TRUE(c.bound.receive().more());
    EXPECT_EQ("b", c.bound.receive().view());
    EXPECT_THROW(c.bound.send(multipart()), std::system_error);
}

TEST(cpp_socket_test, calls_that_try_do_not_wait)
{
    io_group group;
    socket s(group, socket_type::push), r(group, socket_type::pull);
    message m("stays");
    multipart parts{"stays", "too"};
    EXPECT_FALSE(s.try_send(m)) << "no peer";
    EXPECT_FALSE(s.try_send(parts));
    EXPECT_EQ("stays", m.view());
    EXPECT_EQ(2u, parts.size());
    EXPECT_FALSE(r.try_receive(m));
    EXPECT_TRUE(m.empty());
    EXPECT_FALSE(r.try_receive(parts));
    EXPECT_TRUE(parts.empty());
    r.bind("inproc://try");
    s.connect("inproc://try");
    m = message("goes");
    EXPECT_TRUE(s.try_send(m));
    EXPECT_TRUE(m.empty());
    EXPECT_TRUE(r.try_receive(m));
    EXPECT_EQ("goes", m.view());
    std::error_code ec;
    EXPECT_FALSE(r.try_send(m, send_flags::none, ec));
    EXPECT_EQ(ec, errc::not_supported);
    EXPECT_EQ("goes", m.view());
}

TEST(cpp_socket_test, many_messages_go_and_come_in_one_call)
{
    couple c(socket_type::pull, socket_type::push, "inproc://many");
    std::vector<message> out;
    for (int i = 0; i < 10; ++i) out.emplace_back(std::to_string(i));
    EXPECT_EQ(10u, c.connected.send_some(out));
    EXPECT_TRUE(out[9].empty());
    std::vector<message> in(6);
    EXPECT_EQ(6u, c.bound.receive_some(in));
    EXPECT_EQ("5", in[5].view());
    EXPECT_EQ(4u, c.bound.receive_some(in));
    EXPECT_EQ("9", in[3].view());
}

TEST(cpp_socket_test, threads_may_share_one)
{
    io_group group;
    socket in(group, socket_type::pull), out(group, socket_type::push);
    in.bind("inproc://shared");
    out.set(opt::shared(true));
    out.connect("inproc://shared");
    in.set(opt::rcvtimeo(patience));
    {
        const std::jthread one([&] { out.send(message("x")); });
        const std::jthread two([&] { out.send(multipart{"x", "y"}); });
    }
    multipart m;
    for (int i = 0; i < 2; ++i) {
        in.receive(m);
        EXPECT_EQ("x", m[0].view());
    }
    message part("x");
    EXPECT_THROW((void)out.try_send(part, send_flags::more), std::system_error);
}

TEST(cpp_socket_test, waits_for_peers_subscribers_and_an_empty_queue)
{
    couple c(socket_type::pub, socket_type::sub);
    EXPECT_FALSE(c.bound.wait_subscribers(1, 0ms));
    c.connected.set(opt::subscribe("a"));
    EXPECT_TRUE(c.bound.wait_subscribers(1, patience));
    EXPECT_TRUE(c.connected.wait_peers(1, patience));
    c.bound.send(message("a1"));
    EXPECT_TRUE(c.bound.wait_drained(patience));
    EXPECT_EQ("a1", c.connected.receive().view());
    EXPECT_THROW((void)c.connected.wait_subscribers(1, 0ms), std::system_error);
}

TEST(cpp_socket_test, thread_safe_types_work)
{
    io_group group;
    socket server(group, socket_type::server), client(group, socket_type::client);
    server.set(opt::rcvtimeo(patience));
    client.set(opt::rcvtimeo(patience));
    server.bind("inproc://server");
    client.connect("inproc://server");
    client.send(message("question"));
    message m = server.receive();
    EXPECT_NE(0u, m.routing_id());
    message reply("answer");
    reply.set_routing_id(m.routing_id());
    server.send(std::move(reply));
    EXPECT_EQ("answer", client.receive().view());

    socket radio(group, socket_type::radio), dish(group, socket_type::dish);
    dish.set(opt::rcvtimeo(patience));
    radio.bind("inproc://radio");
    dish.connect("inproc://radio");
    dish.join("news");
    EXPECT_TRUE(radio.wait_subscribers(1, patience));
    message news("today");
    news.set_group("news");
    radio.send(std::move(news));
    m = dish.receive();
    EXPECT_EQ("today", m.view());
    EXPECT_EQ("news", m.group());
    dish.leave("news");
    EXPECT_THROW(dish.leave("news"), std::system_error);
}

// --- groups

TEST(cpp_group_test, sockets_may_outlive_it)
{
    socket* kept = nullptr;
    {
        io_group group;
        kept = new socket(group, socket_type::pair);
        kept->bind("inproc://outlives");
    }
    socket second = [&] {
        io_group none(0);
        return socket(none, socket_type::pair);
    }();
    second.bind("inproc://outlives");
    kept->connect("inproc://other");
    delete kept;
}

TEST(cpp_group_test, is_the_context_of_the_c_api)
{
    void* const context = zmq_ctx_new();
    {
        io_group group = io_group::from(context);
        EXPECT_EQ(context, group.native_handle());
        socket s(group, socket_type::pair);
        s.bind("inproc://both");
        void* const c = zmq_socket(context, ZMQ_PAIR);
        EXPECT_EQ(0, zmq_connect(c, "inproc://both"));
        EXPECT_EQ(5, zmq_send(c, "hello", 5, 0));
        EXPECT_EQ("hello", s.receive().view());
        EXPECT_EQ(2, zmq_send(s.native_handle(), "ok", 2, 0));
        char got[2];
        EXPECT_EQ(2, zmq_recv(c, got, 2, 0));
        zmq_close(c);
        s.close();
        EXPECT_TRUE(group.close(0ms)) << "lets go of it";
    }
    void* const still = zmq_socket(context, ZMQ_PAIR);
    EXPECT_NE(nullptr, still);
    zmq_close(still);
    EXPECT_EQ(0, zmq_ctx_term(context));
}

TEST(cpp_group_test, close_waits_for_a_limited_time)
{
    io_group group;
    {
        socket s(group, socket_type::pair);
        EXPECT_FALSE(group.close(0ms));
        EXPECT_NE(nullptr, std::strstr(last_error(), "1 socket open"));
        message m;
        std::error_code ec;
        s.receive(m, ec);
        EXPECT_EQ(ec, errc::terminated);
        EXPECT_EQ(ec, std::errc::operation_canceled);
    }
    EXPECT_TRUE(group.close(patience));
    EXPECT_EQ(nullptr, group.native_handle());
    EXPECT_TRUE(group.close(0ms)) << "again";
}

TEST(cpp_group_test, shutdown_wakes_a_thread_that_waits)
{
    io_group group;
    socket s(group, socket_type::pair);
    std::error_code ec;
    {
        std::jthread waits([&] {
            message m;
            s.receive(m, ec);
        });
        group.shutdown();
    }
    EXPECT_EQ(ec, errc::terminated);
}

TEST(cpp_group_test, a_child_of_fork_lets_go_of_it_at_once)
{
    io_group group;
    socket s(group, socket_type::pair);
    s.bind("tcp://127.0.0.1:*");
    const pid_t child = ::fork();
    if (child == 0) {
        {
            const socket mine = std::move(s);
            const io_group my_group = std::move(group);
        }
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    message m;
    EXPECT_FALSE(s.try_receive(m)) << "the parent's goes on";
}

// --- pollers, proxies, monitors, statistics

TEST(cpp_poller_test, tells_what_is_ready)
{
    couple c(socket_type::pull, socket_type::push, "inproc://polled");
    poller p;
    int mark = 0;
    p.add(c.bound, poll_events::in, &mark);
    std::array<poller::ready, 4> ready;
    EXPECT_EQ(0u, p.wait(ready, 0ms));
    c.connected.send(message("x"));
    ASSERT_EQ(1u, p.wait(ready, patience));
    EXPECT_EQ(c.bound.native_handle(), ready[0].native_handle);
    EXPECT_EQ(&mark, ready[0].data);
    EXPECT_EQ(poll_events::in, ready[0].events);
    int fds[2];
    ASSERT_EQ(0, ::pipe(fds));
    p.add_descriptor(fds[0], poll_events::in);
    p.modify(c.bound, poll_events::none);
    EXPECT_EQ(0u, p.wait(ready, 0ms));
    EXPECT_EQ(1, ::write(fds[1], "x", 1));
    ASSERT_EQ(1u, p.wait(ready, patience));
    EXPECT_EQ(fds[0], ready[0].descriptor);
    p.remove_descriptor(fds[0]);
    p.remove(c.bound);
    EXPECT_THROW(p.remove(c.bound), std::system_error);
    ::close(fds[0]);
    ::close(fds[1]);
    poller other = std::move(p);
    EXPECT_THROW(p.add(c.bound, poll_events::in), std::system_error);
}

TEST(cpp_proxy_test, passes_messages_until_it_is_told_to_end)
{
    io_group group;
    socket front(group, socket_type::pull), back(group, socket_type::push), in(group, socket_type::push),
        out(group, socket_type::pull), control(group, socket_type::pair), ends(group, socket_type::pair);
    front.bind("inproc://front");
    back.bind("inproc://back");
    control.bind("inproc://control");
    in.connect("inproc://front");
    out.connect("inproc://back");
    ends.connect("inproc://control");
    std::error_code ec;
    {
        const std::jthread runs([&] { ec = proxy(front, back, nullptr, &control); });
        in.send(message("through"));
        out.set(opt::rcvtimeo(patience));
        EXPECT_EQ("through", out.receive().view());
        ends.send(message("TERMINATE"));
    }
    EXPECT_FALSE(ec) << ec.message();
    front.close();
    EXPECT_EQ(proxy(front, back), errc::not_a_socket);
}

TEST(cpp_monitor_test, tells_of_a_peer_that_comes_and_goes)
{
    io_group group;
    socket bound(group, socket_type::dealer);
    monitor events(bound, event_kind::handshake_succeeded | event_kind::disconnected);
    bound.bind("tcp://127.0.0.1:*");
    {
        socket peer(group, socket_type::dealer);
        peer.set(opt::routing_id("peer"));
        peer.connect(bound.get<opt::last_endpoint>());
        event e;
        events.receive(e);
        EXPECT_EQ(event_kind::handshake_succeeded, e.kind);
        EXPECT_EQ("peer", e.routing_id);
        EXPECT_EQ("tcp://127.0.0.1:*", e.endpoint);
        EXPECT_EQ(0u, e.address.find("tcp://127.0.0.1:"));
        EXPECT_FALSE(events.try_receive(e));
    }
    event e;
    events.receive(e);
    EXPECT_EQ(event_kind::disconnected, e.kind);
}

TEST(cpp_monitor_test, comes_after_one_of_another_socket_that_has_ended)
{
    io_group group;
    socket first(group, socket_type::pair), second(group, socket_type::pair);
    {
        const monitor ended(first);
    }
    monitor events(second);
    second.bind("tcp://127.0.0.1:*");
    event next;
    events.receive(next);
    EXPECT_EQ(event_kind::listening, next.kind);
}

TEST(cpp_poller_test, refuses_a_closed_socket_by_name)
{
    io_group group;
    socket closed(group, socket_type::pair);
    closed.close();
    poller p;
    try {
        p.add(closed, poll_events::in);
        ADD_FAILURE() << "no exception";
    } catch (const std::system_error& e) {
        EXPECT_EQ(errc::not_a_socket, e.code());
    }
}

TEST(cpp_options_test, a_text_without_data_is_the_null_of_c)
{
    io_group group;
    socket s(group, socket_type::pair);
    s.set(opt::plain_username("name"));
    s.set(opt::plain_username(std::string_view()));
    EXPECT_EQ(0, s.get<opt::mechanism>());
    socket sub(group, socket_type::sub);
    sub.set(opt::subscribe(std::string_view()));
}

TEST(cpp_statistics_test, count_messages_and_name_peers)
{
    couple c(socket_type::pull, socket_type::push);
    c.bound.set(opt::name("collector"));
    c.connected.send(message("counted"));
    EXPECT_EQ("counted", c.bound.receive().view());
    const socket_statistics of = c.bound.statistics();
    EXPECT_EQ("collector", of.name);
    EXPECT_EQ(int(socket_type::pull), of.type);
    EXPECT_EQ(1u, of.messages.messages_received);
    const auto peers = c.bound.peers();
    ASSERT_EQ(1u, peers.size());
    EXPECT_TRUE(peers[0].connected);
    EXPECT_EQ("NULL", peers[0].mechanism);
    const auto all = statistics_of(c.group);
    ASSERT_EQ(2u, all.size());
    EXPECT_EQ(of.number, all[0].number);
}

}  // namespace
}  // namespace zlink::test
