// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of CLIENT, SERVER, PEER, SCATTER, GATHER, CHANNEL, RADIO and DISH over each transport (RFCs 41, 48, 49,
// 51 and 52). Stock builds of libzmq do not have these types.
#include "conformance/draft_fixture.hpp"

#include <list>

namespace zlink::test {
namespace {

const std::string large(200'000, 'l');

TEST_P(draft_test, scatter_shares_messages_of_one_frame_among_gathers)
{
    socket scatter = open(ZMQ_SCATTER), one = open(ZMQ_GATHER), two = open(ZMQ_GATHER);
    const std::string endpoint = scatter.bind(anywhere());
    one.connect(endpoint);
    scatter.send("first");
    EXPECT_EQ((draft_message{"first"}), receive_message(one));
    two.connect(endpoint);
    int of_two = 0;
    for (int sent = 0; of_two == 0 && sent < patience_ms; ++sent) {
        scatter.send(large);
        zmq_pollitem_t items[] = {{one, 0, ZMQ_POLLIN, 0}, {two, 0, ZMQ_POLLIN, 0}};
        ASSERT_LE(1, zmq_poll(items, 2, patience_ms));
        of_two = items[1].revents != 0;
        EXPECT_EQ((draft_message{large}), receive_message(of_two ? two : one));
    }
    EXPECT_EQ(1, of_two);
    EXPECT_EQ(EINVAL, scatter.try_send("x", ZMQ_SNDMORE));
    EXPECT_EQ(ENOTSUP, one.try_send("x"));
    EXPECT_FALSE(scatter.recv_frame(ZMQ_DONTWAIT));
    EXPECT_EQ(ENOTSUP, zmq_errno());
}

TEST_P(draft_test, numbers_and_groups_of_messages_without_an_address_are_not_sent)
{
    for (const auto& [from, to] : {std::pair{ZMQ_SCATTER, ZMQ_GATHER}, std::pair{ZMQ_CHANNEL, ZMQ_CHANNEL}}) {
        socket sender = open(from), receiver = open(to);
        sender.connect(receiver.bind(anywhere()));
        EXPECT_EQ(0, send_message(sender, {"body", 7, "group"}));
        EXPECT_EQ((draft_message{"body"}), receive_message(receiver));
    }
    socket client = open(ZMQ_CLIENT), server = open(ZMQ_SERVER);
    client.connect(server.bind(anywhere()));
    EXPECT_EQ(0, send_message(client, {"body", 7, "group"}));
    const draft_message got = receive_message(server);
    EXPECT_NE(7u, got.number);
    EXPECT_EQ("", got.group);
}

TEST_P(draft_test, channels_talk_both_ways)
{
    socket one = open(ZMQ_CHANNEL), two = open(ZMQ_CHANNEL);
    two.connect(one.bind(anywhere()));
    for (const std::string& body : {std::string(), std::string("small"), large}) {
        two.send(body);
        EXPECT_EQ((draft_message{body}), receive_message(one));
        one.send(body);
        EXPECT_EQ((draft_message{body}), receive_message(two));
    }
    EXPECT_EQ(EINVAL, one.try_send("x", ZMQ_SNDMORE));
    EXPECT_TRUE(one.writable());
}

TEST_P(draft_test, servers_answer_by_the_number_of_the_client)
{
    socket server = open(ZMQ_SERVER), one = open(ZMQ_CLIENT), two = open(ZMQ_CLIENT);
    const std::string endpoint = server.bind(anywhere());
    one.connect(endpoint);
    two.connect(endpoint);
    one.send("one");
    const draft_message first = receive_message(server);
    two.send(large);
    const draft_message second = receive_message(server);
    EXPECT_EQ("one", first.body);
    EXPECT_EQ(large, second.body);
    EXPECT_NE(0u, first.number);
    EXPECT_NE(0u, second.number);
    EXPECT_NE(first.number, second.number);
    EXPECT_EQ(0, send_message(server, {large, second.number}));
    EXPECT_EQ(0, send_message(server, {"answer", first.number}));
    EXPECT_EQ((draft_message{"answer"}), receive_message(one));
    EXPECT_EQ((draft_message{large}), receive_message(two));
    EXPECT_EQ(EINVAL, one.try_send("x", ZMQ_SNDMORE));
    EXPECT_EQ(EINVAL, send_message(server, {"x", first.number}, ZMQ_SNDMORE));
    EXPECT_EQ(EHOSTUNREACH, server.try_send("without a number"));
    EXPECT_EQ(EHOSTUNREACH, send_message(server, {"x", first.number + second.number}));
}

// From the 64th message on, messages of the only client need not be asked for.
TEST_P(draft_test, each_of_many_messages_bears_the_number_of_its_client)
{
    constexpr int many = 200;
    socket server = open(ZMQ_SERVER), one = open(ZMQ_CLIENT), two = open(ZMQ_CLIENT);
    server.set(ZMQ_DISCONNECT_MSG, "gone");
    const std::string endpoint = server.bind(anywhere());
    one.connect(endpoint);
    one.send("first");
    const std::uint32_t first = receive_message(server).number;
    EXPECT_NE(0u, first);
    zmq_msg_t kept;  // holds the content of the message before
    zmq_msg_init(&kept);
    for (int i = 0; i < many; ++i) {
        const std::string body(std::size_t(i) % 3 == 2 ? 6'000 : std::size_t(i), 'b');
        one.send(body);
        if (i % 2 == 0) {
            ASSERT_EQ((draft_message{body, first}), receive_message(server)) << i;
            continue;
        }
        ASSERT_EQ(int(body.size()), zmq_msg_recv(&kept, server, 0));
        ASSERT_EQ(first, zmq_msg_routing_id(&kept)) << i;
    }
    zmq_msg_close(&kept);
    two.connect(endpoint);
    two.send("second");
    const draft_message of_two = receive_message(server);
    EXPECT_EQ("second", of_two.body);
    EXPECT_NE(first, of_two.number);
    for (int i = 0; i < many; ++i) one.send("small");
    for (int i = 0; i < many; ++i) ASSERT_EQ((draft_message{"small", first}), receive_message(server)) << i;
    one.close();
    EXPECT_EQ((draft_message{"gone", first}), receive_message(server));
    for (int i = 0; i < many; ++i) two.send("small");
    for (int i = 0; i < many; ++i) ASSERT_EQ((draft_message{"small", of_two.number}), receive_message(server)) << i;
    two.close();
    EXPECT_EQ((draft_message{"gone", of_two.number}), receive_message(server));
    expect_no_message(server);
}

TEST_P(draft_test, a_server_is_told_of_departures_and_then_cannot_reach_the_client)
{
    socket server = open(ZMQ_SERVER);
    server.set(ZMQ_DISCONNECT_MSG, "gone");
    server.set(ZMQ_HELLO_MSG, "welcome");
    socket client = open(ZMQ_CLIENT);
    client.set(ZMQ_HELLO_MSG, "hello");
    client.connect(server.bind(anywhere()));
    EXPECT_EQ((draft_message{"welcome"}), receive_message(client));
    const draft_message hello = receive_message(server);
    EXPECT_EQ("hello", hello.body);
    client.close();
    EXPECT_EQ((draft_message{"gone", hello.number}), receive_message(server));
    EXPECT_EQ(EHOSTUNREACH, send_message(server, {"x", hello.number}));
}

TEST_P(draft_test, a_client_that_the_server_disconnects_comes_back_under_another_number)
{
    socket server = open(ZMQ_SERVER), client = open(ZMQ_CLIENT);
    client.set(ZMQ_HELLO_MSG, "hello");
    client.set(ZMQ_HICCUP_MSG, "hiccup");
    client.connect(server.bind(anywhere()));
    const draft_message hello = receive_message(server);
    EXPECT_EQ(0, zmq_disconnect_peer(server, hello.number));
    EXPECT_EQ(EHOSTUNREACH, send_message(server, {"x", hello.number}));
    EXPECT_EQ(-1, zmq_disconnect_peer(server, hello.number));
    EXPECT_EQ(EHOSTUNREACH, zmq_errno());
    if (is_inproc()) return;  // nothing connects again there
    EXPECT_EQ((draft_message{"hiccup"}), receive_message(client));
    const draft_message again = receive_message(server);
    EXPECT_EQ("hello", again.body);
    EXPECT_NE(hello.number, again.number);
}

TEST_P(draft_test, peers_speak_first_to_those_that_they_connected_to)
{
    socket one = open(ZMQ_PEER), two = open(ZMQ_PEER), three = open(ZMQ_PEER);
    const std::string to_two = two.bind(anywhere()), to_three = three.bind(anywhere());
    const std::uint32_t second = zmq_connect_peer(one, to_two.c_str());
    const std::uint32_t third = zmq_connect_peer(one, to_three.c_str());
    EXPECT_NE(0u, second);
    EXPECT_NE(0u, third);
    EXPECT_NE(second, third);
    EXPECT_EQ(0, send_message(one, {"to two", second}));
    EXPECT_EQ(0, send_message(one, {"to three", third}));
    const draft_message at_two = receive_message(two), at_three = receive_message(three);
    EXPECT_EQ("to two", at_two.body);
    EXPECT_EQ("to three", at_three.body);
    EXPECT_EQ(0, send_message(two, {"from two", at_two.number}));
    EXPECT_EQ((draft_message{"from two", second}), receive_message(one));
    EXPECT_EQ(0, zmq_disconnect_peer(one, third));
    EXPECT_EQ(EHOSTUNREACH, send_message(one, {"x", third}));
    EXPECT_EQ(0, send_message(one, {"still", second}));
    EXPECT_EQ("still", receive_message(two).body);
}

TEST_P(draft_test, dishes_receive_what_radios_send_to_their_groups)
{
    const std::string longest(ZMQ_GROUP_MAX_LENGTH, 'g');
    for (const bool radio_binds : {true, false}) {
        socket radio = open(ZMQ_RADIO), dish = open(ZMQ_DISH);
        EXPECT_EQ(0, zmq_join(dish, "tv"));
        socket& binds = radio_binds ? radio : dish;
        (radio_binds ? dish : radio).connect(binds.bind(anywhere()));
        await_member(radio, dish, "tv");
        EXPECT_EQ(0, zmq_join(dish, longest.c_str()));
        await_member(radio, dish, longest);
        EXPECT_EQ(0, send_message(radio, {"no", 0, "t"}));
        EXPECT_EQ(0, send_message(radio, {"no", 0, "tv2"}));
        radio.send("without a group");
        for (const std::string& group : {std::string("tv"), longest}) {
            for (const std::string& body : {std::string(), std::string("small"), std::string(64, 'b'), large}) {
                EXPECT_EQ(0, send_message(radio, {body, 0, group}));
                EXPECT_EQ((draft_message{body, 0, group}), receive_message(dish));
            }
        }
        EXPECT_EQ(0, zmq_leave(dish, "tv"));
        EXPECT_EQ(0, send_message(radio, {"no", 0, "tv"}));
        EXPECT_EQ(0, send_message(radio, {"last", 0, longest}));
        EXPECT_EQ((draft_message{"last", 0, longest}), receive_message(dish));
        EXPECT_EQ(EINVAL, radio.try_send("x", ZMQ_SNDMORE));
        EXPECT_EQ(ENOTSUP, dish.try_send("x"));
        EXPECT_FALSE(radio.recv_frame(ZMQ_DONTWAIT));
        EXPECT_EQ(ENOTSUP, zmq_errno());
    }
}

TEST_P(draft_test, a_radio_without_drops_waits_for_a_full_member)
{
    socket radio = open(ZMQ_RADIO), dish = open(ZMQ_DISH);
    radio.set(ZMQ_XPUB_NODROP, 1);
    radio.set(ZMQ_SNDHWM, 1);
    dish.set(ZMQ_RCVHWM, 1);
    EXPECT_EQ(0, zmq_join(dish, "tv"));
    radio.connect(dish.bind(anywhere()));
    await_member(radio, dish, "tv");
    const auto numbered = [](int i) { return draft_message{std::to_string(i) + std::string(50'000, 'b'), 0, "tv"}; };
    int sent = 0;
    while (send_message(radio, numbered(sent), ZMQ_DONTWAIT) == 0) ASSERT_LT(++sent, 10'000);
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_EQ(0, send_message(radio, {"to others", 0, "radio"}, ZMQ_DONTWAIT));
    std::thread waits([&] { EXPECT_EQ(0, send_message(radio, {"last", 0, "tv"})); });
    for (int i = 0; i < sent; ++i) ASSERT_EQ(numbered(i), receive_message(dish));
    EXPECT_EQ("last", receive_message(dish).body);
    waits.join();
}

TEST_P(draft_test, messages_of_several_frames_are_dropped)
{
    if (!is_inproc()) return;  // over the others, sockets of other types do not connect: see the scripted peers
    const int types[][2] = {{ZMQ_GATHER, ZMQ_PUSH},
                            {ZMQ_CLIENT, ZMQ_DEALER},
                            {ZMQ_SERVER, ZMQ_DEALER},
                            {ZMQ_PEER, ZMQ_DEALER},
                            {ZMQ_CHANNEL, ZMQ_PAIR}};
    for (const auto& [type, other] : types) {
        socket receiver = open(type), sender = open(other);
        sender.connect(receiver.bind(anywhere()));
        sender.send_parts({"a", "b", "c"});
        EXPECT_FALSE(receiver.readable()) << type;
        sender.send_parts({"a", "b"});
        sender.send("whole");
        EXPECT_EQ("whole", receive_message(receiver).body) << type;
        expect_no_message(receiver);
    }
}

TEST_P(draft_test, a_device_passes_messages_on_with_their_groups)
{
    socket radio = open(ZMQ_RADIO), dish_in = open(ZMQ_DISH), radio_out = open(ZMQ_RADIO), dish = open(ZMQ_DISH);
    socket control = open(ZMQ_PAIR), control_in = open(ZMQ_PAIR);
    control.connect(control_in.bind(unique_inproc()));
    EXPECT_EQ(0, zmq_join(dish_in, "g"));
    EXPECT_EQ(0, zmq_join(dish, "g"));
    dish_in.connect(radio.bind(anywhere()));
    dish.connect(radio_out.bind(anywhere()));
    await_member(radio, dish_in, "g");
    await_member(radio_out, dish, "g");
    std::thread device([&] { EXPECT_EQ(0, zmq_proxy_steerable(dish_in, radio_out, nullptr, control_in)); });
    EXPECT_EQ(0, send_message(radio, {"through", 0, "g"}));
    EXPECT_EQ((draft_message{"through", 0, "g"}), receive_message(dish));
    control.send("TERMINATE");
    device.join();
}

INSTANTIATE_TEST_SUITE_P(over, draft_test, ::testing::ValuesIn(draft_transports()), scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
