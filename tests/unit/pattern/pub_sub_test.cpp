// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB and SUB: which subscriber gets what.
#include "pattern/pub.hpp"
#include "pattern/sub.hpp"

#include "joined_sockets.hpp"

#include <list>

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

TEST(pub_sub_test, each_goes_one_way)
{
    socket pub(PUB), sub(SUB);
    EXPECT_EQ(error(errc::not_supported), pub.receive());
    EXPECT_EQ(errc::not_supported, sub.send("x"));
    EXPECT_EQ(errc::invalid_argument, subscribe(pub, "x"));
    EXPECT_FALSE(sub.can_send());
    EXPECT_TRUE(pub.can_send());
}

TEST(pub_sub_test, delivers_by_prefix_of_the_first_frame)
{
    socket pub(PUB), sub(SUB);
    ASSERT_TRUE(join(sub, pub));
    EXPECT_EQ(errc::none, subscribe(sub, "ab"));
    for (const char* message : {"a", "abc", "b", "", "ab"}) EXPECT_EQ(errc::none, pub.send(message));
    EXPECT_EQ(errc::none, pub.send({"x", "ab"}));
    EXPECT_EQ(errc::none, pub.send({"abx", "y", ""}));
    EXPECT_EQ(parts{"abc"}, sub.receive());
    EXPECT_EQ(parts{"ab"}, sub.receive());
    EXPECT_EQ((parts{"abx", "y", ""}), sub.receive());
    EXPECT_EQ(nothing, sub.receive());
    EXPECT_EQ(errc::none, subscribe(sub, "ab", false));
    EXPECT_EQ(errc::none, pub.send("abc"));
    EXPECT_EQ(nothing, sub.receive());
}

TEST(pub_sub_test, a_subscriber_with_many_matching_topics_gets_one_copy)
{
    socket pub(PUB), sub(SUB);
    ASSERT_TRUE(join(sub, pub));
    for (const char* topic : {"", "a", "ab", "a"}) EXPECT_EQ(errc::none, subscribe(sub, topic));
    EXPECT_EQ(3, sub->topics_count());
    EXPECT_EQ(3, (pub.pump(), pub->topics_count()));
    EXPECT_EQ(errc::none, pub.send("abc"));
    EXPECT_EQ(parts{"abc"}, sub.receive());
    EXPECT_EQ(nothing, sub.receive());
}

TEST(pub_sub_test, everyone_gets_large_bodies_shared)
{
    socket pub(PUB);
    std::list<socket> subs;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(join(subs.emplace_back(SUB), pub));
        EXPECT_EQ(errc::none, subscribe(subs.back(), i < 3 ? "a" : "b"));
    }
    const std::string large = "a" + std::string(100000, 'L');
    EXPECT_EQ(errc::none, pub.send({large, "small", large}));
    const std::byte* body = nullptr;
    int i = 0;
    for (socket& sub : subs) {
        if (i++ >= 3) {
            EXPECT_EQ(nothing, sub.receive());
            continue;
        }
        message::owned_frame f;
        ASSERT_EQ(errc::none, sub.receive_frame(f));
        EXPECT_TRUE(body == nullptr || body == f.data());
        body = f.data();
        EXPECT_EQ((parts{"small", large}), sub.receive());
    }
}

TEST(pub_sub_test, a_full_subscriber_loses_whole_messages_and_disturbs_nobody)
{
    socket pub(PUB), slow(SUB), fast(SUB);
    ASSERT_TRUE(join(slow, pub, {.hwm = 2}));
    ASSERT_TRUE(join(fast, pub));
    EXPECT_EQ(errc::none, subscribe(slow, ""));
    EXPECT_EQ(errc::none, subscribe(fast, ""));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(errc::none, pub.send({std::to_string(i), "x"}));
    for (int i = 0; i < 5; ++i) EXPECT_EQ((parts{std::to_string(i), "x"}), fast.receive());
    EXPECT_EQ((parts{"0", "x"}), slow.receive());
    EXPECT_EQ((parts{"1", "x"}), slow.receive());
    EXPECT_EQ(nothing, slow.receive());
    EXPECT_EQ(errc::none, pub.send("later"));
    EXPECT_EQ(parts{"later"}, slow.receive());
}

TEST(pub_sub_test, nodrop_waits_for_those_concerned)
{
    socket pub(PUB, with(&pattern_options::xpub_nodrop)), slow(SUB), fast(SUB);
    ASSERT_TRUE(join(slow, pub, {.hwm = 1}));
    ASSERT_TRUE(join(fast, pub));
    EXPECT_EQ(errc::none, subscribe(slow, "s"));
    EXPECT_EQ(errc::none, subscribe(fast, ""));
    EXPECT_EQ(errc::none, pub.send({"s1", "tail"}));
    EXPECT_EQ(errc::again, pub.send("s2"));
    EXPECT_EQ(errc::none, pub.send("other"));
    EXPECT_EQ((parts{"s1", "tail"}), slow.receive());
    EXPECT_EQ(errc::none, pub.send("s2"));
    EXPECT_EQ((parts{"s1", "tail"}), fast.receive());
    EXPECT_EQ(parts{"other"}, fast.receive());
    EXPECT_EQ(parts{"s2"}, fast.receive());
    EXPECT_EQ(parts{"s2"}, slow.receive());
}

