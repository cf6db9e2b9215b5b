// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_wait() and zlink_wait_topic(): until peers are there, have subscribed, or all that was sent has left.
#include "support/raw_peer.hpp"
#include "support/sleeping_thread.hpp"
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

int wait_for(void* s, int what, int at_least, int ms = patience_ms)
{
    return zlink_wait(s, what, at_least, ms);
}

int count_of(void* s, int what)
{
    return zlink_wait(s, what, 0, 0);
}

int wait_topic(void* s, const std::string& topic, int at_least, int ms = patience_ms)
{
    return zlink_wait_topic(s, topic.data(), topic.size(), at_least, ms);
}

bool is_readable(int fd)
{
    pollfd it{fd, POLLIN, 0};
    return ::poll(&it, 1, 0) == 1;
}

class wait_transport_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    /// Of its own; for one that is bound after the connect.
    std::string endpoint(int n = 0)
    {
        const std::string scheme = GetParam();
        if (scheme == "inproc") return unique_inproc();
        return scheme == "ipc" ? "ipc://" + folder_.file(std::to_string(n)) : "tcp://127.0.0.1:*";
    }
    temp_directory folder_;
};
INSTANTIATE_TEST_SUITE_P(over, wait_transport_test, testing::Values("inproc", "tcp", "ipc"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(wait_transport_test, peers_are_there_on_both_sides)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    const std::string where = router.bind(endpoint());
    EXPECT_EQ(0, count_of(router, ZLINK_PEERS));
    std::vector<socket> dealers;
    for (int i = 1; i <= 3; ++i) {
        dealers.push_back(ctx_.open(ZMQ_DEALER));
        dealers.back().connect(where);
        EXPECT_EQ(1, wait_for(dealers.back(), ZLINK_PEERS, 1));
        EXPECT_EQ(i, wait_for(router, ZLINK_PEERS, i));
    }
    dealers.pop_back();
    EXPECT_TRUE(eventually([&] { return count_of(router, ZLINK_PEERS) == 2; }));
    router.close();
    EXPECT_TRUE(eventually([&] { return count_of(dealers[0], ZLINK_PEERS) == 0; }));
}

TEST_P(wait_transport_test, a_peer_that_comes_later_ends_the_wait)
{
    for (const bool shared : {false, true}) {
        socket router = ctx_.open(ZMQ_ROUTER);
        router.set(ZLINK_SHARED, shared ? 1 : 0);
        const std::string where = router.bind(endpoint());
        EXPECT_EQ(-1, wait_for(router, ZLINK_PEERS, 1, 0));
        EXPECT_EQ(EAGAIN, zmq_errno());
        std::atomic<pid_t> id{0};
        auto waiting = std::async(std::launch::async, [&] {
            id = ::gettid();
            return wait_for(router, ZLINK_PEERS, 1);
        });
        EXPECT_TRUE(comes_to_sleep(id));
        socket dealer = ctx_.open(ZMQ_DEALER);
        dealer.connect(where);
        EXPECT_EQ(1, waiting.get());
    }
}

TEST_P(wait_transport_test, nothing_that_is_published_after_it_is_lost)
{
    for (int round = 0; round < 20; ++round) {
        socket pub = ctx_.open(round % 2 ? ZMQ_XPUB : ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
        sub.subscribe("a");
        sub.connect(pub.bind(endpoint(round)));
        EXPECT_EQ(1, wait_for(pub, ZLINK_SUBSCRIBERS, 1));
        pub.send("a1");
        EXPECT_EQ("a1", sub.recv());
    }
}

TEST_P(wait_transport_test, a_peer_without_a_subscription_is_no_subscriber)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    sub.connect(pub.bind(endpoint()));
    EXPECT_EQ(1, wait_for(pub, ZLINK_PEERS, 1));
    EXPECT_EQ(-1, wait_for(pub, ZLINK_SUBSCRIBERS, 1, 20));
    EXPECT_EQ(EAGAIN, zmq_errno());
    sub.subscribe("a");
    sub.subscribe("b");
    EXPECT_EQ(1, wait_for(pub, ZLINK_SUBSCRIBERS, 1));
    sub.unsubscribe("a");
    sub.unsubscribe("b");
    EXPECT_TRUE(eventually([&] { return count_of(pub, ZLINK_SUBSCRIBERS) == 0; }));
    EXPECT_EQ(1, count_of(pub, ZLINK_PEERS));
}

TEST_P(wait_transport_test, subscribers_of_a_topic)
{
    for (const int type : {ZMQ_PUB, ZMQ_XPUB}) {
        socket pub = ctx_.open(type), all = ctx_.open(ZMQ_SUB), some = ctx_.open(ZMQ_SUB), other = ctx_.open(ZMQ_SUB);
        const std::string where = pub.bind(endpoint(type));
        all.subscribe("");
        some.subscribe("weather");
        some.subscribe("weather.rome");
        other.subscribe("news");
        for (socket* s : {&all, &some, &other}) s->connect(where);
        EXPECT_EQ(3, wait_for(pub, ZLINK_SUBSCRIBERS, 3));
        EXPECT_EQ(2, wait_topic(pub, "weather.rome", 2));
        EXPECT_EQ(2, wait_topic(pub, "weather", 2));
        EXPECT_EQ(1, wait_topic(pub, "", 1));
        EXPECT_EQ(1, wait_topic(pub, "weath", 0));
        EXPECT_EQ(-1, wait_topic(pub, "weather", 3, 20));
        EXPECT_EQ(EAGAIN, zmq_errno());
        pub.send("weather: dry");
        EXPECT_EQ("weather: dry", all.recv());
        EXPECT_EQ("weather: dry", some.recv());
    }
}

TEST_P(wait_transport_test, takes_no_message_and_no_edge)
{
    socket xpub = ctx_.open(ZMQ_XPUB), sub = ctx_.open(ZMQ_SUB), idle = ctx_.open(ZMQ_SUB);
    const int fd = xpub.get_int(ZMQ_FD);
    const std::string where = xpub.bind(endpoint());
    EXPECT_EQ(0, xpub.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
    sub.subscribe("a");
    sub.connect(where);
    EXPECT_EQ(1, wait_for(xpub, ZLINK_SUBSCRIBERS, 1));
    EXPECT_TRUE(is_readable(fd));
    // There is a message now, and it waits for another subscriber.
    EXPECT_EQ(-1, wait_for(xpub, ZLINK_SUBSCRIBERS, 2, 20));
    EXPECT_TRUE(is_readable(fd));
    idle.subscribe("b");
    idle.connect(where);
    EXPECT_EQ(2, wait_for(xpub, ZLINK_SUBSCRIBERS, 2));
    EXPECT_TRUE(is_readable(fd));
    EXPECT_EQ("\1a", xpub.recv());
    EXPECT_EQ("\1b", xpub.recv());
}

TEST_P(wait_transport_test, leaves_what_can_be_received)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    const int fd = pull.get_int(ZMQ_FD);
    push.connect(pull.bind(endpoint()));
    push.send("a");
    EXPECT_TRUE(pull.readable(patience_ms));
    EXPECT_EQ(1, wait_for(pull, ZLINK_PEERS, 1));
    EXPECT_EQ(0, wait_for(pull, ZLINK_DRAINED, 0));
    EXPECT_TRUE(is_readable(fd));
    EXPECT_EQ("a", pull.recv());
}

// The kernel has the octets then, encrypted and framed.
class wait_drained_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    socket open(int type)
    {
        socket s = ctx_.open(type);
        const std::string scheme = GetParam();
        if (scheme == "tls" || scheme == "wss") know_certificates(s);
        return s;
    }
    static std::string endpoint()
    {
        const std::string scheme = GetParam();
        return scheme == "inproc" ? unique_inproc() : scheme == "ipc" ? "ipc://*" : scheme + "://127.0.0.1:*";
    }
};
INSTANTIATE_TEST_SUITE_P(over, wait_drained_test, testing::Values("inproc", "tcp", "ipc", "tls", "ws", "wss"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(wait_drained_test, sockets_lose_nothing_when_they_close_at_once)
{
    constexpr int count = 3000;
    for (const bool shared : {false, true}) {
        socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
        pull.set(ZMQ_RCVHWM, 0);
        push.set(ZMQ_SNDHWM, 0);
        push.set(ZLINK_SHARED, shared ? 1 : 0);
        push.connect(pull.bind(endpoint()));
        auto received = std::async(std::launch::async, [&] {
            for (int i = 0; i < count; ++i) {
                const std::string number = std::to_string(i);
                if (pull.recv().substr(0, number.size()) != number) return i;
            }
            return count;
        });
        for (int i = 0; i < count; ++i) push.send(std::to_string(i) + std::string(i % 500 ? 100 : 200000, '.'));
        EXPECT_EQ(0, wait_for(push, ZLINK_DRAINED, 0));
        push.close();  // linger is 0
        EXPECT_EQ(count, received.get());
    }
}

TEST_P(wait_drained_test, sockets_that_conflate_do_not_lose_the_newest)
{
    socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    pull.set(ZMQ_RCVHWM, 0);
    push.set(ZMQ_CONFLATE, 1);
    push.connect(pull.bind(endpoint()));
    for (int i = 0; i <= 1000; ++i) push.send(std::to_string(i));
    EXPECT_EQ(0, wait_for(push, ZLINK_DRAINED, 0));
    push.close();
    std::string last;
    while (last != "1000") {
        last = pull.recv();
        ASSERT_NE("", last);
    }
}

TEST_P(wait_transport_test, is_not_drained_while_the_peer_is_not_there)
{
    // Over tcp, one that does not answer: a port without a listener may be another program's at any time.
    const bool is_tcp = std::string(GetParam()) == "tcp";
    const raw_listener silent;
    const std::string where = is_tcp ? silent.endpoint() : endpoint(1);
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, 0);
    push.connect(where);
    EXPECT_EQ(0, wait_for(push, ZLINK_DRAINED, 0, 0));
    push.send("a");
    EXPECT_EQ(-1, wait_for(push, ZLINK_DRAINED, 0, 20));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_EQ("messages are still on their way to the kernel or to a peer", std::string(zlink_last_error()));
    if (is_tcp) return;
    socket pull = ctx_.open(ZMQ_PULL);
    pull.bind(where);
    EXPECT_EQ(0, wait_for(push, ZLINK_DRAINED, 0));
    EXPECT_EQ("a", pull.recv());
}

class wait_test : public zmq_test {};

TEST_F(wait_test, a_publisher_that_connects_counts_those_that_have_subscribed_again)
{
    temp_directory folder;
    const std::string where = "ipc://" + folder.file("s");
    socket pub = ctx_.open(ZMQ_PUB);
    pub.set(ZMQ_RECONNECT_IVL, 10);
    pub.connect(where);
    for (int round = 0; round < 5; ++round) {
        socket sub = ctx_.open(ZMQ_SUB);
        sub.bind(where);
        EXPECT_EQ(1, wait_for(pub, ZLINK_PEERS, 1));
        EXPECT_EQ(0, count_of(pub, ZLINK_SUBSCRIBERS));
        EXPECT_EQ(0, wait_topic(pub, "a", 0));
        EXPECT_EQ(1, wait_for(sub, ZLINK_PEERS, 1));  // else it would subscribe in its next call
        sub.subscribe("a");
        EXPECT_EQ(1, wait_for(pub, ZLINK_SUBSCRIBERS, 1));
        EXPECT_EQ(1, wait_topic(pub, "a", 1));
        pub.send("a1");
        EXPECT_EQ("a1", sub.recv());
        sub.close();
        EXPECT_TRUE(eventually([&] { return count_of(pub, ZLINK_PEERS) == 0; }));
        EXPECT_EQ(0, count_of(pub, ZLINK_SUBSCRIBERS));
    }
}

TEST_F(wait_test, a_subscriber_that_comes_again_is_waited_for)
{
    temp_directory folder;
    const std::string where = "ipc://" + folder.file("s");
    socket sub = ctx_.open(ZMQ_SUB);
    sub.set(ZMQ_RECONNECT_IVL, 10);
    sub.subscribe("a");
    sub.connect(where);
    // A SUB subscribes again in its own thread.
    constexpr int rounds = 5;
    std::atomic<int> received{0};
    std::thread reader([&] {
        for (int round = 1; round <= rounds; ++round) {
            EXPECT_EQ("abc", sub.recv());
            received = round;
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        socket pub = ctx_.open(ZMQ_PUB);
        pub.bind(where);
        EXPECT_EQ(1, wait_topic(pub, "abc", 1));
        pub.send("abc");
        EXPECT_TRUE(eventually([&] { return received == round; }));
    }
    reader.join();
}

TEST_F(wait_test, groups_of_a_radio)
{
    socket radio = ctx_.open(ZMQ_RADIO), dish = ctx_.open(ZMQ_DISH);
    dish.connect(radio.bind("tcp://127.0.0.1:*"));
    EXPECT_EQ(1, wait_for(radio, ZLINK_PEERS, 1));
    EXPECT_EQ(0, count_of(radio, ZLINK_SUBSCRIBERS));
    EXPECT_EQ(0, zmq_join(dish, "weather"));
    EXPECT_EQ(1, wait_topic(radio, "weather", 1));
    EXPECT_EQ(1, wait_for(radio, ZLINK_SUBSCRIBERS, 1));
    EXPECT_EQ(0, wait_topic(radio, "weather.rome", 0));
    EXPECT_EQ(0, wait_topic(radio, "", 0));
    EXPECT_EQ(-1, wait_topic(radio, std::string(256, 'x'), 0, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(wait_test, an_xpub_that_decides_itself)
{
    socket xpub = ctx_.open(ZMQ_XPUB), sub = ctx_.open(ZMQ_SUB);
    xpub.set(ZMQ_XPUB_MANUAL, 1);
    sub.subscribe("asked");
    sub.connect(xpub.bind("tcp://127.0.0.1:*"));
    EXPECT_EQ("\1asked", xpub.recv());
    EXPECT_EQ(0, count_of(xpub, ZLINK_SUBSCRIBERS));
    xpub.subscribe("given");
    EXPECT_EQ(1, count_of(xpub, ZLINK_SUBSCRIBERS));
    EXPECT_EQ(1, wait_topic(xpub, "given", 1));
    EXPECT_EQ(0, wait_topic(xpub, "asked", 0));
}

TEST_F(wait_test, waits_for_so_long)
{
    socket s = ctx_.open(ZMQ_XPUB);
    for (const int what : {ZLINK_PEERS, ZLINK_SUBSCRIBERS}) {
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_EQ(-1, wait_for(s, what, 1, 60));
        EXPECT_EQ(EAGAIN, zmq_errno());
        EXPECT_LE(std::chrono::milliseconds(60), std::chrono::steady_clock::now() - begun);
    }
}

TEST_F(wait_test, only_publishers_have_subscribers)
{
    socket s = ctx_.open(ZMQ_DEALER);
    EXPECT_EQ(-1, wait_for(s, ZLINK_SUBSCRIBERS, 1, 0));
    EXPECT_EQ(ENOTSUP, zmq_errno());
    EXPECT_EQ("only PUB, XPUB and RADIO have subscribers", std::string(zlink_last_error()));
}

TEST_F(wait_test, one_condition_a_call)
{
    socket s = ctx_.open(ZMQ_PUB);
    for (const int what : {0, ZLINK_PEERS | ZLINK_SUBSCRIBERS, 8, -1}) {
        EXPECT_EQ(-1, wait_for(s, what, 0, 0));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

/// A thread that waits for what does not come.
class wait_end_test : public zmq_test, public testing::WithParamInterface<std::tuple<int, bool>> {
protected:
    wait_end_test()
    {
        s_.set(ZLINK_SHARED, std::get<bool>(GetParam()) ? 1 : 0);
        s_.connect(unique_inproc());
        // A PUB drops what nobody has subscribed to.
        if (what() == ZLINK_DRAINED) {
            push_.set(ZLINK_SHARED, std::get<bool>(GetParam()) ? 1 : 0);
            push_.connect(unique_inproc());
            push_.send("a");
        }
    }
    static int what() { return std::get<int>(GetParam()); }
    void* target() { return what() == ZLINK_DRAINED ? push_ : s_; }
    std::future<int> start()
    {
        return std::async(std::launch::async, [this] {
            thread_ = ::pthread_self();
            id_ = ::gettid();
            return wait_for(target(), what(), 1, -1) == -1 ? zmq_errno() : 0;
        });
    }
    socket s_ = ctx_.open(ZMQ_XPUB), push_ = ctx_.open(ZMQ_PUSH);
    std::atomic<pthread_t> thread_{};
    std::atomic<pid_t> id_{0};
};
INSTANTIATE_TEST_SUITE_P(of, wait_end_test,
                         testing::Combine(testing::Values(ZLINK_PEERS, ZLINK_SUBSCRIBERS, ZLINK_DRAINED),
                                          testing::Bool()),
                         [](const auto& test) {
                             const int what = std::get<int>(test.param);
                             return std::string(what == ZLINK_PEERS         ? "peers"
                                                : what == ZLINK_SUBSCRIBERS ? "subscribers"
                                                                            : "drained") +
                                    (std::get<bool>(test.param) ? "_shared" : "");
                         });

TEST_P(wait_end_test, the_contexts_end_ends_it)
{
    auto done = start();
    ASSERT_TRUE(comes_to_sleep(id_));
    ctx_.shutdown();
    EXPECT_EQ(ETERM, done.get());
}

TEST_P(wait_end_test, a_signal_ends_it)
{
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, ::sigaction(SIGUSR1, &action, &before));
    auto done = start();
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
        if (id_ != 0 && sleeps(id_)) ::pthread_kill(thread_, SIGUSR1);
    }
    EXPECT_EQ(EINTR, done.get());
    ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace zlink::test
