// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One cell of a comparison: a pattern over a transport at one message size, throughput and ping-pong latency, both ends
// in one process. Uses the public C API alone, so that LD_LIBRARY_PATH decides which library is measured.
//
//   cell PATTERN TRANSPORT SIZE [SECONDS] [thr|lat|both]
//   PATTERN: PAIR PUBSUB DEALER_DEALER DEALER_ROUTER ROUTER_ROUTER ROUTER_ROUTER_POLL PUSHPULL;
//   TRANSPORT: tcp ipc inproc
#include <zmq.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu()
{
    rusage r{};
    getrusage(RUSAGE_SELF, &r);
    const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
    return seconds(r.ru_utime) + seconds(r.ru_stime);
}

[[noreturn]] void fail(const char* what)
{
    std::fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    std::exit(1);
}

void must(int rc, const char* what)
{
    if (rc < 0) fail(what);
}

void set(void* socket, int option, int value)
{
    must(zmq_setsockopt(socket, option, &value, sizeof value), "zmq_setsockopt");
}

// One end: a socket and what its pattern puts in front of a message.
struct end {
    void* socket;
    bool router;
    const char* peer;  // routing id of the other end
    std::vector<char> out;
    std::vector<char> in;
    void* quiet = nullptr;  // polled together with the socket, if there is one
    int patience = -1;      // ms, of that poll

