// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers, sockets and threads that come and go in the middle of a conversation. There are messages on their way that may
// wait for others, and connections that the thread that waits reads itself.
#include "load_fixture.hpp"
#include "monitor.hpp"

#include <deque>

namespace zlink::test {
namespace {

using load_changes_test = load_fixture;

/// Both sides send and wait in quick succession, several messages at a time: what the library goes by is learned.
void converse(socket& near, socket& far, way how, int rounds = 100)
{
    constexpr int batch = 4;
    std::jthread peer([&] {
        for (int i = 0; i < rounds * batch; ++i) {
            const parts message = take(far, how);
            ASSERT_EQ(std::to_string(i), message.back());
            far.send_parts(message);
        }
    });
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < batch; ++i) near.send(std::to_string(round * batch + i));
        for (int i = 0; i < batch; ++i) ASSERT_EQ(std::to_string(round * batch + i), take(near, how).back());
    }
}

constexpr int last_words = 10;

/// As the end of a conversation: with input unread, or where a wait has always followed.
void say_last_words(socket& near, socket& far, way how, bool with_unread)
{
    if (with_unread) {
        far.send("received");
        far.send("never received");
        ASSERT_EQ("received", take(near, how).back());
        ASSERT_TRUE(has_unread(near));
    }
    for (int i = 0; i < last_words; ++i) ASSERT_TRUE(near.send_parts({"last", std::to_string(i)}));
}

void hear_last_words(socket& far, way how)
{
    for (int i = 0; i < last_words; ++i) ASSERT_EQ((parts{"last", std::to_string(i)}), take(far, how)) << i;
}

// --- endings
// ------------------------------------------------------------------------------------------------------------

TEST_P(load_changes_test, what_was_sent_before_a_close_is_delivered)
{
    for (const bool with_unread : {false, true}) {
        for (const bool near_connects : {false, true}) {
            joined j = join(ZMQ_DEALER, ZMQ_DEALER);
            socket& near = near_connects ? j.far : j.near;
            socket& far = near_connects ? j.near : j.far;
            near.set(ZMQ_LINGER, -1);
            converse(near, far, how());
            say_last_words(near, far, how(), with_unread);
            near.close();
            hear_last_words(far, how());
        }
    }
}

TEST_P(load_changes_test, what_was_sent_before_the_end_of_the_context_is_delivered)
{
    for (const bool with_unread : {false, true}) {
        socket far = ctx_.open(ZMQ_PAIR);
        far.set(ZMQ_RCVHWM, 0);
        const std::string where = far.bind(endpoint());
        std::jthread other([&] {
            context ctx;
            socket near = ctx.open(ZMQ_PAIR);
            near.set(ZMQ_LINGER, -1);
            near.connect(where);
            converse(near, far, how());
            say_last_words(near, far, how(), with_unread);
            near.close();
            ctx.terminate();
        });
        other.join();
        hear_last_words(far, how());
    }
}

TEST_P(load_changes_test, what_was_sent_before_a_disconnect_is_delivered)
{
    for (const bool with_unread : {false, true}) {
        joined j = join(ZMQ_DEALER, ZMQ_DEALER);
        j.far.set(ZMQ_LINGER, -1);
        converse(j.far, j.near, how());
        say_last_words(j.far, j.near, how(), with_unread);
        j.far.disconnect(j.near.last_endpoint());
        hear_last_words(j.near, how());
    }
}

TEST_P(load_changes_test, what_was_sent_before_an_unbind_is_delivered)
{
    for (const bool with_unread : {false, true}) {
        joined j = join(ZMQ_PAIR, ZMQ_PAIR);
        j.near.set(ZMQ_LINGER, -1);
        converse(j.near, j.far, how());
        say_last_words(j.near, j.far, how(), with_unread);
        j.near.unbind(j.near.last_endpoint());
        hear_last_words(j.far, how());
    }
}

