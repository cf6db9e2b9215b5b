// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Publishers are told what is wanted of them.
#include "pattern/routing/subscriber.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class subscriber_test : public ::testing::Test, protected pattern_host {
protected:
    subscriber_test() : subscriber_(*this) {}

    loose_pipe& add(std::uint64_t hwm = 0)
    {
        pipes_.push_back(std::make_unique<loose_pipe>(hwm));
        EXPECT_TRUE(subscriber_.attach(pipes_.back()->near(), false));
        return *pipes_.back();
    }

    void subscribe(std::string_view topic) { EXPECT_EQ(subscriber_.subscribe(octets(topic), true), errc::none); }
    void cancel(std::string_view topic) { EXPECT_EQ(subscriber_.subscribe(octets(topic), false), errc::none); }

    void send(std::string_view octets, bool more = false, bool only_first = false)
    {
        EXPECT_EQ(subscriber_.send_upstream(frame_of(octets, more), only_first), errc::none);
    }

    void give_up(pipe::pipe_end& end) override { given_up_.push_back(&end); }

    std::vector<std::unique_ptr<loose_pipe>> pipes_;
    std::vector<pipe::pipe_end*> given_up_;
    subscriber subscriber_;
};

TEST_F(subscriber_test, tells_every_publisher_of_every_subscription)
{
    loose_pipe &a = add(), &b = add();
    for (const char* topic : {"t", "t", ""}) subscribe(topic);
    EXPECT_EQ(a.received(), (parts{on("t"), on("t"), on("")}));
    EXPECT_EQ(b.received(), (parts{on("t"), on("t"), on("")}));
    EXPECT_EQ(subscriber_.topics_count(), 2);
}

TEST_F(subscriber_test, cancels_when_the_last_subscription_is_taken_back)
{
    loose_pipe& a = add();
    subscribe("t");
    subscribe("t");
    EXPECT_EQ(a.received().size(), 2u);
    cancel("t");
    cancel("unknown");
    EXPECT_EQ(a.received(), parts{});
    EXPECT_EQ(subscriber_.topics_count(), 1);
    cancel("t");
    cancel("t");
    EXPECT_EQ(a.received(), (parts{off("t")}));
    EXPECT_EQ(subscriber_.topics_count(), 0);
}

TEST_F(subscriber_test, tells_a_newcomer_every_topic_once)
{
    for (const char* topic : {"a", "b", "a", "gone"}) subscribe(topic);
    cancel("gone");
    loose_pipe& a = add();
    parts told = a.received();
    std::sort(told.begin(), told.end());
    EXPECT_EQ(told, (parts{on("a"), on("b")}));
}

TEST_F(subscriber_test, tells_a_new_connection_every_topic_in_place_of_the_message_under_way)
{
    loose_pipe &a = add(), &b = add();
    subscribe("t");
    EXPECT_EQ(a.received(), (parts{on("t")}));
    EXPECT_EQ(b.received(), (parts{on("t")}));
    send("1", true);
    subscriber_.on_reconnected(a.near());
    send("2");
    send("3");
    EXPECT_EQ(a.received(), (parts{on("t"), "3"}));
    EXPECT_EQ(b.received(), (parts{"1", "2", "3"}));
}

TEST_F(subscriber_test, subscriptions_need_no_room_and_other_messages_do)
{
    for (const char* topic : {"a", "b"}) subscribe(topic);
    loose_pipe& a = add(1);
    send("dropped");
    subscribe("c");
    cancel("c");
    EXPECT_EQ(a.received().size(), 4u);
    send("1");
    send("dropped");
    EXPECT_EQ(a.received(), (parts{"1"}));
}

TEST_F(subscriber_test, frames_sent_by_hand_may_be_subscriptions)
{
    loose_pipe& a = add();
    send(on("t"));
    send("x", true, false);
    send(on("u"));
    EXPECT_EQ(subscriber_.topics_count(), 2);
    send("x", true, true);
    send(on("v"), false, true);
    EXPECT_EQ(subscriber_.topics_count(), 2);
    send(off("t"));
    send(off("t"));
    EXPECT_EQ(subscriber_.topics_count(), 1);
    EXPECT_EQ(a.received(), (parts{on("t"), "x", on("u"), "x", on("v"), off("t")}));
}

TEST_F(subscriber_test, subscriptions_in_later_frames_reach_publishers_that_do_not_get_the_message)
{
    loose_pipe &a = add(), &b = add(), &full = add(1);
    send("0");
    EXPECT_EQ(a.received(), (parts{"0"}));
    EXPECT_EQ(b.received(), (parts{"0"}));
    send("x", true);
    loose_pipe& newcomer = add();
    subscriber_.on_reconnected(b.near());
    send(on("t"), true);
    send("y", true);
    send(off("t"), true);
    send(on("u"));
    EXPECT_EQ(a.received(), (parts{"x", on("t"), "y", off("t"), on("u")}));
    for (loose_pipe* each : {&b, &newcomer}) EXPECT_EQ(each->received(), (parts{on("t"), off("t"), on("u")}));
    EXPECT_EQ(full.received(), (parts{"0", on("t"), off("t"), on("u")}));
    send("next");
    for (loose_pipe* each : {&a, &b, &newcomer}) EXPECT_EQ(each->received(), (parts{"next"}));
}

TEST_F(subscriber_test, knows_which_messages_are_wanted)
{
    loose_pipe& a = add();
    subscribe("ab");
    for (const char* body : {"abc", "ab", "a", "b"}) a.send({body});
    parts wanted;
    pipe::incoming f;
    while (pipe::pipe_end* end = subscriber_.next(f)) {
        if (subscriber_.matches(f)) wanted.emplace_back(reinterpret_cast<const char*>(f.data), f.size);
        subscriber_.pop(*end, f);
    }
    EXPECT_EQ(wanted, (parts{"abc", "ab"}));
    EXPECT_FALSE(subscriber_.matches_all());
    subscribe("");
    EXPECT_TRUE(subscriber_.matches_all());
}

TEST_F(subscriber_test, gives_a_publisher_up_when_all_of_it_is_read)
{
    loose_pipe &a = add(), &b = add();
    a.send({"last"});
    a.close_far();
    subscriber_.on_peer_closed(a.near());
    EXPECT_TRUE(given_up_.empty());
    subscribe("t");
    EXPECT_EQ(b.received(), (parts{on("t")}));
    pipe::incoming f;
    ASSERT_EQ(subscriber_.next(f), &a.near());
    subscriber_.pop(a.near(), f);
    EXPECT_EQ(subscriber_.next(f), nullptr);
    EXPECT_EQ(given_up_, (std::vector{&a.near()}));
    EXPECT_EQ(subscriber_.sole_source(), &b.near());
}

TEST_F(subscriber_test, a_cancellation_within_a_message_counts_like_one_of_its_own)
{
    loose_pipe a;
    ASSERT_TRUE(subscriber_.attach(a.near(), false));
    ASSERT_EQ(subscriber_.subscribe(octets("t"), true), errc::none);
    ASSERT_EQ(subscriber_.subscribe(octets("t"), true), errc::none);
    (void)a.received();
    for (const parts& told : {parts{"x", ""}, parts{"x", off("t")}}) {
        ASSERT_EQ(subscriber_.send_upstream(frame_of("x", true), false), errc::none);
        ASSERT_EQ(subscriber_.send_upstream(frame_of(off("t"), false), false), errc::none);
        EXPECT_EQ(a.received(), told);
    }
    EXPECT_EQ(subscriber_.topics_count(), 0);
}

}  // namespace
}  // namespace zlink::pattern::routing::test
