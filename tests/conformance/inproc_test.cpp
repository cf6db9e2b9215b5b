// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What inproc has of its own: sockets that connect before another one has bound.

#include "support/zmq_fixture.hpp"

#include <array>
#include <atomic>
#include <cstring>

namespace zlink::test {
namespace {

using zlink::test::socket;

class inproc_test : public zmq_test {
protected:
    const std::string name_ = unique_inproc();
};

TEST_F(inproc_test, a_publisher_that_binds_last_loses_nothing)
{
    socket subscribers[3];
    for (socket& sub : subscribers) {
        sub = ctx_.open(ZMQ_SUB);
        sub.subscribe("a");
        sub.connect(name_);
    }
    socket pub = ctx_.open(ZMQ_PUB);
    pub.bind(name_);
    pub.send("a1");
    for (socket& sub : subscribers) EXPECT_EQ("a1", sub.recv());
}

TEST_F(inproc_test, a_socket_that_closes_gives_back_its_names_and_no_others)
{
    const std::string names[] = {unique_inproc(), unique_inproc(), unique_inproc()};
    socket first = ctx_.open(ZMQ_PULL), second = ctx_.open(ZMQ_PULL);
    first.bind(names[0]);
    second.bind(names[1]);
    first.bind(names[2]);
    first.connect(names[1]);
    first.close();
    socket third = ctx_.open(ZMQ_PULL);
    EXPECT_TRUE(eventually([&] { return zmq_bind(third, names[0].c_str()) == 0; }));
    EXPECT_TRUE(eventually([&] { return zmq_bind(third, names[2].c_str()) == 0; }));
    EXPECT_EQ(-1, zmq_bind(third, names[1].c_str()));
    EXPECT_EQ(EADDRINUSE, zmq_errno());
}

// Nothing but zmq_bind is called on the socket that binds.
TEST_F(inproc_test, a_bind_takes_up_those_who_connected_before)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("");
    sub.connect(name_);
    socket dealer = ctx_.open(ZMQ_DEALER);
    const std::string other = unique_inproc();
    dealer.connect(other);

    socket xpub = ctx_.open(ZMQ_XPUB);
    xpub.set(ZMQ_XPUB_WELCOME_MSG, "welcome");
    xpub.bind(name_);
    EXPECT_EQ("welcome", sub.recv());

    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_PROBE_ROUTER, 1);
    router.bind(other);
    EXPECT_EQ("", dealer.recv());
}

TEST_F(inproc_test, messages_of_one_who_has_closed_reach_a_later_binder)
{
    for (const int linger : {-1, 0, 1000}) {
        const std::string name = unique_inproc();
        socket push = ctx_.open(ZMQ_PUSH);
        push.set(ZMQ_LINGER, linger);
        push.connect(name);
        push.send_parts({"one", "tail"});
        push.send("two");
        push.send("unfinished", ZMQ_SNDMORE);
        push.close();
        socket pull = ctx_.open(ZMQ_PULL);
        pull.bind(name);
        EXPECT_EQ((parts{"one", "tail"}), pull.recv_parts()) << linger;
        EXPECT_EQ("two", pull.recv()) << linger;
        expect_no_message_for(pull, 20);
    }
}

TEST_F(inproc_test, messages_of_one_who_has_disconnected_reach_a_later_binder)
{
    socket push = ctx_.open(ZMQ_PUSH), stranger = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(name_);
    stranger.connect(name_);
    push.send("one");
    push.disconnect(name_);
    stranger.send("two");
    pull.bind(name_);
    EXPECT_EQ("one", pull.recv());
    EXPECT_EQ("two", pull.recv());
    EXPECT_EQ(EAGAIN, push.try_send("three"));
    push.connect(name_);
    push.send("four");
    EXPECT_EQ("four", pull.recv());
}

TEST_F(inproc_test, a_later_binder_learns_who_sent_what)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_ROUTING_ID, "me");
    dealer.connect(name_);
    dealer.send("hello");
    dealer.close();
    router.bind(name_);
    EXPECT_EQ((parts{"me", "hello"}), router.recv_parts());
}

TEST_F(inproc_test, a_subscriber_that_has_come_and_gone_is_told_to_a_later_publisher)
{
    socket sub = ctx_.open(ZMQ_SUB), xpub = ctx_.open(ZMQ_XPUB);
    sub.subscribe("a");
    sub.connect(name_);
    sub.close();
    xpub.bind(name_);
    EXPECT_EQ("\1a", xpub.recv());
    EXPECT_EQ(std::string("\0a", 2), xpub.recv());
}

TEST_F(inproc_test, messages_that_nobody_binds_for_keep_no_context)
{
    context other;
    socket push = other.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, -1);
    push.connect(name_);
    push.send("for nobody");
    push.close();
    other.terminate();
}