// The connection may take what was sent last with it, but no more than that, and what comes then comes in order.
TEST_P(load_changes_test, a_peer_that_comes_back_is_heard_and_told)
{
    temp_directory directory;
    for (const bool with_unread : {false, true}) {
        socket near = ctx_.open(ZMQ_DEALER), far = ctx_.open(ZMQ_DEALER);
        near.set(ZMQ_RECONNECT_IVL, 1);
        monitor losses(ctx_, near, ZMQ_EVENT_DISCONNECTED);
        const std::string where =
            far.bind(endpoint().starts_with("ipc") ? "ipc://" + directory.file("socket") : endpoint());
        near.connect(where);
        int number = 0;
        for (int again = 0; again < 5; ++again) {
            converse(near, far, how(), 20);
            if (with_unread) {
                far.send("received");
                far.send("unread");
                ASSERT_EQ(parts{"received"}, take(near, how()));
                ASSERT_TRUE(has_unread(near));
            }
            std::jthread leaving([&] { far.close(); });
            for (int i = 0; i < 50; ++i) ASSERT_TRUE(near.send(std::to_string(number++)));
            leaving.join();
            // What the kernel takes until the loss is noticed is lost with the connection.
            losses.await(ZMQ_EVENT_DISCONNECTED);
            far = ctx_.open(ZMQ_DEALER);
            ASSERT_TRUE(eventually([&] { return zmq_bind(far, where.c_str()) == 0; })) << where;
            ASSERT_TRUE(near.send("end"));
            int last = -1;
            while (true) {
                const parts message = take(far, how());
                ASSERT_EQ(1U, message.size());
                if (message.front() == "end") break;
                ASSERT_LT(last, std::stoi(message.front()));
                last = std::stoi(message.front());
            }
            if (with_unread) {
                ASSERT_EQ(parts{"unread"}, take(near, how()));
            }
        }
    }
}

// --- threads
// ------------------------------------------------------------------------------------------------------------

TEST_P(load_changes_test, a_socket_may_go_to_another_thread_at_any_point)
{
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    constexpr int hands = 30, batch = 5;
    std::jthread peer([&] {
        for (int i = 0; i < hands * batch; ++i) {
            const parts message = take(j.far, how());
            ASSERT_EQ(parts{std::to_string(i)}, message);
            j.far.send_parts(message);
        }
    });
    int sent = 0, got = 0;
    for (int hand = 0; hand < hands; ++hand) {
        std::jthread holder([&] {
            // Another thread sent what this one receives, all but the last of them: something is unread.
            for (; got < sent - 1; ++got) ASSERT_EQ(parts{std::to_string(got)}, take(j.near, how()));
            for (int i = 0; i < batch; ++i) ASSERT_TRUE(j.near.send(std::to_string(sent++)));
            if (hand % 2) {
                ASSERT_EQ(parts{std::to_string(got++)}, take(j.near, how()));
            }
        });
    }
    for (; got < sent; ++got) ASSERT_EQ(parts{std::to_string(got)}, take(j.near, how()));
}

// --- connections that come and go
// ---------------------------------------------------------------------------------------

TEST_P(load_changes_test, a_second_connection_is_heard_after_a_conversation_with_the_first)
{
    for (int again = 0; again < 10; ++again) {
        joined j = join(ZMQ_DEALER, ZMQ_DEALER);
        converse(j.near, j.far, how());
        socket second = ctx_.open(ZMQ_DEALER);
        const std::string endpoint = j.near.last_endpoint();
        std::jthread newcomer([&] {
            second.connect(endpoint);
            second.send("here");
        });
        ASSERT_EQ(parts{"here"}, take(j.near, how()));
        newcomer.join();
        for (int i = 0; i < 20; ++i) {
            j.far.send("one of them");
            ASSERT_EQ(parts{"one of them"}, take(j.near, how()));
            second.send("the other");
            ASSERT_EQ(parts{"the other"}, take(j.near, how()));
        }
    }
}

// What came with the handshake is there, though its descriptor does not tell, and what follows as well.
TEST_P(load_changes_test, messages_in_one_segment_with_the_handshake_are_heard_by_a_thread_that_waits_for_others)
{
    for (int again = 0; again < 10; ++again) {
        socket near = ctx_.open(ZMQ_DEALER);
        const std::string where = near.bind("tcp://127.0.0.1:*");
        std::vector<socket> others;
        for (int i = 0; i < 3; ++i) others.push_back(ctx_.open(ZMQ_DEALER));
        for (socket& other : others) {
            other.connect(where);
            for (int i = 0; i < 20; ++i) {
                other.send("hello");
                ASSERT_EQ(parts{"hello"}, take(near, how()));
            }
        }
        std::optional<raw_peer> peer;
        std::jthread newcomer([&] {
            peer.emplace(raw_peer::connect_to(where));
            std::string opening = zmtp_ready("DEALER") + zmtp_frame("one") + zmtp_frame("two", more_bit) +
                                  zmtp_frame("") + zmtp_frame(std::string(3000, 'x'));
            if (again % 2) {
                peer->send_bytes(zmtp3_greeting());
                (void)peer->read_bytes(64);
            } else {
                opening = zmtp3_greeting() + opening;
            }
            peer->send_bytes(opening + zmtp_frame("cut sho").substr(0, 5));
        });
        ASSERT_EQ(parts{"one"}, take(near, how()));
        ASSERT_EQ((parts{"two", ""}), take(near, how()));
        ASSERT_EQ(parts{std::string(3000, 'x')}, take(near, how()));
        newcomer.join();
        others.front().send("between");
        ASSERT_EQ(parts{"between"}, take(near, how()));
        peer->send_bytes(zmtp_frame("cut sho").substr(5));
        ASSERT_EQ(parts{"cut sho"}, take(near, how()));
    }
}

