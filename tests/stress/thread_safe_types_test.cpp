// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads at one socket of each thread-safe type, on both sides of a connection at once: for ThreadSanitizer above all.
// Counts are bounded, and nothing is measured by the clock. The content of each message says where it belongs.
#include "conformance/draft_fixture.hpp"
#include "support/whole_message.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace zlink::test {
namespace {

constexpr int threads = 4;
constexpr int rounds = 500;
constexpr int window = 5;  // questions of a thread that are under way at once

struct pairing {
    const char* name;
    int first;   ///< asks, or sends; it connects
    int second;  ///< answers, or receives; it binds
    bool several_peers;
};

using row = std::tuple<pairing, const char*>;

std::string name_of(const ::testing::TestParamInfo<row>& test)
{
    const std::string where = std::get<1>(test.param);
    return std::string(std::get<0>(test.param).name) + "_" + where.substr(0, where.find(':'));
}

const auto transports = ::testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*");

struct message {
    std::string body;
    std::uint32_t from = 0;
};

/// `way`: which of the calls that send. `to`: 0, or the number of the peer.
void send(void* s, const message& m, unsigned way, std::uint32_t to = 0, const char* group = nullptr)
{
    if (to == 0 && !group && way % 3 == 0) {
        EXPECT_EQ(int(m.body.size()), zmq_send(s, m.body.data(), m.body.size(), 0));
        return;
    }
    message_array msg(parts{m.body});
    if (to != 0) {
        EXPECT_EQ(0, zmq_msg_set_routing_id(msg.data(), to));
    }
    if (group) {
        EXPECT_EQ(0, zmq_msg_set_group(msg.data(), group));
    }
    if (way % 3 == 1) {
        EXPECT_EQ(0, zlink_send_parts(s, msg.data(), 1, 0)) << zmq_strerror(zmq_errno());
    } else {
        EXPECT_EQ(int(m.body.size()), zmq_msg_send(msg.data(), s, 0)) << zmq_strerror(zmq_errno());
    }
}

/// Waits by one of the calls that receive. Another thread may take what a poll has found.
message receive(void* s, unsigned way)
{
    message_array msg(1);
    std::size_t one = 1;
    int got = -1;
    switch (way % 3) {
    case 0: got = zmq_msg_recv(msg.data(), s, 0); break;
    case 1: got = zlink_recv_parts(s, msg.data(), &one, 0); break;
    default:
        do {
            zmq_pollitem_t item{s, -1, ZMQ_POLLIN, 0};
            if (zmq_poll(&item, 1, patience_ms) != 1) break;
            got = zmq_msg_recv(msg.data(), s, ZMQ_DONTWAIT);
        } while (got == -1 && zmq_errno() == EAGAIN);
    }
    EXPECT_LE(0, got) << zmq_strerror(zmq_errno());
    return {msg.text(0), zmq_msg_routing_id(msg.data())};
}

template <class Work>
void in_threads(Work work)
{
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back([work, t] { work(t); });
    for (std::thread& each : all) each.join();
}

/// All that one socket sends, told apart by number, and how often each has come.
class ledger {
public:
    explicit ledger(std::string name) : name_(std::move(name)), seen_(threads * rounds) {}

    /// Small ones, some larger ones, and few that have memory of their own.
    [[nodiscard]] std::string body(int number) const
    {
        const std::size_t size = number % 64 == 63 ? 40'000 : number % 8 == 7 ? 2000 : std::size_t(number % 50);
        return name_ + "." + std::to_string(number) + "." + std::string(size, char('a' + number % 26));
    }
    void note(const std::string& got)
    {
        const std::size_t dot = got.find('.');
        ASSERT_EQ(name_, got.substr(0, dot)) << "somebody else's";
        const int number = std::atoi(got.c_str() + dot + 1);
        ASSERT_TRUE(number >= 0 && number < threads * rounds && body(number) == got) << got;
        ++seen_[std::size_t(number)];
    }
    void expect_each_once() const
    {
        for (int i = 0; i < threads * rounds; ++i) ASSERT_EQ(1, seen_[std::size_t(i)].load()) << name_ << ' ' << i;
    }

private:
    std::string name_;
    std::vector<std::atomic<int>> seen_;
};

class thread_safe_stress_test : public ::testing::TestWithParam<row> {
protected:
    static const pairing& types() { return std::get<0>(GetParam()); }
    static std::string endpoint()
    {
        const std::string given = std::get<1>(GetParam());
        return given == "inproc" ? unique_inproc() : given;
    }

    /// Returns the peer's number for a PEER, else 0.
    static std::uint32_t connect(socket& s, const std::string& where)
    {
        if (types().first != ZMQ_PEER) {
            s.connect(where);
            return 0;
        }
        const std::uint32_t peer = zmq_connect_peer(s, where.c_str());
        EXPECT_NE(0U, peer) << zmq_strerror(zmq_errno());
        return peer;
    }

