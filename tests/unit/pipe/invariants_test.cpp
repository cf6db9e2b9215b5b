// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What must not happen to lanes and tokens ends the process, in builds that check it.
#include "lane_fixture.hpp"
#include "pipe/io_token.hpp"
#include "pipe/pipe.hpp"

namespace zlink::pipe::test {
namespace {

#ifdef ZLINK_INVARIANTS

class pipe_invariants_test : public testing::Test {
protected:
    pipe_invariants_test() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(pipe_invariants_test, no_more_is_committed_than_was_shown)
{
    joined_lane l;
    l.put({"a"});
    l.reader.begin_octets();
    EXPECT_DEATH((void)l.reader.commit(4), "broken invariant: .*lane_octets.cpp");
}

TEST_F(pipe_invariants_test, a_frame_is_taken_once)
{
    joined_lane l;
    l.put({"a"});
    incoming f;
    ASSERT_TRUE(l.reader.next(f));
    (void)l.reader.pop(f);
    EXPECT_DEATH((void)l.reader.pop(f), "broken invariant: .*lane_reader.hpp");
}

TEST_F(pipe_invariants_test, part_of_a_message_is_not_published)
{
    joined_lane l;
    l.write("a", true);
    EXPECT_DEATH(l.writer.publish(), "broken invariant: .*lane_writer.hpp");
}

TEST_F(pipe_invariants_test, a_lane_has_one_writer)
{
    joined_lane l;
    lane_writer second(l.shared, 0, 8192);
    l.shared.tail.store(nullptr);  // as while the first is at it
    EXPECT_DEATH(second.rollback(), "broken invariant: .*reclaim.cpp");
    l.shared.tail.store(&l.shared.sentinel);
}

TEST_F(pipe_invariants_test, a_reader_credits_no_more_than_was_written)
{
    joined_lane l(1);
    l.put({"a"});
    l.shared.credited.store(2);
    EXPECT_DEATH((void)l.writer.has_room(), "broken invariant: .*credit_account.hpp");
    l.shared.credited.store(0);
}

TEST_F(pipe_invariants_test, a_token_is_given_by_its_holder_alone)
{
    io_token token;
    token.offer();
    EXPECT_DEATH((void)token.give(), "broken invariant: .*io_token.hpp");
    EXPECT_DEATH((void)token.park(), "broken invariant: .*io_token.hpp");
    ASSERT_TRUE(token.try_take());
    EXPECT_DEATH(token.withdraw(), "broken invariant: .*io_token.hpp");
    EXPECT_FALSE(token.give());
}

TEST_F(pipe_invariants_test, the_io_thread_withdraws_a_token_that_it_holds)
{
    io_token token;
    token.withdraw();  // it was absent
    token.offer();
    EXPECT_DEATH(token.withdraw(), "broken invariant: .*io_token.hpp");
    EXPECT_DEATH(token.offer(), "broken invariant: .*io_token.hpp");
    ASSERT_TRUE(token.take_or_ask());
    token.withdraw();
}

TEST_F(pipe_invariants_test, no_message_follows_the_end_of_a_lane)
{
    joined_lane l;
    l.writer.close();
    EXPECT_DEATH((void)l.writer.write({bytes("a"), 1, false}), "broken invariant: .*lane_writer.hpp");
}

TEST_F(pipe_invariants_test, a_lane_goes_when_no_writer_is_at_it)
{
    EXPECT_DEATH(
        {
            lane l;
            l.tail.store(nullptr);
        },
        "broken invariant: .*lane_reader.cpp");
}

TEST_F(pipe_invariants_test, a_connection_belongs_to_the_holder_of_a_token)
{
    shared_io io;
    EXPECT_DEATH((void)io.connection(), "broken invariant: .*shared_io.hpp");
}

TEST_F(pipe_invariants_test, room_is_claimed_where_the_writer_is)
{
    std::byte octets[8]{};
    write_window w;
    w.move_to(octets);
    w.open(octets + 8);
    EXPECT_DEATH((void)w.claim(octets + 1, 2), "broken invariant: .*write_window.hpp");
}

TEST_F(pipe_invariants_test, a_span_has_one_body)
{
    span_body b;
    auto* const memory = message::buffer::allocate(10);
    b.set(memory, memory->data(), 10);
    EXPECT_DEATH(b.set(memory, memory->data(), 10), "broken invariant: .*span_body.hpp");
    b.drop();
}

TEST_F(pipe_invariants_test, an_end_is_discarded_once_it_is_closed)
{
    pipe* p = pipe::create({0, 0, 8192});
    ASSERT_TRUE(p);
    EXPECT_DEATH(p->first().discard(), "broken invariant: .*pipe.cpp");
    p->first().close();
    p->second().close();
}

TEST_F(pipe_invariants_test, an_end_closes_once)
{
    pipe* p = pipe::create({0, 0, 8192});
    ASSERT_TRUE(p);
    p->first().close();
    EXPECT_DEATH(p->first().close(), "broken invariant: .*pipe.cpp");
    p->second().close();
}

#endif

}  // namespace
}  // namespace zlink::pipe::test