TEST(pub_sub_test, a_subscriber_comes_and_goes_in_mid_message)
{
    socket pub(PUB), staying(SUB);
    auto leaving = std::make_unique<socket>(SUB);
    ASSERT_TRUE(join(*leaving, pub));
    ASSERT_TRUE(join(staying, pub));
    subscribe(*leaving, "");
    subscribe(staying, "");
    EXPECT_EQ(errc::none, pub.send_frame("a", true));
    leaving.reset();
    socket coming(SUB);
    ASSERT_TRUE(join(coming, pub));
    subscribe(coming, "");
    EXPECT_EQ(errc::none, pub.send_frame("b"));
    EXPECT_EQ((parts{"a", "b"}), staying.receive());
    EXPECT_EQ(nothing, coming.receive());
    EXPECT_EQ(errc::none, pub.send("c"));
    EXPECT_EQ(parts{"c"}, coming.receive());
    EXPECT_EQ(2u, pub.pipes());
}

TEST(pub_sub_test, subscriptions_are_told_to_each_publisher_that_comes)
{
    socket sub(SUB);
    for (const char* topic : {"a", "b", "gone", "a"}) subscribe(sub, topic);
    subscribe(sub, "gone", false);
    wire pub(sub, {}, 1);
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{on("b")}, pub.receive());
    EXPECT_EQ(nothing, pub.receive());
    sub->on_reconnected(pub.near());
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{on("b")}, pub.receive());
    EXPECT_EQ(nothing, pub.receive());
}

TEST(pub_sub_test, subscriptions_ignore_the_high_water_mark)
{
    socket sub(SUB);
    wire pub(sub, {}, 1);
    for (int i = 0; i < 100; ++i) subscribe(sub, std::to_string(i));
    subscribe(sub, "5", false);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(parts{on(std::to_string(i))}, pub.receive());
    EXPECT_EQ(parts{off("5")}, pub.receive());
}

TEST(pub_sub_test, a_cancellation_is_told_when_the_last_of_several_goes)
{
    socket sub(SUB);
    wire pub(sub);
    subscribe(sub, "a");
    subscribe(sub, "a");
    EXPECT_EQ(errc::none, subscribe(sub, "a", false));
    EXPECT_EQ(errc::none, subscribe(sub, "unknown", false));
    EXPECT_EQ(errc::none, subscribe(sub, "a", false));
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{on("a")}, pub.receive());
    EXPECT_EQ(parts{off("a")}, pub.receive());
    EXPECT_EQ(nothing, pub.receive());
}

TEST(pub_sub_test, a_sub_filters_what_comes_unasked)
{
    socket sub(SUB), xsub(XSUB);
    subscribe(sub, "a");
    wire to_sub(sub), to_xsub(xsub);
    for (wire* pub : {&to_sub, &to_xsub}) {
        pub->send({"b", "a"});
        pub->send({"a", "b"});
        pub->send({"b"});
    }
    EXPECT_TRUE(sub.can_receive());
    EXPECT_EQ((parts{"a", "b"}), sub.receive());
    EXPECT_FALSE(sub.can_receive());
    EXPECT_EQ(nothing, sub.receive());
    EXPECT_EQ((parts{"b", "a"}), xsub.receive());
    EXPECT_EQ((parts{"a", "b"}), xsub.receive());
    EXPECT_EQ(parts{"b"}, xsub.receive());
}

TEST(pub_sub_test, inverted_matching_delivers_the_rest)
{
    const pattern_options options = with(&pattern_options::invert_matching);
    socket pub(PUB, options), sub(SUB, options), other(SUB, options);
    ASSERT_TRUE(join(sub, pub));
    ASSERT_TRUE(join(other, pub));
    subscribe(sub, "no");
    EXPECT_EQ(errc::none, pub.send("no thanks"));
    EXPECT_EQ(errc::none, pub.send({"yes", "no"}));
    EXPECT_EQ((parts{"yes", "no"}), sub.receive());
    EXPECT_EQ(nothing, sub.receive());
    EXPECT_EQ(parts{"no thanks"}, other.receive());
    EXPECT_EQ((parts{"yes", "no"}), other.receive());
}

TEST(pub_sub_test, what_a_departed_publisher_sent_is_received)
{
    socket sub(SUB);
    subscribe(sub, "");
    wire pub(sub);
    pub.send({"a", "b"});
    pub.close();
    EXPECT_EQ((parts{"a", "b"}), sub.receive());
    EXPECT_EQ(nothing, sub.receive());
    EXPECT_EQ(0u, sub.pipes());
}

TEST(pub_sub_test, a_new_subscription_counts_after_thousands_of_messages_without_any)
{
    socket pub(PUB);
    std::list<socket> subs;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(join(subs.emplace_back(SUB), pub));
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(errc::none, pub.send("x"));
    for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(pub.end(i).reader.dormant());
    subscribe(subs.back(), "x");
    EXPECT_EQ(errc::none, pub.send("x"));
    EXPECT_EQ(parts{"x"}, subs.back().receive());
}

TEST(pub_sub_test, subscriptions_keep_no_pub_awake)
{
    socket pub(PUB);
    wire sub(pub);
    sub.send({on("a")});
    EXPECT_FALSE(pub.sleep());
    EXPECT_EQ(errc::none, pub.send("a"));
    EXPECT_EQ(parts{"a"}, sub.receive());
    EXPECT_FALSE(pub.sleep());
    sub.send({on("b")});
    EXPECT_EQ(errc::none, pub.send("b"));
    EXPECT_EQ(parts{"b"}, sub.receive());
}

TEST(pub_sub_test, messages_of_subscribers_do_not_disturb_a_pub)
{
    socket pub(PUB);
    wire sub(pub);
    sub.send({"user message"});
    sub.send({""});
    sub.send({on("a"), on("b")});
    sub.send({"x", on("c")});
    for (const char* message : {"a", "b", "c", "x"}) EXPECT_EQ(errc::none, pub.send(message));
    for (const char* message : {"a", "b", "c"}) EXPECT_EQ(parts{message}, sub.receive());
    EXPECT_EQ(nothing, sub.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
