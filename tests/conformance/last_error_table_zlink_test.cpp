// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_last_error() after each way in which the calls of zlink.h and of the draft API fail: the cause in words, and not
// what strerror() has for the errno.

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif

#include "support/zmq_fixture.hpp"

#include <array>
#include <cerrno>
#include <functional>
#include <vector>

namespace zlink::test {
namespace {

using zlink::test::socket;

struct failing_call {
    const char* call;
    int error;
    const char* words;
    std::function<bool()> fails;
};

class last_error_table_test : public zmq_test {
protected:
    last_error_table_test()
    {
        for (zmq_msg_t& part : parts_) zmq_msg_init(&part);
    }
    ~last_error_table_test() override
    {
        for (zmq_msg_t& part : parts_) zmq_msg_close(&part);
    }

    static void check(std::initializer_list<failing_call> rows)
    {
        for (const failing_call& row : rows) {
            // Words of another failure, which must not be taken for this one's.
            (void)zmq_bind(nullptr, "stale");
            errno = 0;
            EXPECT_TRUE(row.fails()) << row.call << " does not fail";
            EXPECT_EQ(row.error, zmq_errno()) << row.call;
            const std::string said = zlink_last_error();
            EXPECT_NE(std::string::npos, said.find(row.words)) << row.call << ": " << said;
            EXPECT_NE(said, std::strerror(row.error)) << row.call;
        }
    }

    zmq_msg_t& empty() { return parts_[0]; }
    zmq_msg_t* parts() { return parts_.data(); }

private:
    std::array<zmq_msg_t, 4> parts_;
};

TEST_F(last_error_table_test, whole_messages)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH), pair = ctx_.open(ZMQ_PAIR);
    socket client = ctx_.open(ZMQ_CLIENT);
    push.connect(pull.bind(unique_inproc()));
    std::size_t room = 1, none = 0;
    zmq_msg_t blank{};
    const auto receive_parts = [&](std::size_t* count) {
        return zlink_recv_parts(pull, parts(), count, ZMQ_DONTWAIT) == -1;
    };
    check({
        {"zlink_send_parts", EFAULT, "parts is NULL", [&] { return zlink_send_parts(push, nullptr, 1, 0) == -1; }},
        {"zlink_send_parts", EFAULT, "not initialised", [&] { return zlink_send_parts(push, &blank, 1, 0) == -1; }},
        {"zlink_send_parts", EINVAL, "at least one part", [&] { return zlink_send_parts(push, parts(), 0, 0) == -1; }},
        {"zlink_send_parts", EINVAL, "flags other than",
         [&] { return zlink_send_parts(push, parts(), 1, ZMQ_SNDMORE) == -1; }},
        {"zlink_send_parts", EINVAL, "another number of parts",
         [&] { return zlink_send_parts(client, parts(), 2, ZMQ_DONTWAIT) == -1; }},
        {"zlink_send_parts", ENOTSUP, "do not send", [&] { return zlink_send_parts(pull, parts(), 1, 0) == -1; }},
        {"zlink_send_parts", ENOTSOCK, "not a socket", [&] { return zlink_send_parts(nullptr, parts(), 1, 0) == -1; }},
        {"zlink_send_parts", EAGAIN, "would have to wait",
         [&] { return zlink_send_parts(pair, parts(), 1, ZMQ_DONTWAIT) == -1; }},
        {"zlink_recv_parts", EFAULT, "count or parts is NULL", [&] { return receive_parts(nullptr); }},
        {"zlink_recv_parts", EINVAL, "flags other than",
         [&] { return zlink_recv_parts(pull, parts(), &room, ZMQ_SNDMORE) == -1; }},
        {"zlink_recv_parts", EAGAIN, "would have to wait", [&] { return receive_parts(&room); }},
        {"zlink_recv_parts", ENOTSUP, "do not receive",
         [&] { return zlink_recv_parts(push, parts(), &room, ZMQ_DONTWAIT) == -1; }},
        {"zlink_recv_parts", EMSGSIZE, "more parts than there is room for",
         [&] {
             push.send_parts({"a", "b"});
             return receive_parts(&room);
         }},
        {"zlink_recv_many", EMSGSIZE, "has 2 parts, and there is room for 0",
         [&] { return zlink_recv_many(pull, nullptr, &none, ZMQ_DONTWAIT) == -1; }},
        {"zlink_send_many", EINVAL, "each element is a message",
         [&] { return zlink_send_many(push, parts(), 1, ZMQ_SNDMORE) == -1; }},
        {"zlink_send_many", EINVAL, "flags other than", [&] { return zlink_send_many(push, parts(), 1, 64) == -1; }},
        {"zlink_recv_many", EINVAL, "is for sending",
         [&] { return zlink_recv_many(pull, parts(), &room, ZMQ_SNDMORE) == -1; }},
    });
}

