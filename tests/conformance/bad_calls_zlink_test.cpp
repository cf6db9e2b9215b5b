// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every function with handles that are null, closed, or of another kind, and with arguments out of range. The result is
// the errno that it documents, and no effect. tools/api_table.py wants a row for each function that takes an argument.
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <functional>

namespace zlink::test {
namespace {

constexpr std::size_t most = ~std::size_t{0};
constexpr int odd_flags = ~(ZMQ_DONTWAIT | ZMQ_SNDMORE);

/// A call, with a handle from elsewhere, whose other arguments are right. It returns 0 or the errno.
struct handle_row {
    const char* function;
    std::function<int(void*)> call;
};

/// A call that is wrong by itself, and what has to come of it.
struct argument_row {
    const char* function;
    const char* mistake;
    int expected;
    std::function<int()> call;
};

class bad_calls_test : public zmq_test {
protected:
    bad_calls_test()
    {
        std::memset(noise_, 0xff, sizeof noise_);
        zmq_msg_init(&msg_);
        void* const open = zmq_socket(ctx_, ZMQ_PAIR);
        zmq_close(open);
        closed_ = open;
        void* const shared = zmq_socket(ctx_, ZMQ_CLIENT);
        zmq_close(shared);
        closed_shared_ = shared;
    }
    ~bad_calls_test() override
    {
        zmq_msg_close(&msg_);
        zmq_poller_destroy(&poller_);
        zmq_timers_destroy(&timers_);
        zmq_atomic_counter_destroy(&counter_);
        zmq_stopwatch_stop(stopwatch_);
    }

    /// 0 or the errno of a call that fails with `failed`.
    template <class Value>
    static int outcome(Value result, Value failed)
    {
        return result == failed ? zmq_errno() : 0;
    }
    static int outcome(int result) { return outcome(result, -1); }
    /// The errno that a call sets whose result does not tell of a failure.
    template <class Call>
    static int errno_of(Call&& call)
    {
        errno = 0;
        call();
        return zmq_errno();
    }

    struct foreign {
        const char* kind;
        void* handle;
    };
    /// Handles that are not of the kind `own`.
    std::vector<foreign> others(const char* own)
    {
        std::vector<foreign> all{{"null", nullptr},
                                 {"zeros", zeros_},
                                 {"noise", noise_},
                                 {"closed socket", closed_},
                                 {"closed shared socket", closed_shared_},
                                 {"context", ctx_},
                                 {"socket", socket_},
                                 {"poller", poller_},
                                 {"timers", timers_},
                                 {"counter", counter_},
                                 {"stopwatch", stopwatch_},
                                 {"message", &msg_}};
#ifdef __SANITIZE_ADDRESS__
        // A look at the tag of a handle is outside of such memory, or in memory that was freed.
        const std::vector<std::string_view> out_of_bounds{"closed socket", "counter", "stopwatch"};
#else
        const std::vector<std::string_view> out_of_bounds;
#endif
        std::erase_if(all, [&](const foreign& each) {
            return each.kind == std::string_view(own) ||
                   std::find(out_of_bounds.begin(), out_of_bounds.end(), each.kind) != out_of_bounds.end();
        });
        return all;
    }

    void expect_refused(const char* own, int expected, const std::vector<handle_row>& rows)
    {
        for (const handle_row& row : rows) {
            for (const foreign& each : others(own)) {
                errno = 0;
                EXPECT_EQ(expected, row.call(each.handle)) << row.function << " with " << each.kind;
            }
        }
    }

    static void expect(const std::vector<argument_row>& rows)
    {
        for (const argument_row& row : rows) {
            errno = 0;
            EXPECT_EQ(row.expected, row.call()) << row.function << ": " << row.mistake;
        }
    }

