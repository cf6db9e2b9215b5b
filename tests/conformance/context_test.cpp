// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The context: its options, its limits, and what becomes of calls on handles that are none.
#include "support/zmq_fixture.hpp"

#include <climits>

namespace zlink::test {
namespace {

/// ZMQ_THREAD_PRIORITY and ZMQ_SOCKET_LIMIT share a number; zmq_ctx_get answers with the limit.
constexpr int largest_socket_limit = 65535;

// The fixture's socket wrapper sets options on its own; these tests need the bare call.
void* bare_socket(void* ctx, int type)
{
    errno = 0;
    return zmq_socket(ctx, type);
}

TEST(context_options_test, have_documented_defaults)
{
    context ctx;
    EXPECT_EQ(ZMQ_IO_THREADS_DFLT, zmq_ctx_get(ctx, ZMQ_IO_THREADS));
    EXPECT_EQ(1, zmq_ctx_get(ctx, ZMQ_IO_THREADS));
    EXPECT_EQ(ZMQ_MAX_SOCKETS_DFLT, zmq_ctx_get(ctx, ZMQ_MAX_SOCKETS));
    EXPECT_EQ(1023, zmq_ctx_get(ctx, ZMQ_MAX_SOCKETS));
    EXPECT_EQ(largest_socket_limit, zmq_ctx_get(ctx, ZMQ_SOCKET_LIMIT));
    EXPECT_EQ(INT_MAX, zmq_ctx_get(ctx, ZMQ_MAX_MSGSZ));
    EXPECT_EQ(static_cast<int>(sizeof(zmq_msg_t)), zmq_ctx_get(ctx, ZMQ_MSG_T_SIZE));
    EXPECT_EQ(64, zmq_ctx_get(ctx, ZMQ_MSG_T_SIZE));
    EXPECT_EQ(ZMQ_THREAD_SCHED_POLICY_DFLT, zmq_ctx_get(ctx, ZMQ_THREAD_SCHED_POLICY));
    EXPECT_EQ(0, zmq_ctx_get(ctx, ZMQ_IPV6));
    EXPECT_EQ(1, zmq_ctx_get(ctx, ZMQ_BLOCKY));
}

struct context_option_case {
    const char* name;
    int option;
    std::vector<int> accepted;
    std::vector<int> rejected;
};

std::ostream& operator<<(std::ostream& out, const context_option_case& instance)
{
    return out << instance.name;
}

class context_option_test : public ::testing::TestWithParam<context_option_case> {};

TEST_P(context_option_test, keeps_what_it_accepts)
{
    for (const int value : GetParam().accepted) {
        context ctx;
        EXPECT_EQ(0, zmq_ctx_set(ctx, GetParam().option, value)) << value;
        EXPECT_EQ(value, zmq_ctx_get(ctx, GetParam().option));
    }
}

TEST_P(context_option_test, rejects_the_rest_and_keeps_its_value)
{
    for (const int value : GetParam().rejected) {
        context ctx;
        const int before = zmq_ctx_get(ctx, GetParam().option);
        errno = 0;
        EXPECT_EQ(-1, zmq_ctx_set(ctx, GetParam().option, value)) << value;
        EXPECT_EQ(EINVAL, zmq_errno()) << value;
        EXPECT_EQ(before, zmq_ctx_get(ctx, GetParam().option));
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, context_option_test,
    ::testing::Values(context_option_case{"IoThreads", ZMQ_IO_THREADS, {0, 1, 2, 64}, {-1, INT_MIN}},
                      context_option_case{"MaxSockets", ZMQ_MAX_SOCKETS, {1, 2, 1024, 65535}, {0, -1, INT_MIN}},
                      context_option_case{"MaxMsgsz", ZMQ_MAX_MSGSZ, {0, 1, 65536, INT_MAX}, {-1, INT_MIN}},
                      context_option_case{"ThreadSchedPolicy", ZMQ_THREAD_SCHED_POLICY, {0, 1, 2}, {-1, -2}},
                      context_option_case{"ThreadNamePrefix", ZMQ_THREAD_NAME_PREFIX, {1, 7, 123456}, {}},
                      context_option_case{"Ipv6", ZMQ_IPV6, {0, 1}, {-1}},
                      context_option_case{"Blocky", ZMQ_BLOCKY, {0, 1}, {-1}}),
    [](const auto& instance) { return instance.param.name; });

TEST(context_options_test, take_thread_priority_and_cpu_affinity_for_writing)
{
    context ctx;
    EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_THREAD_PRIORITY, 1));
    EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_THREAD_AFFINITY_CPU_ADD, 0));
    EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 0));

    EXPECT_EQ(-1, zmq_ctx_set(ctx, ZMQ_THREAD_PRIORITY, ZMQ_THREAD_PRIORITY_DFLT)) << "the default cannot be set";
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_ctx_set(ctx, ZMQ_THREAD_AFFINITY_CPU_ADD, -1));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_ctx_set(ctx, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 5)) << "not in the list";
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_ctx_get(ctx, ZMQ_THREAD_AFFINITY_CPU_ADD));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST(context_options_test, have_a_size_in_the_calls_of_the_draft)
{
    context ctx;
    int value = 3;
    std::size_t size = sizeof value;
    EXPECT_EQ(0, zmq_ctx_set_ext(ctx, ZMQ_IO_THREADS, &value, size));
    EXPECT_EQ(3, zmq_ctx_get(ctx, ZMQ_IO_THREADS));
    value = 0;
    EXPECT_EQ(0, zmq_ctx_get_ext(ctx, ZMQ_IO_THREADS, &value, &size));
    EXPECT_EQ(3, value);
    EXPECT_EQ(sizeof value, size);
    EXPECT_EQ(0, zmq_ctx_set_ext(ctx, ZMQ_THREAD_NAME_PREFIX, "gateway", 7));
    char text[16] = {};
    size = sizeof text;
    EXPECT_EQ(0, zmq_ctx_get_ext(ctx, ZMQ_THREAD_NAME_PREFIX, text, &size));
    EXPECT_STREQ("gateway", text);
    for (const int on : {0, 1}) {
        EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_ZERO_COPY_RECV, on));
        EXPECT_EQ(on, zmq_ctx_get(ctx, ZMQ_ZERO_COPY_RECV));
    }
}

