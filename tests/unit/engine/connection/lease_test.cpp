// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a look at an application that has left something does. When looks come is load/activity_checks.hpp's, tested
// there.
#include "engine/connection/lease.hpp"

#include "path_fixture.hpp"

#include <chrono>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;

class lease_test : public path_fixture {
protected:
    lease_test()
    {
        pipe_.io.read_token.offer();
        pipe_.io.parked.allow(1ms);
        lease_.begin();
    }
    ~lease_test() { lease_.stop(); }

    void park()
    {
        ASSERT_EQ(pipe::io_token::taken::fresh, pipe_.io.read_token.take());
        ASSERT_TRUE(pipe_.io.read_token.park());
        ASSERT_TRUE(pipe_.io.parked.note());
    }
    /// Looks until `done`; each look is one that its timer could have caused.
    template <class Done>
    [[nodiscard]] bool look_until(Done done)
    {
        const auto end = runtime::clock::now() + patience;
        while (!done() && runtime::clock::now() < end) lease_.look();
        return done();
    }

    command_path commands_{at_, *this};
    send_path sends_{at_, nullptr};
    lease lease_{at_, *this, sends_};
};

TEST_F(lease_test, takes_a_parked_token_of_an_application_that_does_not_come_back)
{
    park();
    lease_.watch();
    EXPECT_TRUE(look_until([&] { return parked_read_ != 0; }));
    EXPECT_FALSE(pipe_.io.read_token.available()) << "the worker holds it";
    EXPECT_FALSE(pipe_.io.parked.watched());
    EXPECT_EQ(0, held_written_) << "nothing was held";
}

TEST_F(lease_test, leaves_a_token_alone_that_is_not_parked_any_more)
{
    park();
    lease_.watch();
    ASSERT_TRUE(pipe_.io.read_token.take_if_parked_here());
    EXPECT_TRUE(look_until([&] { return !pipe_.io.parked.watched(); }));
    EXPECT_EQ(0, parked_read_);
}

TEST_F(lease_test, writes_what_is_held_if_its_sender_does_not_come_back)
{
    ASSERT_TRUE(pipe_.io.held.note());
    lease_.watch();
    EXPECT_TRUE(look_until([&] { return held_written_ != 0; }));
    EXPECT_TRUE(look_until([&] { return !pipe_.io.held.watched(); }));
}

TEST_F(lease_test, keeps_watching_an_application_that_comes_back)
{
    park();
    lease_.watch();
    for (int i = 0; i < 100; ++i) {
        (void)pipe_.io.parked.note();
        lease_.look();
        EXPECT_TRUE(pipe_.io.parked.watched());
    }
    EXPECT_EQ(0, parked_read_);
}

TEST_F(lease_test, watches_an_application_that_came_while_looks_ended)
{
    park();
    lease_.watch();
    pipe_.io.parked.end();
    EXPECT_TRUE(pipe_.io.parked.note()) << "tells";
    lease_.watch_if_resumed();
    EXPECT_TRUE(pipe_.io.parked.watched());
}

TEST_F(lease_test, does_nothing_more_once_the_connection_is_over)
{
    goes_on_ = false;
    ASSERT_TRUE(pipe_.io.held.note());
    lease_.watch();
    EXPECT_TRUE(look_until([&] { return held_written_ != 0; }));
    EXPECT_EQ(1, held_written_);
    EXPECT_EQ(0, parked_read_);
    EXPECT_TRUE(pipe_.io.held.watched()) << "as it was";
}

}  // namespace
}  // namespace zlink::engine::test
