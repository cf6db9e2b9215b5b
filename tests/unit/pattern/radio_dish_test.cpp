// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO and DISH: messages go to whole groups, and only to those that have joined.
#include "joined_sockets.hpp"
#include "message/group_key.hpp"
#include "pattern/dish.hpp"
#include "pattern/radio.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace zlink::pattern::test {
namespace {

errc send_to(socket& from, std::string_view group, std::string_view body, bool more = false)
{
    from.pump();
    message::owned_frame f;
    EXPECT_TRUE(f.init_copy_of(body.data(), body.size()) && f.set_group(group));
    return from->send(pipe::outgoing::of(f, more));
}

// The group and the body.
parts receive(socket& at)
{
    message::owned_frame f;
    if (at.receive_frame(f) != errc::none) return nothing;
    EXPECT_FALSE(f.more());
    return {std::string(f.group()), std::string(reinterpret_cast<const char*>(f.data()), f.size())};
}

errc change(socket& dish, std::string_view group, bool on)
{
    dish.pump();
    return dish->subscribe(std::as_bytes(std::span(group)), on);
}
errc join_group(socket& dish, std::string_view group)
{
    return change(dish, group, true);
}
errc leave_group(socket& dish, std::string_view group)
{
    return change(dish, group, false);
}

std::string key_of(std::string_view group)
{
    const message::group_key key(std::as_bytes(std::span(group)));
    return {reinterpret_cast<const char*>(key.octets().data()), key.octets().size()};
}

TEST(radio_dish_test, each_goes_one_way)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio));
    EXPECT_EQ(error(errc::not_supported), radio.receive());
    EXPECT_EQ(errc::not_supported, dish.send("x"));
    EXPECT_TRUE(radio.can_send());
    EXPECT_TRUE(dish.can_send());
    EXPECT_FALSE(radio.can_receive());
    EXPECT_EQ(errc::invalid_argument, change(radio, "x", true));
}

TEST(radio_dish_test, a_message_goes_to_the_members_of_its_group_alone)
{
    socket radio(RADIO), one(DISH), two(DISH);
    ASSERT_TRUE(join(one, radio));
    ASSERT_TRUE(join(two, radio));
    EXPECT_EQ(errc::none, join_group(one, "tv"));
    EXPECT_EQ(errc::none, join_group(two, "tv"));
    EXPECT_EQ(errc::none, join_group(two, "radio"));
    EXPECT_EQ(errc::none, send_to(radio, "tv", "both"));
    EXPECT_EQ(errc::none, send_to(radio, "radio", "two"));
    EXPECT_EQ(errc::none, send_to(radio, "none", "nobody"));
    EXPECT_EQ((parts{"tv", "both"}), receive(one));
    EXPECT_EQ(nothing, receive(one));
    EXPECT_EQ((parts{"tv", "both"}), receive(two));
    EXPECT_EQ((parts{"radio", "two"}), receive(two));
    EXPECT_EQ(nothing, receive(two));
}

TEST(radio_dish_test, messages_of_every_size_and_of_changing_groups_reach_all_members)
{
    socket radio(RADIO), one(DISH), two(DISH), three(DISH);
    for (socket* dish : {&one, &two, &three}) ASSERT_TRUE(join(*dish, radio));
    const std::vector<std::string> groups = {"", "g", "group", "a group that is longer", std::string(255, 'g')};
    for (const std::string& group : groups) {
        EXPECT_EQ(errc::none, join_group(one, group));
        EXPECT_EQ(errc::none, join_group(two, group));
    }
    EXPECT_EQ(errc::none, join_group(three, groups[1]));
    std::size_t turn = 0;
    for (const std::size_t size : {0, 1, 40, 64, 255, 256, 1023, 1024, 8000, 20000, 100000}) {
        for (const std::string& group : groups) {
            const parts message{group, std::string(size, char('a' + turn % 26))};
            EXPECT_EQ(errc::none, send_to(radio, group, message[1]));
            // A look before the receive leaves the same message.
            EXPECT_EQ(true, ++turn % 2 == 0 || one.can_receive());
            EXPECT_EQ(message, receive(one));
            EXPECT_EQ(message, receive(two));
            EXPECT_EQ(group == groups[1] ? message : nothing, receive(three));
        }
    }
    EXPECT_EQ(nothing, receive(one));
}

