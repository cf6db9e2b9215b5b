// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscribers get what they asked for, and the application hears of it.
#include "pattern/routing/publisher.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

template <class Value>
pattern_options with(Value pattern_options::*option, Value value)
{
    pattern_options options;
    options.*option = std::move(value);
    return options;
}

class publisher_test : public ::testing::Test, protected pattern_host {
protected:
    void start(const pattern_options& options = {})
    {
        pattern_host& host = *this;
        publisher_ = std::make_unique<publisher>(host, options, &upstream_);
    }

    loose_pipe& add(const parts& subscriptions = {}, std::uint64_t hwm = 0)
    {
        pipes_.push_back(std::make_unique<loose_pipe>(hwm));
        EXPECT_TRUE(publisher_->attach(pipes_.back()->near(), false));
        for (const std::string& topic : subscriptions) pipes_.back()->send({on(topic)});
        return *pipes_.back();
    }

    errc send(std::string_view octets, bool more = false) { return publisher_->send(frame_of(octets, more)); }

    /// What the application can receive.
    parts heard()
    {
        publisher_->listen();
        parts frames;
        while (!upstream_.empty()) {
            message::owned_frame f;
            pipe::delivery to(f);
            EXPECT_EQ(upstream_.deliver(to), errc::none);
            frames.emplace_back(reinterpret_cast<const char*>(f.data()), f.size());
        }
        return frames;
    }

    void give_up(pipe::pipe_end& end) override { given_up_.push_back(&end); }
    bool peers_are_leaving() const noexcept override { return leaving_; }

    std::vector<std::unique_ptr<loose_pipe>> pipes_;
    std::vector<pipe::pipe_end*> given_up_;
    bool leaving_ = false;
    frame_backlog upstream_;
    std::unique_ptr<publisher> publisher_;
};

TEST_F(publisher_test, sends_what_subscriptions_match_by_its_first_frame)
{
    start();
    loose_pipe &a = add({"ab"}), &b = add({""}), &c = add();
    EXPECT_EQ(send("abc"), errc::none);
    EXPECT_EQ(send("b", true), errc::none);
    EXPECT_EQ(send("ab"), errc::none);
    EXPECT_EQ(a.received(), (parts{"abc"}));
    EXPECT_EQ(b.received(), (parts{"abc", "b", "ab"}));
    EXPECT_EQ(c.received(), parts{});
}

TEST_F(publisher_test, stops_when_the_subscriber_takes_it_back)
{
    start();
    loose_pipe& a = add({"t", "t", "u"});
    EXPECT_EQ(send("t1"), errc::none);
    EXPECT_EQ(publisher_->topics_count(), 2);
    a.send({off("t")});
    EXPECT_EQ(send("t2"), errc::none);
    EXPECT_EQ(send("u"), errc::none);
    EXPECT_EQ(a.received(), (parts{"t1", "u"}));
    EXPECT_EQ(publisher_->topics_count(), 1);
}

TEST_F(publisher_test, inverted_sends_what_subscriptions_do_not_match)
{
    start(with(&pattern_options::invert_matching, true));
    loose_pipe &a = add({"t"}), &b = add({"u"});
    EXPECT_EQ(send("t"), errc::none);
    EXPECT_EQ(send("x"), errc::none);
    EXPECT_EQ(a.received(), (parts{"x"}));
    EXPECT_EQ(b.received(), (parts{"t", "x"}));
}

TEST_F(publisher_test, drops_for_a_full_subscriber_or_refuses_when_it_must_not)
{
    start();
    loose_pipe &a = add({""}, 1), &b = add({""});
    for (const char* body : {"1", "2"}) EXPECT_EQ(send(body), errc::none);
    EXPECT_EQ(b.received(), (parts{"1", "2"}));
    publisher_->options_changed(with(&pattern_options::xpub_nodrop, true));
    EXPECT_EQ(send("3"), errc::again);
    EXPECT_EQ(b.received(), parts{});
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_EQ(send("3"), errc::none);
    EXPECT_EQ(a.received(), (parts{"3"}));
    EXPECT_EQ(b.received(), (parts{"3"}));
}

// However many have left, with something to say: each is taken in as the publisher is told.
TEST_F(publisher_test, takes_in_those_who_left_one_by_one)
{
    start();
    loose_pipe& stays = add({"stays"});
    for (int i = 0; i < 100; ++i) add({"t"}).close_far();
    leaving_ = true;
    std::size_t told = 0;
    for (const auto& pipe : pipes_) {
        if (pipe.get() == &stays) continue;
        publisher_->on_peer_closed(pipe->near());
        publisher_->listen();
        EXPECT_EQ(given_up_.size(), ++told);
    }
    leaving_ = false;
    EXPECT_EQ(send("stays"), errc::none);
    EXPECT_EQ(stays.received(), (parts{"stays"}));
    EXPECT_EQ(publisher_->topics_count(), 1);
}

