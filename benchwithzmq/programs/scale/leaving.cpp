// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Many inproc peers of one socket leave at once: how long the calls of that socket take that follow, one by one.
//
//   scale_zlink_leaving <pull|router|dealer|xpub> <recv|poll|send> <peers>
//
// Prints the slowest call in us of wall clock and of the thread's processor time. Also the number of calls until all
// was taken in, and the sum of their times. ZMQ_MAX_SOCKETS and the limit of open files are raised as far as that goes.
#include <zmq.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

void must(bool good, const char* what)
{
    if (good) return;
    std::fprintf(stderr, "leaving: %s: %s\n", what, zmq_strerror(zmq_errno()));
    std::exit(1);
}

double now_us(clockid_t which)
{
    timespec t{};
    ::clock_gettime(which, &t);
    return double(t.tv_sec) * 1e6 + double(t.tv_nsec) / 1e3;
}

struct kind {
    const char* name;
    int own;
    int peers;
};
constexpr kind kinds[] = {{"pull", ZMQ_PULL, ZMQ_PUSH},
                          {"router", ZMQ_ROUTER, ZMQ_DEALER},
                          {"dealer", ZMQ_DEALER, ZMQ_DEALER},
                          {"xpub", ZMQ_XPUB, ZMQ_SUB}};

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: leaving <pull|router|dealer|xpub> <recv|poll|send> <peers>\n");
        return 2;
    }
    const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                    [&](const kind& k) { return std::strcmp(k.name, argv[1]) == 0; });
    const std::string call = argv[2];
    const int count = std::atoi(argv[3]);
    if (found == std::end(kinds) || count <= 0) return 2;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);

    void* const ctx = zmq_ctx_new();
    must(zmq_ctx_set(ctx, ZMQ_MAX_SOCKETS, count + 10) == 0, "ZMQ_MAX_SOCKETS");
    void* const own = zmq_socket(ctx, found->own);
    must(own && zmq_bind(own, "inproc://all") == 0, "zmq_bind");
    const int on = 1;
    if (found->own == ZMQ_ROUTER) zmq_setsockopt(own, ZMQ_ROUTER_MANDATORY, &on, sizeof on);
    const auto look = [&] {
        zmq_pollitem_t item{own, 0, ZMQ_POLLIN, 0};
        return zmq_poll(&item, 1, 0);
    };
    const auto make = [&] {
        void* const peer = zmq_socket(ctx, found->peers);
        must(peer, "zmq_socket");
        if (found->own == ZMQ_XPUB) zmq_setsockopt(peer, ZMQ_SUBSCRIBE, "", 0);
        must(zmq_connect(peer, "inproc://all") == 0, "zmq_connect");
        return peer;
    };
    std::vector<void*> peers;
    for (int i = 0; i < count; ++i) {
        peers.push_back(make());
        if (i % 100 == 0) (void)look();
    }
    char octets[300];
    while (zmq_recv(own, octets, sizeof octets, ZMQ_DONTWAIT) >= 0) {
    }
    void* const stays = make();
    const auto act = [&] {
        if (call == "poll") {
            (void)look();
        } else if (call == "send") {
            if (found->own == ZMQ_ROUTER) {
                (void)zmq_send(own, "nobody", 6, ZMQ_DONTWAIT | ZMQ_SNDMORE);
            } else {
                (void)zmq_send(own, "x", 1, ZMQ_DONTWAIT);
            }
        } else {
            (void)zmq_recv(own, octets, sizeof octets, ZMQ_DONTWAIT);
        }
    };
    act();
    for (void* peer : peers) zmq_close(peer);
    // libzmq closes them on a thread of its own.
    const timespec pause{0, 300'000'000};
    ::nanosleep(&pause, nullptr);

    constexpr int calls = 5000;
    std::vector<double> wall(calls), busy(calls);
    for (int i = 0; i < calls; ++i) {
        const double w = now_us(CLOCK_MONOTONIC), b = now_us(CLOCK_THREAD_CPUTIME_ID);
        act();
        busy[std::size_t(i)] = now_us(CLOCK_THREAD_CPUTIME_ID) - b;
        wall[std::size_t(i)] = now_us(CLOCK_MONOTONIC) - w;
    }
    double sum = 0;
    for (const double b : busy) sum += b;
    std::printf("%-6s %-4s %7d peers: worst call %9.1f us (processor %9.1f), sum of %d calls %9.1f us\n", argv[1],
                argv[2], count, *std::max_element(wall.begin(), wall.end()),
                *std::max_element(busy.begin(), busy.end()), calls, sum);
    zmq_close(stays);
    std::fflush(stdout);
    std::_Exit(0);  // what is left takes its time, and is of no interest
}