    bool send()
    {
        while (router && zmq_send(socket, peer, 4, ZMQ_SNDMORE) < 0) {
            if (zmq_errno() != EHOSTUNREACH) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return zmq_send(socket, out.data(), out.size(), 0) >= 0;
    }

    bool receive()
    {
        if (quiet) {
            zmq_pollitem_t items[] = {{socket, 0, ZMQ_POLLIN, 0}, {quiet, 0, ZMQ_POLLIN, 0}};
            if (zmq_poll(items, 2, patience) <= 0) return false;
        }
        char id[256];
        if (router && zmq_recv(socket, id, sizeof id, 0) < 0) return false;
        const int n = zmq_recv(socket, in.data(), in.size(), 0);
        if (n >= 0 && std::size_t(n) != out.size()) {
            std::fprintf(stderr, "a message of %d octets came\n", n);
            std::exit(1);
        }
        return n >= 0;
    }
};

void throughput(end& a, end& b, const std::string& label, double seconds)
{
    constexpr int patience = 500;
    b.patience = patience;
    set(a.socket, ZMQ_SNDTIMEO, patience);
    set(b.socket, ZMQ_RCVTIMEO, patience);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> sent{0}, got{0};
    std::thread receiver([&] {
        std::uint64_t n = 0;
        while (true) {
            if (!b.receive()) {
                if (stop) break;
                continue;
            }
            std::uint64_t number = n;
            if (b.out.size() >= sizeof number) std::memcpy(&number, b.in.data(), sizeof number);
            if (number != n) {
                std::fprintf(stderr, "message %llu came as number %llu\n", static_cast<unsigned long long>(number),
                             static_cast<unsigned long long>(n));
                std::exit(1);
            }
            got.store(++n, std::memory_order_relaxed);
        }
    });
    std::thread sender([&] {
        std::uint64_t n = 0;
        while (!stop) {
            if (a.out.size() >= sizeof n) std::memcpy(a.out.data(), &n, sizeof n);
            if (a.send()) sent.store(++n, std::memory_order_relaxed);
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::uint64_t before = got;
    const double t0 = now(), c0 = cpu();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const auto n = double(got - before);
    const double t = now() - t0, c = cpu() - c0;
    stop = true;
    sender.join();
    receiver.join();
    std::printf("THR %s %.0f msg/s  %.1f ns/msg cpu %.1f ns  sent %llu got %llu\n", label.c_str(), n / t, t / n * 1e9,
                c / n * 1e9, static_cast<unsigned long long>(sent), static_cast<unsigned long long>(got));
    if (sent != got) std::exit(1);
}

void latency(end& a, end& b, const std::string& label, double seconds)
{
    set(a.socket, ZMQ_RCVTIMEO, -1);
    set(b.socket, ZMQ_RCVTIMEO, 500);
    b.patience = 500;
    std::atomic<bool> stop{false};
    std::thread echo([&] {
        while (true) {
            if (b.receive()) {
                (void)b.send();
            } else if (stop) {
                break;
            }
        }
    });
    const auto turn = [&] { return a.send() && a.receive(); };
    for (int i = 0; i < 1000; ++i) turn();
    std::vector<double> turns;
    turns.reserve(1 << 20);
    const double t0 = now();
    while (now() - t0 < seconds) {
        const double before = now();
        turn();
        turns.push_back((now() - before) / 2);
    }
    const double t = now() - t0;
    stop = true;
    echo.join();
    std::sort(turns.begin(), turns.end());
    const auto us = [](double s) { return s * 1e6; };
    std::printf("LAT %s mean %.2f us p50 %.2f p99 %.2f  turns %zu\n", label.c_str(), us(t / double(turns.size()) / 2),
                us(turns[turns.size() / 2]), us(turns[turns.size() * 99 / 100]), turns.size());
}

// Until the subscription has arrived, a publisher drops what it sends.
void await_subscription(end& publisher, end& subscriber)
{
    char probe[1];
    while (zmq_recv(subscriber.socket, probe, sizeof probe, ZMQ_DONTWAIT) < 0) {
        must(zmq_send(publisher.socket, "", 0, 0), "zmq_send");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    set(subscriber.socket, ZMQ_RCVTIMEO, 100);
    while (zmq_recv(subscriber.socket, probe, sizeof probe, 0) >= 0) {
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: cell PATTERN TRANSPORT SIZE [SECONDS] [thr|lat|both]\n");
        return 2;
    }
    const std::string pattern = argv[1], transport = argv[2], mode = argc > 5 ? argv[5] : "both";
    const std::size_t size = std::strtoul(argv[3], nullptr, 10);
    const double seconds = argc > 4 ? std::atof(argv[4]) : 1.0;

    int type_a = ZMQ_PAIR, type_b = ZMQ_PAIR;
    if (pattern == "PUBSUB") type_a = ZMQ_PUB, type_b = ZMQ_SUB;
    if (pattern == "DEALER_DEALER") type_a = type_b = ZMQ_DEALER;
    if (pattern == "DEALER_ROUTER") type_a = ZMQ_DEALER, type_b = ZMQ_ROUTER;
    if (pattern.starts_with("ROUTER_ROUTER")) type_a = type_b = ZMQ_ROUTER;
    if (pattern == "PUSHPULL") type_a = ZMQ_PUSH, type_b = ZMQ_PULL;

    void* context = zmq_ctx_new();
    end a{zmq_socket(context, type_a), type_a == ZMQ_ROUTER, "BBBB", std::vector<char>(size, 'x'), {}};
    end b{zmq_socket(context, type_b), type_b == ZMQ_ROUTER, "AAAA", std::vector<char>(size, 'x'), {}};
    a.in.resize(size + 256);
    b.in.resize(size + 256);
    if (type_a == ZMQ_PUB) set(a.socket, ZMQ_XPUB_NODROP, 1);
    if (type_b == ZMQ_SUB) must(zmq_setsockopt(b.socket, ZMQ_SUBSCRIBE, "", 0), "ZMQ_SUBSCRIBE");
    for (end* e : {&a, &b}) {
        if (pattern.ends_with("_POLL")) {
            e->quiet = zmq_socket(context, ZMQ_PAIR);
            must(zmq_bind(e->quiet, e == &a ? "inproc://quiet-a" : "inproc://quiet-b"), "zmq_bind");
        }
        if (e->router) set(e->socket, ZMQ_ROUTER_MANDATORY, 1);
        must(zmq_setsockopt(e->socket, ZMQ_ROUTING_ID, e == &a ? "AAAA" : "BBBB", 4), "ZMQ_ROUTING_ID");
        set(e->socket, ZMQ_LINGER, 0);
    }
    const std::string endpoint = transport == "tcp"   ? "tcp://127.0.0.1:*"
                                 : transport == "ipc" ? "ipc:///tmp/zlink-cell-" + std::to_string(getpid())
                                                      : "inproc://cell";
    must(zmq_bind(b.socket, endpoint.c_str()), "zmq_bind");
    char bound[256];
    std::size_t length = sizeof bound;
    must(zmq_getsockopt(b.socket, ZMQ_LAST_ENDPOINT, bound, &length), "ZMQ_LAST_ENDPOINT");
    must(zmq_connect(a.socket, bound), "zmq_connect");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));

    if (type_a == ZMQ_PUB) await_subscription(a, b);
    const std::string label = pattern + " " + transport + " " + std::to_string(size);
    if (mode != "lat") throughput(a, b, label, seconds);
    const bool two_way = type_a != ZMQ_PUB && type_a != ZMQ_PUSH;
    if (mode != "thr" && two_way) latency(a, b, label, seconds);
    for (end* e : {&a, &b}) {
        if (e->quiet) zmq_close(e->quiet);
    }
    zmq_close(a.socket);
    zmq_close(b.socket);
    zmq_ctx_term(context);
    if (transport == "ipc") ::unlink(endpoint.c_str() + std::strlen("ipc://"));
    return 0;
}
