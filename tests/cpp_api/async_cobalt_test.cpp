// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets in the coroutines of Boost.Cobalt, which Boost has from 1.84 on.
#include <zlink/asio.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/cobalt/op.hpp>
#include <boost/cobalt/race.hpp>
#include <boost/cobalt/spawn.hpp>
#include <boost/cobalt/task.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // GCC 14 says so of Cobalt's own

namespace zlink::test {
namespace {

namespace net = boost::asio;
namespace cobalt = boost::cobalt;
using namespace std::chrono_literals;

class async_cobalt_test : public testing::Test {
protected:
    async_cobalt_test()
    {
        for (async_socket* each : {&a_, &b_}) each->set(opt::linger(0ms));
        a_.bind("tcp://127.0.0.1:*");
        b_.connect(a_.get<opt::last_endpoint>());
    }
    void run(cobalt::task<void> task)
    {
        std::exception_ptr failed;
        cobalt::spawn(context_, std::move(task), [&](std::exception_ptr e) {
            failed = e;
            context_.stop();
        });
        context_.run_for(10s);
        ASSERT_TRUE(context_.stopped());
        if (failed) std::rethrow_exception(failed);
    }

    io_group group_;
    net::io_context context_{1};
    async_socket a_{context_, group_, socket_type::pair}, b_{context_, group_, socket_type::pair};
};

cobalt::task<void> each_operation(async_socket& a, async_socket& b, std::string& got)
{
    message m;
    multipart parts;
    std::array<message, 2> some;
    co_await b.async_send(message("1"), cobalt::use_op);
    co_await a.async_wait(wait_type::read, cobalt::use_op);
    co_await a.async_receive(m, cobalt::use_op);
    got += m.view();
    multipart two{"2", "3"};
    co_await b.async_send_multipart(std::move(two), cobalt::use_op);
    co_await a.async_receive_multipart(parts, cobalt::use_op);
    got += parts[1].view();
    co_await b.async_send(message("4"), cobalt::use_op);
    const std::size_t count = co_await a.async_receive_some(some, cobalt::use_op);
    got += std::to_string(count);
    got += some[0].view();
}

TEST_F(async_cobalt_test, operations)
{
    std::string got;
    run(each_operation(a_, b_, got));
    EXPECT_EQ("1314", got);
}

cobalt::task<void> receive_or_time_out(async_socket& a, async_socket& b, std::string& got)
{
    net::steady_timer timer(co_await net::this_coro::executor, 1ms);
    got += std::to_string(
        co_await cobalt::race(a.async_wait(wait_type::read, cobalt::use_op), timer.async_wait(cobalt::use_op)));
    co_await b.async_send(message("x"), cobalt::use_op);
    timer.expires_after(10s);
    got += std::to_string(
        co_await cobalt::race(a.async_wait(wait_type::read, cobalt::use_op), timer.async_wait(cobalt::use_op)));
    message m;
    if (a.try_receive(m)) got += m.view();
}

TEST_F(async_cobalt_test, the_loser_of_a_race_is_cancelled)
{
    std::string got;
    run(receive_or_time_out(a_, b_, got));
    EXPECT_EQ("10x", got);
}

}  // namespace
}  // namespace zlink::test
