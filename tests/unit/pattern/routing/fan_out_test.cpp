// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages go to all pipes selected, whole or not at all.
#include "pattern/routing/fan_out.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

namespace zlink::pattern::routing::test {
namespace {

class fan_out_test : public ::testing::Test {
protected:
    loose_pipe& add(std::uint64_t hwm = 0, bool peer_is_socket = false)
    {
        pipes_.push_back(std::make_unique<loose_pipe>(hwm));
        EXPECT_TRUE(fan_.attach(pipes_.back()->near(), peer_is_socket));
        return *pipes_.back();
    }

    errc send(std::string_view octets, bool more = false) { return fan_.send(frame_of(octets, more)); }

    void send_to_all(const parts& message)
    {
        fan_.select_all();
        for (std::size_t i = 0; i < message.size(); ++i) {
            EXPECT_EQ(send(message[i], i + 1 < message.size()), errc::none);
        }
    }

    fan_out fan_;
    std::vector<std::unique_ptr<loose_pipe>> pipes_;
};

TEST_F(fan_out_test, sends_to_the_selected_pipes_until_the_message_ends)
{
    loose_pipe &a = add(), &b = add(), &c = add();
    fan_.select(a.near());
    fan_.select(c.near());
    EXPECT_EQ(send("1"), errc::none);
    EXPECT_EQ(send("nobody's"), errc::none);
    fan_.select(b.near());
    EXPECT_EQ(send("2"), errc::none);
    EXPECT_EQ(send("nobody's"), errc::none);
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_EQ(b.received(), (parts{"2"}));
    EXPECT_EQ(c.received(), (parts{"1"}));
}

TEST_F(fan_out_test, sends_pairs_of_frames_to_the_selected_pipes_that_have_room)
{
    loose_pipe &a = add(), &b = add(1), &c = add(0, true), &d = add(0, true);
    for (const std::string& last : {std::string("small"), std::string(5000, 's'), std::string(50000, 'l')}) {
        for (loose_pipe* pipe : {&a, &b, &c}) fan_.select(pipe->near());
        EXPECT_EQ(fan_.send_pair(frame_of("first", true), frame_of(last, false), false), errc::none);
        EXPECT_FALSE(fan_.in_message());
        EXPECT_EQ(fan_.selected(), 0u);
        EXPECT_EQ(a.received(), (parts{"first", last}));
        EXPECT_EQ(c.received(), (parts{"first", last}));
    }
    EXPECT_EQ(b.received(), (parts{"first", "small"})) << "later ones found no room";
    EXPECT_EQ(d.received(), parts{});
    fan_.select(b.near());
    EXPECT_EQ(fan_.send_pair(frame_of("first", true), frame_of("past the mark", false), true), errc::none);
    EXPECT_EQ(b.received(), (parts{"first", "past the mark"}));
}

TEST_F(fan_out_test, a_selection_can_be_inverted_and_dropped)
{
    loose_pipe &a = add(), &b = add(), &c = add();
    fan_.select(b.near());
    fan_.invert_selection();
    EXPECT_EQ(send("1"), errc::none);
    fan_.select_all();
    fan_.select_none();
    EXPECT_EQ(send("nobody's"), errc::none);
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_EQ(b.received(), parts{});
    EXPECT_EQ(c.received(), (parts{"1"}));
}

TEST_F(fan_out_test, shows_a_message_when_it_is_complete)
{
    loose_pipe &a = add(), &b = add();
    fan_.select_all();
    EXPECT_EQ(send("1", true), errc::none);
    EXPECT_TRUE(fan_.in_message());
    EXPECT_EQ(a.received(), parts{});
    EXPECT_EQ(send("2"), errc::none);
    EXPECT_FALSE(fan_.in_message());
    EXPECT_EQ(a.received(), (parts{"1", "2"}));
    EXPECT_EQ(b.received(), (parts{"1", "2"}));
}

TEST_F(fan_out_test, a_full_pipe_loses_the_whole_message)
{
    loose_pipe &a = add(1), &b = add();
    send_to_all({"1"});
    send_to_all({"2", "3"});
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_EQ(b.received(), (parts{"1", "2", "3"}));
    send_to_all({"4", "5"});
    EXPECT_EQ(a.received(), (parts{"4", "5"}));
    EXPECT_EQ(b.received(), (parts{"4", "5"}));
}

TEST_F(fan_out_test, some_messages_need_no_room)
{
    loose_pipe& a = add(1);
    for (const char* body : {"1", "2", "3"}) {
        fan_.select_all();
        EXPECT_EQ(fan_.send(frame_of(body, false), true), errc::none);
    }
    fan_.select_all();
    EXPECT_EQ(fan_.send(frame_of("4", true), true), errc::none);
    EXPECT_EQ(fan_.send(frame_of("5", false), true), errc::none);
    EXPECT_EQ(a.received(), (parts{"1", "2", "3", "4", "5"}));
}

TEST_F(fan_out_test, tells_whether_the_selected_have_room_and_when_they_have_again)
{
    loose_pipe &a = add(1), &b = add();
    send_to_all({"1"});
    fan_.select(b.near());
    EXPECT_TRUE(fan_.selected_have_room());
    fan_.select(a.near());
    EXPECT_FALSE(fan_.selected_have_room());
    EXPECT_EQ(a.events() & pipe::event_credit, 0u);
    EXPECT_EQ(a.received(), (parts{"1"}));
    EXPECT_NE(a.events() & pipe::event_credit, 0u);
    EXPECT_TRUE(fan_.selected_have_room());
}

TEST_F(fan_out_test, a_pipe_can_leave_a_message_and_have_the_next)
{
    loose_pipe &a = add(), &b = add();
    fan_.select_all();
    EXPECT_EQ(send("1", true), errc::none);
    fan_.leave_message(a.near());
    EXPECT_EQ(send("2"), errc::none);
    send_to_all({"3"});
    EXPECT_EQ(a.received(), (parts{"3"}));
    EXPECT_EQ(b.received(), (parts{"1", "2", "3"}));
}

TEST_F(fan_out_test, a_pipe_removed_within_a_message_gets_none_of_it)
{
    loose_pipe &a = add(), &b = add();
    fan_.select_all();
    EXPECT_EQ(send("1", true), errc::none);
    fan_.remove(a.near());
    fan_.remove(a.near());
    EXPECT_FALSE(fan_.contains(a.near()));
    EXPECT_EQ(fan_.sole(), &b.near());
    EXPECT_EQ(send("2"), errc::none);
    send_to_all({"3"});
    EXPECT_EQ(a.received(), parts{});
    EXPECT_EQ(b.received(), (parts{"1", "2", "3"}));
}

TEST_F(fan_out_test, a_pipe_takes_part_from_the_next_message_on)
{
    loose_pipe& a = add();
    fan_.select_all();
    EXPECT_EQ(send("1", true), errc::none);
    loose_pipe& b = add();
    EXPECT_EQ(send("2"), errc::none);
    send_to_all({"3"});
    EXPECT_EQ(a.received(), (parts{"1", "2", "3"}));
    EXPECT_EQ(b.received(), (parts{"3"}));
}

TEST_F(fan_out_test, pipes_share_a_large_body)
{
    loose_pipe &a = add(), &b = add();
    const std::string body(20000, 'x');
    send_to_all({"small", body});
    pipe::incoming at_a, at_b;
    for (auto [p, f] : {std::pair(&a, &at_a), std::pair(&b, &at_b)}) {
        ASSERT_TRUE(p->far().reader.next(*f));
        p->far().pop(*f);
        ASSERT_TRUE(p->far().reader.next(*f));
    }
    EXPECT_EQ(at_a.data, at_b.data);
    EXPECT_EQ(a.received(), (parts{body}));
    EXPECT_EQ(b.received(), (parts{body}));
}

/// The next frame of a pipe, which is not taken.
pipe::incoming next_of(loose_pipe& from)
{
    pipe::incoming f{};
    EXPECT_TRUE(from.far().reader.next(f));
    return f;
}

TEST_F(fan_out_test, sockets_of_this_process_share_a_body_if_that_spares_many_octets)
{
    struct row {
        const char* what;
        int pipes;
        std::size_t size;
        bool shared;
    };
    for (const row& r : {
             row{"small", 64, 1023, false},
             row{"the smallest that is shared", 13, 1024, true},
             row{"few", 12, 1024, false},
             row{"two", 2, 8000, false},
             row{"two, and a large one", 2, 20000, true},
         }) {
        fan_out fan;
        std::vector<std::unique_ptr<loose_pipe>> pipes;
        for (int i = 0; i < r.pipes; ++i) {
            pipes.push_back(std::make_unique<loose_pipe>());
            ASSERT_TRUE(fan.attach(pipes.back()->near(), true));
        }
        const std::string body(r.size, 'x');
        fan.select_all();
        ASSERT_EQ(fan.send(frame_of(body, false)), errc::none) << r.what;
        for (const auto& p : pipes) {
            const pipe::incoming f = next_of(*p);
            EXPECT_EQ(r.shared, f.by_reference) << r.what;
            EXPECT_EQ(r.shared, f.shared) << r.what;
        }
        EXPECT_EQ(r.shared, next_of(*pipes.front()).data == next_of(*pipes.back()).data) << r.what;
        for (const auto& p : pipes) EXPECT_EQ(p->received(), (parts{body})) << r.what;
    }
}

TEST_F(fan_out_test, connections_have_copies_of_what_sockets_share)
{
    loose_pipe &connection = add(), &a = add(0, true), &b = add(0, true), &c = add(0, true);
    const std::string body(7000, 'x');
    send_to_all({"small", body, "end"});
    for (loose_pipe* p : {&a, &b, &c, &connection}) {
        p->far().pop(next_of(*p));
        EXPECT_EQ(p != &connection, next_of(*p).shared);
    }
    EXPECT_EQ(next_of(a).data, next_of(c).data);
    fan_.remove(c.near());
    for (loose_pipe* p : {&a, &b, &c, &connection}) EXPECT_EQ(p->received(), (parts{body, "end"}));
    send_to_all({body});
    EXPECT_FALSE(next_of(a).shared) << "two are too few";
}

// It is in the cache still. (malloc joins blocks that lie side by side, and takes the first one.)
TEST_F(fan_out_test, the_body_that_all_have_read_last_is_the_next_one_written)
{
    loose_pipe &a = add(0, true), &b = add(0, true), &c = add(0, true), &d = add(0, true);
    const std::string body(5000, 'x');
    std::vector<const std::byte*> read;
    for (int i = 0; i < 3; ++i) send_to_all({body});
    for (int i = 0; i < 3; ++i) {
        read.push_back(next_of(a).data);
        for (loose_pipe* p : {&a, &b, &c, &d}) p->far().pop(next_of(*p));
    }
    for (int i = 0; i < 3; ++i, read.pop_back()) {
        send_to_all({body});
        EXPECT_EQ(read.back(), next_of(a).data);
        a.far().pop(next_of(a));  // the others keep it
    }
}

// Senders are paused because of large bodies; a queue full of these takes less memory than one of copies.
TEST_F(fan_out_test, small_bodies_that_are_shared_do_not_count_as_large)
{
    loose_pipe &a = add(0, true), &b = add(0, true), &c = add(0, true);
    const std::string small(7000, 'x');
    const std::string large(10000, 'x');
    send_to_all({small});
    EXPECT_EQ(0u, a.near().writer.large_bytes_unread());
    fan_.select_all();
    EXPECT_EQ(send(small, true), errc::none);
    fan_.leave_message(a.near());
    EXPECT_EQ(0u, a.near().writer.large_bytes_unread());
    EXPECT_EQ(send(""), errc::none);
    send_to_all({large});
    EXPECT_EQ(large.size(), a.near().writer.large_bytes_unread());
    for (loose_pipe* p : {&a, &b, &c}) {
        EXPECT_EQ(p->received(), p == &a ? (parts{small, large}) : (parts{small, small, "", large}));
        EXPECT_EQ(0u, p->near().writer.large_bytes_unread());
    }
}

}  // namespace
}  // namespace zlink::pattern::routing::test