TEST(radio_dish_test, members_may_change_between_any_two_messages_of_a_group)
{
    socket radio(RADIO), one(DISH), two(DISH);
    ASSERT_TRUE(join(one, radio));
    ASSERT_TRUE(join(two, radio));
    // So many that the radio does not look for news of its peers before each of them.
    const auto send_to_members = [&](const std::vector<socket*>& members) {
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(errc::none, send_to(radio, "g", std::to_string(i)));
            for (socket* dish : {&one, &two}) {
                const bool is_member = std::find(members.begin(), members.end(), dish) != members.end();
                EXPECT_EQ(is_member ? (parts{"g", std::to_string(i)}) : nothing, receive(*dish));
            }
        }
    };
    send_to_members({});
    EXPECT_EQ(errc::none, join_group(one, "g"));
    send_to_members({&one});
    EXPECT_EQ(errc::none, join_group(two, "g"));
    send_to_members({&one, &two});
    EXPECT_EQ(errc::none, leave_group(one, "g"));
    send_to_members({&two});
    EXPECT_EQ(errc::none, send_to(radio, "other", "nobody's"));
    send_to_members({&two});
    two.disconnect(two.end());
    EXPECT_EQ(errc::none, send_to(radio, "g", "nobody's"));
    EXPECT_EQ(errc::none, join_group(one, "g"));
    send_to_members({&one});
}

TEST(radio_dish_test, groups_match_as_wholes)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio));
    const std::string longest(255, 'g');
    for (const std::string_view group : {std::string_view("ab"), std::string_view(longest)}) {
        EXPECT_EQ(errc::none, join_group(dish, group));
    }
    for (const std::string_view group :
         {std::string_view(""), std::string_view("a"), std::string_view("abc"), std::string_view(longest).substr(1)}) {
        EXPECT_EQ(errc::none, send_to(radio, group, "no"));
    }
    EXPECT_EQ(nothing, receive(dish));
    EXPECT_EQ(errc::none, send_to(radio, longest, "yes"));
    EXPECT_EQ((parts{longest, "yes"}), receive(dish));
    EXPECT_EQ(errc::none, join_group(dish, ""));
    EXPECT_EQ(errc::none, radio.send("without a group"));
    EXPECT_EQ((parts{"", "without a group"}), receive(dish));
}

TEST(radio_dish_test, a_group_is_joined_once_and_left_once)
{
    socket dish(DISH);
    EXPECT_EQ(errc::invalid_argument, leave_group(dish, "g"));
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    EXPECT_EQ(errc::invalid_argument, join_group(dish, "g"));
    EXPECT_EQ(errc::none, join_group(dish, "gg"));
    EXPECT_EQ(errc::none, leave_group(dish, "g"));
    EXPECT_EQ(errc::invalid_argument, leave_group(dish, "g"));
    EXPECT_EQ(errc::none, leave_group(dish, "gg"));
    EXPECT_EQ(errc::invalid_argument, join_group(dish, std::string(256, 'g')));
}

TEST(radio_dish_test, what_was_in_flight_when_the_group_was_left_is_dropped)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio));
    EXPECT_EQ(errc::none, join_group(dish, "left"));
    EXPECT_EQ(errc::none, join_group(dish, "kept"));
    EXPECT_EQ(errc::none, send_to(radio, "left", "0"));
    EXPECT_EQ((parts{"left", "0"}), receive(dish));
    EXPECT_EQ(errc::none, send_to(radio, "left", "1"));
    EXPECT_EQ(errc::none, send_to(radio, "kept", "2"));
    EXPECT_EQ(errc::none, leave_group(dish, "left"));
    EXPECT_EQ((parts{"kept", "2"}), receive(dish));
    EXPECT_EQ(errc::none, send_to(radio, "left", "3"));
    EXPECT_EQ(nothing, receive(dish));
}

TEST(radio_dish_test, several_frames_are_refused)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio));
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    EXPECT_EQ(errc::invalid_argument, send_to(radio, "g", "first", true));
    EXPECT_EQ(errc::none, send_to(radio, "g", "whole"));
    EXPECT_EQ((parts{"g", "whole"}), receive(dish));
}

TEST(radio_dish_test, groups_are_told_to_each_peer_and_again_after_a_reconnect)
{
    socket dish(DISH);
    EXPECT_EQ(errc::none, join_group(dish, "a"));
    wire radio(dish);
    EXPECT_EQ(parts{"\1" + key_of("a")}, radio.receive());
    EXPECT_EQ(errc::none, join_group(dish, "bb"));
    EXPECT_EQ(parts{"\1" + key_of("bb")}, radio.receive());
    EXPECT_EQ(errc::none, leave_group(dish, "a"));
    EXPECT_EQ(parts{std::string(1, '\0') + key_of("a")}, radio.receive());
    dish->on_reconnected(radio.near());
    EXPECT_EQ(parts{"\1" + key_of("bb")}, radio.receive());
    EXPECT_EQ(nothing, radio.receive());
}

