// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_send_many() and zlink_recv_many(): many messages in one call.
#include "support/sleeping_thread.hpp"
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

parts numbered(int count, const std::string& name = "")
{
    parts all;
    for (int i = 0; i < count; ++i) all.push_back(name + std::to_string(i));
    return all;
}

int send_all(void* s, const parts& messages, int flags = 0)
{
    message_array all(messages);
    return zlink_send_many(s, all.data(), all.size(), flags);
}

/// One batch: its messages, each with its parts. Empty, with errno: none came.
std::vector<parts> receive_some(void* s, int flags = 0, std::size_t room = 16)
{
    message_array all(room);
    std::size_t count = room;
    const int messages = zlink_recv_many(s, all.data(), &count, flags);
    if (messages < 0) return {};
    std::vector<parts> got(1);
    for (std::size_t i = 0; i < count; ++i) {
        got.back().push_back(all.text(i));
        if (!zmq_msg_more(all.data() + i)) got.emplace_back();
    }
    EXPECT_TRUE(got.back().empty());
    got.pop_back();
    EXPECT_EQ(got.size(), std::size_t(messages));
    return got;
}

/// So many messages of one part, in as many batches as it takes.
parts receive_flat(void* s, std::size_t count)
{
    parts all;
    while (all.size() < count) {
        const auto some = receive_some(s);
        if (some.empty()) {
            ADD_FAILURE() << "after " << all.size() << ": " << zmq_strerror(zmq_errno());
            break;
        }
        for (const parts& each : some) {
            EXPECT_EQ(1u, each.size());
            all.push_back(each.front());
        }
    }
    return all;
}

class batch_transport_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    std::string endpoint()
    {
        const std::string scheme = GetParam();
        if (scheme == "inproc") return unique_inproc();
        return scheme == "ipc" ? "ipc://*" : "tcp://127.0.0.1:*";
    }
};
INSTANTIATE_TEST_SUITE_P(over, batch_transport_test, testing::Values("inproc", "tcp", "ipc"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(batch_transport_test, arrives_whole_and_in_order)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    parts expected = numbered(300);
    for (int i = 0; i < 3; ++i) expected.push_back(std::string(70000, char('a' + i)));
    expected.push_back("");
    message_array all(expected);
    EXPECT_EQ(int(expected.size()), zlink_send_many(push, all.data(), all.size(), 0));
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ("", all.text(i));
    EXPECT_EQ(expected, receive_flat(pull, expected.size()));
    pull.set(ZMQ_RCVTIMEO, 0);
    EXPECT_TRUE(receive_some(pull).empty());
    EXPECT_EQ(EAGAIN, zmq_errno());
}

TEST_P(batch_transport_test, goes_out_though_nothing_follows)
{
    socket a = ctx_.open(ZMQ_DEALER), b = ctx_.open(ZMQ_DEALER);
    b.connect(a.bind(endpoint()));
    for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(3, send_all(a, numbered(3)));
        EXPECT_EQ(numbered(3), receive_flat(b, 3));
        EXPECT_EQ(3, send_all(b, numbered(3)));
        EXPECT_EQ(numbered(3), receive_flat(a, 3));
    }
}

TEST_P(batch_transport_test, that_is_longer_than_the_high_water_mark_waits_for_the_receiver)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZMQ_RCVHWM, 3);
    push.set(ZMQ_SNDHWM, 3);
    push.connect(pull.bind(endpoint()));
    constexpr int count = 2000;
    auto received = std::async(std::launch::async, [&] { return receive_flat(pull, count); });
    EXPECT_EQ(count, send_all(push, numbered(count)));
    EXPECT_EQ(numbered(count), received.get());
}