TEST(context_options_test, unknown_ones_are_invalid)
{
    context ctx;
    for (const int option : {0, -1, 9999}) {
        EXPECT_EQ(-1, zmq_ctx_set(ctx, option, 1));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_EQ(-1, zmq_ctx_get(ctx, option));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST(context_options_test, read_only_ones_reject_writing)
{
    context ctx;
    EXPECT_EQ(-1, zmq_ctx_set(ctx, ZMQ_MSG_T_SIZE, 64));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST(context_options_test, ipv6_becomes_the_default_of_later_sockets)
{
    context ctx;
    socket before = ctx.open(ZMQ_PAIR);
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_IPV6, 1));
    socket after = ctx.open(ZMQ_PAIR);
    EXPECT_EQ(0, before.get_int(ZMQ_IPV6));
    EXPECT_EQ(1, after.get_int(ZMQ_IPV6));
}

TEST(context_options_test, without_blocky_new_sockets_do_not_linger)
{
    context ctx;
    void* const before = bare_socket(ctx, ZMQ_PUSH);
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_BLOCKY, 0));
    void* const after = bare_socket(ctx, ZMQ_PUSH);
    ASSERT_NE(nullptr, before);
    ASSERT_NE(nullptr, after);
    int linger = 0;
    std::size_t size = sizeof linger;
    EXPECT_EQ(0, zmq_getsockopt(before, ZMQ_LINGER, &linger, &size));
    EXPECT_EQ(-1, linger);
    EXPECT_EQ(0, zmq_getsockopt(after, ZMQ_LINGER, &linger, &size));
    EXPECT_EQ(0, linger);
    EXPECT_EQ(0, zmq_close(before));
    EXPECT_EQ(0, zmq_close(after));
}

TEST(context_options_test, without_blocky_termination_leaves_unsent_messages_behind)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_BLOCKY, 0));
    void* const pusher = bare_socket(ctx, ZMQ_PUSH);
    ASSERT_EQ(0, zmq_connect(pusher, "tcp://127.0.0.1:1"));
    EXPECT_EQ(1, zmq_send(pusher, "x", 1, 0));
    EXPECT_EQ(0, zmq_close(pusher));
    ctx.terminate();  // would wait for ever if the message lingered
}

TEST(context_options_test, max_msgsz_limits_the_messages_of_a_context)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_MAX_MSGSZ, 1000));
    socket pair = ctx.open(ZMQ_PAIR);
    std::int64_t limit = 0;
    std::size_t size = sizeof limit;
    ASSERT_EQ(0, zmq_getsockopt(pair, ZMQ_MAXMSGSIZE, &limit, &size));
    EXPECT_EQ(-1, limit) << "the per-socket limit on inbound messages is another matter";
}