// Across the number of connections that a thread reads itself, upwards and downwards.
TEST_P(load_changes_test, a_router_hears_all_its_peers_as_they_come_and_go)
{
    constexpr std::size_t most = 80, always = 3;
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string where = router.bind(endpoint());
    std::deque<socket> dealers;
    const auto come = [&] {
        dealers.push_back(ctx_.open(ZMQ_DEALER));
        dealers.back().connect(where);
    };
    const auto exchange = [&](socket& dealer, const std::string& text) {
        ASSERT_TRUE(dealer.send(text));
        const parts request = take(router, how());
        ASSERT_EQ(2U, request.size());
        ASSERT_EQ(text, request[1]);
        ASSERT_TRUE(router.send_parts(request));
        ASSERT_EQ(text, dealer.recv());
    };
    for (int round = 0; round < 2; ++round) {
        while (dealers.size() < most) {
            come();
            exchange(dealers.back(), "new " + std::to_string(dealers.size()));
            for (std::size_t i = 0; i < always; ++i) exchange(dealers[i % dealers.size()], "old");
        }
        for (std::size_t i = 0; i < dealers.size(); ++i) exchange(dealers[i], std::to_string(i));
        while (dealers.size() > always) {
            dealers.pop_back();
            exchange(dealers[dealers.size() / 2], "left");
        }
    }
}

// --- many sockets in one poll
// -------------------------------------------------------------------------------------------

class many_sockets_test : public zmq_test, public testing::WithParamInterface<const char*> {};

TEST_P(many_sockets_test, a_poll_sees_every_message_of_more_sockets_than_it_reads_itself)
{
    constexpr int count = 100, messages = 20;
    std::vector<socket> near, far;
    std::vector<zmq_pollitem_t> items;
    for (int i = 0; i < count; ++i) {
        near.push_back(ctx_.open(ZMQ_PAIR));
        far.push_back(ctx_.open(ZMQ_PAIR));
        far.back().connect(near.back().bind(GetParam()));
    }
    std::jthread peers([&] {
        // The last ones first, then in another order each time; each message has to be answered before the next.
        for (int n = 0; n < messages; ++n) {
            for (int i = count; i-- > 0;) {
                socket& s = far[std::size_t((i * 37 + n) % count)];
                ASSERT_TRUE(s.send(std::to_string(n)));
                if (i % 5 == 0) {
                    ASSERT_EQ(std::to_string(n), s.recv());
                }
            }
            for (int i = count; i-- > 0;) {
                if (i % 5 != 0) {
                    ASSERT_EQ(std::to_string(n), far[std::size_t((i * 37 + n) % count)].recv());
                }
            }
        }
    });
    for (socket& s : near) items.push_back({s, 0, ZMQ_POLLIN, 0});
    for (int left = count * messages; left > 0;) {
        ASSERT_LT(0, zmq_poll(items.data(), count, patience_ms)) << left;
        for (int i = 0; i < count; ++i) {
            if (!items[std::size_t(i)].revents) continue;
            ASSERT_TRUE(near[std::size_t(i)].send(near[std::size_t(i)].recv()));
            --left;
        }
    }
}

TEST_P(many_sockets_test, sockets_may_join_and_leave_a_poll)
{
    constexpr int most = 90;
    std::vector<socket> near, far;
    const auto exchange = [&](std::size_t from, std::size_t polled) {
        std::vector<zmq_pollitem_t> items;
        for (std::size_t i = 0; i < polled; ++i) items.push_back({near[i], 0, ZMQ_POLLIN, 0});
        std::jthread sender([&] { far[from].send("hello"); });
        ASSERT_EQ(1, zmq_poll(items.data(), int(polled), patience_ms));
        ASSERT_EQ(ZMQ_POLLIN, items[from].revents) << from;
        ASSERT_EQ("hello", near[from].recv());
    };
    while (near.size() < most) {
        near.push_back(ctx_.open(ZMQ_PAIR));
        far.push_back(ctx_.open(ZMQ_PAIR));
        far.back().connect(near.back().bind(GetParam()));
        exchange(near.size() - 1, near.size());
        exchange(near.size() / 2, near.size());
        exchange(0, near.size());
    }
    for (std::size_t polled = most; polled > 0; polled -= 10) exchange(polled - 1, polled);
    // Those that left are as good as ever.
    far.back().send("later");
    EXPECT_EQ("later", near.back().recv());
}

INSTANTIATE_TEST_SUITE_P(load, load_changes_test, all_load_cases(), load_case);
INSTANTIATE_TEST_SUITE_P(load, many_sockets_test, testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