TEST_F(last_error_table_test, waits_and_ends)
{
    socket pair = ctx_.open(ZMQ_PAIR), pub = ctx_.open(ZMQ_PUB);
    check({
        {"zlink_wait", EINVAL, "one of ZLINK_PEERS", [&] { return zlink_wait(pair, 3, 1, 0) == -1; }},
        {"zlink_wait", EINVAL, "at_least is negative", [&] { return zlink_wait(pair, ZLINK_PEERS, -1, 0) == -1; }},
        {"zlink_wait", EAGAIN, "not so many peers yet", [&] { return zlink_wait(pair, ZLINK_PEERS, 1, 0) == -1; }},
        {"zlink_wait", ENOTSUP, "only PUB, XPUB and RADIO",
         [&] { return zlink_wait(pair, ZLINK_SUBSCRIBERS, 1, 0) == -1; }},
        {"zlink_wait", EAGAIN, "have subscribed", [&] { return zlink_wait(pub, ZLINK_SUBSCRIBERS, 1, 0) == -1; }},
        {"zlink_wait_topic", EFAULT, "", [&] { return zlink_wait_topic(pub, nullptr, 1, 1, 0) == -1; }},
    });
    context ending;
    socket open = ending.open(ZMQ_REP);
    check({{"zlink_ctx_term", EAGAIN, "a REP", [&] { return zlink_ctx_term(ending, 0) == -1; }},
           {"zmq_recv", ETERM, "close the socket", [&] { return zmq_recv(open, nullptr, 0, ZMQ_DONTWAIT) == -1; }}});
    open.close();
}

TEST_F(last_error_table_test, peers_and_groups)
{
    socket router = ctx_.open(ZMQ_ROUTER), pair = ctx_.open(ZMQ_PAIR), dish = ctx_.open(ZMQ_DISH);
    socket server = ctx_.open(ZMQ_SERVER), peer = ctx_.open(ZMQ_PEER), hasty = ctx_.open(ZMQ_PEER);
    hasty.set(ZMQ_IMMEDIATE, 1);
    ASSERT_EQ(0, zmq_join(dish, "joined"));
    const std::string long_name(256, 'x');
    check({
        {"zlink_disconnect_peer", EFAULT, "routing_id is NULL",
         [&] { return zlink_disconnect_peer(router, nullptr, 1) == -1; }},
        {"zlink_disconnect_peer", EINVAL, "names no peer", [&] { return zlink_disconnect_peer(router, "x", 0) == -1; }},
        {"zlink_disconnect_peer", EHOSTUNREACH, "no peer has this routing id",
         [&] { return zlink_disconnect_peer(router, "x", 1) == -1; }},
        {"zlink_disconnect_peer", ENOTSUP, "ROUTER, STREAM, PUB and XPUB",
         [&] { return zlink_disconnect_peer(pair, "x", 1) == -1; }},
        {"zmq_join", EFAULT, "group is NULL", [&] { return zmq_join(dish, nullptr) == -1; }},
        {"zmq_join", EINVAL, "joined this group already", [&] { return zmq_join(dish, "joined") == -1; }},
        {"zmq_join", EINVAL, "longer than 255 octets", [&] { return zmq_join(dish, long_name.c_str()) == -1; }},
        {"zmq_join", ENOTSUP, "only a DISH", [&] { return zmq_join(pair, "x") == -1; }},
        {"zmq_leave", EINVAL, "has not joined", [&] { return zmq_leave(dish, "x") == -1; }},
        {"zmq_connect_peer", ENOTSUP, "only a PEER", [&] { return zmq_connect_peer(pair, "inproc://x") == 0; }},
        {"zmq_connect_peer", EFAULT, "ZMQ_IMMEDIATE", [&] { return zmq_connect_peer(hasty, "inproc://x") == 0; }},
        {"zmq_connect_peer", EINVAL, "has no scheme", [&] { return zmq_connect_peer(peer, "x") == 0; }},
        {"zmq_disconnect_peer", EHOSTUNREACH, "no peer has this number",
         [&] { return zmq_disconnect_peer(server, 7) == -1; }},
        {"zmq_disconnect_peer", ENOTSUP, "SERVER and PEER", [&] { return zmq_disconnect_peer(pair, 7) == -1; }},
        {"zmq_socket_get_peer_state", EHOSTUNREACH, "no peer has this routing id",
         [&] { return zmq_socket_get_peer_state(router, "x", 1) == -1; }},
        {"zmq_socket_get_peer_state", ENOTSUP, "only a ROUTER",
         [&] { return zmq_socket_get_peer_state(pair, "x", 1) == -1; }},
        {"zmq_socket_get_peer_state", EFAULT, "routing_id is NULL",
         [&] { return zmq_socket_get_peer_state(router, nullptr, 1) == -1; }},
    });
}

