// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What sessions tell a socket: it comes by the mailbox. No thread.
#include "socket/socket_host.hpp"

#include "socket/context.hpp"
#include "socket/mailbox.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

namespace zlink::socket {
namespace {

class socket_host_test : public testing::Test, private host_owner {
protected:
    ~socket_host_test() override
    {
        p_->first().close();
        p_->second().close();
        box_.release();
        EXPECT_EQ(errc::none, context_.terminate());
    }

    context& context_ = *context::create();
    mailbox& box_ = *new mailbox;
    pipe::pipe* p_ = pipe::pipe::create({10, 10, 8192});
    int unused_ = 0;
    socket_host host_{*this, context_, box_,
                      std::make_shared<socket_account>(socket_type::pair,
                                                       socket_account::bounds{std::make_shared<pipe::queue_cap>()})};

private:
    void on_host_unused() noexcept override { ++unused_; }
};

TEST_F(socket_host_test, tells_the_mailbox_of_pipes_and_their_peers)
{
    EXPECT_EQ(errc::none, host_.attach(p_->first(), {"id", "tcp://there"}, 7));
    EXPECT_TRUE(host_.identified(p_->first(), {"other", "tcp://here"}, true));
    host_.disconnected(p_->first());
    host_.ended(7);
    EXPECT_TRUE(box_.pending());
    command_list taken = box_.take_commands();
    const std::vector<command> told(std::move_iterator(taken.begin()), std::move_iterator(taken.end()));
    ASSERT_EQ(4u, told.size());
    EXPECT_EQ(command::kind::attach, told[0].what);
    EXPECT_EQ(&p_->first(), told[0].end);
    EXPECT_EQ(7u, told[0].endpoint_id);
    EXPECT_TRUE(told[0].how.identified);
    EXPECT_EQ("id", told[0].how.routing_id);
    EXPECT_EQ("tcp://there", told[0].other_endpoint);
    EXPECT_EQ(command::kind::identified, told[1].what);
    EXPECT_TRUE(told[1].again);
    EXPECT_EQ("other", told[1].how.routing_id);
    EXPECT_EQ(command::kind::disconnected, told[2].what);
    EXPECT_EQ(command::kind::ended, told[3].what);
    EXPECT_EQ(7u, told[3].endpoint_id);
}

TEST_F(socket_host_test, takes_no_pipe_once_the_mailbox_is_closed)
{
    (void)box_.close();
    EXPECT_EQ(errc::terminated, host_.attach(p_->first(), {}, 7));
}

TEST_F(socket_host_test, has_no_zap_handler_unless_one_is_bound)
{
    const auto none = host_.reach_zap_handler();
    ASSERT_TRUE(none);
    EXPECT_EQ(nullptr, *none);
    joined_party handler;
    handler.box = &box_;
    ASSERT_EQ(errc::none, context_.names().bind("zeromq.zap.01", handler));
    const auto mine = host_.reach_zap_handler();
    ASSERT_TRUE(mine);
    ASSERT_TRUE(*mine);
    EXPECT_TRUE(box_.pending());
    host_.leave_zap_handler(**mine);
    EXPECT_TRUE(box_.take_commands().empty()) << "the handler had not come to it";
    EXPECT_EQ(errc::none, context_.names().unbind("zeromq.zap.01", &box_));
}

TEST_F(socket_host_test, ends_with_the_last_reference)
{
    {
        const engine::host_ref one(host_);
        const engine::host_ref two(one);
        host_.release();  // the socket's
        EXPECT_EQ(0, unused_);
    }
    EXPECT_EQ(1, unused_);
}

}  // namespace
}  // namespace zlink::socket