TEST_P(batch_transport_test, of_a_shared_socket)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    for (socket* s : {&pull, &push}) s->set(ZLINK_SHARED, 1);
    pull.set(ZMQ_RCVHWM, 3);
    push.set(ZMQ_SNDHWM, 3);
    push.connect(pull.bind(endpoint()));
    constexpr int count = 500, senders = 3;
    std::vector<std::thread> threads;
    for (int i = 0; i < senders; ++i) {
        threads.emplace_back([&, i] { EXPECT_EQ(count, send_all(push, numbered(count, std::to_string(i) + "-"))); });
    }
    std::vector<std::future<parts>> receivers;
    std::atomic<int> left{count * senders};
    for (int i = 0; i < 2; ++i) {
        receivers.push_back(std::async(std::launch::async, [&] {
            parts mine;
            while (left > 0) {
                for (const parts& each : receive_some(pull, ZMQ_DONTWAIT)) {
                    mine.push_back(each.front());
                    --left;
                }
            }
            return mine;
        }));
    }
    for (auto& t : threads) t.join();
    std::vector<int> next(senders, 0);
    std::size_t sum = 0;
    for (auto& r : receivers) {
        const parts got = r.get();
        sum += got.size();
        std::vector<int> last(senders, -1);
        for (const std::string& each : got) {
            int& before = last[std::size_t(each.front() - '0')];
            const int number = std::stoi(each.substr(2));
            EXPECT_LT(before, number);
            before = number;
        }
    }
    EXPECT_EQ(std::size_t(count * senders), sum);
}

class batch_test : public zmq_test {
protected:
    /// A PUSH and a PULL with a mark of `hwm` in between.
    void join(int hwm)
    {
        for (socket* s : {&push_, &pull_}) {
            s->set(ZMQ_SNDHWM, hwm);
            s->set(ZMQ_RCVHWM, hwm);
        }
        push_.connect(pull_.bind(unique_inproc()));
    }
    socket pull_ = ctx_.open(ZMQ_PULL), push_ = ctx_.open(ZMQ_PUSH);
};