    char zeros_[16384] = {};
    char noise_[16384];
    char text_[256] = {};
    zmq_msg_t msg_;
    void* closed_ = nullptr;
    void* closed_shared_ = nullptr;
    socket socket_ = ctx_.open(ZMQ_PAIR);
    void* poller_ = zmq_poller_new();
    void* timers_ = zmq_timers_new();
    void* counter_ = zmq_atomic_counter_new();
    void* stopwatch_ = zmq_stopwatch_start();
    zmq_poller_event_t event_{};
};

TEST_F(bad_calls_test, functions_of_contexts)
{
    int value = 0;
    std::size_t size = sizeof value;
    const auto with_value = [&](void* h) { return outcome(zmq_ctx_get_ext(h, ZMQ_IO_THREADS, &value, &size)); };
    expect_refused(
        "context", EFAULT,
        {
            {"zmq_ctx_term", [](void* h) { return outcome(zmq_ctx_term(h)); }},
            {"zlink_ctx_term", [](void* h) { return outcome(zlink_ctx_term(h, 0)); }},
            {"zmq_ctx_destroy", [](void* h) { return outcome(zmq_ctx_destroy(h)); }},
            {"zmq_term", [](void* h) { return outcome(zmq_term(h)); }},
            {"zmq_ctx_shutdown", [](void* h) { return outcome(zmq_ctx_shutdown(h)); }},
            {"zmq_ctx_set", [](void* h) { return outcome(zmq_ctx_set(h, ZMQ_IO_THREADS, 1)); }},
            {"zmq_ctx_get", [](void* h) { return outcome(zmq_ctx_get(h, ZMQ_IO_THREADS)); }},
            {"zmq_ctx_set_ext", [&](void* h) { return outcome(zmq_ctx_set_ext(h, ZMQ_IO_THREADS, &value, size)); }},
            {"zmq_ctx_get_ext", with_value},
            {"zlink_context_stats", [](void* h) { return outcome(zlink_context_stats(h, nullptr, nullptr)); }},
            {"zmq_socket", [](void* h) { return outcome<void*>(zmq_socket(h, ZMQ_PAIR), nullptr); }},
        });

    const auto open = [this](int type) {
        return [this, type] { return outcome<void*>(zmq_socket(ctx_, type), nullptr); };
    };
    expect({
        {"zmq_socket", "type -1", EINVAL, open(-1)},
        {"zmq_socket", "type behind the last", EINVAL, open(ZMQ_CHANNEL + 1)},
        {"zmq_socket", "least type", EINVAL, open(INT_MIN)},
        {"zmq_socket", "largest type", EINVAL, open(INT_MAX)},
        {"zmq_init", "negative", EINVAL, [] { return outcome<void*>(zmq_init(-1), nullptr); }},
        {"zmq_ctx_set", "unknown option", EINVAL, [this] { return outcome(zmq_ctx_set(ctx_, INT_MAX, 1)); }},
        {"zmq_ctx_set", "least value", EINVAL, [this] { return outcome(zmq_ctx_set(ctx_, ZMQ_IO_THREADS, INT_MIN)); }},
        {"zmq_ctx_get", "unknown option", EINVAL, [this] { return outcome(zmq_ctx_get(ctx_, INT_MIN)); }},
        {"zmq_ctx_set_ext", "null", EINVAL,
         [this] { return outcome(zmq_ctx_set_ext(ctx_, ZMQ_IO_THREADS, nullptr, 4)); }},
        {"zmq_ctx_set_ext", "nothing", EINVAL,
         [this] { return outcome(zmq_ctx_set_ext(ctx_, ZMQ_IO_THREADS, nullptr, 0)); }},
        {"zmq_ctx_set_ext", "too large", EINVAL,
         [&, this] { return outcome(zmq_ctx_set_ext(ctx_, ZMQ_IO_THREADS, &value, most)); }},
        {"zmq_ctx_set_ext", "too long a text", EINVAL,
         [this] { return outcome(zmq_ctx_set_ext(ctx_, ZMQ_THREAD_NAME_PREFIX, text_, most)); }},
        {"zmq_ctx_get_ext", "null", EINVAL,
         [&, this] { return outcome(zmq_ctx_get_ext(ctx_, ZMQ_IO_THREADS, nullptr, &size)); }},
        {"zmq_ctx_get_ext", "no size", EINVAL,
         [&, this] { return outcome(zmq_ctx_get_ext(ctx_, ZMQ_IO_THREADS, &value, nullptr)); }},
        {"zlink_context_stats", "no count", EFAULT,
         [this] { return outcome(zlink_context_stats(ctx_, nullptr, nullptr)); }},
        {"zlink_context_stats", "null", EFAULT,
         [&, this] { return outcome(zlink_context_stats(ctx_, nullptr, &size)); }},
    });
    EXPECT_EQ(1, zmq_ctx_get(ctx_, ZMQ_IO_THREADS));
}

TEST_F(bad_calls_test, functions_of_sockets_with_other_handles)
{
    message_array one(1);
    int value = 0;
    std::size_t size = sizeof value, count = 1;
    iovec piece{text_, 1};
    expect_refused(
        "socket", ENOTSOCK,
        {
            {"zmq_close", [](void* h) { return outcome(zmq_close(h)); }},
            {"zmq_setsockopt", [&](void* h) { return outcome(zmq_setsockopt(h, ZMQ_LINGER, &value, sizeof value)); }},
            {"zmq_getsockopt", [&](void* h) { return outcome(zmq_getsockopt(h, ZMQ_LINGER, &value, &size)); }},
            {"zmq_bind", [](void* h) { return outcome(zmq_bind(h, "inproc://x")); }},
            {"zmq_connect", [](void* h) { return outcome(zmq_connect(h, "inproc://x")); }},
            {"zmq_unbind", [](void* h) { return outcome(zmq_unbind(h, "inproc://x")); }},
            {"zmq_disconnect", [](void* h) { return outcome(zmq_disconnect(h, "inproc://x")); }},
            {"zmq_send", [](void* h) { return outcome(zmq_send(h, "x", 1, 0)); }},
            {"zmq_send_const", [](void* h) { return outcome(zmq_send_const(h, "x", 1, 0)); }},
            {"zmq_recv", [&](void* h) { return outcome(zmq_recv(h, text_, 1, 0)); }},
            {"zmq_msg_send", [&](void* h) { return outcome(zmq_msg_send(one.data(), h, 0)); }},
            {"zmq_msg_recv", [&](void* h) { return outcome(zmq_msg_recv(one.data(), h, 0)); }},
            {"zmq_sendmsg", [&](void* h) { return outcome(zmq_sendmsg(h, one.data(), 0)); }},
            {"zmq_recvmsg", [&](void* h) { return outcome(zmq_recvmsg(h, one.data(), 0)); }},
            {"zmq_sendiov", [&](void* h) { return outcome(zmq_sendiov(h, &piece, 1, 0)); }},
            {"zmq_recviov", [&](void* h) { return outcome(zmq_recviov(h, &piece, &count, 0)); }},
            {"zmq_socket_monitor", [](void* h) { return outcome(zmq_socket_monitor(h, "inproc://m", ZMQ_EVENT_ALL)); }},
            {"zmq_socket_monitor_versioned",
             [](void* h) { return outcome(zmq_socket_monitor_versioned(h, "inproc://m", 1, 2, ZMQ_PAIR)); }},
            {"zmq_socket_monitor_pipes_stats", [](void* h) { return outcome(zmq_socket_monitor_pipes_stats(h)); }},
            {"zmq_join", [](void* h) { return outcome(zmq_join(h, "g")); }},
            {"zmq_leave", [](void* h) { return outcome(zmq_leave(h, "g")); }},
            {"zmq_connect_peer", [](void* h) { return outcome<std::uint32_t>(zmq_connect_peer(h, "inproc://x"), 0); }},
            {"zmq_disconnect_peer", [](void* h) { return outcome(zmq_disconnect_peer(h, 1)); }},
            {"zmq_socket_get_peer_state", [](void* h) { return outcome(zmq_socket_get_peer_state(h, "x", 1)); }},
            {"zlink_send_parts", [&](void* h) { return outcome(zlink_send_parts(h, one.data(), 1, 0)); }},
            {"zlink_recv_parts", [&](void* h) { return outcome(zlink_recv_parts(h, one.data(), &count, 0)); }},
            {"zlink_wait", [](void* h) { return outcome(zlink_wait(h, ZLINK_PEERS, 0, 0)); }},
            {"zlink_wait_topic", [](void* h) { return outcome(zlink_wait_topic(h, "x", 1, 0, 0)); }},
            {"zlink_send_many", [&](void* h) { return outcome(zlink_send_many(h, one.data(), 1, 0)); }},
            {"zlink_recv_many", [&](void* h) { return outcome(zlink_recv_many(h, one.data(), &count, 0)); }},
            {"zlink_socket_monitor",
             [](void* h) { return outcome(zlink_socket_monitor(h, "inproc://m", ZMQ_EVENT_ALL, 0)); }},
            {"zlink_disconnect_peer", [](void* h) { return outcome(zlink_disconnect_peer(h, "x", 1)); }},
            {"zlink_socket_stats", [](void* h) { return outcome(zlink_socket_stats(h, nullptr)); }},
            {"zlink_socket_peers", [](void* h) { return outcome(zlink_socket_peers(h, nullptr, nullptr)); }},
        });
    EXPECT_EQ(4U, size);
    EXPECT_EQ(1U, count);
}

TEST_F(bad_calls_test, sockets_among_others_in_polls_pollers_and_proxies)
{
    void* const good = socket_;
    std::vector<handle_row> rows{
        {"zmq_poller_add", [this](void* h) { return outcome(zmq_poller_add(poller_, h, nullptr, ZMQ_POLLIN)); }},
        {"zmq_poller_modify", [this](void* h) { return outcome(zmq_poller_modify(poller_, h, ZMQ_POLLIN)); }},
        {"zmq_poller_remove", [this](void* h) { return outcome(zmq_poller_remove(poller_, h)); }},
    };
    for (const bool last : {false, true}) {
        const auto items = [good, last](void* h) {
            std::array<zmq_pollitem_t, 2> both{{{good, -1, ZMQ_POLLIN, 0}, {good, -1, ZMQ_POLLIN, 0}}};
            both[last].socket = h;
            return both;
        };
        rows.push_back({"zmq_poll", [items](void* h) {
                            if (h == nullptr) return ENOTSOCK;  // stands for a descriptor
                            auto both = items(h);
                            return outcome(zmq_poll(both.data(), 2, 0));
                        }});
        rows.push_back({"zmq_ppoll", [items](void* h) {
                            if (h == nullptr) return ENOTSOCK;
                            sigset_t mask;
                            sigemptyset(&mask);
                            auto both = items(h);
                            return outcome(zmq_ppoll(both.data(), 2, 0, &mask));
                        }});
    }
    const auto refused = [](int result) {
        const int error = outcome(result);
        return error == EFAULT ? ENOTSOCK : error;  // of null
    };
    rows.push_back({"zmq_proxy", [=](void* h) { return refused(zmq_proxy(h, good, nullptr)); }});
    rows.push_back({"zmq_proxy", [=](void* h) { return refused(zmq_proxy(good, h, nullptr)); }});
    rows.push_back({"zmq_proxy", [=](void* h) { return h ? refused(zmq_proxy(good, good, h)) : ENOTSOCK; }});
    rows.push_back({"zmq_device", [=](void* h) { return refused(zmq_device(ZMQ_QUEUE, h, good)); }});
    rows.push_back({"zmq_device", [=](void* h) { return refused(zmq_device(INT_MIN, good, h)); }});
    rows.push_back(
        {"zmq_proxy_steerable", [=](void* h) { return refused(zmq_proxy_steerable(h, good, nullptr, good)); }});
    rows.push_back(
        {"zmq_proxy_steerable", [=](void* h) { return refused(zmq_proxy_steerable(good, h, nullptr, good)); }});
    rows.push_back({"zmq_proxy_steerable",
                    [=](void* h) { return h ? refused(zmq_proxy_steerable(good, good, nullptr, h)) : ENOTSOCK; }});
    expect_refused("socket", ENOTSOCK, rows);
    EXPECT_EQ(0, zmq_poller_size(poller_));
}

TEST_F(bad_calls_test, arguments_of_sockets)
{
    void* const s = socket_;
    socket dish = ctx_.open(ZMQ_DISH), peer = ctx_.open(ZMQ_PEER), router = ctx_.open(ZMQ_ROUTER);
    message_array one(1);
    std::size_t zero = 0, count = 1;
    iovec piece{text_, 1}, without{nullptr, 1};
    const std::string long_endpoint = "inproc://" + std::string(100000, 'x');
    std::vector<argument_row> rows{
        {"zmq_send", "null", EFAULT, [=] { return outcome(zmq_send(s, nullptr, 1, ZMQ_DONTWAIT)); }},
        {"zmq_send", "odd flags", EAGAIN, [=] { return outcome(zmq_send(s, "x", 1, odd_flags | ZMQ_DONTWAIT)); }},
        {"zmq_send_const", "null", EFAULT, [=] { return outcome(zmq_send_const(s, nullptr, 1, ZMQ_DONTWAIT)); }},
        {"zmq_send_const", "odd flags", EAGAIN,
         [=] { return outcome(zmq_send_const(s, "x", 1, odd_flags | ZMQ_DONTWAIT)); }},
        {"zmq_recv", "null", EFAULT, [=] { return outcome(zmq_recv(s, nullptr, 1, ZMQ_DONTWAIT)); }},
        {"zmq_recv", "odd flags", EAGAIN,
         [=, this] { return outcome(zmq_recv(s, text_, 1, odd_flags | ZMQ_DONTWAIT)); }},
        {"zmq_recv", "largest size", EAGAIN, [=, this] { return outcome(zmq_recv(s, text_, most, ZMQ_DONTWAIT)); }},
        {"zmq_msg_send", "null", EFAULT, [=] { return outcome(zmq_msg_send(nullptr, s, 0)); }},
        {"zmq_msg_send", "odd flags", EAGAIN,
         [&, s] { return outcome(zmq_msg_send(one.data(), s, odd_flags | ZMQ_DONTWAIT)); }},
        {"zmq_msg_recv", "null", EFAULT, [=] { return outcome(zmq_msg_recv(nullptr, s, 0)); }},
        {"zmq_msg_recv", "odd flags", EAGAIN,
         [&, s] { return outcome(zmq_msg_recv(one.data(), s, odd_flags | ZMQ_DONTWAIT)); }},
        {"zmq_sendmsg", "null", EFAULT, [=] { return outcome(zmq_sendmsg(s, nullptr, 0)); }},
        {"zmq_recvmsg", "null", EFAULT, [=] { return outcome(zmq_recvmsg(s, nullptr, 0)); }},
        {"zmq_sendiov", "null", EINVAL, [=] { return outcome(zmq_sendiov(s, nullptr, 1, 0)); }},
        {"zmq_sendiov", "none", EINVAL, [&, s] { return outcome(zmq_sendiov(s, &piece, 0, 0)); }},
        {"zmq_sendiov", "null buffer", EFAULT, [&, s] { return outcome(zmq_sendiov(s, &without, 1, ZMQ_DONTWAIT)); }},
        {"zmq_recviov", "null", EINVAL, [&, s] { return outcome(zmq_recviov(s, nullptr, &count, 0)); }},
        {"zmq_recviov", "no count", EINVAL, [&, s] { return outcome(zmq_recviov(s, &piece, nullptr, 0)); }},
        {"zmq_recviov", "none", EINVAL, [&, s] { return outcome(zmq_recviov(s, &piece, &zero, 0)); }},
        {"zmq_socket_monitor", "malformed", EINVAL, [=] { return outcome(zmq_socket_monitor(s, "nonsense", 1)); }},
        {"zmq_socket_monitor", "empty", EINVAL, [=] { return outcome(zmq_socket_monitor(s, "", 1)); }},
        {"zmq_socket_monitor", "other transport", EPROTONOSUPPORT,
         [=] { return outcome(zmq_socket_monitor(s, "tcp://127.0.0.1:*", 1)); }},
        {"zmq_socket_monitor_versioned", "version 0", EINVAL,
         [=] { return outcome(zmq_socket_monitor_versioned(s, "inproc://m", 1, 0, ZMQ_PAIR)); }},
        {"zmq_socket_monitor_versioned", "version 3", EINVAL,
         [=] { return outcome(zmq_socket_monitor_versioned(s, "inproc://m", 1, 3, ZMQ_PAIR)); }},
        {"zmq_socket_monitor_versioned", "type", EINVAL,
         [=] { return outcome(zmq_socket_monitor_versioned(s, "inproc://m", 1, 2, INT_MIN)); }},
        {"zmq_socket_monitor_versioned", "version 1 and more than 16 bits", EINVAL,
         [=] { return outcome(zmq_socket_monitor_versioned(s, "inproc://m", ~std::uint64_t{0}, 1, ZMQ_PAIR)); }},
        {"zmq_socket_monitor_pipes_stats", "no monitor", EINVAL,
         [=] { return outcome(zmq_socket_monitor_pipes_stats(s)); }},
        {"zmq_join", "null", EFAULT, [&] { return outcome(zmq_join(dish, nullptr)); }},
        {"zmq_join", "too long", EINVAL, [&] { return outcome(zmq_join(dish, long_endpoint.c_str())); }},
        {"zmq_join", "type", ENOTSUP, [=] { return outcome(zmq_join(s, "g")); }},
        {"zmq_leave", "null", EFAULT, [&] { return outcome(zmq_leave(dish, nullptr)); }},
        {"zmq_leave", "too long", EINVAL, [&] { return outcome(zmq_leave(dish, long_endpoint.c_str())); }},
        {"zmq_leave", "not joined", EINVAL, [&] { return outcome(zmq_leave(dish, "g")); }},
        {"zmq_connect_peer", "null", EINVAL,
         [&] { return outcome<std::uint32_t>(zmq_connect_peer(peer, nullptr), 0); }},
        {"zmq_connect_peer", "type", ENOTSUP,
         [=] { return outcome<std::uint32_t>(zmq_connect_peer(s, "inproc://x"), 0); }},
        {"zmq_disconnect_peer", "unknown", EHOSTUNREACH, [&] { return outcome(zmq_disconnect_peer(peer, ~0U)); }},
        {"zmq_disconnect_peer", "0", EHOSTUNREACH, [&] { return outcome(zmq_disconnect_peer(peer, 0)); }},
        {"zmq_disconnect_peer", "type", ENOTSUP, [=] { return outcome(zmq_disconnect_peer(s, 1)); }},
        {"zmq_socket_get_peer_state", "null", EFAULT,
         [&] { return outcome(zmq_socket_get_peer_state(router, nullptr, 1)); }},
        {"zmq_socket_get_peer_state", "none", EHOSTUNREACH,
         [&] { return outcome(zmq_socket_get_peer_state(router, "x", 0)); }},
        {"zlink_send_parts", "null", EFAULT, [=] { return outcome(zlink_send_parts(s, nullptr, 1, 0)); }},
        {"zlink_send_parts", "none", EINVAL, [&, s] { return outcome(zlink_send_parts(s, one.data(), 0, 0)); }},
        {"zlink_send_parts", "odd flags", EINVAL,
         [&, s] { return outcome(zlink_send_parts(s, one.data(), 1, odd_flags | ZMQ_DONTWAIT)); }},
        {"zlink_recv_parts", "no count", EFAULT,
         [&, s] { return outcome(zlink_recv_parts(s, one.data(), nullptr, ZMQ_DONTWAIT)); }},
        {"zlink_recv_parts", "null", EFAULT,
         [&, s] { return outcome(zlink_recv_parts(s, nullptr, &count, ZMQ_DONTWAIT)); }},
        {"zlink_recv_parts", "odd flags", EINVAL,
         [&, s] { return outcome(zlink_recv_parts(s, one.data(), &count, odd_flags | ZMQ_DONTWAIT)); }},
        {"zlink_wait", "no condition", EINVAL, [=] { return outcome(zlink_wait(s, 0, 0, 0)); }},
        {"zlink_wait", "two", EINVAL, [=] { return outcome(zlink_wait(s, ZLINK_PEERS | ZLINK_DRAINED, 0, 0)); }},
        {"zlink_wait", "unknown", EINVAL, [=] { return outcome(zlink_wait(s, 8, 0, 0)); }},
        {"zlink_wait", "negative", EINVAL, [=] { return outcome(zlink_wait(s, ZLINK_PEERS, -1, 0)); }},
        {"zlink_wait", "type", ENOTSUP, [=] { return outcome(zlink_wait(s, ZLINK_SUBSCRIBERS, 0, 0)); }},
        {"zlink_wait", "largest number", EAGAIN, [=] { return outcome(zlink_wait(s, ZLINK_PEERS, INT_MAX, 0)); }},
        {"zlink_wait_topic", "null", EFAULT, [=] { return outcome(zlink_wait_topic(s, nullptr, 1, 0, 0)); }},
        {"zlink_wait_topic", "negative", EINVAL, [=] { return outcome(zlink_wait_topic(s, "x", 1, INT_MIN, 0)); }},
        {"zlink_wait_topic", "type", ENOTSUP, [=] { return outcome(zlink_wait_topic(s, "x", 1, 0, 0)); }},
        {"zlink_msg_init_loan", "null", EFAULT, [=] { return outcome(zlink_msg_init_loan(nullptr, s, 1)); }},
        {"zlink_send_many", "null", EFAULT, [=] { return outcome(zlink_send_many(s, nullptr, 1, ZMQ_DONTWAIT)); }},
        {"zlink_send_many", "odd flags", EINVAL,
         [&, s] { return outcome(zlink_send_many(s, one.data(), 1, odd_flags | ZMQ_DONTWAIT)); }},
        {"zlink_send_many", "more", EINVAL,
         [&, s] { return outcome(zlink_send_many(s, one.data(), 1, ZMQ_SNDMORE | ZMQ_DONTWAIT)); }},
        {"zlink_recv_many", "no count", EFAULT,
         [&, s] { return outcome(zlink_recv_many(s, one.data(), nullptr, ZMQ_DONTWAIT)); }},
        {"zlink_recv_many", "null", EFAULT,
         [&, s] { return outcome(zlink_recv_many(s, nullptr, &count, ZMQ_DONTWAIT)); }},
        {"zlink_recv_many", "odd flags", EINVAL,
         [&, s] { return outcome(zlink_recv_many(s, one.data(), &count, odd_flags | ZMQ_DONTWAIT)); }},
        {"zlink_socket_monitor", "malformed", EINVAL,
         [=] { return outcome(zlink_socket_monitor(s, "nonsense", 1, 0)); }},
        {"zlink_socket_monitor", "flags", EINVAL, [=] { return outcome(zlink_socket_monitor(s, "inproc://m", 1, 1)); }},
        {"zlink_socket_monitor", "other transport", EPROTONOSUPPORT,
         [=] { return outcome(zlink_socket_monitor(s, "tcp://127.0.0.1:*", 1, 0)); }},
        {"zlink_disconnect_peer", "null", EFAULT, [&] { return outcome(zlink_disconnect_peer(router, nullptr, 1)); }},
        {"zlink_disconnect_peer", "none", EINVAL, [&] { return outcome(zlink_disconnect_peer(router, "x", 0)); }},
        {"zlink_disconnect_peer", "type", ENOTSUP, [=] { return outcome(zlink_disconnect_peer(s, "x", 1)); }},
        {"zlink_socket_stats", "null", EFAULT, [=] { return outcome(zlink_socket_stats(s, nullptr)); }},
        {"zlink_socket_peers", "no count", EFAULT, [=] { return outcome(zlink_socket_peers(s, nullptr, nullptr)); }},
        {"zlink_socket_peers", "null", EFAULT, [&, s] { return outcome(zlink_socket_peers(s, nullptr, &count)); }},
    };
    struct endpoint_call {
        const char* function;
        int (*call)(void*, const char*);
        int unknown;  ///< for an endpoint of a known transport that the socket does not have
    };
    for (const endpoint_call& each : std::initializer_list<endpoint_call>{{"zmq_bind", zmq_bind, 0},
                                                                          {"zmq_connect", zmq_connect, 0},
                                                                          {"zmq_unbind", zmq_unbind, ENOENT},
                                                                          {"zmq_disconnect", zmq_disconnect, ENOENT}}) {
        const auto with = [=](const char* endpoint) { return [=] { return outcome(each.call(s, endpoint)); }; };
        rows.push_back({each.function, "null", EINVAL, with(nullptr)});
        rows.push_back({each.function, "empty", EINVAL, with("")});
        rows.push_back({each.function, "nonsense", EINVAL, with("nonsense")});
        rows.push_back({each.function, "no address", EINVAL, with("tcp://")});
        rows.push_back({each.function, "no scheme", EINVAL, with("://x")});
        rows.push_back({each.function, "unknown transport", EPROTONOSUPPORT, with("bla://x")});
        rows.push_back({each.function, "udp by PAIR", ENOCOMPATPROTO, with("udp://127.0.0.1:5555")});
        if (each.unknown) rows.push_back({each.function, "not there", each.unknown, with("inproc://not-there")});
    }
    expect(rows);
    // A name of any length is one for inproc; for ipc it is none.
    const std::string long_path = "ipc:///" + std::string(100000, 'x');
    EXPECT_EQ(-1, zmq_bind(s, long_path.c_str()));
    EXPECT_EQ(ENAMETOOLONG, zmq_errno());
    EXPECT_EQ(1U, count);
}

// A copy of so many octets cannot be had: the message is not sent, and the socket goes on.
TEST_F(bad_calls_test, sizes_that_no_memory_has)
{
    socket other = ctx_.open(ZMQ_PAIR);
    other.connect(socket_.bind(unique_inproc()));
    void* const s = socket_;
    expect({
        {"zmq_send", "largest size", ENOMEM, [=] { return outcome(zmq_send(s, "x", most, 0)); }},
        {"zmq_send", "half of the largest size", ENOMEM, [=] { return outcome(zmq_send(s, "x", most / 2, 0)); }},
        {"zmq_msg_init_size", "largest size", ENOMEM,
         [] {
             zmq_msg_t msg;
             return outcome(zmq_msg_init_size(&msg, most));
         }},
        {"zmq_msg_init_buffer", "largest size", ENOMEM,
         [] {
             zmq_msg_t msg;
             return outcome(zmq_msg_init_buffer(&msg, "x", most));
         }},
        {"zmq_msg_init_buffer", "half of the largest size", ENOMEM,
         [] {
             zmq_msg_t msg;
             return outcome(zmq_msg_init_buffer(&msg, "x", most / 2));
         }},
    });
    socket_.send("small");
    EXPECT_EQ("small", other.recv());
}

TEST_F(bad_calls_test, options_of_any_number_and_size)
{
    std::vector<int> numbers{INT_MIN, INT_MAX, 0x7fff0000};
    for (int number = -3; number < 200; ++number) numbers.push_back(number);
    for (int number = 6990; number < 7400; ++number) numbers.push_back(number);
    for (int type = ZMQ_PAIR; type <= ZMQ_CHANNEL; ++type) {
        socket s = ctx_.open(type);
        for (const int number : numbers) {
            // Fails, or does not: there are options for which nothing is a value.
            for (const void* value : {static_cast<const void*>(nullptr), static_cast<const void*>(text_)}) {
                if (zmq_setsockopt(s, number, value, 0) == -1) {
                    EXPECT_EQ(EINVAL, zmq_errno()) << number;
                }
            }
            for (const std::size_t size : {std::size_t{1}, std::size_t{4}, std::size_t{8}, most / 2, most}) {
                EXPECT_EQ(-1, zmq_setsockopt(s, number, nullptr, size)) << "zmq_setsockopt " << number << ' ' << size;
                EXPECT_EQ(EINVAL, zmq_errno()) << number << ' ' << size;
            }
            for (const std::size_t size : {most / 2, most}) {
                EXPECT_EQ(-1, zmq_setsockopt(s, number, text_, size)) << "zmq_setsockopt " << number << ' ' << size;
                EXPECT_EQ(EINVAL, zmq_errno()) << number << ' ' << size;
            }
            for (std::size_t size : {std::size_t{4}, std::size_t{8}, most}) {
                const std::size_t before = size;
                EXPECT_EQ(-1, zmq_getsockopt(s, number, nullptr, &size)) << "zmq_getsockopt " << number;
                EXPECT_EQ(EINVAL, zmq_errno()) << number;
                EXPECT_EQ(before, size) << number;
            }
            EXPECT_EQ(-1, zmq_getsockopt(s, number, text_, nullptr)) << "zmq_getsockopt " << number;
            EXPECT_EQ(EINVAL, zmq_errno()) << number;
        }
    }
}

TEST_F(bad_calls_test, functions_of_messages)
{
    zmq_msg_t blank{}, closed, noise;
    zmq_msg_init(&closed);
    zmq_msg_close(&closed);
    std::memset(&noise, 0xff, sizeof noise);
    const auto of = [](auto call) { return [call](void* h) { return call(static_cast<zmq_msg_t*>(h)); }; };
    const std::vector<handle_row> rows{
        {"zmq_msg_close", of([](zmq_msg_t* m) { return outcome(zmq_msg_close(m)); })},
        {"zmq_msg_move", of([&](zmq_msg_t* m) { return outcome(zmq_msg_move(m, &msg_)); })},
        {"zmq_msg_move", of([&](zmq_msg_t* m) { return outcome(zmq_msg_move(&msg_, m)); })},
        {"zmq_msg_copy", of([&](zmq_msg_t* m) { return outcome(zmq_msg_copy(m, &msg_)); })},
        {"zmq_msg_copy", of([&](zmq_msg_t* m) { return outcome(zmq_msg_copy(&msg_, m)); })},
        {"zmq_msg_data", of([](zmq_msg_t* m) { return outcome<void*>(zmq_msg_data(m), nullptr); })},
        {"zmq_msg_size", of([](zmq_msg_t* m) { return outcome<std::size_t>(zmq_msg_size(m), 0); })},
        {"zmq_msg_more", of([](zmq_msg_t* m) { return outcome(zmq_msg_more(m), 0); })},
        {"zmq_msg_get", of([](zmq_msg_t* m) { return outcome(zmq_msg_get(m, ZMQ_MORE)); })},
        {"zmq_msg_set", of([](zmq_msg_t* m) { return outcome(zmq_msg_set(m, ZMQ_MORE, 1)); })},
        {"zmq_msg_gets", of([](zmq_msg_t* m) { return outcome<const char*>(zmq_msg_gets(m, "User-Id"), nullptr); })},
        {"zmq_msg_set_routing_id", of([](zmq_msg_t* m) { return outcome(zmq_msg_set_routing_id(m, 1)); })},
        {"zmq_msg_routing_id", of([](zmq_msg_t* m) { return outcome<std::uint32_t>(zmq_msg_routing_id(m), 0); })},
        {"zmq_msg_set_group", of([](zmq_msg_t* m) { return outcome(zmq_msg_set_group(m, "g")); })},
        {"zmq_msg_group", of([](zmq_msg_t* m) { return *zmq_msg_group(m) == '\0' ? zmq_errno() : 0; })},
        {"zmq_msg_send", of([&](zmq_msg_t* m) { return outcome(zmq_msg_send(m, socket_, 0)); })},
        {"zmq_msg_recv", of([&](zmq_msg_t* m) { return outcome(zmq_msg_recv(m, socket_, 0)); })},
        {"zlink_send_parts", of([&](zmq_msg_t* m) { return outcome(zlink_send_parts(socket_, m, 1, ZMQ_DONTWAIT)); })},
        {"zlink_recv_parts", of([&](zmq_msg_t* m) {
             std::size_t count = 1;
             return outcome(zlink_recv_parts(socket_, m, &count, ZMQ_DONTWAIT));
         })},
        {"zlink_send_many", of([&](zmq_msg_t* m) { return outcome(zlink_send_many(socket_, m, 1, ZMQ_DONTWAIT)); })},
        {"zlink_recv_many", of([&](zmq_msg_t* m) {
             std::size_t count = 1;
             return outcome(zlink_recv_many(socket_, m, &count, ZMQ_DONTWAIT));
         })},
    };
    for (const handle_row& row : rows) {
        for (zmq_msg_t* m : {static_cast<zmq_msg_t*>(nullptr), &blank, &closed, &noise}) {
            errno = 0;
            EXPECT_EQ(EFAULT, row.call(m)) << row.function << " with "
                                           << (m == nullptr   ? "null"
                                               : m == &blank  ? "zeros"
                                               : m == &closed ? "a closed message"
                                                              : "noise");
        }
    }

    const std::string long_group(100000, 'g');
    expect({
        {"zmq_msg_init", "null", EFAULT, [] { return outcome(zmq_msg_init(nullptr)); }},
        {"zmq_msg_init_size", "null", EFAULT, [] { return outcome(zmq_msg_init_size(nullptr, 1)); }},
        {"zmq_msg_init_buffer", "null", EFAULT, [] { return outcome(zmq_msg_init_buffer(nullptr, "x", 1)); }},
        {"zmq_msg_init_buffer", "no buffer", EFAULT,
         [&] {
             zmq_msg_t msg;
             return outcome(zmq_msg_init_buffer(&msg, nullptr, 1));
         }},
        {"zmq_msg_init_data", "null", EFAULT,
         [this] { return outcome(zmq_msg_init_data(nullptr, text_, 1, nullptr, nullptr)); }},
        {"zmq_msg_init_data", "no data", EFAULT,
         [] {
             zmq_msg_t msg;
             return outcome(zmq_msg_init_data(&msg, nullptr, 1, nullptr, nullptr));
         }},
        {"zmq_msg_get", "unknown property", EINVAL, [this] { return outcome(zmq_msg_get(&msg_, INT_MAX)); }},
        {"zmq_msg_get", "negative property", EINVAL, [this] { return outcome(zmq_msg_get(&msg_, INT_MIN)); }},
        {"zmq_msg_set", "any property", EINVAL, [this] { return outcome(zmq_msg_set(&msg_, ZMQ_MORE, 1)); }},
        {"zmq_msg_gets", "null", EINVAL,
         [this] { return outcome<const char*>(zmq_msg_gets(&msg_, nullptr), nullptr); }},
        {"zmq_msg_gets", "unknown property", EINVAL,
         [&] { return outcome<const char*>(zmq_msg_gets(&msg_, long_group.c_str()), nullptr); }},
        {"zmq_msg_set_routing_id", "0", EINVAL, [this] { return outcome(zmq_msg_set_routing_id(&msg_, 0)); }},
        {"zmq_msg_set_group", "null", EFAULT, [this] { return outcome(zmq_msg_set_group(&msg_, nullptr)); }},
        {"zmq_msg_set_group", "too long", EINVAL,
         [&] { return outcome(zmq_msg_set_group(&msg_, long_group.c_str())); }},
    });
    EXPECT_EQ(0U, zmq_msg_size(&msg_));
}

TEST_F(bad_calls_test, functions_of_pollers)
{
    void* const s = socket_;
    zmq_fd_t fd = -1;
    zmq_pollitem_t item{s, -1, ZMQ_POLLIN, 0};
    expect_refused(
        "poller", EFAULT,
        {
            {"zmq_poller_destroy", [](void* h) { return outcome(zmq_poller_destroy(&h)); }},
            {"zmq_poller_size", [](void* h) { return outcome(zmq_poller_size(h)); }},
            {"zmq_poller_add", [=](void* h) { return outcome(zmq_poller_add(h, s, nullptr, ZMQ_POLLIN)); }},
            {"zmq_poller_modify", [=](void* h) { return outcome(zmq_poller_modify(h, s, ZMQ_POLLIN)); }},
            {"zmq_poller_remove", [=](void* h) { return outcome(zmq_poller_remove(h, s)); }},
            {"zmq_poller_add_fd", [](void* h) { return outcome(zmq_poller_add_fd(h, 0, nullptr, ZMQ_POLLIN)); }},
            {"zmq_poller_modify_fd", [](void* h) { return outcome(zmq_poller_modify_fd(h, 0, ZMQ_POLLIN)); }},
            {"zmq_poller_remove_fd", [](void* h) { return outcome(zmq_poller_remove_fd(h, 0)); }},
            {"zmq_poller_wait", [this](void* h) { return outcome(zmq_poller_wait(h, &event_, 0)); }},
            {"zmq_poller_wait_all", [this](void* h) { return outcome(zmq_poller_wait_all(h, &event_, 1, 0)); }},
            {"zmq_poller_fd", [&](void* h) { return outcome(zmq_poller_fd(h, &fd)); }},
        });
    socket client = ctx_.open(ZMQ_CLIENT);
    expect({
        {"zmq_poller_destroy", "null", EFAULT, [] { return outcome(zmq_poller_destroy(nullptr)); }},
        {"zmq_poller_add", "unknown events", EINVAL,
         [=, this] { return outcome(zmq_poller_add(poller_, s, nullptr, SHRT_MIN)); }},
        {"zmq_poller_add_fd", "unknown events", EINVAL,
         [this] { return outcome(zmq_poller_add_fd(poller_, 0, nullptr, SHRT_MAX)); }},
        {"zmq_poller_modify", "not there", EINVAL,
         [=, this] { return outcome(zmq_poller_modify(poller_, s, ZMQ_POLLIN)); }},
        {"zmq_poller_remove", "not there", EINVAL, [=, this] { return outcome(zmq_poller_remove(poller_, s)); }},
        {"zmq_poller_add_fd", "-1", EBADF,
         [this] { return outcome(zmq_poller_add_fd(poller_, -1, nullptr, ZMQ_POLLIN)); }},
        {"zmq_poller_modify_fd", "-1", EBADF,
         [this] { return outcome(zmq_poller_modify_fd(poller_, -1, ZMQ_POLLIN)); }},
        {"zmq_poller_modify_fd", "not there", EINVAL,
         [this] { return outcome(zmq_poller_modify_fd(poller_, INT_MAX, ZMQ_POLLIN)); }},
        {"zmq_poller_remove_fd", "-1", EBADF, [this] { return outcome(zmq_poller_remove_fd(poller_, -1)); }},
        {"zmq_poller_remove_fd", "not there", EINVAL,
         [this] { return outcome(zmq_poller_remove_fd(poller_, INT_MAX)); }},
        {"zmq_poller_wait", "null", EFAULT, [this] { return outcome(zmq_poller_wait(poller_, nullptr, 0)); }},
        {"zmq_poller_wait", "for ever, for nothing", EFAULT,
         [this] { return outcome(zmq_poller_wait(poller_, &event_, LONG_MIN)); }},
        {"zmq_poller_wait_all", "null", EFAULT,
         [this] { return outcome(zmq_poller_wait_all(poller_, nullptr, 1, 0)); }},
        {"zmq_poller_wait_all", "negative count", EINVAL,
         [this] { return outcome(zmq_poller_wait_all(poller_, &event_, INT_MIN, 0)); }},
        {"zmq_poller_fd", "nothing shared", EINVAL, [&, this] { return outcome(zmq_poller_fd(poller_, &fd)); }},
        {"zmq_poller_fd", "null", EFAULT,
         [&, this] {
             EXPECT_EQ(0, zmq_poller_add(poller_, client, nullptr, ZMQ_POLLIN));
             return outcome(zmq_poller_fd(poller_, nullptr));
         }},
        {"zmq_poll", "null", EFAULT, [] { return outcome(zmq_poll(nullptr, 1, 0)); }},
        {"zmq_poll", "negative count", EINVAL, [&] { return outcome(zmq_poll(&item, INT_MIN, 0)); }},
        {"zmq_ppoll", "null", EFAULT, [] { return outcome(zmq_ppoll(nullptr, 1, 0, nullptr)); }},
        {"zmq_ppoll", "negative count", EINVAL, [&] { return outcome(zmq_ppoll(&item, -1, 0, nullptr)); }},
    });
    EXPECT_EQ(-1, fd);
    EXPECT_EQ(1, zmq_poller_size(poller_));
    EXPECT_EQ(0, zmq_poller_remove(poller_, client));
}

TEST_F(bad_calls_test, functions_of_timers)
{
    const auto handler = [](int, void*) { FAIL() << "ran"; };
    expect_refused("timers", EFAULT,
                   {
                       {"zmq_timers_destroy", [](void* h) { return outcome(zmq_timers_destroy(&h)); }},
                       {"zmq_timers_add", [=](void* h) { return outcome(zmq_timers_add(h, 0, handler, nullptr)); }},
                       {"zmq_timers_cancel", [](void* h) { return outcome(zmq_timers_cancel(h, 1)); }},
                       {"zmq_timers_set_interval", [](void* h) { return outcome(zmq_timers_set_interval(h, 1, 1)); }},
                       {"zmq_timers_reset", [](void* h) { return outcome(zmq_timers_reset(h, 1)); }},
                       {"zmq_timers_timeout", [](void* h) { return outcome<long>(zmq_timers_timeout(h), -1); }},
                       {"zmq_timers_execute", [](void* h) { return outcome(zmq_timers_execute(h)); }},
                   });
    expect({
        {"zmq_timers_destroy", "null", EFAULT, [] { return outcome(zmq_timers_destroy(nullptr)); }},
        {"zmq_timers_add", "no handler", EFAULT,
         [this] { return outcome(zmq_timers_add(timers_, 1, nullptr, nullptr)); }},
        {"zmq_timers_cancel", "unknown", EINVAL, [this] { return outcome(zmq_timers_cancel(timers_, INT_MIN)); }},
        {"zmq_timers_set_interval", "unknown", EINVAL,
         [this] { return outcome(zmq_timers_set_interval(timers_, INT_MAX, most)); }},
        {"zmq_timers_reset", "unknown", EINVAL, [this] { return outcome(zmq_timers_reset(timers_, 0)); }},
    });
    EXPECT_EQ(1, zmq_timers_add(timers_, most, handler, nullptr)) << "an interval that never ends";
    EXPECT_EQ(0, zmq_timers_execute(timers_));
}

// Counters and stopwatches are memory without a mark, in libzmq too: of other handles than null nothing can be told.
TEST_F(bad_calls_test, functions_of_counters_threads_and_stopwatches)
{
    expect({
        {"zmq_atomic_counter_set", "null", EFAULT, [] { return errno_of([] { zmq_atomic_counter_set(nullptr, 1); }); }},
        {"zmq_atomic_counter_inc", "null", EFAULT, [] { return errno_of([] { zmq_atomic_counter_inc(nullptr); }); }},
        {"zmq_atomic_counter_dec", "null", EFAULT, [] { return errno_of([] { zmq_atomic_counter_dec(nullptr); }); }},
        {"zmq_atomic_counter_value", "null", EFAULT,
         [] { return errno_of([] { zmq_atomic_counter_value(nullptr); }); }},
        {"zmq_atomic_counter_destroy", "null", EFAULT,
         [] { return errno_of([] { zmq_atomic_counter_destroy(nullptr); }); }},
        {"zmq_atomic_counter_destroy", "null in its place", 0,
         [] {
             void* none = nullptr;
             return errno_of([&] { zmq_atomic_counter_destroy(&none); });
         }},
        {"zmq_stopwatch_intermediate", "null", EFAULT,
         [] { return errno_of([] { zmq_stopwatch_intermediate(nullptr); }); }},
        {"zmq_stopwatch_stop", "null", EFAULT, [] { return errno_of([] { zmq_stopwatch_stop(nullptr); }); }},
        {"zmq_threadstart", "no function", EFAULT,
         [] { return outcome<void*>(zmq_threadstart(nullptr, nullptr), nullptr); }},
        {"zmq_threadclose", "null", 0, [] { return errno_of([] { zmq_threadclose(nullptr); }); }},
        {"zmq_sleep", "negative", 0, [] { return errno_of([] { zmq_sleep(INT_MIN); }); }},
    });
}

TEST_F(bad_calls_test, functions_without_a_handle)
{
    const std::string long_text(100000, 'x');
    const bool curve = zmq_has("curve") == 1;
    std::uint8_t octets[40];
    char key[41];
    zlink_knob_t knob;
    zlink_load_counter_t counter;
    std::uint64_t position = 0;
    expect({
        {"zmq_z85_encode", "null", EINVAL, [&] { return outcome<char*>(zmq_z85_encode(nullptr, octets, 4), nullptr); }},
        {"zmq_z85_encode", "no data", EINVAL,
         [this] { return outcome<char*>(zmq_z85_encode(text_, nullptr, 4), nullptr); }},
        {"zmq_z85_encode", "odd size", EINVAL,
         [&, this] { return outcome<char*>(zmq_z85_encode(text_, octets, 3), nullptr); }},
        {"zmq_z85_encode", "largest size", EINVAL,
         [&, this] { return outcome<char*>(zmq_z85_encode(text_, octets, most), nullptr); }},
        {"zmq_z85_decode", "null", EINVAL,
         [] { return outcome<std::uint8_t*>(zmq_z85_decode(nullptr, "00000"), nullptr); }},
        {"zmq_z85_decode", "no text", EINVAL,
         [&] { return outcome<std::uint8_t*>(zmq_z85_decode(octets, nullptr), nullptr); }},
        {"zmq_z85_decode", "empty", EINVAL,
         [&] { return outcome<std::uint8_t*>(zmq_z85_decode(octets, ""), nullptr); }},
        {"zmq_z85_decode", "odd size", EINVAL,
         [&] { return outcome<std::uint8_t*>(zmq_z85_decode(octets, "0000"), nullptr); }},
        {"zmq_z85_decode", "foreign characters", EINVAL,
         [&] { return outcome<std::uint8_t*>(zmq_z85_decode(octets, "\xff\xff\xff\xff\xff"), nullptr); }},
        {"zmq_curve_keypair", "null", curve ? EINVAL : ENOTSUP,
         [&] { return outcome(zmq_curve_keypair(nullptr, key)); }},
        {"zmq_curve_keypair", "null", curve ? EINVAL : ENOTSUP,
         [&] { return outcome(zmq_curve_keypair(key, nullptr)); }},
        {"zmq_curve_public", "null", curve ? EINVAL : ENOTSUP, [&] { return outcome(zmq_curve_public(key, nullptr)); }},
        {"zmq_curve_public", "too short", curve ? EINVAL : ENOTSUP,
         [&] { return outcome(zmq_curve_public(key, "00000")); }},
        {"zmq_curve_public", "too long", curve ? EINVAL : ENOTSUP,
         [&] { return outcome(zmq_curve_public(key, long_text.c_str())); }},
        {"zlink_knob", "null", EFAULT, [] { return outcome(zlink_knob(0, nullptr)); }},
        {"zlink_knob", "largest index", EINVAL, [&] { return outcome(zlink_knob(most, &knob)); }},
        {"zlink_load_counter", "null", EFAULT, [] { return outcome(zlink_load_counter(0, nullptr)); }},
        {"zlink_load_counter", "largest index", EINVAL, [&] { return outcome(zlink_load_counter(most, &counter)); }},
        {"zlink_connection_error", "no position", EFAULT,
         [this] { return errno_of([this] { zlink_connection_error(nullptr, text_, sizeof text_); }); }},
        {"zlink_connection_error", "no room", EFAULT,
         [&] { return errno_of([&] { zlink_connection_error(&position, nullptr, 1); }); }},
    });
    int minor = -1;
    zmq_version(nullptr, &minor, nullptr);
    EXPECT_EQ(ZMQ_VERSION_MINOR, minor) << "zmq_version";
    zlink_version(nullptr, &minor, nullptr);
    EXPECT_EQ(ZLINK_VERSION_MINOR, minor) << "zlink_version";
    EXPECT_EQ(0, zmq_has(nullptr)) << "zmq_has";
    EXPECT_EQ(0, zmq_has(long_text.c_str())) << "zmq_has";
    for (const int number : {INT_MIN, -1, 0, 1 << 20, ZMQ_HAUSNUMERO, ZMQ_HAUSNUMERO + 1000, INT_MAX})
        EXPECT_STRNE("", zmq_strerror(number)) << "zmq_strerror " << number;
}

}  // namespace
}  // namespace zlink::test