// A message to thousands would stay in their lanes.
TEST_F(publisher_test, sends_nothing_to_many_who_left_though_nobody_has_told_it)
{
    start();
    for (int i = 0; i < 200; ++i) add({""});
    publisher_->listen();
    for (std::size_t i = 0; i < 200; i += 2) pipes_[i]->close_far();
    leaving_ = true;
    EXPECT_EQ(send("m"), errc::none);
    for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(pipes_[i]->near().writer.uncredited(), i % 2) << i;
}

TEST_F(publisher_test, tells_of_the_first_subscription_and_the_last_cancellation)
{
    start();
    loose_pipe &a = add({"t"}), &b = add({"t"});
    EXPECT_EQ(heard(), (parts{on("t")}));
    a.send({off("t")});
    EXPECT_EQ(heard(), parts{});
    b.send({"not a subscription"});
    publisher_->detach(b.near());
    EXPECT_EQ(heard(), (parts{off("t")}));
}

TEST_F(publisher_test, tells_more_when_asked_to)
{
    start(with(&pattern_options::xpub_verbose, true));
    loose_pipe &a = add({"t"}), &b = add({"t"});
    EXPECT_EQ(heard(), (parts{on("t"), on("t")}));
    a.send({off("t")});
    EXPECT_EQ(heard(), parts{});
    publisher_->options_changed(with(&pattern_options::xpub_verboser, true));
    a.send({on("t")});
    b.send({off("t")});
    a.send({"any"});
    const parts news = heard();
    EXPECT_EQ(std::count(news.begin(), news.end(), on("t")), 1);
    EXPECT_EQ(std::count(news.begin(), news.end(), off("t")), 1);
    EXPECT_EQ(std::count(news.begin(), news.end(), "any"), 1);
}

TEST_F(publisher_test, manual_leaves_subscriptions_to_the_application)
{
    start(with(&pattern_options::xpub_manual, true));
    loose_pipe& a = add({"asked"});
    publisher_->listen();
    ASSERT_FALSE(upstream_.empty());
    EXPECT_EQ(upstream_.source(), &a.near());
    EXPECT_EQ(heard(), (parts{on("asked")}));
    publisher_->heard(&a.near());
    EXPECT_EQ(publisher_->decide(octets("given"), true), errc::none);
    for (const char* body : {"asked", "given"}) EXPECT_EQ(send(body), errc::none);
    EXPECT_EQ(a.received(), (parts{"given"}));
    EXPECT_EQ(publisher_->decide(octets("given"), false), errc::none);
    EXPECT_EQ(send("given"), errc::none);
    EXPECT_EQ(a.received(), parts{});
    publisher_->detach(a.near());
    EXPECT_EQ(heard(), (parts{off("asked")}));
    publisher_->options_changed({});
    EXPECT_EQ(publisher_->decide(octets("given"), true), errc::invalid_argument);
}

TEST_F(publisher_test, the_last_value_goes_to_the_subscriber_just_heard)
{
    start(with(&pattern_options::xpub_manual_last_value, true));
    loose_pipe &a = add(), &b = add();
    for (loose_pipe* p : {&a, &b}) {
        publisher_->heard(&p->near());
        EXPECT_EQ(publisher_->decide(octets("t"), true), errc::none);
    }
    for (const char* body : {"t for b", "t for all"}) EXPECT_EQ(send(body), errc::none);
    EXPECT_EQ(a.received(), (parts{"t for all"}));
    EXPECT_EQ(b.received(), (parts{"t for b", "t for all"}));
}

TEST_F(publisher_test, welcomes_subscribers_and_gives_them_up_when_they_are_gone)
{
    start(with(&pattern_options::xpub_welcome_msg, std::string("welcome")));
    loose_pipe& a = add({"t"});
    EXPECT_EQ(a.received(), (parts{"welcome"}));
    EXPECT_EQ(heard(), (parts{on("t")}));
    a.send({on("u")});
    a.close_far();
    publisher_->on_peer_closed(a.near());
    EXPECT_EQ(given_up_, (std::vector{&a.near()}));
    EXPECT_EQ(heard(), (parts{on("u"), off("t"), off("u")}));
    EXPECT_EQ(publisher_->topics_count(), 0);
}

TEST_F(publisher_test, a_long_message_and_the_next_subscribers_stay_apart)
{
    pattern_options options;
    options.only_first_subscribe = true;
    start(options);
    loose_pipe& talker = add();
    talker.send(parts(10500, "x"));
    publisher_->listen();
    publisher_->detach(talker.near());
    add({"t"});
    const parts frames = heard();
    EXPECT_EQ(publisher_->topics_count(), 1);
    ASSERT_EQ(frames.size(), 10501u);
    EXPECT_EQ(frames.back(), on("t"));
}

}  // namespace
}  // namespace zlink::pattern::routing::test
