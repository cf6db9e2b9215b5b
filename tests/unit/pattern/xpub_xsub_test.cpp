// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// XPUB and XSUB: subscriptions as messages, and which side decides upon them.
#include "pattern/xpub.hpp"
#include "pattern/xsub.hpp"

#include "joined_sockets.hpp"

namespace zlink::pattern::test {
namespace {

std::string on(const std::string& topic)
{
    return "\1" + topic;
}

std::string off(const std::string& topic)
{
    return std::string(1, '\0') + topic;
}

errc subscribe(socket& s, std::string_view topic, bool yes = true)
{
    return s->subscribe(std::as_bytes(std::span(topic)), yes);
}

pattern_options with(bool pattern_options::*flag)
{
    pattern_options options;
    options.*flag = true;
    return options;
}

TEST(xpub_test, receives_news_of_subscriptions_only)
{
    socket xpub(XPUB), one(XSUB), two(XSUB);
    ASSERT_TRUE(join(one, xpub));
    ASSERT_TRUE(join(two, xpub));
    for (const std::string& notice : {on("a"), on("a"), off("a"), on("b")}) EXPECT_EQ(errc::none, one.send(notice));
    EXPECT_TRUE(xpub.can_receive());
    EXPECT_EQ(parts{on("a")}, xpub.receive());
    EXPECT_EQ(parts{on("b")}, xpub.receive());
    EXPECT_EQ(nothing, xpub.receive());
    EXPECT_EQ(errc::none, two.send(on("a")));
    EXPECT_EQ(errc::none, one.send(off("a")));
    EXPECT_EQ(nothing, xpub.receive());
    EXPECT_EQ(errc::none, two.send(off("a")));
    EXPECT_EQ(parts{off("a")}, xpub.receive());
    EXPECT_EQ(1, xpub->topics_count());
}

TEST(xpub_test, verbose_and_verboser_tell_more)
{
    for (bool verboser : {false, true}) {
        socket xpub(XPUB, with(verboser ? &pattern_options::xpub_verboser : &pattern_options::xpub_verbose));
        wire one(xpub), two(xpub);
        one.send({on("a")});
        two.send({on("a")});
        one.send({on("a")});
        for (int i = 0; i < 3; ++i) EXPECT_EQ(parts{on("a")}, xpub.receive());
        one.send({off("a")});
        EXPECT_EQ(verboser ? parts{off("a")} : nothing, xpub.receive());
        two.close();
        EXPECT_EQ(parts{off("a")}, xpub.receive());
        EXPECT_EQ(nothing, xpub.receive());
    }
}

TEST(xpub_test, hears_what_a_departed_peer_alone_had_subscribed)
{
    socket xpub(XPUB);
    wire staying(xpub), leaving(xpub);
    staying.send({on("shared")});
    for (const char* topic : {"shared", "z", "a"}) leaving.send({on(topic)});
    leaving.send({"bye"});
    leaving.close();
    for (const char* topic : {"shared", "z", "a"}) EXPECT_EQ(parts{on(topic)}, xpub.receive());
    EXPECT_EQ(parts{"bye"}, xpub.receive());
    EXPECT_EQ(parts{off("z")}, xpub.receive());
    EXPECT_EQ(parts{off("a")}, xpub.receive());
    EXPECT_EQ(nothing, xpub.receive());
    EXPECT_EQ(1u, xpub.pipes());
}

TEST(xpub_test, does_not_sleep_over_a_departure)
{
    socket xpub(XPUB);
    wire sub(xpub);
    sub.send({on("a")});
    EXPECT_EQ(parts{on("a")}, xpub.receive());
    EXPECT_FALSE(xpub.sleep());
    sub.close();
    xpub.pump();
    EXPECT_TRUE(xpub.sleep());
    EXPECT_EQ(parts{off("a")}, xpub.receive());
}

TEST(xpub_test, passes_messages_of_subscribers_up)
{
    socket xpub(XPUB), xsub(XSUB);
    ASSERT_TRUE(join(xsub, xpub));
    EXPECT_EQ(errc::none, xsub.send("hello"));
    EXPECT_EQ(errc::none, xsub.send({"several", "frames"}));
    EXPECT_EQ(errc::none, xsub.send(""));
    EXPECT_EQ(parts{"hello"}, xpub.receive());
    EXPECT_EQ((parts{"several", "frames"}), xpub.receive());
    EXPECT_EQ(parts{""}, xpub.receive());
    EXPECT_EQ(nothing, xpub.receive());
}

TEST(xpub_test, frames_of_a_message_may_be_subscriptions_unless_only_the_first_counts)
{
    for (bool only_first : {false, true}) {
        pattern_options options;
        options.only_first_subscribe = only_first;
        socket xpub(XPUB, options), xsub(XSUB, options);
        ASSERT_TRUE(join(xsub, xpub));
        EXPECT_EQ(errc::none, xsub.send({on("a"), on("b")}));
        EXPECT_EQ(parts{on("a")}, xpub.receive());
        EXPECT_EQ(parts{on("b")}, xpub.receive());
        EXPECT_EQ(errc::none, xsub.send({"user", on("c")}));
        EXPECT_EQ((parts{"user", on("c")}), xpub.receive());
        EXPECT_EQ(nothing, xpub.receive());
        EXPECT_EQ(only_first ? 2 : 3, xpub->topics_count());
        EXPECT_EQ(only_first ? 2 : 3, xsub->topics_count());
    }
}

TEST(xpub_test, notices_carry_the_properties_of_the_connection)
{
    socket xpub(XPUB);
    wire sub(xpub);
    sub.far().writer.set_metadata(message::metadata::create({{"Peer-Address", "there"}}));
    sub.send({on("a")});
    sub.send({"user"});
    message::owned_frame f;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(errc::none, xpub.receive_frame(f));
        ASSERT_TRUE(f.properties());
        EXPECT_STREQ("there", f.properties()->find("Peer-Address"));
    }
}

TEST(xpub_test, welcomes_each_subscriber)
{
    pattern_options options;
    options.xpub_welcome_msg = "welcome";
    socket xpub(XPUB, options);
    wire sub(xpub);
    EXPECT_EQ(parts{"welcome"}, sub.receive());
    xpub->on_reconnected(sub.near());
    EXPECT_EQ(parts{"welcome"}, sub.receive());
    options.xpub_welcome_msg.clear();
    xpub->options_changed(options);
    wire later(xpub);
    EXPECT_EQ(nothing, later.receive());
}

TEST(xpub_test, manual_mode_leaves_the_decision_to_the_application)
{
    socket xpub(XPUB, with(&pattern_options::xpub_manual));
    wire one(xpub), two(xpub);
    EXPECT_EQ(errc::none, subscribe(xpub, "nobody heard yet"));
    one.send({on("a")});
    one.send({on("a")});
    EXPECT_EQ(parts{on("a")}, xpub.receive());
    EXPECT_EQ(parts{on("a")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "granted"));
    two.send({on("b")});
    EXPECT_EQ(parts{on("b")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "b too"));
    for (const char* message : {"a", "b", "granted", "b too"}) EXPECT_EQ(errc::none, xpub.send(message));
    EXPECT_EQ(parts{"granted"}, one.receive());
    EXPECT_EQ(nothing, one.receive());
    EXPECT_EQ(parts{"b too"}, two.receive());
    EXPECT_EQ(nothing, two.receive());
    one.send({off("a")});
    EXPECT_EQ(parts{off("a")}, xpub.receive());
    EXPECT_EQ(errc::none, xpub.send("granted"));
    EXPECT_EQ(parts{"granted"}, one.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "granted", false));
    EXPECT_EQ(errc::none, xpub.send("granted"));
    EXPECT_EQ(nothing, one.receive());
}

