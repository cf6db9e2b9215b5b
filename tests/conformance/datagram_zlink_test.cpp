// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO, DISH and DGRAM over udp (RFC 48): groups, loss and duplicates, datagrams of any content and size.
#include "conformance/datagram_fixture.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::test {
namespace {

using namespace std::string_view_literals;

constexpr const char* anywhere = "udp://127.0.0.1:*";
const std::string multicast = "udp://127.0.0.1;239.255.83.9:*";

int bind_outcome(socket& s, const char* endpoint)
{
    return zmq_bind(s, endpoint) == 0 ? 0 : zmq_errno();
}

int connect_outcome(socket& s, const char* endpoint)
{
    return zmq_connect(s, endpoint) == 0 ? 0 : zmq_errno();
}

class datagram_test : public zmq_test {
protected:
    socket open_dish(const std::vector<const char*>& groups)
    {
        socket dish = ctx_.open(ZMQ_DISH);
        for (const char* group : groups) EXPECT_EQ(0, zmq_join(dish, group));
        return dish;
    }

    /// The bodies of all messages up to `last`, which comes for certain.
    static std::vector<std::string> bodies_until(socket& dish, const std::string& last)
    {
        std::vector<std::string> bodies;
        while (!::testing::Test::HasFailure()) {
            const draft_message got = receive_message(dish);
            if (got.body == last) break;
            bodies.push_back(got.body);
        }
        return bodies;
    }
};

TEST_F(datagram_test, a_dish_gets_the_messages_of_its_groups)
{
    socket dish = open_dish({"news", ""});
    socket radio = ctx_.open(ZMQ_RADIO);
    radio.connect(dish.bind(anywhere));
    const std::string longest(255, 'g');
    EXPECT_EQ(0, zmq_join(dish, longest.c_str()));
    const draft_message all[] = {{"1", 0, "news"}, {"", 0, "news"}, {"3", 0, ""}, {"4", 0, longest}};
    EXPECT_EQ(0, send_message(radio, {"not for it", 0, "other"}));
    EXPECT_EQ(0, send_message(radio, {"not for it", 0, "newspaper"}));
    for (const auto& m : all) EXPECT_EQ(0, send_message(radio, m));
    for (const auto& m : all) EXPECT_EQ(m, receive_message(dish));
}

TEST_F(datagram_test, a_message_sent_right_after_the_connect_goes_out)
{
    socket dish = open_dish({"g"});
    const std::string endpoint = dish.bind(anywhere);
    for (int i = 0; i < 20; ++i) {
        socket radio = ctx_.open(ZMQ_RADIO);
        radio.set(ZMQ_LINGER, -1);
        radio.connect(endpoint);
        EXPECT_EQ(0, send_message(radio, {std::to_string(i), 0, "g"}));
        radio.close();
        EXPECT_EQ((draft_message{std::to_string(i), 0, "g"}), receive_message(dish));
    }
}

TEST_F(datagram_test, every_member_of_a_multicast_group_gets_a_message)
{
    in_own_network([this] {
        socket one = open_dish({"g"}), two = open_dish({"g"}), radio = ctx_.open(ZMQ_RADIO);
        radio.set(ZMQ_MULTICAST_HOPS, 1);
        const std::string endpoint = one.bind(multicast);
        EXPECT_EQ(endpoint, two.bind(endpoint));
        radio.connect(endpoint);
        EXPECT_EQ(0, send_message(radio, {"all", 0, "g"}));
        EXPECT_EQ((draft_message{"all", 0, "g"}), receive_message(one));
        EXPECT_EQ((draft_message{"all", 0, "g"}), receive_message(two));
    });
}

TEST_F(datagram_test, groups_are_joined_and_left_under_traffic)
{
    socket dish = open_dish({"always"}), radio = ctx_.open(ZMQ_RADIO);
    radio.connect(dish.bind(anywhere));
    for (int round = 0; round < 200; ++round) {
        const std::string body = std::to_string(round);
        const bool member = round % 2 == 0;
        ASSERT_EQ(0, member ? zmq_join(dish, "sometimes") : zmq_leave(dish, "sometimes"));
        ASSERT_EQ(0, send_message(radio, {body, 0, "sometimes"}));
        ASSERT_EQ(0, send_message(radio, {body, 0, "always"}));
        if (member) {
            ASSERT_EQ((draft_message{body, 0, "sometimes"}), receive_message(dish));
        }
        ASSERT_EQ((draft_message{body, 0, "always"}), receive_message(dish));
    }
}

// The relay loses each third datagram, and doubles each fifth.
TEST_F(datagram_test, lost_messages_are_missing_and_doubled_ones_come_twice)
{
    in_own_network([this] {
        socket dish = open_dish({"g"}), radio = ctx_.open(ZMQ_RADIO);
        const std::string endpoint = dish.bind(anywhere);
        const datagram_peer relay;
        radio.connect("udp://" + relay.address);
        std::vector<std::string> expected;
        for (int i = 1; i <= 300; ++i) {
            const std::string body = std::to_string(i);
            ASSERT_EQ(0, send_message(radio, {body, 0, "g"}));
            const std::string octets = relay.receive();
            ASSERT_EQ("\x01g" + body, octets);
            const int copies = i % 3 == 0 ? 0 : i % 5 == 0 ? 2 : 1;
            for (int copy = 0; copy < copies; ++copy) {
                relay.send(octets, endpoint);
                expected.push_back(body);
            }
        }
        relay.send("\x01gend", endpoint);
        EXPECT_EQ(expected, bodies_until(dish, "end"));
    });
}

TEST_F(datagram_test, a_burst_arrives_in_order_and_unharmed)
{
    in_own_network([this] {
        socket dish = open_dish({"g"}), radio = ctx_.open(ZMQ_RADIO);
        dish.set(ZMQ_RCVHWM, 0);
        radio.set(ZMQ_SNDHWM, 0);
        dish.set(ZMQ_RCVBUF, 4 << 20);
        radio.connect(dish.bind(anywhere));
        for (int i = 0; i < 20'000; ++i) {
            const std::string body = std::to_string(i) + std::string(std::size_t(i % 7) * 30, 'x');
            ASSERT_EQ(0, send_message(radio, {body, 0, "g"}));
        }
        int last = -1, count = 0;
        while (dish.wait(ZMQ_POLLIN, count == 0 ? patience_ms : 200)) {
            const draft_message got = receive_message(dish);
            const int number = std::atoi(got.body.c_str());
            ASSERT_GT(number, last);
            ASSERT_EQ(std::to_string(number) + std::string(std::size_t(number % 7) * 30, 'x'), got.body);
            last = number;
            ++count;
        }
        EXPECT_GT(count, 0);  // the system may have dropped the rest
    });
}

TEST_F(datagram_test, the_largest_datagram_arrives_and_a_larger_one_is_counted)
{
    socket dish = open_dish({"g"}), radio = ctx_.open(ZMQ_RADIO);
    radio.connect(dish.bind(anywhere));
    const auto before = counter("datagrams_refused");
    const std::string largest(65'507 - 2, 'x');
    EXPECT_EQ(0, send_message(radio, {largest + "x", 0, "g"}));
    EXPECT_EQ(0, send_message(radio, {std::string(1'000'000, 'y'), 0, "g"}));
    EXPECT_EQ(0, send_message(radio, {largest, 0, "g"}));
    EXPECT_EQ((draft_message{largest, 0, "g"}), receive_message(dish));
    EXPECT_TRUE(eventually([&] { return counter("datagrams_refused") == before + 2; }));
}

TEST_F(datagram_test, malformed_datagrams_are_dropped_and_counted)
{
    socket dish = open_dish({"g"});
    const std::string endpoint = dish.bind(anywhere);
    const auto before = counter("datagrams_malformed");
    const datagram_peer peer;
    const std::string bad[] = {"", "\x05g", "\xff", "\x80" + std::string(127, 'g'), std::string("\x02g\0body"sv)};
    for (const auto& octets : bad) peer.send(octets, endpoint);
    peer.send("\x01gsound", endpoint);
    EXPECT_EQ((draft_message{"sound", 0, "g"}), receive_message(dish));
    EXPECT_TRUE(eventually([&] { return counter("datagrams_malformed") == before + std::size(bad); }));
    const std::string group(128, 'g');
    EXPECT_EQ(0, zmq_join(dish, group.c_str()));
    peer.send("\x80" + group + "body", endpoint);
    EXPECT_EQ((draft_message{"body", 0, group}), receive_message(dish));
}

TEST_F(datagram_test, a_full_queue_takes_no_more_than_its_mark)
{
    socket dish = open_dish({"g"});
    dish.set(ZMQ_RCVHWM, 10);
    const std::string endpoint = dish.bind(anywhere);
    const datagram_peer peer;
    for (int i = 0; i < 100; ++i) peer.send("\x01g" + std::to_string(i), endpoint);
    for (int i = 0; i < 100; ++i) EXPECT_EQ((draft_message{std::to_string(i), 0, "g"}), receive_message(dish));
    peer.send("\x01gend", endpoint);
    EXPECT_EQ("end", receive_message(dish).body);
}

TEST_F(datagram_test, a_radio_without_a_listener_sends_on)
{
    std::string endpoint;
    {
        socket gone = open_dish({"g"});
        endpoint = gone.bind(anywhere);
        gone.unbind(endpoint);
    }
    socket radio = ctx_.open(ZMQ_RADIO), dish = open_dish({"g"});
    radio.connect(endpoint);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(0, send_message(radio, {"x", 0, "g"}));
    radio.connect(dish.bind(anywhere));
    EXPECT_EQ(0, send_message(radio, {"still here", 0, "g"}));
    EXPECT_EQ("still here", receive_message(dish).body);
}

TEST_F(datagram_test, an_endpoint_that_was_ended_is_silent)
{
    socket dish = open_dish({"g"}), radio = ctx_.open(ZMQ_RADIO);
    const std::string first = dish.bind(anywhere), second = dish.bind(anywhere);
    radio.connect(first);
    radio.disconnect(first);
    radio.connect(second);
    dish.unbind(first);
    EXPECT_EQ(-1, zmq_unbind(dish, first.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
    const datagram_peer peer;
    peer.send("\x01gto the first", first);
    EXPECT_EQ(0, send_message(radio, {"to the second", 0, "g"}));
    EXPECT_EQ("to the second", receive_message(dish).body);
    EXPECT_EQ(first, dish.bind(first));
    peer.send("\x01gagain", first);
    EXPECT_EQ("again", receive_message(dish).body);
}

TEST_F(datagram_test, endpoints_are_ended_by_the_text_of_the_program)
{
    socket dish = open_dish({"g"});
    const std::string bound = dish.bind("udp://*:*");
    EXPECT_EQ("udp://0.0.0.0", bound.substr(0, bound.rfind(':')));
    dish.unbind("udp://*" + bound.substr(bound.rfind(':')));
}

TEST_F(datagram_test, a_dgram_answers_by_the_address)
{
    socket server = ctx_.open(ZMQ_DGRAM), client = ctx_.open(ZMQ_DGRAM);
    const std::string to = server.bind(anywhere).substr(6), from = client.bind(anywhere).substr(6);
    client.send_parts({to, "question"});
    const parts question = server.recv_parts();
    EXPECT_EQ((parts{from + '\0', "question"}), question);
    server.send_parts({question[0], "answer"});
    EXPECT_EQ((parts{to + '\0', "answer"}), client.recv_parts());
}

TEST_F(datagram_test, a_dgram_talks_to_any_program)
{
    socket dgram = ctx_.open(ZMQ_DGRAM);
    const std::string endpoint = dgram.bind(anywhere);
    const datagram_peer peer;
    for (const std::string& body : {std::string(), std::string("raw\0octets"sv), std::string(65'507, 'x')}) {
        peer.send(body, endpoint);
        EXPECT_EQ((parts{peer.address + '\0', body}), dgram.recv_parts());
        dgram.send_parts({peer.address, body});
        EXPECT_EQ(body, peer.receive());
    }
}

TEST_F(datagram_test, a_dgram_drops_and_counts_what_has_no_address)
{
    socket dgram = ctx_.open(ZMQ_DGRAM);
    dgram.bind(anywhere);
    const datagram_peer peer;
    const auto before = counter("datagrams_refused");
    for (const char* address : {"", "nonsense", "127.0.0.1", "127.0.0.1:0", "[::1]:5", "localhost:5"})
        dgram.send_parts({address, "lost"});
    dgram.send_parts({peer.address, "found"});
    EXPECT_EQ("found", peer.receive());
    EXPECT_TRUE(eventually([&] { return counter("datagrams_refused") == before + 6; }));
}

TEST_F(datagram_test, a_dgram_sends_two_frames)
{
    socket dgram = ctx_.open(ZMQ_DGRAM);
    EXPECT_EQ(EHOSTUNREACH, dgram.try_send("127.0.0.1:5", ZMQ_SNDMORE));
    dgram.bind(anywhere);
    EXPECT_EQ(EINVAL, dgram.try_send("alone"));
    EXPECT_EQ(0, dgram.try_send("127.0.0.1:5", ZMQ_SNDMORE));
    EXPECT_EQ(EINVAL, dgram.try_send("and", ZMQ_SNDMORE));
    EXPECT_EQ(0, dgram.try_send("body"));
}

TEST_F(datagram_test, other_types_do_not_go_over_udp)
{
    for (int type = ZMQ_PAIR; type <= ZMQ_CHANNEL; ++type) {
        socket s = ctx_.open(type);
        const bool binds = type == ZMQ_DISH || type == ZMQ_DGRAM;
        EXPECT_EQ(binds ? 0 : ENOCOMPATPROTO, bind_outcome(s, anywhere)) << type;
        EXPECT_EQ(type == ZMQ_RADIO ? 0 : ENOCOMPATPROTO, connect_outcome(s, "udp://127.0.0.1:5555")) << type;
        const bool known = binds || type == ZMQ_RADIO;
        EXPECT_EQ(-1, zmq_unbind(s, "udp://127.0.0.1:1")) << type;
        EXPECT_EQ(known ? ENOENT : ENOCOMPATPROTO, zmq_errno()) << type;
    }
}

TEST_F(datagram_test, a_dgram_goes_over_udp_alone)
{
    socket dgram = ctx_.open(ZMQ_DGRAM);
    for (const char* endpoint : {"tcp://127.0.0.1:*", "ipc://*", "inproc://name", "ws://127.0.0.1:*"}) {
        EXPECT_EQ(ENOCOMPATPROTO, bind_outcome(dgram, endpoint)) << endpoint;
    }
    for (const char* endpoint : {"tcp://127.0.0.1:5", "ipc://@name", "inproc://name", "ws://127.0.0.1:5"}) {
        EXPECT_EQ(ENOCOMPATPROTO, connect_outcome(dgram, endpoint)) << endpoint;
    }
}

TEST_F(datagram_test, endpoints_of_another_form_are_errors)
{
    socket dish = ctx_.open(ZMQ_DISH), radio = ctx_.open(ZMQ_RADIO);
    EXPECT_EQ(EINVAL, bind_outcome(dish, "udp://"));
    EXPECT_EQ(EINVAL, bind_outcome(dish, "udp://127.0.0.1"));
    EXPECT_EQ(EINVAL, bind_outcome(dish, "udp://127.0.0.1:port"));
    EXPECT_EQ(EINVAL, bind_outcome(dish, "udp://127.0.0.1;127.0.0.1:*"));
    EXPECT_EQ(ENODEV, bind_outcome(dish, "udp://no-such-interface:*"));
    EXPECT_EQ(EADDRNOTAVAIL, bind_outcome(dish, "udp://198.51.100.7:*"));
    EXPECT_EQ(EINVAL, connect_outcome(radio, "udp://*:5555"));
    EXPECT_EQ(EINVAL, connect_outcome(radio, "udp://127.0.0.1:*"));
    EXPECT_EQ(EINVAL, connect_outcome(radio, "udp://127.0.0.1:0"));
    EXPECT_EQ(EINVAL, connect_outcome(radio, "udp://no such host:5"));
    EXPECT_EQ(0, zmq_has("udp"));  // as libzmq
}

}  // namespace
}  // namespace zlink::test