TEST(context_limits_test, sockets_beyond_max_sockets_are_refused)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_MAX_SOCKETS, 2));
    socket first = ctx.open(ZMQ_PAIR);
    socket second = ctx.open(ZMQ_PAIR);
    EXPECT_EQ(nullptr, bare_socket(ctx, ZMQ_PAIR));
    EXPECT_EQ(EMFILE, zmq_errno());
}

TEST(context_limits_test, changes_after_the_first_socket_have_no_effect)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_MAX_SOCKETS, 1));
    socket only = ctx.open(ZMQ_PAIR);
    EXPECT_EQ(0, zmq_ctx_set(ctx, ZMQ_MAX_SOCKETS, 10));
    EXPECT_EQ(nullptr, bare_socket(ctx, ZMQ_PAIR));
    EXPECT_EQ(EMFILE, zmq_errno());
}

TEST(context_limits_test, a_closed_socket_makes_room)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_MAX_SOCKETS, 1));
    ctx.open(ZMQ_PAIR).close();
    // Closing is completed in the background.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    void* again = nullptr;
    while ((again = bare_socket(ctx, ZMQ_PAIR)) == nullptr && std::chrono::steady_clock::now() < deadline) {
        ASSERT_EQ(EMFILE, zmq_errno());
        std::this_thread::yield();
    }
    ASSERT_NE(nullptr, again);
    EXPECT_EQ(0, zmq_close(again));
}

TEST(context_without_io_threads_test, serves_inproc)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_IO_THREADS, 0));
    socket left = ctx.open(ZMQ_PAIR);
    socket right = ctx.open(ZMQ_PAIR);
    const std::string endpoint = unique_inproc();
    left.bind(endpoint);
    right.connect(endpoint);
    right.send("hello");
    EXPECT_EQ("hello", left.recv());
}

TEST(context_without_io_threads_test, refuses_transports_that_need_one)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_IO_THREADS, 0));
    socket pair = ctx.open(ZMQ_PAIR);
    for (const char* endpoint : {"tcp://127.0.0.1:*", "ipc://*"}) {
        EXPECT_EQ(-1, zmq_bind(pair, endpoint)) << endpoint;
        EXPECT_EQ(EMTHREAD, zmq_errno()) << endpoint;
    }
    EXPECT_EQ(-1, zmq_connect(pair, "tcp://127.0.0.1:1"));
    EXPECT_EQ(EMTHREAD, zmq_errno());
}

TEST(context_with_several_io_threads_test, serves_tcp)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_IO_THREADS, 3));
    socket puller = ctx.open(ZMQ_PULL);
    const std::string endpoint = puller.bind("tcp://127.0.0.1:*");
    std::vector<socket> pushers;
    for (int i = 0; i < 6; ++i) {
        pushers.push_back(ctx.open(ZMQ_PUSH));
        pushers.back().connect(endpoint);
        pushers.back().send("m");
    }
    for (int i = 0; i < 6; ++i) EXPECT_EQ("m", puller.recv());
}

TEST(legacy_context_test, init_takes_the_number_of_io_threads)
{
    void* const ctx = zmq_init(3);
    ASSERT_NE(nullptr, ctx);
    EXPECT_EQ(3, zmq_ctx_get(ctx, ZMQ_IO_THREADS));
    EXPECT_EQ(0, zmq_term(ctx));

    void* const none = zmq_init(0);
    ASSERT_NE(nullptr, none);
    EXPECT_EQ(0, zmq_ctx_get(none, ZMQ_IO_THREADS));
    EXPECT_EQ(0, zmq_ctx_destroy(none));
}