TEST(xpub_test, manual_mode_takes_back_what_a_departed_peer_had_asked_for)
{
    socket xpub(XPUB, with(&pattern_options::xpub_manual));
    wire one(xpub), two(xpub);
    for (const char* topic : {"x", "y"}) {
        one.send({on(topic)});
        EXPECT_EQ(parts{on(topic)}, xpub.receive());
    }
    two.send({on("x")});
    EXPECT_EQ(parts{on("x")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "granted to two"));
    one.close();
    EXPECT_EQ(parts{off("x")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "nobody there to grant this"));
    EXPECT_EQ(parts{off("y")}, xpub.receive());
    EXPECT_EQ(nothing, xpub.receive());
    EXPECT_EQ(1, xpub->topics_count());
    two.close();
    EXPECT_EQ(parts{off("x")}, xpub.receive());
    EXPECT_EQ(nothing, xpub.receive());
    EXPECT_EQ(0, xpub->topics_count());
}

TEST(xpub_test, manual_mode_forgets_the_peer_heard_last_when_it_goes)
{
    socket xpub(XPUB, with(&pattern_options::xpub_manual));
    wire sub(xpub);
    sub.send({on("a")});
    EXPECT_EQ(parts{on("a")}, xpub.receive());
    sub.close();
    xpub.pump();
    EXPECT_EQ(errc::none, subscribe(xpub, "a"));
    EXPECT_EQ(0, xpub->topics_count());
}

