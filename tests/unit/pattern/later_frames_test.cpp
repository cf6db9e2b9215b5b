// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory is short for a later frame of a message: nothing of it is left, and the next message is whole.
#include "joined_sockets.hpp"
#include "pattern/routing/subscriber.hpp"
#include "unit/pipe/lane_fixture.hpp"

namespace zlink::pattern::test {
namespace {

// The first chunk of a lane has no room for both: it is made for two frames like the first one.
const std::string first_text(600, 'f'), next_text(1000, 'n');
// The same behind an envelope, for which a chunk is about twice as large.
const parts first_after_envelope{std::string(1000, 'f'), std::string(700, 's')};

// Memory is short for the frame after `first`.
void expect_nothing_left(socket& sender, socket& receiver, const parts& first)
{
    for (const std::string& frame : first) EXPECT_EQ(errc::none, sender.send_frame(frame, true));
    {
        const pipe::lane_writer_test_access short_memory(sender.end().writer);
        EXPECT_EQ(errc::out_of_memory, sender.send_frame(next_text));
    }
    EXPECT_EQ(nothing, receiver.receive());
    parts whole = first;
    whole.emplace_back("last");
    EXPECT_EQ(errc::none, sender.send(whole));
    EXPECT_EQ("last", receiver.receive().back());
    EXPECT_EQ(nothing, receiver.receive());
}

TEST(later_frames_test, of_the_types_that_add_nothing)
{
    constexpr std::pair<socket_type, socket_type> all[] = {
        {PAIR, PAIR}, {PUSH, PULL}, {DEALER, DEALER}, {XSUB, XPUB}, {socket_type::dgram, socket_type::dgram}};
    for (const auto& [from, to] : all) {
        socket sender(from), receiver(to);
        ASSERT_TRUE(join(sender, receiver));
        expect_nothing_left(sender, receiver, {first_text});
    }
}

TEST(later_frames_test, of_publishers)
{
    for (const socket_type type : {PUB, XPUB}) {
        socket sender(type), receiver(SUB);
        ASSERT_TRUE(join(sender, receiver));
        EXPECT_EQ(errc::none, receiver->subscribe({}, true));
        expect_nothing_left(sender, receiver, {first_text});
    }
}

TEST(later_frames_test, of_a_router)
{
    socket sender(ROUTER), receiver(DEALER);
    ASSERT_TRUE(join(sender, receiver, {.bound_name = "peer"}));
    expect_nothing_left(sender, receiver, {"peer", first_text});
}

TEST(later_frames_test, of_a_request)
{
    socket sender(REQ), receiver(DEALER);
    ASSERT_TRUE(join(sender, receiver));
    expect_nothing_left(sender, receiver, first_after_envelope);
}

TEST(later_frames_test, of_a_reply)
{
    socket sender(REP), receiver(DEALER);
    ASSERT_TRUE(join(sender, receiver));
    EXPECT_EQ(errc::none, receiver.send(parts{"", "request"}));
    EXPECT_EQ(parts{"request"}, sender.receive());
    expect_nothing_left(sender, receiver, first_after_envelope);
}

// A topic longer than any table takes, as far as the table looks at it.
errc send_impossible_topic(socket& sender)
{
    const std::byte subscribe{1};
    return sender->send({&subscribe, std::size_t(1) << 32, false});
}

TEST(later_frames_test, of_a_message_that_ends_with_a_subscription)
{
    socket sender(XSUB), receiver(XPUB);
    ASSERT_TRUE(join(sender, receiver));
    EXPECT_EQ(errc::none, sender.send_frame("\1first", true));
    EXPECT_EQ(errc::out_of_memory, send_impossible_topic(sender));
    EXPECT_EQ(errc::none, sender.send("whole"));
    EXPECT_EQ(parts{"whole"}, receiver.receive());
    EXPECT_EQ(nothing, receiver.receive());
}

TEST(later_frames_test, subscriptions_in_a_message_that_fails_do_not_count)
{
    socket sender(XSUB), receiver(XPUB), newcomer(XPUB);
    ASSERT_TRUE(join(sender, receiver));
    const std::string subscribe_kept = "\1kept", cancel_kept = std::string(1, '\0') + "kept";
    EXPECT_EQ(errc::none, sender.send(subscribe_kept));
    EXPECT_EQ(parts{subscribe_kept}, receiver.receive());
    EXPECT_EQ(errc::none, sender.send_frame("\1first", true));
    EXPECT_EQ(errc::none, sender.send_frame("\1second", true));
    EXPECT_EQ(errc::none, sender.send_frame(cancel_kept, true));
    EXPECT_EQ(2, sender->topics_count());
    EXPECT_EQ(errc::out_of_memory, send_impossible_topic(sender));
    EXPECT_EQ(1, sender->topics_count());
    EXPECT_EQ(nothing, receiver.receive());
    ASSERT_TRUE(join(sender, newcomer));
    EXPECT_EQ(parts{subscribe_kept}, newcomer.receive());
    EXPECT_EQ(nothing, newcomer.receive());
    EXPECT_EQ(errc::none, sender.send(cancel_kept));
    EXPECT_EQ(parts{cancel_kept}, receiver.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