TEST_F(last_error_table_test, monitors)
{
    socket pair = ctx_.open(ZMQ_PAIR), other = ctx_.open(ZMQ_PAIR);
    const std::string taken = other.bind(unique_inproc());
    const auto watches = [&](const char* endpoint, int version, int type) {
        return zmq_socket_monitor_versioned(pair, endpoint, 1, version, type) == -1;
    };
    check({
        {"zlink_socket_monitor", EINVAL, "flags must be 0",
         [&] { return zlink_socket_monitor(pair, "inproc://x", 1, 1) == -1; }},
        {"zlink_socket_monitor", EINVAL, "inproc://NAME", [&] { return zlink_socket_monitor(pair, "x", 1, 0) == -1; }},
        {"zlink_socket_monitor", EPROTONOSUPPORT, "inproc endpoints alone",
         [&] { return zlink_socket_monitor(pair, "tcp://127.0.0.1:*", 1, 0) == -1; }},
        {"zlink_socket_monitor", EADDRINUSE, "is bound to this endpoint",
         [&] { return zlink_socket_monitor(pair, taken.c_str(), 1, 0) == -1; }},
        {"zmq_socket_monitor_versioned", EINVAL, "event_version is 1 or 2",
         [&] { return watches("inproc://x", 3, ZMQ_PAIR); }},
        {"zmq_socket_monitor_versioned", EINVAL, "ZMQ_PAIR, ZMQ_PUB or ZMQ_PUSH",
         [&] { return watches("inproc://x", 2, ZMQ_SUB); }},
        {"zmq_socket_monitor_versioned", EPROTONOSUPPORT, "inproc endpoints alone",
         [&] { return watches("ipc://x", 2, ZMQ_PAIR); }},
        {"zmq_socket_monitor_pipes_stats", EINVAL, "asks for ZMQ_EVENT_PIPES_STATS",
         [&] { return zmq_socket_monitor_pipes_stats(pair) == -1; }},
    });
    ASSERT_EQ(0, zmq_socket_monitor_versioned(pair, "inproc://v2", ZMQ_EVENT_ALL_V2, 2, ZMQ_PAIR));
    check({{"zmq_socket_monitor_pipes_stats", EAGAIN, "has no peer",
            [&] { return zmq_socket_monitor_pipes_stats(pair) == -1; }}});
}

