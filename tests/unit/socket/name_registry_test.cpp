// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Inproc names: which socket has bound what, connections that come before their bind, and what both sides are told.
#include "socket/name_registry.hpp"

#include "runtime/deadline.hpp"
#include "socket/mailbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::socket {
namespace {

// A side of connections, as a socket would be.
class party {
public:
    explicit party(std::uint64_t sndhwm = 10, std::uint64_t rcvhwm = 20, std::uint64_t endpoint_id = 1)
    {
        self.box = new mailbox;
        self.sndhwm = sndhwm;
        self.rcvhwm = rcvhwm;
        self.endpoint_id = endpoint_id;
    }
    ~party()
    {
        (void)self.box->close();
        int queued = 0;
        for (pipe::pipe_end* end : ends_) queued += end->close() == pipe::pipe_end::closing::in_queue;
        // May be pushed a moment from now.
        for (; discarded_ < queued; std::this_thread::yield()) drain();
        self.box->release();
    }
    party(const party&) = delete;
    party& operator=(const party&) = delete;

    [[nodiscard]] std::vector<command> take() const
    {
        self.box->acknowledge();
        command_list taken = self.box->take_commands();
        return {std::move_iterator(taken.begin()), std::move_iterator(taken.end())};
    }

    /// The near end of a new pipe; the far one is for the registry.
    pipe::pipe_end& open()
    {
        pipe::pipe* p = pipe::pipe::create({self.sndhwm, self.rcvhwm, 8192});
        own(p->first());
        return p->first();
    }

    /// Attaches the far end that a bind or connect brought.
    void own(pipe::pipe_end& end)
    {
        end.attach(*self.box);
        ends_.push_back(&end);
    }

    /// Takes ends out of the queue; the events of `wanted`.
    std::uint32_t drain(const pipe::pipe_end* wanted = nullptr)
    {
        std::uint32_t found = 0;
        const auto look = [&](pipe::pipe_end& end) {
            const std::uint32_t events = end.take_events();
            if (&end == wanted) found |= events;
            if (!end.closed()) return;
            end.discard();
            ++discarded_;
        };
        for (pipe::pipe_end* end = self.box->take_all(); end;) look(*std::exchange(end, end->next_in_queue));
        while (pipe::pipe_end* const end = self.box->take_departed()) look(*end);
        return found;
    }

