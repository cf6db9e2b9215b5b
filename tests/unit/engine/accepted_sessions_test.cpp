// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The sessions of a listener: each is there from when it was added until it has ended, or all were taken.
#include "engine/accepted_sessions.hpp"

#include "engine_fixture.hpp"
#include "stream_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace zlink::engine::test {
namespace {

class accepted_sessions_test : public engine_fixture {
protected:
    /// One that is not started.
    std::shared_ptr<session> make()
    {
        int fds[2] = {-1, -1};
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        peers_.emplace_back(fds[1]);
        return std::make_shared<session>(worker_, host_ref(host_), options(), alive_,
                                         transport::ipc::make_stream(unique_fd(fds[0])), endpoint_pair{});
    }

    accepted_sessions all_;

private:
    std::vector<unique_fd> peers_;
};

TEST_F(accepted_sessions_test, are_kept_until_they_are_taken)
{
    const auto one = make(), other = make();
    all_.add(one);
    all_.add(other);
    EXPECT_EQ(2, one.use_count());
    EXPECT_EQ((accepted_sessions::set{one, other}), all_.take());
    EXPECT_TRUE(all_.take().empty());
    EXPECT_EQ(1, one.use_count());
}

TEST_F(accepted_sessions_test, one_that_has_ended_is_let_go)
{
    const auto one = make(), other = make();
    all_.add(one);
    all_.add(other);
    all_.remove(*one);
    EXPECT_EQ(1, one.use_count());
    EXPECT_EQ(accepted_sessions::set{other}, all_.take());
}

TEST_F(accepted_sessions_test, one_that_was_taken_may_end_later)
{
    const auto one = make(), other = make();
    all_.add(one);
    const accepted_sessions::set taken = all_.take();
    all_.add(other);
    all_.remove(*one);
    EXPECT_EQ(accepted_sessions::set{one}, taken);
    EXPECT_EQ(accepted_sessions::set{other}, all_.take());
}

TEST_F(accepted_sessions_test, come_and_go_on_any_thread)
{
    constexpr int rounds = 50;
    std::vector<std::shared_ptr<session>> made;
    for (int i = 0; i < 4 * rounds; ++i) made.push_back(make());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) all_.add(made[std::size_t(t * rounds + i)]);
            for (int i = 1; i < rounds; ++i) all_.remove(*made[std::size_t(t * rounds + i)]);
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(4u, all_.take().size());
}

}  // namespace
}  // namespace zlink::engine::test
