// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How late a message may be that was held back while its sender does other things. It is measured next to octets that
// take two plain socket pairs and a thread between them, in the same run, by turns. What a busy machine does to one it
// does to the other.
#include "load_fixture.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;

// Two hops, as a message has them: to a thread that waits for it, and from that to the receiver.
class plain_pairs {
public:
    plain_pairs()
    {
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM, 0, first_.data()));
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM, 0, second_.data()));
        between_ = std::jthread([this] {
            char octet = 0;
            while (::read(first_[1], &octet, 1) == 1 && ::write(second_[0], &octet, 1) == 1) {
            }
        });
    }
    ~plain_pairs()
    {
        ::shutdown(first_[0], SHUT_RDWR);
        between_.join();
        for (const int fd : {first_[0], first_[1], second_[0], second_[1]}) ::close(fd);
    }
    plain_pairs(const plain_pairs&) = delete;
    plain_pairs& operator=(const plain_pairs&) = delete;

    void send() { EXPECT_EQ(1, ::write(first_[0], "x", 1)); }
    void receive()
    {
        char octet = 0;
        EXPECT_EQ(1, ::read(second_[1], &octet, 1));
    }

private:
    std::array<int, 2> first_{}, second_{};
    std::jthread between_;
};

// From before `send` to after `receive` in another thread, while this one computes.
template <class Send, class Receive>
clock::duration delay_of(const Send& send, const Receive& receive)
{
    std::atomic<bool> arrived{false};
    clock::time_point came;
    std::jthread peer([&] {
        receive();
        came = clock::now();
        arrived.store(true, std::memory_order_release);
    });
    const auto sent = clock::now();
    send();
    EXPECT_TRUE(compute_until(arrived));
    return came - sent;
}

double median_ms(std::vector<clock::duration> of)
{
    std::ranges::nth_element(of, of.begin() + std::ptrdiff_t(of.size() / 2));
    return std::chrono::duration<double, std::milli>(of[of.size() / 2]).count();
}

// Held back for 0.2 to 0.8 ms, and as much again for a timer's slack and the hops. Whatever is lost on the way until
// something else comes along, or until some other timer, is later than that.
void expect_not_later_than(const std::vector<clock::duration>& control, const std::vector<clock::duration>& messages)
{
    const double allowed = 4 + 20 * median_ms(control);
    EXPECT_LT(median_ms(messages), allowed) << "ms; the control: " << median_ms(control);
}

using load_delay_test = load_fixture;

TEST_P(load_delay_test, what_is_sent_with_input_unread_is_little_later_than_octets_of_plain_sockets)
{
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    plain_pairs plain;
    std::vector<clock::duration> control, messages;
    for (int i = 0; i < 41; ++i) {
        control.push_back(delay_of([&] { plain.send(); }, [&] { plain.receive(); }));
        j.far.send("one");
        j.far.send("two");
        ASSERT_EQ(parts{"one"}, take(j.near, how()));
        ASSERT_TRUE(has_unread(j.near));
        messages.push_back(
            delay_of([&] { j.near.send("answer"); }, [&] { ASSERT_EQ(parts{"answer"}, take(j.far, how())); }));
        ASSERT_EQ(parts{"two"}, take(j.near, how()));
    }
    expect_not_later_than(control, messages);
}

// A message left unread does not make every later one wait for the next.
TEST_P(load_delay_test,
       what_is_sent_while_the_thread_computes_and_sends_on_is_little_later_than_octets_of_plain_sockets)
{
    constexpr int count = 300;
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    plain_pairs plain;
    j.far.send("one");
    j.far.send("never received");
    ASSERT_EQ(parts{"one"}, take(j.near, how()));
    ASSERT_TRUE(has_unread(j.near));
    std::vector<clock::duration> control, messages(count);
    for (int i = 0; i < 41; ++i) control.push_back(delay_of([&] { plain.send(); }, [&] { plain.receive(); }));
    std::vector<clock::time_point> sent(count);
    std::jthread peer([&] {
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(parts{std::to_string(i)}, take(j.far, how()));
            messages[std::size_t(i)] = clock::now() - sent[std::size_t(i)];
        }
    });
    for (int i = 0; i < count; ++i) {
        const auto now = sent[std::size_t(i)] = clock::now();
        j.near.send(std::to_string(i));
        while (clock::now() - now < std::chrono::microseconds(500)) {
        }
    }
    peer.join();
    expect_not_later_than(control, messages);
}

TEST_P(load_delay_test, what_is_sent_after_rounds_is_little_later_than_octets_of_plain_sockets)
{
    constexpr int rounds = 30, batch = 6;
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    plain_pairs plain;
    std::vector<clock::duration> control, messages;
    for (int i = 0; i < 21; ++i) {
        control.push_back(delay_of([&] { plain.send(); }, [&] { plain.receive(); }));
        std::jthread echoing([&] {
            for (int n = 0; n < rounds * batch; ++n) j.far.send_parts(take(j.far, how()));
        });
        for (int round = 0; round < rounds; ++round) {
            for (int n = 0; n < batch; ++n) j.near.send("there");
            for (int n = 0; n < batch; ++n) ASSERT_EQ(parts{"there"}, take(j.near, how()));
        }
        echoing.join();
        messages.push_back(
            delay_of([&] { j.near.send("and now"); }, [&] { ASSERT_EQ(parts{"and now"}, take(j.far, how())); }));
    }
    expect_not_later_than(control, messages);
}

INSTANTIATE_TEST_SUITE_P(load, load_delay_test, all_load_cases(), load_case);

}  // namespace
}  // namespace zlink::test