TEST(xpub_test, last_value_mode_sends_the_next_message_to_the_peer_heard_last)
{
    socket xpub(XPUB, with(&pattern_options::xpub_manual_last_value));
    wire one(xpub), two(xpub);
    one.send({on("A")});
    EXPECT_EQ(parts{on("A")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "A"));
    EXPECT_EQ(errc::none, xpub.send("A1"));
    two.send({on("A")});
    EXPECT_EQ(parts{on("A")}, xpub.receive());
    EXPECT_EQ(errc::none, subscribe(xpub, "A"));
    EXPECT_EQ(errc::none, xpub.send({"A2", "tail"}));
    EXPECT_EQ(errc::none, xpub.send("A3"));
    EXPECT_EQ(parts{"A1"}, one.receive());
    EXPECT_EQ(parts{"A3"}, one.receive());
    EXPECT_EQ((parts{"A2", "tail"}), two.receive());
    EXPECT_EQ(parts{"A3"}, two.receive());
}

TEST(xsub_test, user_messages_respect_the_high_water_mark_and_subscriptions_do_not)
{
    socket xsub(XSUB);
    wire pub(xsub, {}, 1);
    EXPECT_TRUE(xsub.can_send());
    EXPECT_EQ(errc::none, xsub.send("1"));
    EXPECT_EQ(errc::none, xsub.send("dropped"));
    EXPECT_EQ(errc::none, xsub.send(on("a")));
    EXPECT_EQ(parts{"1"}, pub.receive());
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(nothing, pub.receive());
}

TEST(xsub_test, a_reconnection_in_mid_message_leaves_only_whole_messages)
{
    socket xsub(XSUB);
    wire pub(xsub);
    EXPECT_EQ(errc::none, xsub.send(on("a")));
    EXPECT_EQ(errc::none, xsub.send_frame("half", true));
    xsub->on_reconnected(pub.near());
    EXPECT_EQ(errc::none, xsub.send_frame("rest"));
    EXPECT_EQ(errc::none, xsub.send("whole"));
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{"whole"}, pub.receive());
}

TEST(xsub_test, a_proxy_passes_everything_on)
{
    socket pub(PUB), front(XSUB), back(XPUB), sub(SUB);
    ASSERT_TRUE(join(front, pub));
    ASSERT_TRUE(join(sub, back));
    EXPECT_EQ(errc::none, subscribe(sub, "topic"));
    EXPECT_EQ(errc::none, front.send(back.receive()));
    EXPECT_EQ(errc::none, pub.send({"topic", "body"}));
    EXPECT_EQ(errc::none, pub.send("unwanted"));
    EXPECT_EQ(errc::none, back.send(front.receive()));
    EXPECT_EQ(nothing, front.receive());
    EXPECT_EQ((parts{"topic", "body"}), sub.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
