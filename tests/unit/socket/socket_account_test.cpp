// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket's account, with pipes and without the socket.
#include "socket/socket_account.hpp"

#include "pattern/drop_reason.hpp"
#include "socket/account_entry.hpp"
#include "socket/live_sockets.hpp"
#include "socket/pipe_record.hpp"
#include "socket/statistics.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace zlink::socket {
namespace {

class socket_account_test : public testing::Test {
protected:
    socket_account_test()
    {
        for (pipe::pipe*& p : pipes_) {
            p = pipe::pipe::create({10, 10, 8192});
            record_for(p->first()).endpoint_id = 7;
        }
    }
    ~socket_account_test() override
    {
        for (pipe::pipe* p : pipes_) {
            account_.leave(p->first());
            p->first().close();
            p->second().close();
        }
    }
    static void put(pipe::pipe_end& end)
    {
        ASSERT_TRUE(end.writer.write({reinterpret_cast<const std::byte*>("abc"), 3, false}));
        end.publish();
    }
    socket_statistics look()
    {
        socket_statistics seen;
        EXPECT_TRUE(account_.look(seen));
        return seen;
    }
    std::vector<peer_statistics> peers()
    {
        std::vector<peer_statistics> seen;
        EXPECT_TRUE(account_.look_at_peers([&](const peer_statistics& p) { seen.push_back(p); }));
        return seen;
    }

    socket_account account_{socket_type::router, socket_account::bounds{std::make_shared<pipe::queue_cap>()}};
    pipe::pipe* pipes_[2];
};

TEST_F(socket_account_test, sums_over_pipes_that_are_there_and_that_have_gone)
{
    for (pipe::pipe* p : pipes_) {
        account_.join(p->first(), "tcp://here");
        put(p->first());
        put(p->second());
    }
    EXPECT_EQ(2u, look().messages.sent.messages);
    EXPECT_EQ(10u, look().messages.queued_in.octets);
    pipe::incoming f;
    ASSERT_TRUE(pipes_[0]->first().reader.next(f));
    pipes_[0]->first().pop(f);
    EXPECT_EQ(1u, look().messages.received.messages);
    account_.leave(pipes_[0]->first());
    account_.leave(pipes_[0]->first());
    EXPECT_EQ(2u, look().messages.sent.messages);
    EXPECT_EQ(1u, look().messages.received.messages);
    EXPECT_EQ(1u, peers().size());
    EXPECT_EQ("tcp://here", peers()[0].endpoint);
    EXPECT_EQ(0u, look().unread);
    account_.leave(pipes_[1]->first());
    EXPECT_EQ(1u, look().unread);
    EXPECT_EQ(0u, look().messages.queued_in.messages);
    account_.join(pipes_[1]->first(), "tcp://again");
    EXPECT_EQ("tcp://again", peers()[0].endpoint);
}

TEST_F(socket_account_test, tells_what_is_known_of_a_peer)
{
    pipe_record& record = record_of(pipes_[0]->first());
    record.other_endpoint = "tcp://there";
    record.account.note_peer("announced", "user");
    record.account.mechanism = "CURVE";
    record.account.connected = true;
    account_.join(pipes_[0]->first(), "tcp://here");
    const auto seen = peers();
    ASSERT_EQ(1u, seen.size());
    EXPECT_EQ("tcp://there", seen[0].address);
    EXPECT_EQ("announced", seen[0].routing_id);
    EXPECT_EQ("user", seen[0].user_id);
    EXPECT_STREQ("CURVE", seen[0].mechanism);
    EXPECT_TRUE(seen[0].connected);
    account_.lost_connection(pipes_[0]->first());
    EXPECT_FALSE(peers()[0].connected);
    record.routing_id = "given";
    EXPECT_EQ("given", peers()[0].routing_id);
}

TEST_F(socket_account_test, counts_drops_waits_and_failures)
{
    account_.dropped(pattern::drop_reason::no_match);
    account_.dropped(pattern::drop_reason::no_match);
    account_.dropped(pattern::drop_reason::unroutable);
    account_.load.waits.add(1);
    account_.set_name("name");
    account_.note_error("why", 0);
    connection_counts::count(account_.connections.refused, 3);
    const socket_statistics seen = look();
    EXPECT_EQ(0u, seen.no_peer);
    EXPECT_EQ(2u, seen.no_match);
    EXPECT_EQ(1u, seen.unroutable);
    EXPECT_EQ(1u, seen.waits);
    EXPECT_EQ(3u, seen.refused);
    EXPECT_EQ("name", seen.name);
    EXPECT_EQ("why", seen.last_error);
    EXPECT_EQ(socket_type::router, seen.type);
}

TEST_F(socket_account_test, is_found_by_its_handle_while_the_socket_lives)
{
    const int handles[2] = {};
    const auto& context_here = reinterpret_cast<const context&>(handles[0]);
    const auto& other_context = reinterpret_cast<const context&>(handles[1]);
    const auto cap = std::make_shared<pipe::queue_cap>();
    const auto one = std::make_shared<socket_account>(socket_type::pub, socket_account::bounds{cap});
    const auto two = std::make_shared<socket_account>(socket_type::sub, socket_account::bounds{cap});
    EXPECT_LT(one->number(), two->number());
    live_sockets::add(&handles[1], context_here, two);
    live_sockets::add(&handles[0], context_here, one);
    EXPECT_EQ(one, live_sockets::find(&handles[0]));
    ASSERT_EQ(2u, live_sockets::all_of(context_here).size());
    EXPECT_EQ(one, live_sockets::all_of(context_here)[0]);
    EXPECT_TRUE(live_sockets::all_of(other_context).empty());
    live_sockets::remove(&handles[0]);
    live_sockets::remove(&handles[1]);
    EXPECT_EQ(nullptr, live_sockets::find(&handles[0]));
    one->end();
    socket_statistics seen;
    EXPECT_FALSE(one->look(seen));
    EXPECT_FALSE(one->look_at_peers([](const peer_statistics&) {}));
}

}  // namespace
}  // namespace zlink::socket