    joined_party self;

private:
    std::vector<pipe::pipe_end*> ends_;
    int discarded_ = 0;
};

void expect_joined(party& binder, party& caller, pipe::pipe_end& near)
{
    const std::vector<command> to_binder = binder.take();
    ASSERT_EQ(1u, to_binder.size());
    EXPECT_EQ(command::kind::attach, to_binder[0].what);
    EXPECT_EQ(&near.peer(), to_binder[0].end);
    EXPECT_EQ(binder.self.endpoint_id, to_binder[0].endpoint_id);
    EXPECT_TRUE(to_binder[0].how.identified);
    EXPECT_FALSE(to_binder[0].how.locally_connected);
    EXPECT_EQ(caller.self.routing_id, to_binder[0].how.routing_id);
    binder.own(*to_binder[0].end);
    const std::vector<command> to_caller = caller.take();
    ASSERT_EQ(1u, to_caller.size());
    EXPECT_EQ(command::kind::identified, to_caller[0].what);
    EXPECT_EQ(&near, to_caller[0].end);
    EXPECT_EQ(caller.self.endpoint_id, to_caller[0].endpoint_id);
    EXPECT_EQ(binder.self.routing_id, to_caller[0].how.routing_id);
    EXPECT_TRUE(to_caller[0].joint);
    EXPECT_EQ(binder.self.sndhwm, to_caller[0].peer_sndhwm);
    EXPECT_EQ(binder.self.rcvhwm, to_caller[0].peer_rcvhwm);
}

TEST(name_registry_test, joins_a_connection_to_who_has_bound)
{
    name_registry names;
    party binder, caller;
    binder.self.routing_id = "the binder";
    caller.self.routing_id = "the caller";
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    pipe::pipe_end& near = caller.open();
    names.connect("a", near.peer(), caller.self);
    expect_joined(binder, caller, near);
}

TEST(name_registry_test, connections_wait_for_their_bind)
{
    name_registry names;
    party binder, caller;
    pipe::pipe_end& near = caller.open();
    names.connect("a", near.peer(), caller.self);
    EXPECT_TRUE(caller.take().empty());
    party other;
    ASSERT_EQ(errc::none, names.bind("b", other.self));
    EXPECT_TRUE(other.take().empty());
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    expect_joined(binder, caller, near);
}

TEST(name_registry_test, connections_that_waited_come_in_their_order)
{
    name_registry names;
    party binder, caller;
    std::vector<pipe::pipe_end*> near;
    for (int i = 0; i < 5; ++i) {
        near.push_back(&caller.open());
        names.connect(i == 2 ? "other" : "a", near.back()->peer(), caller.self);
    }
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    const std::vector<command> joined = binder.take();
    ASSERT_EQ(4u, joined.size());
    std::size_t next = 0;
    for (const std::size_t i : {0, 1, 3, 4}) {
        EXPECT_EQ(&near[i]->peer(), joined[next].end);
        binder.own(*joined[next++].end);
    }
    names.let_go(caller.self.box, caller.self.endpoint_id);
}

TEST(name_registry_test, a_name_belongs_to_one)
{
    name_registry names;
    party first, second;
    EXPECT_EQ(errc::none, names.bind("a", first.self));
    EXPECT_EQ(errc::address_in_use, names.bind("a", second.self));
    EXPECT_EQ(errc::address_in_use, names.bind("a", first.self));
    EXPECT_EQ(errc::none, names.bind("A", second.self));
}

TEST(name_registry_test, only_its_owner_gives_a_name_back)
{
    name_registry names;
    party first, second;
    EXPECT_EQ(errc::no_entry, names.unbind("a", first.self.box));
    ASSERT_EQ(errc::none, names.bind("a", first.self));
    EXPECT_EQ(errc::no_entry, names.unbind("a", second.self.box));
    EXPECT_EQ(errc::none, names.unbind("a", first.self.box));
    EXPECT_EQ(errc::no_entry, names.unbind("a", first.self.box));
    EXPECT_EQ(errc::none, names.bind("a", second.self));
}

// --- high-water marks: both sides' together
// -----------------------------------------------------------------------------

struct marks {
    std::uint64_t to_binder;
    std::uint64_t to_caller;
};

marks joint_marks(party& binder, party& caller)
{
    name_registry names;
    EXPECT_EQ(errc::none, names.bind("a", binder.self));
    pipe::pipe_end& near = caller.open();
    names.connect("a", near.peer(), caller.self);
    EXPECT_TRUE(caller.drain(&near) & pipe::event_hwm);
    (void)near.writer.apply_requested_hwm();
    binder.own(near.peer());
    (void)binder.take();
    return {near.writer.hwm(), near.peer().writer.hwm()};
}

TEST(name_registry_test, adds_up_the_marks_of_both_sides)
{
    party binder(1, 20), caller(300, 4000);
    const marks joint = joint_marks(binder, caller);
    EXPECT_EQ(320u, joint.to_binder);
    EXPECT_EQ(4001u, joint.to_caller);
}

TEST(name_registry_test, no_limit_on_one_side_is_no_limit)
{
    party binder(0, 20), caller(300, 4000);
    const marks half = joint_marks(binder, caller);
    EXPECT_EQ(320u, half.to_binder);
    EXPECT_EQ(0u, half.to_caller);
    party unlimited(0, 0), limited(1, 1);
    const marks none = joint_marks(limited, unlimited);
    EXPECT_EQ(0u, none.to_binder);
    EXPECT_EQ(0u, none.to_caller);
}

// --- endings
// ------------------------------------------------------------------------------------------------------------

TEST(name_registry_test, a_connection_that_goes_with_nothing_sent_leaves_nothing)
{
    name_registry names;
    party binder, caller(10, 20, 7), other(10, 20, 8);
    pipe::pipe_end& given_up = caller.open();
    pipe::pipe_end& kept = other.open();
    names.connect("a", given_up.peer(), caller.self);
    names.connect("a", kept.peer(), other.self);
    names.let_go(caller.self.box, 6);
    names.let_go(other.self.box, 7);
    EXPECT_EQ(0u, caller.drain(&given_up));
    names.let_go(caller.self.box, 7);
    EXPECT_TRUE(caller.drain(&given_up) & pipe::event_peer_closed);
    EXPECT_EQ(0u, other.drain(&kept));
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    expect_joined(binder, other, kept);
}

TEST(name_registry_test, what_was_sent_waits_for_a_binder_without_its_sender)
{
    name_registry names;
    party binder, caller(10, 20, 7);
    pipe::pipe_end& near = caller.open();
    names.connect("a", near.peer(), caller.self);
    ASSERT_TRUE(near.writer.write({nullptr, 0, false}));
    near.publish();
    names.let_go(caller.self.box, 7);
    EXPECT_FALSE(near.peer().closed());
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    EXPECT_TRUE(caller.take().empty()) << "nobody is there to be told";
    const std::vector<command> joined = binder.take();
    ASSERT_EQ(1u, joined.size());
    ASSERT_EQ(&near.peer(), joined[0].end);
    binder.own(near.peer());
    EXPECT_TRUE(near.peer().reader.readable());
}

TEST(name_registry_test, what_was_sent_to_nobody_goes_with_the_registry)
{
    party caller(10, 20, 7);
    pipe::pipe_end& near = caller.open();
    {
        name_registry names;
        names.connect("a", near.peer(), caller.self);
        ASSERT_TRUE(near.writer.write({nullptr, 0, false}));
        near.publish();
        names.let_go(caller.self.box, 7);
        EXPECT_FALSE(near.peer().closed());
    }
    EXPECT_TRUE(near.peer().closed());
}

// Its names go before its mailbox does; a command that finds it closed all the same costs the connection.
TEST(name_registry_test, a_binder_that_is_closed_takes_nothing)
{
    name_registry names;
    party binder, caller;
    ASSERT_EQ(errc::none, names.bind("a", binder.self));
    (void)binder.self.box->close();
    pipe::pipe_end& near = caller.open();
    names.connect("a", near.peer(), caller.self);
    EXPECT_TRUE(near.peer().closed());
    EXPECT_TRUE(caller.drain(&near) & pipe::event_peer_closed);
    (void)caller.take();
}

// --- threads
// --------------------------------------------------------------------------------------------------------------

// Sockets come and go on one name while others connect: each connection gets to a binder or is forgotten, once.
TEST(name_registry_test, every_connection_finds_a_binder_whoever_comes_first_stress)
{
    constexpr int connections = 500;
    name_registry names;
    std::atomic<int> joined{0};
    std::atomic<int> callers_left{2};
    const auto bind_for_a_while = [&] {
        party binder;
        const auto take = [&] {
            for (const command& c : binder.take()) {
                EXPECT_EQ(command::kind::attach, c.what);
                binder.own(*c.end);
                ++joined;
            }
        };
        while (callers_left != 0 || joined < 2 * connections) {
            if (names.bind("a", binder.self) != errc::none) {
                std::this_thread::yield();
                continue;
            }
            take();
            std::this_thread::yield();
            EXPECT_EQ(errc::none, names.unbind("a", binder.self.box));
            take();
        }
    };
    const auto connect_all = [&] {
        party caller;
        int told = 0;
        for (int i = 0; i < connections; ++i) {
            pipe::pipe_end& near = caller.open();
            names.connect("a", near.peer(), caller.self);
            told += int(caller.take().size());
            if (i % 16 == 0) std::this_thread::yield();
        }
        --callers_left;
        const auto deadline = runtime::deadline_after(20'000);
        while (told < connections && std::chrono::steady_clock::now() < *deadline) {
            told += int(caller.take().size());
            std::this_thread::yield();
        }
        EXPECT_EQ(connections, told);
        if (told < connections) joined = 2 * connections;  // ends the binders
    };
    {
        const std::jthread binders[] = {std::jthread(bind_for_a_while), std::jthread(bind_for_a_while)};
        const std::jthread callers[] = {std::jthread(connect_all), std::jthread(connect_all)};
    }
    EXPECT_EQ(2 * connections, joined);
}

TEST(name_registry_test, who_waits_for_nobody_is_joined_at_once_or_not_at_all)
{
    name_registry names;
    party caller, binder;
    pipe::pipe_end& mine = caller.open();
    EXPECT_FALSE(names.connect_if_bound("there", mine.peer()));
    ASSERT_EQ(errc::none, names.bind("there", binder.self));
    EXPECT_TRUE(binder.take().empty());  // nothing was kept for it

    binder.self.hello_message = "hello";
    ASSERT_EQ(errc::none, names.bind("greets", binder.self));
    ASSERT_TRUE(names.connect_if_bound("greets", mine.peer()));
    const auto commands = binder.take();
    ASSERT_EQ(1u, commands.size());
    EXPECT_EQ(command::kind::attach, commands[0].what);
    EXPECT_EQ(&mine.peer(), commands[0].end);
    EXPECT_TRUE(commands[0].how.identified);
    EXPECT_FALSE(mine.reader.readable());  // and not greeted
    binder.own(mine.peer());
}

}  // namespace
}  // namespace zlink::socket
