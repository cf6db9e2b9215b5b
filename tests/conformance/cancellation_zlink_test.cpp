// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread that is cancelled (pthread_cancel) in a call that sleeps ends there, and leaves its socket as if the call
// had not been made. In any other call it does not end, and neither does the process.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <ostream>
#include <tuple>

namespace zlink::test {
namespace {

enum class when {
    before,      // it is to be cancelled already when it calls
    asleep,      // shortly after it has gone to sleep
    long_asleep  // once it sleeps in ppoll(2)
};

void PrintTo(when w, std::ostream* out)
{
    *out << (w == when::before ? "before" : w == when::asleep ? "asleep" : "long_asleep");
}

bool sleeps_in_poll(pid_t thread)
{
    return system_call_of(thread).starts_with(std::to_string(SYS_ppoll) + " ");
}

// A thread that may be cancelled. Joined before it goes.
class victim {
public:
    explicit victim(std::function<void()> call, bool cancelled_before = false)
        : call_(std::move(call)),
          cancelled_before_(cancelled_before)
    {
        EXPECT_EQ(0, ::pthread_create(&thread_, nullptr, run, this));
    }
    victim(const victim&) = delete;
    victim& operator=(const victim&) = delete;
    ~victim() { EXPECT_TRUE(joined_); }

    const std::atomic<pid_t>& id() const { return id_; }
    void cancel() { EXPECT_EQ(0, ::pthread_cancel(thread_)); }
    /// True: it was cancelled.
    bool join()
    {
        void* result = nullptr;
        EXPECT_EQ(0, ::pthread_join(thread_, &result));
        joined_ = true;
        return result == PTHREAD_CANCELED;
    }

private:
    static void* run(void* of)
    {
        auto& self = *static_cast<victim*>(of);
        if (self.cancelled_before_) ::pthread_cancel(::pthread_self());
        self.id_ = ::gettid();
        self.call_();
        return nullptr;
    }

    std::function<void()> call_;
    bool cancelled_before_;
    bool joined_ = false;
    pthread_t thread_{};
    std::atomic<pid_t> id_{0};
};

// Whether the thread that makes this call ends by being cancelled then.
bool ends_if_cancelled(when w, std::function<void()> call)
{
    victim v(std::move(call), w == when::before);
    if (w != when::before) {
        EXPECT_TRUE(w == when::asleep ? comes_to_sleep(v.id()) : comes_to(sleeps_in_poll, v.id()));
        v.cancel();
    }
    return v.join();
}

class cancellation_zlink_test : public zmq_test, public testing::WithParamInterface<std::tuple<std::string, when>> {
protected:
    static when moment() { return std::get<1>(GetParam()); }

    std::string endpoint()
    {
        const std::string scheme = std::get<0>(GetParam());
        if (scheme == "inproc") return unique_inproc();
        return scheme == "ipc" ? "ipc://*" : scheme + "://127.0.0.1:*";
    }

    // Two sockets that have spoken to each other; calls wait without limit.
    void connect(int type, int peer_type)
    {
        one_ = ctx_.open(type);
        peer_ = ctx_.open(peer_type);
        for (socket* s : {&one_, &peer_}) {
            s->set(ZMQ_SNDHWM, 2);
            s->set(ZMQ_RCVHWM, 2);
        }
        peer_.connect(one_.bind(endpoint()));
        one_.set(ZMQ_RCVTIMEO, -1);
        one_.set(ZMQ_SNDTIMEO, -1);
    }

    // Afterwards this thread takes the socket over.
    void speak(int rounds = 20)
    {
        for (int i = 0; i < rounds; ++i) {
            peer_.send("to " + std::to_string(i));
            EXPECT_EQ("to " + std::to_string(i), one_.recv());
            one_.send("from " + std::to_string(i));
            EXPECT_EQ("from " + std::to_string(i), peer_.recv());
        }
    }