TEST_F(last_error_table_test, pollers_and_timers)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    void* poller = zmq_poller_new();
    void* timers = zmq_timers_new();
    zmq_poller_event_t event;
    zmq_fd_t fd = -1;
    std::vector<char> no_socket(4096);  // as much as is looked at
    ASSERT_EQ(0, zmq_poller_add(poller, pair, nullptr, ZMQ_POLLIN));
    check({
        {"zmq_poller_size", EFAULT, "not a poller", [&] { return zmq_poller_size(nullptr) == -1; }},
        {"zmq_poller_add", ENOTSOCK, "the socket is NULL",
         [&] { return zmq_poller_add(poller, nullptr, nullptr, 1) == -1; }},
        {"zmq_poller_add", ENOTSOCK, "not a socket",
         [&] { return zmq_poller_add(poller, no_socket.data(), nullptr, 1) == -1; }},
        {"zmq_poller_add", EINVAL, "in the poller already",
         [&] { return zmq_poller_add(poller, pair, nullptr, ZMQ_POLLIN) == -1; }},
        {"zmq_poller_add_fd", EBADF, "0 or more", [&] { return zmq_poller_add_fd(poller, -1, nullptr, 1) == -1; }},
        {"zmq_poller_modify_fd", EINVAL, "is not there", [&] { return zmq_poller_modify_fd(poller, 0, 1) == -1; }},
        {"zmq_poller_remove_fd", EINVAL, "is not there", [&] { return zmq_poller_remove_fd(poller, 0) == -1; }},
        {"zmq_poller_wait", EAGAIN, "nothing was ready", [&] { return zmq_poller_wait(poller, &event, 0) == -1; }},
        {"zmq_poller_wait", EFAULT, "event is NULL", [&] { return zmq_poller_wait(poller, nullptr, 0) == -1; }},
        {"zmq_poller_wait_all", EFAULT, "events is NULL",
         [&] { return zmq_poller_wait_all(poller, nullptr, 1, 0) == -1; }},
        {"zmq_poller_wait_all", EINVAL, "count is negative",
         [&] { return zmq_poller_wait_all(poller, &event, -1, 0) == -1; }},
        {"zmq_poller_fd", EINVAL, "ZLINK_FD", [&] { return zmq_poller_fd(poller, &fd) == -1; }},
        {"zmq_timers_add", EFAULT, "handler is NULL",
         [&] { return zmq_timers_add(timers, 1, nullptr, nullptr) == -1; }},
        {"zmq_timers_cancel", EFAULT, "not a set of timers", [&] { return zmq_timers_cancel(nullptr, 1) == -1; }},
        {"zmq_timers_cancel", EINVAL, "no such timer", [&] { return zmq_timers_cancel(timers, 1) == -1; }},
        {"zmq_timers_set_interval", EINVAL, "no such timer",
         [&] { return zmq_timers_set_interval(timers, 1, 1) == -1; }},
        {"zmq_timers_reset", EINVAL, "no such timer", [&] { return zmq_timers_reset(timers, 1) == -1; }},
    });
    ASSERT_EQ(0, zmq_poller_remove(poller, pair));
    check({{"zmq_poller_wait", EFAULT, "wait for ever", [&] { return zmq_poller_wait(poller, &event, -1) == -1; }}});
    zmq_poller_destroy(&poller);
    zmq_timers_destroy(&timers);
}

TEST_F(last_error_table_test, messages)
{
    const std::string long_name(256, 'x');
    check({
        {"zmq_msg_set_routing_id", EINVAL, "0 is no routing id",
         [&] { return zmq_msg_set_routing_id(&empty(), 0) == -1; }},
        {"zmq_msg_set_routing_id", EFAULT, "a pointer is null",
         [&] { return zmq_msg_set_routing_id(nullptr, 1) == -1; }},
        {"zmq_msg_set_group", EFAULT, "group is NULL", [&] { return zmq_msg_set_group(&empty(), nullptr) == -1; }},
        {"zmq_msg_set_group", EINVAL, "at most 255 octets",
         [&] { return zmq_msg_set_group(&empty(), long_name.c_str()) == -1; }},
        {"zmq_msg_init_buffer", EFAULT, "msg is NULL", [&] { return zmq_msg_init_buffer(nullptr, "x", 1) == -1; }},
        {"zmq_msg_get", EINVAL, "ZMQ_SRCFD", [&] { return zmq_msg_get(&empty(), 99) == -1; }},
        {"zmq_msg_set", EINVAL, "no property", [&] { return zmq_msg_set(&empty(), 1, 1) == -1; }},
        {"zmq_msg_gets", EINVAL, "no such property", [&] { return zmq_msg_gets(&empty(), "x") == nullptr; }},
    });
}