// A call looks at so many peers that have news, and at no more if it has found a message.
TEST_F(inproc_test, a_message_behind_those_of_hundreds_of_peers_is_there)
{
    for (const std::size_t count : {127u, 128u, 129u, 255u, 256u, 257u, 384u}) {
        socket pull = ctx_.open(ZMQ_PULL);
        const std::string name = unique_inproc();
        pull.bind(name);
        std::vector<socket> peers;
        while (peers.size() <= count) {
            peers.push_back(ctx_.open(ZMQ_PUSH));
            peers.back().connect(name);
        }
        expect_no_message(pull);
        for (std::size_t i = 0; i < count; ++i) peers[i].send("one");
        EXPECT_EQ("one", pull.recv());
        peers[count].send("last");
        bool found = false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto message = pull.recv_frame(ZMQ_DONTWAIT);
            ASSERT_TRUE(message) << i << " of " << count;
            found |= *message == "last";
        }
        EXPECT_TRUE(found);
        expect_no_message(pull);
    }
}

TEST_F(inproc_test, subscriptions_of_hundreds_of_peers_count_before_the_next_message)
{
    constexpr std::size_t count = 300;
    socket pub = ctx_.open(ZMQ_PUB);
    pub.bind(name_);
    std::vector<socket> peers;
    for (std::size_t i = 0; i < count; ++i) {
        peers.push_back(ctx_.open(ZMQ_SUB));
        peers.back().connect(name_);
    }
    pub.send("nobody wants this");
    for (socket& peer : peers) peer.subscribe("");
    pub.send("for all");
    for (socket& peer : peers) EXPECT_EQ("for all", peer.recv());
}

class inproc_fan_out_test : public inproc_test {
protected:
    inproc_fan_out_test()
    {
        pub_.bind(name_);
        for (socket& sub : subs_) {
            sub = ctx_.open(ZMQ_SUB);
            sub.subscribe("");
            sub.connect(name_);
        }
    }

    socket pub_ = ctx_.open(ZMQ_PUB);
    std::array<socket, 8> subs_;
};

// What a sender does with its memory afterwards, and when others receive, changes nothing.
TEST_F(inproc_fan_out_test, every_subscriber_gets_each_body_intact)
{
    const std::size_t sizes[] = {1000, 1024, 4096, 5000, 16384, 40000, 10};
    std::string body;
    for (const std::size_t size : sizes) {
        body.assign(size, char('a' + size % 26));
        pub_.send(body);
        body.assign(size, '-');
        pub_.send(body, ZMQ_SNDMORE);
        pub_.send("end");
    }
    for (socket& sub : subs_) {
        for (const std::size_t size : sizes) {
            EXPECT_EQ(std::string(size, char('a' + size % 26)), sub.recv());
            EXPECT_EQ((parts{std::string(size, '-'), "end"}), sub.recv_parts());
        }
        sub.close();
    }
}

TEST_F(inproc_fan_out_test, a_body_of_some_kilobytes_is_shared_by_all_subscribers)
{
    static const std::string constant(4096, 'c');
    pub_.send(std::string(4096, 'b'));
    zmq_msg_t sent;
    zmq_msg_init_size(&sent, 4096);
    std::memset(zmq_msg_data(&sent), 'm', 4096);
    EXPECT_EQ(4096, zmq_msg_send(&sent, pub_, 0));
    zmq_msg_init_data(&sent, const_cast<char*>(constant.data()), constant.size(), nullptr, nullptr);
    EXPECT_EQ(4096, zmq_msg_send(&sent, pub_, 0));
    for (const char content : {'b', 'm', 'c'}) {
        for (socket& sub : subs_) {
            zmq_msg_t got;
            zmq_msg_init(&got);
            EXPECT_EQ(4096, zmq_msg_recv(&got, sub, 0));
            EXPECT_EQ(1, zmq_msg_get(&got, ZMQ_SHARED)) << content;
            EXPECT_EQ(std::string(4096, content),
                      std::string_view(static_cast<const char*>(zmq_msg_data(&got)), zmq_msg_size(&got)));
            if (content == 'c') {
                EXPECT_EQ(constant.data(), zmq_msg_data(&got));
            }
            zmq_msg_close(&got);
        }
    }
}

TEST_F(inproc_fan_out_test, memory_of_the_program_is_freed_once_when_the_last_subscriber_is_done)
{
    static std::atomic<int> freed;
    freed = 0;
    std::string memory(4096, 'x');
    zmq_msg_t sent;
    zmq_msg_init_data(&sent, memory.data(), memory.size(), [](void*, void*) { ++freed; }, nullptr);
    EXPECT_EQ(4096, zmq_msg_send(&sent, pub_, 0));
    zmq_msg_t kept;
    zmq_msg_init(&kept);
    EXPECT_EQ(4096, zmq_msg_recv(&kept, subs_[0], 0));
    for (std::size_t i = 1; i < subs_.size(); ++i) EXPECT_EQ(memory, subs_[i].recv());
    EXPECT_EQ(0, freed);
    EXPECT_EQ(memory.data(), zmq_msg_data(&kept));
    zmq_msg_close(&kept);
    EXPECT_EQ(1, freed);
}

}  // namespace
}  // namespace zlink::test