TEST(legacy_context_test, init_rejects_a_negative_number)
{
    errno = 0;
    EXPECT_EQ(nullptr, zmq_init(-1));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST(socket_creation_test, rejects_unknown_types)
{
    context ctx;
    for (const int type : {-1, 999}) {
        EXPECT_EQ(nullptr, bare_socket(ctx, type));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST(socket_creation_test, yields_every_stable_type)
{
    context ctx;
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; ++type) {
        socket made = ctx.open(type);
        EXPECT_EQ(type, made.get_int(ZMQ_TYPE));
    }
}

TEST(bad_handles_test, null_context_is_a_bad_address)
{
    const auto is_bad_address = [](int rc) { return rc == -1 && zmq_errno() == EFAULT; };
    EXPECT_TRUE(is_bad_address(zmq_ctx_term(nullptr)));
    EXPECT_TRUE(is_bad_address(zmq_ctx_shutdown(nullptr)));
    EXPECT_TRUE(is_bad_address(zmq_ctx_set(nullptr, ZMQ_IO_THREADS, 1)));
    EXPECT_TRUE(is_bad_address(zmq_ctx_get(nullptr, ZMQ_IO_THREADS)));
    EXPECT_TRUE(is_bad_address(zmq_term(nullptr)));
    EXPECT_TRUE(is_bad_address(zmq_ctx_destroy(nullptr)));
    EXPECT_EQ(nullptr, bare_socket(nullptr, ZMQ_PAIR));
    EXPECT_EQ(EFAULT, zmq_errno());
}

/// Expects ENOTSOCK from every function that takes a socket.
void expect_no_socket(void* handle)
{
    int value = 0;
    std::size_t size = sizeof value;
    char buffer[8] = {};
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    const auto no_socket = [](int rc) { return rc == -1 && zmq_errno() == ENOTSOCK; };
    EXPECT_TRUE(no_socket(zmq_close(handle)));
    EXPECT_TRUE(no_socket(zmq_setsockopt(handle, ZMQ_SNDHWM, &value, sizeof value)));
    EXPECT_TRUE(no_socket(zmq_getsockopt(handle, ZMQ_SNDHWM, &value, &size)));
    EXPECT_TRUE(no_socket(zmq_bind(handle, "inproc://none")));
    EXPECT_TRUE(no_socket(zmq_connect(handle, "inproc://none")));
    EXPECT_TRUE(no_socket(zmq_unbind(handle, "inproc://none")));
    EXPECT_TRUE(no_socket(zmq_disconnect(handle, "inproc://none")));
    EXPECT_TRUE(no_socket(zmq_send(handle, buffer, 1, 0)));
    EXPECT_TRUE(no_socket(zmq_send_const(handle, buffer, 1, 0)));
    EXPECT_TRUE(no_socket(zmq_recv(handle, buffer, sizeof buffer, 0)));
    EXPECT_TRUE(no_socket(zmq_msg_send(&msg, handle, 0)));
    EXPECT_TRUE(no_socket(zmq_msg_recv(&msg, handle, 0)));
    EXPECT_TRUE(no_socket(zmq_sendmsg(handle, &msg, 0)));
    EXPECT_TRUE(no_socket(zmq_recvmsg(handle, &msg, 0)));
    EXPECT_TRUE(no_socket(zmq_socket_monitor(handle, "inproc://none", ZMQ_EVENT_ALL)));
    zmq_msg_close(&msg);
}

TEST(bad_handles_test, null_socket_is_no_socket)
{
    expect_no_socket(nullptr);
}

TEST(bad_handles_test, memory_that_holds_no_socket_is_no_socket)
{
    alignas(std::max_align_t) static char blank[16384] = {};
    expect_no_socket(blank);
}

TEST(contexts_test, are_separate_inproc_namespaces)
{
    context one;
    context other;
    socket bound_in_one = one.open(ZMQ_PAIR);
    socket bound_in_other = other.open(ZMQ_PAIR);
    const std::string endpoint = unique_inproc();
    bound_in_one.bind(endpoint);
    bound_in_other.bind(endpoint);
    socket third = one.open(ZMQ_PAIR);
    EXPECT_EQ(-1, zmq_bind(third, endpoint.c_str()));
    EXPECT_EQ(EADDRINUSE, zmq_errno());
}

TEST(library_test, names_its_errors)
{
    EXPECT_STREQ("Context was terminated", zmq_strerror(ETERM));
    EXPECT_STREQ("Operation cannot be accomplished in current state", zmq_strerror(EFSM));
    EXPECT_STREQ("The protocol is not compatible with the socket type", zmq_strerror(ENOCOMPATPROTO));
    EXPECT_STREQ("No thread available", zmq_strerror(EMTHREAD));
    EXPECT_STREQ(std::strerror(EINVAL), zmq_strerror(EINVAL));
}

TEST(library_test, tells_its_version_and_transports)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version(&major, &minor, &patch);
    EXPECT_EQ(4, major);
    EXPECT_EQ(3, minor);
    EXPECT_LE(4, patch);
    EXPECT_EQ(1, zmq_has("ipc"));
    EXPECT_EQ(0, zmq_has("no such thing"));
}

}  // namespace
}  // namespace zlink::test
