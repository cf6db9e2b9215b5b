// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ways past the pattern: found after some frames, dropped at once.
#include "socket/shortcuts.hpp"

#include "lone_pipe.hpp"
#include "pattern/pattern_options.hpp"
#include "socket/pipe_record.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace zlink::socket {
namespace {

class shortcuts_test : public testing::Test, private pattern::pattern_host {
protected:
    void use(socket_type type)
    {
        pattern_ = pattern::make_pattern(type, *this, {});
        ASSERT_TRUE(pattern_);
        (void)record_for(pipe_.near());
        ASSERT_TRUE(pattern_->attach(pipe_.near(), {}));
    }
    void ask(int times)
    {
        for (int i = 0; i < times; ++i) shortcuts_.note_asked(*pattern_);
    }

    test::lone_pipe pipe_;
    std::unique_ptr<pattern::pattern> pattern_;
    shortcuts shortcuts_;

private:
    void give_up(pipe::pipe_end&) override {}
};

TEST_F(shortcuts_test, are_asked_for_now_and_then)
{
    use(socket_type::push);
    ask(shortcuts::asks_before_shortcut - 1);
    EXPECT_EQ(nullptr, shortcuts_.target());
    ask(1);
    EXPECT_EQ(&pipe_.near(), shortcuts_.target());
    EXPECT_EQ(nullptr, shortcuts_.source()) << "PUSH receives nothing";
}

TEST_F(shortcuts_test, once_dropped_are_asked_for_again)
{
    use(socket_type::pull);
    ask(shortcuts::asks_before_shortcut);
    EXPECT_EQ(&pipe_.near(), shortcuts_.source());
    shortcuts_.drop();
    EXPECT_EQ(nullptr, shortcuts_.source());
    ask(shortcuts::asks_before_shortcut - 1);
    EXPECT_EQ(nullptr, shortcuts_.source());
    ask(1);
    EXPECT_EQ(&pipe_.near(), shortcuts_.source());
}

TEST_F(shortcuts_test, dropped_for_news_tell_of_it_once)
{
    shortcuts_.drop();
    EXPECT_FALSE(shortcuts_.take_news());
    shortcuts_.drop_for_news();
    EXPECT_TRUE(shortcuts_.take_news());
    EXPECT_FALSE(shortcuts_.take_news());
}

TEST_F(shortcuts_test, go_when_the_pattern_has_another_peer)
{
    test::lone_pipe other;
    use(socket_type::dealer);
    ask(shortcuts::asks_before_shortcut);
    EXPECT_EQ(&pipe_.near(), shortcuts_.target());
    EXPECT_EQ(&pipe_.near(), shortcuts_.source());
    (void)record_for(other.near());
    ASSERT_TRUE(pattern_->attach(other.near(), {}));
    ask(shortcuts::asks_before_shortcut);
    EXPECT_EQ(nullptr, shortcuts_.target());
    EXPECT_EQ(nullptr, shortcuts_.source());
    pattern_->detach(other.near());
}

}  // namespace
}  // namespace zlink::socket
