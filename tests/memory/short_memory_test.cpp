// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that runs out: whichever allocation fails, calls fail or work, nothing aborts and nothing hangs. A program of
// its own, as it takes the place of malloc() in the whole process. Each failure has a child process to itself.
#include "allocations.hpp"

#include <gtest/gtest.h>
#include <zmq.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

struct pair_case {
    const char* name;
    const char* endpoint;
    int binding;
    int connecting;
    int linger = 0;
};

void* open_socket(void* context, int type, int linger)
{
    void* const socket = zmq_socket(context, type);
    if (!socket) return nullptr;
    const int patience = 20, interval = 5;
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    (void)zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    (void)zmq_setsockopt(socket, ZMQ_SNDTIMEO, &patience, sizeof patience);
    (void)zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &interval, sizeof interval);
    if (type == ZMQ_SUB) (void)zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    return socket;
}

// From `from` to `to`, and what comes first (a ROUTER's routing id) and the answer back.
void exchange(void* from, void* to, std::size_t size)
{
    static std::array<char, 100'000> octets;
    (void)zmq_send(from, octets.data(), size, 0);
    zmq_msg_t parts[2];
    int count = 0;
    for (bool more = true; more && count < 2; ++count) {
        (void)zmq_msg_init(&parts[count]);
        more = zmq_msg_recv(&parts[count], to, 0) >= 0 && zmq_msg_more(&parts[count]);
    }
    for (int i = 0; i < count; ++i) {
        (void)zmq_msg_gets(&parts[i], "Peer-Address");
        if (zmq_msg_send(&parts[i], to, i + 1 < count ? ZMQ_SNDMORE : 0) < 0) (void)zmq_msg_close(&parts[i]);
    }
    (void)zmq_recv(from, octets.data(), octets.size(), 0);
}

void use(const pair_case& of, void* binding, void* connecting)
{
    if (zmq_bind(binding, of.endpoint) != 0) return;
    char endpoint[256];
    std::size_t size = sizeof endpoint;
    if (zmq_getsockopt(binding, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0) return;
    if (zmq_connect(connecting, endpoint) == 0) {
        // A PUB has nobody to send to yet.
        const bool publishes = of.binding == ZMQ_PUB;
        for (const std::size_t octets : {std::size_t(200), std::size_t(100'000)}) {
            exchange(publishes ? binding : connecting, publishes ? connecting : binding, octets);
        }
        zmq_pollitem_t items[] = {{binding, 0, ZMQ_POLLIN, 0}, {connecting, 0, ZMQ_POLLIN, 0}};
        (void)zmq_poll(items, 2, 1);
        (void)zmq_disconnect(connecting, endpoint);
    }
    (void)zmq_unbind(binding, endpoint);
}

void run(const pair_case& of)
{
    void* const context = zmq_ctx_new();
    if (!context) return;
    for (int round = 0; round < 2; ++round) {
        void* const binding = open_socket(context, of.binding, of.linger);
        void* const connecting = open_socket(context, of.connecting, of.linger);
        if (binding && connecting) {
            (void)zmq_socket_monitor(connecting, "inproc://monitor", ZMQ_EVENT_ALL);
            use(of, binding, connecting);
        }
        if (binding) (void)zmq_close(binding);
        if (connecting) (void)zmq_close(connecting);
    }
    (void)zmq_ctx_term(context);
}

// In a child: the result of wait(). `count` is told how many allocations there were, if it is not null.
int run_in_child(const pair_case& of, long failure, long* count)
{
    int ends[2];
    if (::pipe(ends) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        zlink::test::count_allocations(failure);
        run(of);
        const long all = zlink::test::counted_allocations();
        ::_exit(::write(ends[1], &all, sizeof all) == sizeof all ? 0 : 1);
    }
    ::close(ends[1]);
    long all = 0;
    if (::read(ends[0], &all, sizeof all) != sizeof all) all = 0;
    ::close(ends[0]);
    if (count) *count = all;
    int status = -1;
    (void)::waitpid(child, &status, 0);
    return status;
}

class short_memory_test : public testing::TestWithParam<pair_case> {};

TEST_P(short_memory_test, no_allocation_that_fails_aborts_or_hangs)
{
    // What a thread registers once, with the C library that aborts without memory for it, is there then.
    run(GetParam());
    long count = 0;
    ASSERT_EQ(run_in_child(GetParam(), -1, &count), 0);
    ASSERT_GT(count, 50);
    for (long i = 0; i < count; ++i) {
        const int status = run_in_child(GetParam(), i, nullptr);
        EXPECT_FALSE(WIFSIGNALED(status))
            << "signal " << WTERMSIG(status) << " when allocation " << i << " of " << count << " failed";
    }
}

INSTANTIATE_TEST_SUITE_P(all, short_memory_test,
                         testing::Values(pair_case{"pair_tcp", "tcp://127.0.0.1:*", ZMQ_PAIR, ZMQ_PAIR},
                                         pair_case{"pair_inproc", "inproc://here", ZMQ_PAIR, ZMQ_PAIR},
                                         pair_case{"router_dealer_ipc", "ipc://*", ZMQ_ROUTER, ZMQ_DEALER},
                                         pair_case{"dealers_lingering_tcp", "tcp://127.0.0.1:*", ZMQ_DEALER, ZMQ_DEALER,
                                                   20},
                                         pair_case{"pub_sub_tcp", "tcp://127.0.0.1:*", ZMQ_PUB, ZMQ_SUB}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