    context ctx_;
};

class asking_stress_test : public thread_safe_stress_test {
protected:
    static constexpr int visitors = 40;

    struct asker {
        explicit asker(const std::string& name) : questions(name) {}
        socket s;
        std::uint32_t peer = 0;
        ledger questions;
    };

    void ask(asker& a) const
    {
        in_threads([&a](int t) {
            for (int i = 0; i < rounds; i += window) {
                for (int k = 0; k < window; ++k)
                    send(a.s, {a.questions.body(t * rounds + i + k)}, unsigned(i + k + t), a.peer);
                // The answer may be to another thread's question.
                for (int k = 0; k < window; ++k) a.questions.note(receive(a.s, unsigned(i + k + 2 * t)).body);
            }
        });
    }

    /// Peers that come, ask once and go; and connections of the askers' own to where nobody is.
    void come_and_go(const std::string& where, std::vector<asker*>& askers)
    {
        for (int i = 0; i < visitors; ++i) {
            socket visitor = ctx_.open(types().first);
            const std::uint32_t peer = connect(visitor, where);
            const std::string question = "visitor " + std::to_string(i);
            send(visitor, {question}, unsigned(i), peer);
            EXPECT_EQ(question, receive(visitor, unsigned(i)).body);
            for (asker* each : askers) {
                each->s.connect("tcp://127.0.0.1:1");
                each->s.disconnect("tcp://127.0.0.1:1");
            }
        }
    }
};

TEST_P(asking_stress_test, threads_ask_and_threads_answer_by_one_socket_each)
{
    socket answers = ctx_.open(types().second);
    const std::string where = answers.bind(endpoint());
    asker first("first"), second("second");
    std::vector<asker*> askers{&first};
    if (types().several_peers) askers.push_back(&second);
    for (asker* each : askers) {
        each->s = ctx_.open(types().first);
        each->peer = connect(each->s, where);
        each->s.set(ZMQ_IMMEDIATE, 1);  // nothing is queued for where nobody is
    }
    const int questions = int(askers.size()) * threads * rounds + (types().several_peers ? visitors : 0);
    std::vector<std::thread> others;
    others.emplace_back([&] {
        in_threads([&](int t) {
            for (int i = 0; i < questions / threads; ++i) {
                const message question = receive(answers, unsigned(i + t));
                send(answers, question, unsigned(i + t), question.from);
            }
        });
    });
    for (asker* each : askers) others.emplace_back([this, each] { ask(*each); });
    if (types().several_peers) come_and_go(where, askers);
    for (std::thread& each : others) each.join();
    for (asker* each : askers) {
        each->questions.expect_each_once();
        expect_no_message(each->s);
    }
    expect_no_message(answers);
}

INSTANTIATE_TEST_SUITE_P(all, asking_stress_test,
                         ::testing::Combine(::testing::Values(pairing{"client_server", ZMQ_CLIENT, ZMQ_SERVER, true},
                                                              pairing{"peer", ZMQ_PEER, ZMQ_PEER, true},
                                                              pairing{"channel", ZMQ_CHANNEL, ZMQ_CHANNEL, false}),
                                            transports),
                         name_of);

class sending_stress_test : public thread_safe_stress_test {
protected:
    static const char* group() { return types().first == ZMQ_RADIO ? "group" : nullptr; }
};

TEST_P(sending_stress_test, threads_send_and_threads_receive_by_one_socket_each)
{
    socket receives = ctx_.open(types().second), sends = ctx_.open(types().first);
    // A RADIO drops what has no room.
    for (socket* s : {&receives, &sends}) {
        s->set(ZMQ_SNDHWM, group() ? 0 : 20);
        s->set(ZMQ_RCVHWM, group() ? 0 : 20);
    }
    sends.connect(receives.bind(endpoint()));
    if (group()) {
        EXPECT_EQ(0, zmq_join(receives, group()));
        await_member(sends, receives, group());
    }
    ledger sent("sent");
    std::atomic<bool> over{false};
    std::thread senders([&] {
        in_threads([&](int t) {
            for (int i = 0; i < rounds; ++i) send(sends, {sent.body(t * rounds + i)}, unsigned(i + t), 0, group());
        });
    });
    std::thread joins([&] {
        while (group() && !over.load()) {
            EXPECT_EQ(0, zmq_join(receives, "other"));
            EXPECT_EQ(0, zmq_leave(receives, "other"));
        }
    });
    in_threads([&](int t) {
        for (int i = 0; i < rounds; ++i) sent.note(receive(receives, unsigned(i + t)).body);
    });
    over = true;
    senders.join();
    joins.join();
    sent.expect_each_once();
    expect_no_message(receives);
}

INSTANTIATE_TEST_SUITE_P(all, sending_stress_test,
                         ::testing::Combine(::testing::Values(pairing{"scatter_gather", ZMQ_SCATTER, ZMQ_GATHER, true},
                                                              pairing{"radio_dish", ZMQ_RADIO, ZMQ_DISH, true}),
                                            transports),
                         name_of);

class sender_stress_test : public thread_safe_stress_test {};

// A thread that found no room sleeps. Room that another thread finds first must not leave it asleep: that thread may
// have nothing more to send.
TEST_P(sender_stress_test, no_thread_sleeps_on_while_there_is_room)
{
    constexpr int turns = 1500, each_turn = 3;
    socket receives = ctx_.open(types().second), sends = ctx_.open(types().first);
    sends.set(ZMQ_SNDHWM, 2);
    receives.set(ZMQ_RCVHWM, 2);
    sends.connect(receives.bind(endpoint()));
    std::barrier<> turn(threads + 1);
    std::thread senders([&] {
        in_threads([&](int t) {
            for (int i = 0; i < turns; ++i) {
                turn.arrive_and_wait();
                for (int k = 0; k < each_turn; ++k) send(sends, {"m"}, unsigned(i + k + t));
            }
        });
    });
    for (int i = 0; i < turns; ++i) {
        turn.arrive_and_wait();
        for (int k = 0; k < threads * each_turn; ++k) EXPECT_EQ("m", receive(receives, 0).body);
    }
    senders.join();
}

INSTANTIATE_TEST_SUITE_P(all, sender_stress_test,
                         ::testing::Combine(::testing::Values(pairing{"scatter_gather", ZMQ_SCATTER, ZMQ_GATHER, true},
                                                              pairing{"channel", ZMQ_CHANNEL, ZMQ_CHANNEL, false}),
                                            transports),
                         name_of);

class closing_stress_test : public thread_safe_stress_test {
protected:
    /// Threads that call until the socket is closed.
    static void call_until_closed(void* s, const std::string& other, std::vector<std::thread>& all,
                                  std::atomic<int>& inside)
    {
        const auto until_closed = [&all, &inside](auto call) {
            all.emplace_back([&inside, call] {
                ++inside;
                while (call() >= 0 || zmq_errno() != ENOTSOCK) {
                }
            });
        };
        until_closed([s] { return zmq_send(s, "a", 1, 0); });
        until_closed([s] {
            message_array msg(1);
            (void)zmq_msg_set_group(msg.data(), "group");
            return zmq_msg_send(msg.data(), s, ZMQ_DONTWAIT);
        });
        until_closed([s] {
            message_array msg(1);
            const int got = zmq_msg_recv(msg.data(), s, 0);
            return got < 0 ? got : zmq_msg_send(msg.data(), s, 0);
        });
        until_closed([s] {
            message_array msg(1);
            std::size_t one = 1;
            return zlink_recv_parts(s, msg.data(), &one, ZMQ_DONTWAIT);
        });
        until_closed([s] {
            zmq_pollitem_t item{s, -1, ZMQ_POLLIN, 0};
            return zmq_poll(&item, 1, -1);
        });
        until_closed([s, other] {
            const int connected = zmq_connect(s, other.c_str());
            return connected < 0 ? connected : zmq_disconnect(s, other.c_str());
        });
    }
};

TEST_P(closing_stress_test, both_sides_close_beside_calls_of_all_kinds)
{
    for (int round = 0; round < 4; ++round) {
        socket other = ctx_.open(types().second);
        const std::string elsewhere = other.bind(endpoint());
        socket binds = ctx_.open(types().second), connects = ctx_.open(types().first);
        if (types().second == ZMQ_DISH) {
            EXPECT_EQ(0, zmq_join(binds, "group"));
        }
        connects.connect(binds.bind(endpoint()));
        std::array<void*, 2> handles{binds.release(), connects.release()};
        std::atomic<int> inside{0};
        std::vector<std::thread> all;
        for (void* each : handles) call_until_closed(each, elsewhere, all, inside);
        while (inside.load() < int(all.size())) std::this_thread::yield();
        if (round % 2) std::swap(handles[0], handles[1]);
        for (void* each : handles) EXPECT_EQ(0, zmq_close(each));
        for (std::thread& each : all) each.join();
    }
}

INSTANTIATE_TEST_SUITE_P(all, closing_stress_test,
                         ::testing::Combine(::testing::Values(pairing{"client_server", ZMQ_CLIENT, ZMQ_SERVER, true},
                                                              pairing{"peer", ZMQ_PEER, ZMQ_PEER, true},
                                                              pairing{"channel", ZMQ_CHANNEL, ZMQ_CHANNEL, false},
                                                              pairing{"scatter_gather", ZMQ_SCATTER, ZMQ_GATHER, true},
                                                              pairing{"radio_dish", ZMQ_RADIO, ZMQ_DISH, true}),
                                            transports),
                         name_of);

}  // namespace
}  // namespace zlink::test