TEST_F(last_error_table_test, lists_statistics_and_contexts)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    zlink_stats_t stats{};
    zlink_peer_stats_t of_peer{};
    zlink_knob_t knob;
    zlink_load_counter_t counter;
    std::size_t one = 1;
    int value = 0;
    check({
        {"zlink_knob", EFAULT, "knob is NULL", [&] { return zlink_knob(0, nullptr) == -1; }},
        {"zlink_knob", EINVAL, "the list ends here", [&] { return zlink_knob(9999, &knob) == -1; }},
        {"zlink_load_counter", EFAULT, "counter is NULL", [&] { return zlink_load_counter(0, nullptr) == -1; }},
        {"zlink_load_counter", EINVAL, "the list ends here", [&] { return zlink_load_counter(9999, &counter) == -1; }},
        {"zlink_socket_stats", EFAULT, "a pointer is NULL", [&] { return zlink_socket_stats(pair, nullptr) == -1; }},
        {"zlink_socket_stats", EINVAL, "member size", [&] { return zlink_socket_stats(pair, &stats) == -1; }},
        {"zlink_socket_stats", ENOTSOCK, "not a socket", [&] { return zlink_socket_stats(nullptr, &stats) == -1; }},
        {"zlink_socket_peers", EFAULT, "a pointer is NULL",
         [&] { return zlink_socket_peers(pair, nullptr, &one) == -1; }},
        {"zlink_socket_peers", EINVAL, "member size", [&] { return zlink_socket_peers(pair, &of_peer, &one) == -1; }},
        {"zlink_context_stats", EFAULT, "a pointer is NULL",
         [&] { return zlink_context_stats(ctx_, nullptr, &one) == -1; }},
        {"zlink_context_stats", EINVAL, "member size", [&] { return zlink_context_stats(ctx_, &stats, &one) == -1; }},
        {"zmq_ctx_set_ext", EINVAL, "value is NULL", [&] { return zmq_ctx_set_ext(ctx_, 1, nullptr, 4) == -1; }},
        {"zmq_ctx_set_ext", EINVAL, "no such option", [&] { return zmq_ctx_set_ext(ctx_, 999, &value, 4) == -1; }},
        {"zmq_ctx_get_ext", EINVAL, "value or size is NULL",
         [&] { return zmq_ctx_get_ext(ctx_, 1, &value, nullptr) == -1; }},
        {"zmq_ctx_get", EINVAL, "no such option", [&] { return zmq_ctx_get(ctx_, 999) == -1; }},
    });
}

TEST_F(last_error_table_test, options_of_zlink)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    const std::string long_name(64, 'x');
    const auto set = [&](int option, int value) { return zmq_setsockopt(pair, option, &value, sizeof value) == -1; };
    check({
        {"ZLINK_FD", EINVAL, "can only be read", [&] { return set(ZLINK_FD, 1); }},
        {"ZLINK_IPC_MODE", EINVAL, "from 0 to 0777", [&] { return set(ZLINK_IPC_MODE, 01000); }},
        {"ZLINK_SHM_BORROW", EINVAL, "0 or 1", [&] { return set(ZLINK_SHM_BORROW, 2); }},
        {"ZLINK_SHARED", EINVAL, "0 or 1, before bind", [&] { return set(ZLINK_SHARED, 2); }},
        {"ZMQ_OLDEST_ZMTP", EINVAL, "from 1 to 3", [&] { return set(ZMQ_OLDEST_ZMTP, 4); }},
        {"ZLINK_NAME", EINVAL, "at most 63 octets",
         [&] { return zmq_setsockopt(pair, ZLINK_NAME, long_name.data(), long_name.size()) == -1; }},
    });
}

}  // namespace
}  // namespace zlink::test
