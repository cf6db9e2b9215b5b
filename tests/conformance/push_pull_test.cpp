// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of PUSH and PULL: a pipeline that shares work among its peers and loses nothing (RFC 30).
#include "support/zmq_fixture.hpp"

#include <set>
#include <thread>

namespace zlink::test {
namespace {

class push_pull_test : public zmq_test {
protected:
    socket push_ = ctx_.open(ZMQ_PUSH);
    socket pull_ = ctx_.open(ZMQ_PULL);
};

TEST_F(push_pull_test, each_side_goes_one_way)
{
    push_.connect(pull_.bind(unique_inproc()));
    EXPECT_EQ(ENOTSUP, pull_.try_send("x"));
    EXPECT_FALSE(push_.recv_frame(ZMQ_DONTWAIT));
    EXPECT_EQ(ENOTSUP, zmq_errno());
}

TEST_F(push_pull_test, shares_messages_evenly_in_turn)
{
    std::vector<socket> pulls;
    for (int i = 0; i < 3; ++i) {
        pulls.push_back(ctx_.open(ZMQ_PULL));
        push_.connect(pulls.back().bind(unique_inproc()));
    }
    for (int i = 0; i < 30; ++i) {
        push_.send_parts({std::to_string(i), "second frame"});
    }
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ((parts{std::to_string(i), "second frame"}), pulls[static_cast<std::size_t>(i % 3)].recv_parts());
    }
    for (socket& pull : pulls) {
        expect_no_message(pull);
    }
}

TEST_F(push_pull_test, passes_over_a_peer_whose_queue_is_full)
{
    socket slow = ctx_.open(ZMQ_PULL);
    push_.set(ZMQ_SNDHWM, 1);
    slow.set(ZMQ_RCVHWM, 1);
    push_.connect(slow.bind(unique_inproc()));
    pull_.set(ZMQ_RCVHWM, 99);
    push_.connect(pull_.bind(unique_inproc()));
    int sent = 0;
    while (push_.try_send(std::to_string(sent)) == 0) {
        ++sent;
    }
    EXPECT_EQ(102, sent);
    EXPECT_EQ(2u, slow.drain().size());
    EXPECT_EQ(100u, pull_.drain().size());
}

TEST_F(push_pull_test, takes_fairly_from_all_peers)
{
    const std::string endpoint = pull_.bind(unique_inproc());
    std::vector<socket> pushes;
    for (int peer = 0; peer < 3; ++peer) {
        pushes.push_back(ctx_.open(ZMQ_PUSH));
        pushes.back().connect(endpoint);
        for (int i = 0; i < 10; ++i) {
            pushes.back().send_parts({std::to_string(peer), std::to_string(i)});
        }
    }
    for (int i = 0; i < 10; ++i) {
        std::set<std::string> peers;
        for (int peer = 0; peer < 3; ++peer) {
            const parts frames = pull_.recv_parts();
            EXPECT_EQ(std::to_string(i), frames.back());
            peers.insert(frames.front());
        }
        EXPECT_EQ(3u, peers.size()) << "in round " << i;
    }
}

TEST_F(push_pull_test, blocks_without_peers)
{
    pull_.bind(unique_inproc());
    EXPECT_EQ(EAGAIN, push_.try_send("x"));
    push_.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(EAGAIN, push_.try_send("x"));
    EXPECT_FALSE(push_.writable());
    push_.set(ZMQ_SNDTIMEO, 30);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(-1, zmq_send(push_, "x", 1, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(25));
}

TEST_F(push_pull_test, a_full_queue_blocks_until_the_peer_reads)
{
    push_.set(ZMQ_SNDHWM, 2);
    pull_.set(ZMQ_RCVHWM, 2);
    push_.connect(pull_.bind(unique_inproc()));
    std::atomic<int> sent{0};
    std::thread sender([&] {
        while (sent < 10 && push_.send(std::to_string(sent))) {
            ++sent;
        }
    });
    for (int i = 0; i < 10; ++i) {
        EXPECT_LE(sent, i + 4);
        EXPECT_EQ(std::to_string(i), pull_.recv());
    }
    sender.join();
    EXPECT_EQ(10, sent);
}

TEST_F(push_pull_test, a_peer_that_does_not_read_stops_the_sender_over_tcp)
{
    push_.set(ZMQ_SNDHWM, 10);
    push_.set(ZMQ_SNDBUF, 65536);  // less than a segment, and TCP stalls for as long as its timers take
    pull_.set(ZMQ_RCVHWM, 10);
    pull_.set(ZMQ_RCVBUF, 65536);
    push_.connect(pull_.bind("tcp://127.0.0.1:*"));
    const std::string body(10000, 'x');
    push_.set(ZMQ_SNDTIMEO, 300);
    int sent = 0;
    while (sent < 100000 && zmq_send(push_, body.data(), body.size(), 0) != -1) {
        ++sent;
    }
    ASSERT_LT(sent, 100000);
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_GE(sent, 20);
    push_.set(ZMQ_SNDTIMEO, patience_ms);
    for (int i = 0; i < sent; ++i) {
        ASSERT_EQ(body, pull_.recv());
    }
    push_.send("flows again");
    EXPECT_EQ("flows again", pull_.recv());
}

TEST_F(push_pull_test, loses_nothing_between_many_workers)
{
    constexpr int workers = 4, count = 20000;
    const std::string work = push_.bind("tcp://127.0.0.1:*");
    const std::string results = pull_.bind(unique_inproc());
    const std::string stop = unique_inproc();
    socket stopper = ctx_.open(ZMQ_PUB);
    stopper.bind(stop);
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; ++worker) {
        threads.emplace_back([&] {
            socket in = ctx_.open(ZMQ_PULL), out = ctx_.open(ZMQ_PUSH), control = ctx_.open(ZMQ_SUB);
            control.subscribe("");
            control.connect(stop);
            in.connect(work);
            out.connect(results);
            out.send("ready");
            zmq_pollitem_t items[] = {{in, 0, ZMQ_POLLIN, 0}, {control, 0, ZMQ_POLLIN, 0}};
            while (zmq_poll(items, 2, patience_ms) > 0 && items[1].revents == 0) {
                out.send(in.recv());
            }
        });
    }
    for (int worker = 0; worker < workers; ++worker) {
        EXPECT_EQ("ready", pull_.recv());
    }
    std::thread producer([&] {
        for (int i = 0; i < count; ++i) {
            if (!push_.send(std::to_string(i))) {
                break;
            }
        }
    });
    std::vector<bool> seen(count);
    for (int i = 0; i < count; ++i) {
        const std::string got = pull_.recv();
        if (got.empty() || seen.at(static_cast<std::size_t>(std::stoi(got)))) {
            ADD_FAILURE() << "lost or doubled: " << got;
            break;
        }
        seen[static_cast<std::size_t>(std::stoi(got))] = true;
    }
    producer.join();
    stopper.send("stop");
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(push_pull_test, work_goes_to_the_peers_that_remain)
{
    socket leaving = ctx_.open(ZMQ_PULL);
    const std::string endpoint = leaving.bind(unique_inproc());
    push_.connect(endpoint);
    push_.connect(pull_.bind(unique_inproc()));
    push_.send("0");
    push_.send("1");
    EXPECT_EQ("0", leaving.recv());
    EXPECT_EQ("1", pull_.recv());
    push_.disconnect(endpoint);
    for (int i = 0; i < 5; ++i) {
        push_.send(std::to_string(i));
        EXPECT_EQ(std::to_string(i), pull_.recv());
    }
    expect_no_message(leaving);
}

TEST_F(push_pull_test, a_message_goes_whole_to_one_peer)
{
    socket other = ctx_.open(ZMQ_PULL);
    push_.connect(pull_.bind(unique_inproc()));
    push_.connect(other.bind(unique_inproc()));
    push_.send_parts({"a1", "a2", "a3"});
    push_.send_parts({"b1", "b2", "b3"});
    EXPECT_EQ((parts{"a1", "a2", "a3"}), pull_.recv_parts());
    EXPECT_EQ((parts{"b1", "b2", "b3"}), other.recv_parts());
}

}  // namespace
}  // namespace zlink::test