TEST_F(batch_test, tells_how_many_went_and_then_why_no_more)
{
    join(5);
    message_array all(numbered(20));
    EXPECT_EQ(10, zlink_send_many(push_, all.data(), all.size(), ZMQ_DONTWAIT));
    EXPECT_EQ("", all.text(9));
    EXPECT_EQ("10", all.text(10));
    EXPECT_EQ(-1, zlink_send_many(push_, all.data() + 10, 10, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
    push_.set(ZMQ_SNDTIMEO, 20);
    EXPECT_EQ(-1, zlink_send_many(push_, all.data() + 10, 10, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_EQ("10", all.text(10));
    EXPECT_EQ(numbered(10), receive_flat(pull_, 10));
    EXPECT_EQ(10, zlink_send_many(push_, all.data() + 10, 10, 0));
    EXPECT_EQ(10u, receive_flat(pull_, 10).size());
}

TEST_F(batch_test, of_none_is_none)
{
    join(5);
    EXPECT_EQ(0, zlink_send_many(push_, nullptr, 0, 0));
    push_.send_parts({"a", "b"});
    std::size_t count = 0;
    EXPECT_EQ(-1, zlink_recv_many(pull_, nullptr, &count, 0));
    EXPECT_EQ(EMSGSIZE, zmq_errno());
    EXPECT_EQ(2u, count);
    EXPECT_EQ((std::vector<parts>{{"a", "b"}}), receive_some(pull_));
}

TEST_F(batch_test, has_whole_messages_only)
{
    join(100);
    push_.send_parts({"a", "b"});
    push_.send("c");
    push_.send_parts({"d", "e", "f"});
    push_.send("g");
    EXPECT_EQ((std::vector<parts>{{"a", "b"}, {"c"}}), receive_some(pull_, 0, 5));
    message_array two(2);
    std::size_t count = 2;
    EXPECT_EQ(-1, zlink_recv_many(pull_, two.data(), &count, 0));
    EXPECT_EQ(EMSGSIZE, zmq_errno());
    EXPECT_EQ(3u, count);
    EXPECT_EQ("the next message has 3 parts, and there is room for 2; it stays", std::string(zlink_last_error()));
    EXPECT_TRUE(pull_.readable());
    EXPECT_EQ((std::vector<parts>{{"d", "e", "f"}, {"g"}}), receive_some(pull_, 0, 4));
    EXPECT_FALSE(pull_.readable());
}

TEST_F(batch_test, leaves_to_other_calls_what_does_not_fit)
{
    join(100);
    push_.send("a");
    push_.send_parts({"b", "c"});
    EXPECT_EQ((std::vector<parts>{{"a"}}), receive_some(pull_, 0, 2));
    EXPECT_EQ((parts{"b", "c"}), pull_.recv_parts());
    push_.send_parts({"d", "e", "f"});
    push_.send("g");
    EXPECT_EQ("d", pull_.recv());
    EXPECT_EQ((std::vector<parts>{{"e", "f"}, {"g"}}), receive_some(pull_));
}

TEST_F(batch_test, comes_from_several_peers_in_turn)
{
    join(100);
    socket other = ctx_.open(ZMQ_PUSH);
    other.connect(pull_.last_endpoint());
    EXPECT_EQ(3, send_all(push_, {"a", "a", "a"}));
    EXPECT_EQ(3, send_all(other, {"b", "b", "b"}));
    const parts got = receive_flat(pull_, 6);
    for (std::size_t i = 0; i + 1 < got.size(); ++i) EXPECT_NE(got[i], got[i + 1]);
}

TEST_F(batch_test, does_not_wait_for_a_second_message)
{
    join(100);
    auto received = std::async(std::launch::async, [&] { return receive_some(pull_); });
    push_.send("a");
    EXPECT_EQ((std::vector<parts>{{"a"}}), received.get());
}

TEST_F(batch_test, may_not_be_parts_of_a_message)
{
    join(100);
    message_array two(parts{"a", "b"});
    EXPECT_EQ(-1, zlink_send_many(push_, two.data(), 2, ZMQ_SNDMORE));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("zlink_send_parts"));
    EXPECT_EQ("a", two.text(0));
    EXPECT_EQ(2, zlink_send_many(push_, two.data(), 2, 0));
    EXPECT_EQ((std::vector<parts>{{"a"}, {"b"}}), receive_some(pull_));

    // What was received with more behind it is a message of its own.
    push_.send_parts({"c", "d"});
    std::size_t count = 2;
    EXPECT_EQ(1, zlink_recv_many(pull_, two.data(), &count, 0));
    EXPECT_EQ(2, zlink_send_many(push_, two.data(), 2, 0));
    EXPECT_EQ((std::vector<parts>{{"c"}, {"d"}}), receive_some(pull_));
}

TEST_F(batch_test, with_a_message_that_is_none_sends_nothing)
{
    join(100);
    message_array two(parts{"a", "b"});
    zmq_msg_close(two.data() + 1);
    EXPECT_EQ(-1, zlink_send_many(push_, two.data(), 2, 0));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ("a", two.text(0));
    EXPECT_FALSE(pull_.readable());
    zmq_msg_init(two.data() + 1);
}

TEST_F(batch_test, ends_where_it_is_the_peers_turn)
{
    socket req = ctx_.open(ZMQ_REQ), rep = ctx_.open(ZMQ_REP);
    req.connect(rep.bind(unique_inproc()));
    message_array two(parts{"a", "b"});
    EXPECT_EQ(1, zlink_send_many(req, two.data(), 2, 0));
    EXPECT_EQ(-1, zlink_send_many(req, two.data() + 1, 1, 0));
    EXPECT_EQ(EFSM, zmq_errno());
    EXPECT_EQ((std::vector<parts>{{"a"}}), receive_some(rep));
    EXPECT_EQ(1, zlink_send_many(rep, two.data() + 1, 1, 0));
    EXPECT_EQ((std::vector<parts>{{"b"}}), receive_some(req));
}

TEST_F(batch_test, of_a_server_has_the_numbers_of_its_clients)
{
    socket server = ctx_.open(ZMQ_SERVER), client = ctx_.open(ZMQ_CLIENT);
    client.connect(server.bind("tcp://127.0.0.1:*"));
    EXPECT_EQ(2, send_all(client, {"a", "b"}));
    message_array all(3);
    for (std::size_t got = 0; got < 2;) {
        std::size_t count = 2 - got;
        ASSERT_GT(zlink_recv_many(server, all.data() + got, &count, 0), 0);
        got += count;
    }
    EXPECT_NE(0u, zmq_msg_routing_id(all.data()));
    EXPECT_EQ(zmq_msg_routing_id(all.data()), zmq_msg_routing_id(all.data() + 1));
    const std::uint32_t number = zmq_msg_routing_id(all.data());
    zmq_msg_set_routing_id(all.data() + 1, number + 1);
    zmq_msg_set_routing_id(all.data() + 2, number);
    EXPECT_EQ(1, zlink_send_many(server, all.data(), 3, 0));
    EXPECT_EQ(-1, zlink_send_many(server, all.data() + 1, 2, 0));
    EXPECT_EQ(EHOSTUNREACH, zmq_errno());
    EXPECT_EQ((std::vector<parts>{{"a"}}), receive_some(client));
}

TEST_F(batch_test, calls_free_functions_once_and_without_a_lock)
{
    for (const bool shared : {false, true}) {
        socket s = ctx_.open(ZMQ_PUSH), peer = ctx_.open(ZMQ_PULL);
        s.set(ZLINK_SHARED, shared ? 1 : 0);
        peer.set(ZLINK_SHARED, shared ? 1 : 0);
        s.connect(peer.bind("tcp://127.0.0.1:*"));
        struct counter {
            void* used;
            std::atomic<int> freed{0};
        } sent{s, {}}, replaced{peer, {}};
        const auto free_it = [](void*, void* hint) {
            auto& c = *static_cast<counter*>(hint);
            int linger = 0;
            std::size_t size = sizeof linger;
            EXPECT_EQ(0, zmq_getsockopt(c.used, ZMQ_LINGER, &linger, &size));
            ++c.freed;
        };
        char octets[2000] = {};
        std::array<zmq_msg_t, 4> out, in;
        for (auto& m : out) zmq_msg_init_data(&m, octets, 100, free_it, &sent);
        for (auto& m : in) zmq_msg_init_data(&m, octets, sizeof octets, free_it, &replaced);
        EXPECT_EQ(4, zlink_send_many(s, out.data(), out.size(), 0));
        EXPECT_TRUE(eventually([&] { return sent.freed == 4; }));
        for (std::size_t got = 0; got < 4;) {
            EXPECT_EQ(int(got), replaced.freed);
            std::size_t count = 4 - got;
            ASSERT_GT(zlink_recv_many(peer, in.data() + got, &count, 0), 0);
            got += count;
        }
        EXPECT_EQ(4, replaced.freed);
        for (auto& m : in) EXPECT_EQ(100u, zmq_msg_size(&m));
        for (auto* each : {&in, &out}) {
            for (auto& m : *each) zmq_msg_close(&m);
        }
    }
}

/// A thread in a batch that waits for room.
class waiting_batch_test : public batch_test, public testing::WithParamInterface<bool> {
protected:
    waiting_batch_test()
    {
        push_.set(ZLINK_SHARED, GetParam() ? 1 : 0);
        push_.set(ZMQ_SNDTIMEO, -1);
        join(5);
    }
    /// What two calls one after the other, of which the second begins where the first ended, come to.
    struct outcome {
        int first, second, error;
    };
    std::future<outcome> start(int second_flags)
    {
        return std::async(std::launch::async, [this, second_flags] {
            message_array all(numbered(20));
            thread_ = ::pthread_self();
            id_ = ::gettid();
            outcome o{};
            o.first = zlink_send_many(push_, all.data(), all.size(), 0);
            if (o.first < 0) return o;
            o.second = zlink_send_many(push_, all.data() + o.first, all.size() - std::size_t(o.first), second_flags);
            o.error = zmq_errno();
            return o;
        });
    }
    std::atomic<pthread_t> thread_{};
    std::atomic<pid_t> id_{0};
};
INSTANTIATE_TEST_SUITE_P(shared, waiting_batch_test, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "yes" : "no"); });

TEST_P(waiting_batch_test, tells_how_many_went_when_the_context_ends)
{
    auto done = start(0);
    ASSERT_TRUE(comes_to_sleep(id_));
    ctx_.shutdown();
    const outcome o = done.get();
    EXPECT_EQ(10, o.first);
    EXPECT_EQ(-1, o.second);
    EXPECT_EQ(ETERM, o.error);
}

TEST_P(waiting_batch_test, tells_how_many_went_when_a_signal_comes)
{
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, ::sigaction(SIGUSR1, &action, &before));
    auto done = start(ZMQ_DONTWAIT);
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
        if (id_ != 0 && sleeps(id_)) ::pthread_kill(thread_, SIGUSR1);
    }
    const outcome o = done.get();
    EXPECT_EQ(10, o.first);
    EXPECT_EQ(-1, o.second);
    EXPECT_EQ(EAGAIN, o.error);
    ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace zlink::test
