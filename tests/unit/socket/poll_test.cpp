// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Polling where sockets meet: one socket listed twice, many sockets at once, and no message slept through.
#include "socket/poll.hpp"

#include "zlink.h"
#include "zmq.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr long patience_ms = 20000;

/// PUSH and PULL sockets joined pairwise by inproc.
class joined {
public:
    explicit joined(std::size_t pairs)
    {
        for (std::size_t i = 0; i < pairs; ++i) {
            const std::string endpoint = "inproc://joined-" + std::to_string(i);
            in_.push_back(zmq_socket(context_, ZMQ_PULL));
            out_.push_back(zmq_socket(context_, ZMQ_PUSH));
            EXPECT_EQ(0, zmq_bind(in_.back(), endpoint.c_str()));
            EXPECT_EQ(0, zmq_connect(out_.back(), endpoint.c_str()));
        }
    }
    ~joined()
    {
        for (void* s : in_) zmq_close(s);
        for (void* s : out_) zmq_close(s);
        zmq_ctx_term(context_);
    }
    joined(const joined&) = delete;
    joined& operator=(const joined&) = delete;

    [[nodiscard]] void* in(std::size_t i) const { return in_[i]; }
    [[nodiscard]] void* out(std::size_t i) const { return out_[i]; }

private:
    void* context_ = zmq_ctx_new();
    std::vector<void*> in_;
    std::vector<void*> out_;
};

TEST(poll_test, socket_may_be_listed_for_each_event_apart)
{
    const joined sockets(1);
    for (int i = 0; i < 200; ++i) {
        std::thread sending([&] { EXPECT_EQ(1, zmq_send(sockets.out(0), "x", 1, 0)); });
        zmq_pollitem_t items[] = {{sockets.in(0), 0, ZMQ_POLLIN, 0}, {sockets.in(0), 0, ZMQ_POLLOUT, 0}};
        EXPECT_EQ(1, zmq_poll(items, 2, patience_ms));
        EXPECT_EQ(ZMQ_POLLIN, items[0].revents);
        EXPECT_EQ(0, items[1].revents);
        char byte;
        EXPECT_EQ(1, zmq_recv(sockets.in(0), &byte, 1, ZMQ_DONTWAIT));
        sending.join();
    }
}

TEST(poll_test, longest_timeouts_are_as_good_as_for_ever)
{
    const joined sockets(1);
    for (const long timeout : {LONG_MAX, LONG_MAX / 1000, long(INT_MAX)}) {
        std::thread sending([&] { EXPECT_EQ(1, zmq_send(sockets.out(0), "x", 1, 0)); });
        zmq_pollitem_t item{sockets.in(0), 0, ZMQ_POLLIN, 0};
        EXPECT_EQ(1, zmq_poll(&item, 1, timeout));
        char byte;
        EXPECT_EQ(1, zmq_recv(sockets.in(0), &byte, 1, ZMQ_DONTWAIT));
        sending.join();
    }
}

