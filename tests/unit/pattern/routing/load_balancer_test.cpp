// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages go to pipes in turn, whole, and to those with room.
#include "pattern/routing/load_balancer.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class load_balancer_test : public ::testing::Test {
protected:
    loose_pipe& add(std::uint64_t hwm = 0)
    {
        pipes_.push_back(std::make_unique<loose_pipe>(hwm));
        EXPECT_TRUE(balancer_.attach(pipes_.back()->near()));
        return *pipes_.back();
    }

    errc send(std::string_view octets, bool more = false) { return balancer_.send(frame_of(octets, more)); }

    load_balancer balancer_;
    std::vector<std::unique_ptr<loose_pipe>> pipes_;
};

TEST_F(load_balancer_test, takes_nothing_without_pipes)
{
    EXPECT_FALSE(balancer_.ready());
    EXPECT_EQ(send("m"), errc::again);
}

TEST_F(load_balancer_test, goes_round)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    for (const char* body : {"1", "2", "3", "4"}) EXPECT_EQ(send(body), errc::none);
    EXPECT_EQ(a.received(), (parts{"1", "3"}));
    EXPECT_EQ(b.received(), (parts{"2", "4"}));
}

TEST_F(load_balancer_test, keeps_a_message_together)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    EXPECT_EQ(balancer_.target(), nullptr);
    EXPECT_EQ(send("1", true), errc::none);
    EXPECT_EQ(balancer_.target(), &a.near());
    EXPECT_EQ(send("2"), errc::none);
    EXPECT_EQ(send("3"), errc::none);
    EXPECT_EQ(a.received(), (parts{"1", "2"}));
    EXPECT_EQ(b.received(), (parts{"3"}));
}

TEST_F(load_balancer_test, passes_over_full_pipes_until_they_have_room)
{
    loose_pipe& a = add(1);
    loose_pipe& b = add();
    for (const char* body : {"1", "2", "3"}) EXPECT_EQ(send(body), errc::none);
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_EQ(b.received(), (parts{"2", "3"}));
    balancer_.activate(a.near());
    EXPECT_EQ(send("4"), errc::none);
    EXPECT_EQ(send("5"), errc::none);
    EXPECT_EQ(a.received().size(), 1u);
    EXPECT_EQ(b.received().size(), 1u);
}

TEST_F(load_balancer_test, swallows_the_rest_when_the_target_goes)
{
    loose_pipe& a = add();
    loose_pipe& b = add();
    EXPECT_EQ(send("1", true), errc::none);
    balancer_.remove(a.near());
    EXPECT_EQ(balancer_.target(), nullptr);
    EXPECT_EQ(send("lost"), errc::none);
    EXPECT_EQ(send("2"), errc::none);
    EXPECT_EQ(a.received(), parts{});
    EXPECT_EQ(b.received(), (parts{"2"}));
    EXPECT_EQ(balancer_.sole(), &b.near());
}

TEST_F(load_balancer_test, takes_an_abandoned_message_back)
{
    loose_pipe& a = add();
    EXPECT_EQ(send("1", true), errc::none);
    balancer_.abandon();
    EXPECT_EQ(send("2"), errc::none);
    EXPECT_EQ(a.received(), (parts{"2"}));
}

}  // namespace
}  // namespace zlink::pattern::routing::test
