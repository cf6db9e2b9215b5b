// What is reported of a descriptor: input and output as asked for, whether its input is awaited or not, and a hang-up
// that nobody can deal with yet not for ever.
#include "engine/descriptor_interest.hpp"

#include "base/unique_fd.hpp"
#include "engine_fixture.hpp"

#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <semaphore>

namespace zlink::engine::test {
namespace {

class descriptor_interest_test : public engine_fixture,
                                 public testing::WithParamInterface<runtime::input>,
                                 private runtime::descriptor_handler {
protected:
    void SetUp() override
    {
        engine_fixture::SetUp();
        int fds[2];
        ASSERT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        watched_.reset(fds[0]);
        peer_.reset(fds[1]);
        on_worker([this] { ASSERT_TRUE(interest_.add(watched_.get())); });
    }
    void TearDown() override
    {
        on_worker([this] { interest_.remove(); });
        engine_fixture::TearDown();
    }

    [[nodiscard]] bool await_report() { return reported_.try_acquire_for(patience); }
    void write() const { ASSERT_EQ(1, ::send(peer_.get(), "x", 1, 0)); }

    descriptor_interest interest_{worker_.loop(), *this, GetParam()};
    unique_fd watched_;
    unique_fd peer_;
    std::function<void(std::uint32_t)> action_ = [](std::uint32_t) {};  ///< worker's thread
    std::atomic<int> reports_{0};
    std::atomic<std::uint32_t> last_{0};

private:
    void on_ready(std::uint32_t events) noexcept override
    {
        ++reports_;
        last_ = events;
        action_(events);
        reported_.release();
    }

    std::counting_semaphore<> reported_{0};
};

INSTANTIATE_TEST_SUITE_P(kinds, descriptor_interest_test,
                         testing::Values(runtime::input::unawaited, runtime::input::awaited),
                         [](const auto& p) { return p.param == runtime::input::awaited ? "awaited" : "unawaited"; });

TEST_P(descriptor_interest_test, reports_input_each_time_it_is_asked_for)
{
    write();
    for (int i = 1; i <= 3; ++i) {
        interest_.change_and_rearm(EPOLLIN, 0);
        ASSERT_TRUE(await_report());
        EXPECT_EQ(std::uint32_t(EPOLLIN), last_);
        let_a_round_pass();
        EXPECT_EQ(i, reports_);
    }
}

TEST_P(descriptor_interest_test, reports_output_and_input_beside_each_other)
{
    action_ = [this](std::uint32_t events) {
        interest_.change(0, events & EPOLLOUT);
        interest_.rearm();
    };
    for (int i = 0; i < 3; ++i) {
        interest_.change_and_rearm(EPOLLIN | EPOLLOUT, 0);
        ASSERT_TRUE(await_report());
        EXPECT_EQ(std::uint32_t(EPOLLOUT), last_);
    }
    action_ = [this](std::uint32_t) { interest_.change_and_rearm(0, EPOLLIN); };
    write();
    ASSERT_TRUE(await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), last_);
    let_a_round_pass();
    EXPECT_EQ(4, reports_);
}

TEST_P(descriptor_interest_test, reports_nothing_that_was_switched_off)
{
    interest_.change_and_rearm(EPOLLIN, 0);
    interest_.change_and_rearm(0, EPOLLIN);
    write();
    let_a_round_pass();
    EXPECT_EQ(0, reports_);
}

// As a connection whose inbound lane is full: the end of the stream has to wait until there is room. The worker does not
// spend the time on hearing of it.
TEST_P(descriptor_interest_test, a_hang_up_is_not_reported_for_ever_to_who_wants_no_input)
{
    action_ = [this](std::uint32_t) { interest_.change_and_rearm(0, EPOLLIN); };
    interest_.change_and_rearm(EPOLLIN, 0);
    peer_.reset();
    ASSERT_TRUE(await_report());
    EXPECT_TRUE(last_ & EPOLLHUP);
    for (int i = 0; i < 50; ++i) let_a_round_pass();
    EXPECT_LE(reports_, 4);  // one in each set for each time that interest was changed
    const int before = reports_;
    interest_.change_and_rearm(EPOLLIN, 0);
    while (reports_ == before) ASSERT_TRUE(await_report());
}

TEST_P(descriptor_interest_test, is_told_nothing_after_it_was_removed)
{
    action_ = [this](std::uint32_t) { interest_.remove(); };
    interest_.change_and_rearm(EPOLLIN | EPOLLOUT, 0);
    peer_.reset();
    ASSERT_TRUE(await_report());
    interest_.change_and_rearm(EPOLLIN, 0);
    let_a_round_pass();
    EXPECT_EQ(1, reports_);
}

}  // namespace
}  // namespace zlink::engine::test