TEST(radio_dish_test, messages_that_are_not_a_group_and_one_body_are_dropped)
{
    socket dish(DISH);
    wire peer(dish);
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    (void)peer.receive();
    peer.send({"g"});
    peer.send({"g", "a", "b"});
    peer.send({std::string(256, 'g'), "x"});
    EXPECT_FALSE(dish.can_receive());
    peer.send({"g", "right"});
    EXPECT_TRUE(dish.can_receive());
    EXPECT_TRUE(dish.can_receive());
    EXPECT_EQ((parts{"g", "right"}), receive(dish));
    EXPECT_EQ(nothing, receive(dish));
}

TEST(radio_dish_test, messages_of_a_dish_are_ignored)
{
    socket radio(RADIO);
    wire dish(radio);
    dish.send({"\1" + key_of("g")});
    dish.send({"\1" + std::string("\5g", 2)});
    dish.send({"user", "message"});
    dish.send({std::string(300, '\1')});
    EXPECT_EQ(errc::none, send_to(radio, "g", "x"));
    EXPECT_EQ((parts{"g", "x"}), dish.receive());
    dish.send({std::string(1, '\0') + key_of("g")});
    EXPECT_EQ(errc::none, send_to(radio, "g", "x"));
    EXPECT_EQ(nothing, dish.receive());
}

TEST(radio_dish_test, only_keys_of_groups_in_messages_of_one_frame_join)
{
    socket radio(RADIO);
    wire dish(radio);
    dish.send({"\1"});
    dish.send({"\1" + key_of("g"), "a user's"});
    dish.send({"a user's", "\1" + key_of("g")});
    dish.send({"\1" + key_of("g") + "longer"});
    EXPECT_EQ(errc::none, send_to(radio, "g", "no"));
    EXPECT_EQ(errc::none, radio.send("without a group"));
    EXPECT_EQ(nothing, dish.receive());
}

TEST(radio_dish_test, a_port_of_datagrams_gets_all_groups)
{
    socket radio(RADIO);
    attachment how;
    how.tells_no_topics = true;
    wire port(radio, how);
    EXPECT_EQ(errc::none, send_to(radio, "g", "1"));
    EXPECT_EQ(errc::none, radio.send("2"));
    EXPECT_EQ((parts{"g", "1"}), port.receive());
    EXPECT_EQ((parts{"", "2"}), port.receive());
}

TEST(radio_dish_test, a_full_member_loses_whole_messages)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio, {.hwm = 2}));
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(errc::none, send_to(radio, "g", std::to_string(i)));
    EXPECT_EQ((parts{"g", "0"}), receive(dish));
    EXPECT_EQ((parts{"g", "1"}), receive(dish));
    EXPECT_EQ(nothing, receive(dish));
}

TEST(radio_dish_test, without_drops_a_full_member_stops_the_radio)
{
    pattern_options options;
    options.xpub_nodrop = true;
    options.invert_matching = true;  // of no effect
    socket radio(RADIO, options), dish(DISH);
    ASSERT_TRUE(join(dish, radio, {.hwm = 1}));
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    EXPECT_EQ(errc::none, send_to(radio, "g", "1"));
    EXPECT_EQ(errc::again, send_to(radio, "g", "2"));
    EXPECT_EQ((parts{"g", "1"}), receive(dish));
    EXPECT_EQ(errc::none, send_to(radio, "g", "2"));
    EXPECT_EQ((parts{"g", "2"}), receive(dish));
}

TEST(radio_dish_test, a_departed_member_is_forgotten)
{
    socket radio(RADIO), dish(DISH);
    ASSERT_TRUE(join(dish, radio));
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    dish.disconnect(dish.end());
    EXPECT_EQ(errc::none, send_to(radio, "g", "x"));
    EXPECT_EQ(0u, radio.pipes());
}

TEST(radio_dish_test, a_disconnect_in_mid_message_drops_the_rest)
{
    socket dish(DISH);
    wire one(dish), two(dish);
    EXPECT_EQ(errc::none, join_group(dish, "g"));
    one.send({"g", "1"});
    EXPECT_TRUE(dish.can_receive());
    dish.disconnect(one.near());
    EXPECT_EQ(nothing, receive(dish));
    two.send({"g", "2"});
    EXPECT_EQ((parts{"g", "2"}), receive(dish));
}

}  // namespace
}  // namespace zlink::pattern::test
