// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers are found by name, and their messages tell whom they are from.
#include "pattern/routing/named_peers.hpp"

#include "pattern/routing/addressed_peers.hpp"

#include "base/byte_order.hpp"
#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class named_peers_test : public ::testing::Test, protected named_peers::owner {
protected:
    named_peers_test() : peers_(*this) {}

    loose_pipe& add(const std::string& name, std::uint64_t hwm = 0)
    {
        pipes_.push_back(std::make_unique<loose_pipe>(hwm));
        EXPECT_TRUE(peers_.add(pipes_.back()->near(), name));
        return *pipes_.back();
    }

    /// Up to `most` frames, of one message; none if nothing is there.
    parts receive(std::size_t most = 100)
    {
        parts message;
        message::owned_frame f;
        do {
            pipe::delivery to(f);
            const errc error = peers_.receive(to);
            if (error != errc::none) {
                EXPECT_EQ(error, errc::again);
                break;
            }
            message.emplace_back(reinterpret_cast<const char*>(f.data()), f.size());
        } while (f.more() && message.size() < most);
        return message;
    }

    void on_peer_drained(pipe::pipe_end& end) override { drained_.push_back(routing_of(end).routing_id); }

    std::vector<std::unique_ptr<loose_pipe>> pipes_;
    parts drained_;
    named_peers peers_;
};

TEST_F(named_peers_test, finds_peers_by_name_and_names_the_senders)
{
    loose_pipe &a = add("a"), &b = add("b");
    EXPECT_EQ(peers_.find("a"), &a.near());
    EXPECT_EQ(peers_.find("b"), &b.near());
    EXPECT_EQ(peers_.find("c"), nullptr);
    a.send({"1", "2"});
    b.send({"3"});
    EXPECT_TRUE(peers_.can_receive());
    EXPECT_EQ(receive(), (parts{"a", "1", "2"}));
    EXPECT_EQ(receive(), (parts{"b", "3"}));
    EXPECT_EQ(receive(), parts{});
    EXPECT_FALSE(peers_.can_receive());
}

TEST_F(named_peers_test, made_up_names_are_nobodys)
{
    const std::string made_up = peers_.new_name();
    ASSERT_EQ(made_up.size(), 5u);
    EXPECT_EQ(made_up[0], '\0');
    std::string next = made_up;
    auto* const number = reinterpret_cast<std::byte*>(next.data()) + 1;
    store_be32(number, load_be32(number) + 1);
    add(next);
    const std::string other = peers_.new_name();
    EXPECT_NE(other, made_up);
    EXPECT_NE(other, next);
}

TEST_F(named_peers_test, what_the_library_tells_does_not_part_a_message)
{
    loose_pipe &a = add("a"), &b = add("b");
    a.send({"1", "2"});
    a.send({"3"});
    EXPECT_EQ(receive(2), (parts{"a", "1"}));
    peers_.tell(b.near(), "told");
    peers_.tell(a.near(), "");
    EXPECT_EQ(receive(), (parts{"2"}));
    EXPECT_EQ(receive(), (parts{"b", "told"}));
    EXPECT_EQ(receive(), (parts{"a", ""}));
    EXPECT_EQ(receive(), (parts{"a", "3"}));
}

TEST_F(named_peers_test, a_name_is_handed_over_and_the_messages_before_stay)
{
    loose_pipe& old = add("x");
    old.send({"1", "2"});
    old.send({"3"});
    peers_.take_over_messages(old.near());
    peers_.remove(old.near());
    EXPECT_EQ(peers_.find("x"), nullptr);
    loose_pipe& heir = add("x");
    heir.send({"4"});
    EXPECT_EQ(peers_.find("x"), &heir.near());
    EXPECT_EQ(receive(), (parts{"x", "1", "2"}));
    EXPECT_EQ(receive(), (parts{"x", "3"}));
    EXPECT_EQ(receive(), (parts{"x", "4"}));
}

TEST_F(named_peers_test, a_message_half_received_is_completed_after_the_handover)
{
    loose_pipe& old = add("x");
    old.send({"1", "2"});
    old.send({"3"});
    peers_.tell(old.near(), "told");
    EXPECT_EQ(receive(), (parts{"x", "told"}));
    EXPECT_EQ(receive(2), (parts{"x", "1"}));
    peers_.tell(old.near(), "told later");
    peers_.take_over_messages(old.near());
    peers_.remove(old.near());
    EXPECT_EQ(receive(), (parts{"2"}));
    EXPECT_EQ(receive(), (parts{"x", "3"}));
    EXPECT_EQ(receive(), (parts{"x", "told later"}));
}

TEST_F(named_peers_test, forgets_what_is_removed)
{
    loose_pipe &a = add("a"), &b = add("b");
    a.send({"1", "2"});
    b.send({"3"});
    EXPECT_EQ(receive(1), (parts{"a"}));
    peers_.remove(a.near());
    peers_.remove(a.near());
    EXPECT_EQ(peers_.find("a"), nullptr);
    EXPECT_EQ(receive(), (parts{"b", "3"}));
    EXPECT_FALSE(peers_.can_receive());
}

TEST_F(named_peers_test, a_peer_that_left_is_heard_to_the_end_but_not_found)
{
    loose_pipe& a = add("a");
    a.send({"last"});
    a.close_far();
    peers_.on_peer_closed(a.near());
    EXPECT_EQ(peers_.find("a"), nullptr);
    EXPECT_EQ(drained_, parts{});
    EXPECT_EQ(receive(), (parts{"a", "last"}));
    EXPECT_EQ(receive(), parts{});
    EXPECT_EQ(drained_, (parts{"a"}));
}

TEST_F(named_peers_test, tells_whether_any_peer_has_room_and_when_one_has_again)
{
    EXPECT_FALSE(peers_.any_has_room());
    loose_pipe& a = add("a", 1);
    EXPECT_TRUE(peers_.any_has_room());
    ASSERT_TRUE(a.near().writer.write(frame_of("m", false)));
    a.near().publish();
    EXPECT_FALSE(peers_.any_has_room());
    EXPECT_EQ(a.received(), (parts{"m"}));
    EXPECT_NE(a.events() & pipe::event_credit, 0u);
    EXPECT_TRUE(peers_.any_has_room());
    peers_.on_peer_closed(a.near());
    EXPECT_FALSE(peers_.any_has_room());
}

TEST_F(named_peers_test, sleeps_until_a_peer_speaks_up)
{
    loose_pipe& a = add("a");
    peers_.announce_sleep();
    EXPECT_FALSE(peers_.confirm_sleep());
    a.send({"m"});
    EXPECT_NE(a.events() & pipe::event_data, 0u);
    peers_.on_data(a.near());
    EXPECT_EQ(receive(), (parts{"a", "m"}));
    peers_.tell(a.near(), "told");
    peers_.announce_sleep();
    EXPECT_TRUE(peers_.confirm_sleep());
}

}  // namespace
}  // namespace zlink::pattern::routing::test