TEST(poll_test, an_item_that_names_nothing_is_never_ready)
{
    zmq_pollitem_t items[] = {{nullptr, -1, ZMQ_POLLIN | ZMQ_POLLOUT, ZMQ_POLLIN}};
    const auto found = zlink::socket::poll(items, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(0, *found);
    EXPECT_EQ(0, items[0].revents);
}

TEST(poll_test, a_handle_that_is_no_socket_is_an_error)
{
    std::array<std::byte, 4096> nothing{};
    zmq_pollitem_t item{nothing.data(), 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(zlink::errc::not_a_socket, zlink::socket::poll({&item, 1}, 0).error());
}

TEST(poll_test, tells_how_many_items_are_ready_and_for_what)
{
    const joined sockets(2);
    EXPECT_EQ(1, zmq_send(sockets.out(1), "x", 1, 0));
    zmq_pollitem_t items[] = {{sockets.in(0), 0, ZMQ_POLLIN, ZMQ_POLLIN},
                              {sockets.in(1), 0, ZMQ_POLLIN, 0},
                              {sockets.out(0), 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0}};
    const auto found = zlink::socket::poll(items, patience_ms);
    ASSERT_TRUE(found);
    EXPECT_EQ(2, *found);
    EXPECT_EQ(0, items[0].revents);
    EXPECT_EQ(ZMQ_POLLIN, items[1].revents);
    EXPECT_EQ(ZMQ_POLLOUT, items[2].revents);
}

TEST(poll_test, more_descriptors_than_fit_without_allocating)
{
    std::array<std::array<int, 2>, 40> pipes{};
    std::vector<zmq_pollitem_t> items;
    for (auto& ends : pipes) {
        ASSERT_EQ(0, ::pipe2(ends.data(), O_CLOEXEC));
        items.push_back({nullptr, ends[0], ZMQ_POLLIN, 0});
    }
    EXPECT_EQ(0, zmq_poll(items.data(), int(items.size()), 0));
    std::thread writing([&] { EXPECT_EQ(1, ::write(pipes[39][1], "x", 1)); });
    EXPECT_EQ(1, zmq_poll(items.data(), int(items.size()), patience_ms));
    EXPECT_EQ(ZMQ_POLLIN, items[39].revents);
    writing.join();
    for (auto& ends : pipes) {
        ::close(ends[0]);
        ::close(ends[1]);
    }
}

/// Waits of this process so far that asked whether to yield before they sleep.
std::uint64_t waits_that_may_yield()
{
    std::uint64_t sum = 0;
    zlink_load_counter_t counter;
    for (std::size_t i = 0; zlink_load_counter(i, &counter) == 0; ++i) {
        const std::string_view name = counter.name;
        if (name == "yield_found" || name == "yield_in_vain" || name == "yield_left_out" || name == "nap")
            sum += counter.times;
    }
    return sum;
}

// A thread that sleeps at once is woken for each message, and is put before the sender where they share a core.
TEST(poll_test, yields_before_it_sleeps_for_inproc_whatever_is_listed_beside_it)
{
    const joined sockets(1);
    std::array<int, 2> quiet{};
    ASSERT_EQ(0, ::pipe2(quiet.data(), O_CLOEXEC));
    zmq_pollitem_t items[] = {{sockets.in(0), 0, ZMQ_POLLIN, 0}, {nullptr, quiet[0], ZMQ_POLLIN, 0}};
    for (const int count : {1, 2}) {
        const std::uint64_t before = waits_that_may_yield();
        EXPECT_EQ(0, zmq_poll(items, count, 1));
        EXPECT_LT(before, waits_that_may_yield()) << count << " items";
    }
    ::close(quiet[0]);
    ::close(quiet[1]);
}

TEST(poll_test, descriptor_that_becomes_ready_ends_a_wait_for_sockets)
{
    const joined sockets(1);
    std::array<int, 2> ends{};
    ASSERT_EQ(0, ::pipe2(ends.data(), O_CLOEXEC));
    for (int i = 0; i < 200; ++i) {
        std::thread writing([&] { EXPECT_EQ(1, ::write(ends[1], "x", 1)); });
        zmq_pollitem_t items[] = {{sockets.in(0), 0, ZMQ_POLLIN, 0}, {nullptr, ends[0], ZMQ_POLLIN, 0}};
        EXPECT_EQ(1, zmq_poll(items, 2, patience_ms));
        EXPECT_EQ(0, items[0].revents);
        EXPECT_EQ(ZMQ_POLLIN, items[1].revents);
        char byte;
        EXPECT_EQ(1, ::read(ends[0], &byte, 1));
        writing.join();
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(poll_test, closed_socket_is_none)
{
    void* context = zmq_ctx_new();
    void* s = zmq_socket(context, ZMQ_PAIR);
    zmq_close(s);
    zmq_pollitem_t item{s, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(-1, zmq_poll(&item, 1, 0));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    zmq_ctx_term(context);
}

// Each message is sent only after the one before was received, so every poll sleeps, or nearly does. A message that it
// does not notice shows as a time-out. With and without a descriptor next to the sockets.
TEST(poll_test, sleeps_through_no_message_stress)
{
    constexpr std::size_t pairs = 3;
    constexpr int rounds = 6000;
    const joined sockets(pairs);
    std::array<int, 2> quiet{};
    ASSERT_EQ(0, ::pipe2(quiet.data(), O_CLOEXEC));
    std::atomic<int> received{0};
    std::atomic<bool> failed{false};
    std::thread sending([&] {
        for (int i = 0; i < rounds && !failed; ++i) {
            while (received.load() < i && !failed) std::this_thread::yield();
            EXPECT_EQ(1, zmq_send(sockets.out(std::size_t(i) % pairs), "x", 1, 0));
        }
    });
    for (int i = 0; i < rounds && !failed; ++i) {
        std::vector<zmq_pollitem_t> items;
        for (std::size_t n = 0; n < pairs; ++n) items.push_back({sockets.in(n), 0, ZMQ_POLLIN, 0});
        if (i % 2) items.push_back({nullptr, quiet[0], ZMQ_POLLIN, 0});
        const std::size_t expected = std::size_t(i) % pairs;
        char byte;
        if (zmq_poll(items.data(), int(items.size()), patience_ms) != 1 || items[expected].revents != ZMQ_POLLIN ||
            zmq_recv(sockets.in(expected), &byte, 1, ZMQ_DONTWAIT) != 1) {
            ADD_FAILURE() << "message " << i;
            failed = true;
        }
        received = i + 1;
    }
    sending.join();
    ::close(quiet[0]);
    ::close(quiet[1]);
}

}  // namespace