    socket one_, peer_;
};

TEST_P(cancellation_zlink_test, in_a_receive)
{
    connect(ZMQ_PAIR, ZMQ_PAIR);
    speak();
    std::array<char, 8> buffer{};
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    iovec piece{};
    const std::function<void()> calls[] = {
        [&] { zmq_recv(one_, buffer.data(), buffer.size(), 0); },
        [&] { zmq_msg_recv(&msg, one_, 0); },
        [&] {
            std::size_t count = 1;
            zmq_recviov(one_, &piece, &count, 0);
        },
    };
    for (const auto& call : calls) {
        EXPECT_TRUE(ends_if_cancelled(moment(), call));
        EXPECT_EQ(0u, zmq_msg_size(&msg));
        speak();
    }
    zmq_msg_close(&msg);
}

TEST_P(cancellation_zlink_test, in_a_send)
{
    connect(ZMQ_PAIR, ZMQ_PAIR);
    speak();
    const std::string body(100'000, 'x');
    int sent = 0;
    // Sooner or later there is no room, whatever an I/O thread still makes of it.
    const auto send_on = [&] {
        while (zmq_send(one_, body.data(), body.size(), 0) == int(body.size())) ++sent;
    };
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    const auto send_messages_on = [&] {
        do {
            zmq_msg_init_size(&msg, body.size());
            std::memset(zmq_msg_data(&msg), 'x', body.size());
        } while (zmq_msg_send(&msg, one_, 0) == int(body.size()) && ++sent);
    };
    while (one_.try_send(body) == 0) ++sent;
    EXPECT_TRUE(ends_if_cancelled(moment(), send_on));
    EXPECT_TRUE(ends_if_cancelled(moment(), send_messages_on));
    EXPECT_EQ(body.size(), zmq_msg_size(&msg));
    zmq_msg_close(&msg);
    for (int i = 0; i < sent; ++i) EXPECT_EQ(body, peer_.recv());
    speak();
}

TEST_P(cancellation_zlink_test, in_a_poll)
{
    connect(ZMQ_PAIR, ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PULL);
    speak();
    std::array<int, 2> quiet{};
    ASSERT_EQ(0, ::pipe2(quiet.data(), O_CLOEXEC));
    sigset_t none;
    ::sigemptyset(&none);
    zmq_pollitem_t items[] = {{one_, 0, ZMQ_POLLIN, 0}, {other, 0, ZMQ_POLLIN, 0}, {nullptr, quiet[0], ZMQ_POLLIN, 0}};
    void* poller = zmq_poller_new();
    ASSERT_EQ(0, zmq_poller_add(poller, one_, nullptr, ZMQ_POLLIN));
    zmq_poller_event_t event;
    const std::function<void()> calls[] = {
        [&] { zmq_poll(items, 1, -1); },
        [&] { zmq_poll(items, 2, 60'000); },
        [&] { zmq_poll(items, 3, -1); },
        [&] { zmq_poll(items + 2, 1, -1); },
        [&] { zmq_ppoll(items, 2, -1, &none); },
        [&] { zmq_poller_wait(poller, &event, -1); },
        [&] { zmq_poller_wait_all(poller, &event, 1, 60'000); },
    };
    for (const auto& call : calls) {
        EXPECT_TRUE(ends_if_cancelled(moment(), call));
        speak();
    }
    EXPECT_EQ(0, zmq_poller_destroy(&poller));
    ::close(quiet[0]);
    ::close(quiet[1]);
}

TEST_P(cancellation_zlink_test, in_a_proxy)
{
    connect(ZMQ_PAIR, ZMQ_PAIR);
    socket behind = ctx_.open(ZMQ_PAIR), reader = ctx_.open(ZMQ_PAIR), control = ctx_.open(ZMQ_PAIR);
    reader.connect(behind.bind(endpoint()));
    for (void* const steered_by : {static_cast<void*>(nullptr), static_cast<void*>(control)}) {
        EXPECT_TRUE(ends_if_cancelled(moment(), [&] { zmq_proxy_steerable(one_, behind, nullptr, steered_by); }));
        speak();
    }
    victim passing([&] { zmq_proxy(one_, behind, nullptr); });
    for (int i = 0; i < 20; ++i) {
        peer_.send(std::to_string(i));
        EXPECT_EQ(std::to_string(i), reader.recv());
    }
    EXPECT_TRUE(comes_to_sleep(passing.id()));
    passing.cancel();
    EXPECT_TRUE(passing.join());
    speak();
}

// Each message is received once: by the thread that is cancelled, or by the one that goes on.
TEST_P(cancellation_zlink_test, loses_no_message)
{
    connect(ZMQ_PULL, ZMQ_PUSH);
    int next = 0;
    for (int round = 0; round < 10; ++round) {
        std::atomic<int> received{next};
        victim receiver([&] {
            for (int n = -1; zmq_recv(one_, &n, sizeof n, 0) == sizeof n; received = n + 1) {
            }
        });
        int sent = next;
        while (received < next + 50 + round) {
            ASSERT_EQ(int(sizeof sent), zmq_send(peer_, &sent, sizeof sent, 0));
            ++sent;
        }
        receiver.cancel();
        EXPECT_TRUE(receiver.join());
        for (next = received; next < sent; ++next) {
            int got = -1;
            ASSERT_EQ(int(sizeof got), zmq_recv(one_, &got, sizeof got, 0));
            ASSERT_EQ(next, got);
        }
    }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, when>>& test)
{
    return std::get<0>(test.param) + "_" + testing::PrintToString(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(transports, cancellation_zlink_test,
                         testing::Combine(testing::Values("inproc", "tcp", "ipc"),
                                          testing::Values(when::before, when::asleep, when::long_asleep)),
                         name_of);

class other_calls_zlink_test : public zmq_test {};

// The context's end sleeps as well, and can be asked for again.
TEST_F(other_calls_zlink_test, the_end_of_a_context_may_be_where_a_thread_is_cancelled)
{
    void* ctx = zmq_ctx_new();
    void* open = zmq_socket(ctx, ZMQ_PULL);
    for (const when w : {when::before, when::asleep}) {
        EXPECT_TRUE(ends_if_cancelled(w, [ctx] { zmq_ctx_term(ctx); }));
    }
    EXPECT_EQ(-1, zmq_recv(open, nullptr, 0, 0));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(0, zmq_close(open));
    EXPECT_EQ(0, zmq_ctx_term(ctx));
}

TEST_F(other_calls_zlink_test, a_nap_and_a_wait_for_a_thread_may_be_too)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    void* const started = zmq_threadstart([](void* s) { zmq_recv(s, nullptr, 0, 0); }, pull);
    for (const when w : {when::before, when::asleep}) {
        EXPECT_TRUE(ends_if_cancelled(w, [] { zmq_sleep(3600); }));
        EXPECT_TRUE(ends_if_cancelled(w, [started] { zmq_threadclose(started); }));
    }
    push.send("");
    zmq_threadclose(started);
}

// A thread that only looks, again and again, can be ended as well.
TEST_F(other_calls_zlink_test, a_thread_that_never_sleeps_is_cancelled_where_there_is_nothing)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.bind(unique_inproc());
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
    const std::function<void()> looks[] = {
        [&] { zmq_recv(pull, nullptr, 0, ZMQ_DONTWAIT); },
        [&] { zmq_send(push, "", 0, ZMQ_DONTWAIT); },
        [&] { zmq_poll(&item, 1, 0); },
    };
    for (const auto& look : looks) {
        victim v([&] {
            while (true) look();
        });
        v.cancel();
        EXPECT_TRUE(v.join());
    }
}

// Whatever does not sleep holds cancellation off, though system calls in it would be cancellation points.
TEST_F(other_calls_zlink_test, all_that_does_not_sleep_runs_to_its_end)
{
    std::array<int, 2> told{};
    ASSERT_EQ(0, ::pipe2(told.data(), O_CLOEXEC));
    bool finished = false;
    (void)authority::shared_certificate();  // made here
    struct handle {
        void* s;
        void set(int option, const std::string& value) const
        {
            EXPECT_EQ(0, zmq_setsockopt(s, option, value.data(), value.size()));
        }
    };
    void* ctx = nullptr;
    const auto life = [&] {
        ctx = zmq_ctx_new();
        for (const std::string endpoint : {"tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*", "inproc://here",
                                           "tls://127.0.0.1:*", "wss://127.0.0.1:*"}) {
            const bool secured = endpoint.starts_with("tls") || endpoint.starts_with("wss");
            if (secured && !zmq_has("tls")) continue;
            void* bound = zmq_socket(ctx, ZMQ_DEALER);
            void* connected = zmq_socket(ctx, ZMQ_DEALER);
            const int zero = 0;
            for (void* s : {bound, connected}) {
                zmq_setsockopt(s, ZMQ_LINGER, &zero, sizeof zero);
                const handle of{s};
                if (secured) know_certificates(of);
            }
            EXPECT_EQ(0, zmq_socket_monitor(bound, "inproc://monitor", ZMQ_EVENT_ALL));
            EXPECT_EQ(0, zmq_bind(bound, endpoint.c_str())) << zmq_strerror(zmq_errno());
            char where[256];
            std::size_t size = sizeof where;
            EXPECT_EQ(0, zmq_getsockopt(bound, ZMQ_LAST_ENDPOINT, where, &size));
            EXPECT_EQ(0, zmq_connect(connected, where));
            const auto holds = [](void* s, int event) {
                int events = 0;
                std::size_t n = sizeof events;
                while (zmq_getsockopt(s, ZMQ_EVENTS, &events, &n) == 0 && !(events & event)) ::sched_yield();
            };
            const std::string large(1'000'000, 'x');
            for (const std::string& body : {std::string("small"), large}) {
                for (int i = 0; i < 100; ++i) {
                    holds(connected, ZMQ_POLLOUT);
                    EXPECT_EQ(int(body.size()), zmq_send(connected, body.data(), body.size(), 0));
                    holds(bound, ZMQ_POLLIN);
                    std::string got(body.size(), 0);
                    EXPECT_EQ(int(body.size()), zmq_recv(bound, got.data(), got.size(), 0));
                    if (body.size() > 100 && i > 3) break;
                }
            }
            int fd = -1;
            size = sizeof fd;
            EXPECT_EQ(0, zmq_getsockopt(bound, ZMQ_FD, &fd, &size));
            holds(bound, ZMQ_POLLOUT);
            EXPECT_EQ(1, zmq_send(bound, "x", 1, 0));
            holds(connected, ZMQ_POLLIN);
            EXPECT_EQ(0, zmq_socket_monitor(bound, nullptr, 0));
            EXPECT_EQ(0, zmq_disconnect(connected, where));
            zmq_unbind(bound, where);
            EXPECT_EQ(0, zmq_close(connected));
            EXPECT_EQ(0, zmq_close(bound));
        }
        char open_key[41], secret_key[41];
        EXPECT_EQ(zmq_has("curve") ? 0 : -1, zmq_curve_keypair(open_key, secret_key));
        (void)zmq_has("tls");
        // A program's function may be a cancellation point itself.
        zmq_msg_t msg;
        const auto tell = [](void* octet, void* to) { EXPECT_EQ(1, ::write(*static_cast<int*>(to), octet, 1)); };
        char octet = 'x';
        EXPECT_EQ(0, zmq_msg_init_data(&msg, &octet, 1, tell, &told[1]));
        EXPECT_EQ(0, zmq_msg_close(&msg));
        EXPECT_EQ(0, zmq_ctx_shutdown(ctx));
        finished = true;
        zmq_ctx_term(ctx);
    };
    const bool cancelled = ends_if_cancelled(when::before, life);
    EXPECT_TRUE(finished);
    // It was, where zmq_ctx_term() sleeps.
    if (cancelled) {
        EXPECT_EQ(0, zmq_ctx_term(ctx));
    }
    ::close(told[0]);
    ::close(told[1]);
}

}  // namespace
}  // namespace zlink::test
