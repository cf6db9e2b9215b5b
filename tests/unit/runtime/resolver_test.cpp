// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Look-ups of names: one answer, on the loop's thread, unless nobody waits for it any more.
#include "runtime/resolver.hpp"

#include "event_loop_fixture.hpp"
#include "runtime/driver.hpp"

#include <netinet/in.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace zlink::runtime::test {
namespace {

class resolver_test : public testing::Test {
protected:
    resolver_test() { EXPECT_TRUE(loop_.open()); }
    ~resolver_test() override { settle(); }

    [[nodiscard]] bool look_up(const std::string& host)
    {
        return names_->start(
            host,
            [this](const resolver::answer& a) {
                ++answers_;
                by_ = std::this_thread::get_id();
                answer_ = a;
            },
            kept_);
    }

    /// Steps until the system owes no answer.
    void settle()
    {
        const auto limit = clock::now() + patience;
        while (kept_.use_count() > 1 && clock::now() < limit) (void)driver_.step_or_sleep(5ms);
        EXPECT_EQ(1, kept_.use_count());
    }

    countable_work work_;
    event_loop loop_{false};
    driver driver_{loop_, work_};
    std::shared_ptr<int> kept_ = std::make_shared<int>();
    std::unique_ptr<resolver> names_ = std::make_unique<resolver>(loop_);
    int answers_ = 0;
    std::thread::id by_;
    resolver::answer answer_{errc::again};
};

TEST_F(resolver_test, answers_with_addresses_on_the_loops_thread)
{
    ASSERT_TRUE(look_up("127.0.0.1"));
    EXPECT_EQ(0, answers_);
    settle();
    ASSERT_EQ(1, answers_);
    EXPECT_EQ(std::this_thread::get_id(), by_);
    ASSERT_TRUE(answer_);
    ASSERT_EQ(1u, answer_->size());
    const socket_address& a = answer_->front();
    ASSERT_EQ(AF_INET, a.data()->sa_family);
    EXPECT_EQ(sizeof(sockaddr_in), a.length);
    EXPECT_EQ(htonl(INADDR_LOOPBACK), reinterpret_cast<const sockaddr_in*>(a.data())->sin_addr.s_addr);
}

TEST_F(resolver_test, says_that_there_is_no_such_host)
{
    ASSERT_TRUE(look_up(std::string(300, 'a')));  // too long for a name: nobody needs to be asked
    settle();
    EXPECT_EQ(1, answers_);
    EXPECT_EQ(errc::host_unreachable, answer_.error());
}

TEST_F(resolver_test, gives_no_answer_after_cancel)
{
    ASSERT_TRUE(look_up("127.0.0.1"));
    names_->cancel();
    settle();
    EXPECT_EQ(0, answers_);
}

TEST_F(resolver_test, gives_no_answer_when_it_is_gone)
{
    ASSERT_TRUE(look_up("127.0.0.1"));
    names_.reset();
    settle();
    EXPECT_EQ(0, answers_);
}

TEST_F(resolver_test, a_new_look_up_takes_the_place_of_an_earlier_one)
{
    ASSERT_TRUE(look_up("127.0.0.1"));
    ASSERT_TRUE(look_up("127.0.0.2"));
    settle();
    ASSERT_EQ(1, answers_);
    ASSERT_TRUE(answer_);
    EXPECT_EQ(htonl(INADDR_LOOPBACK + 1),
              reinterpret_cast<const sockaddr_in*>(answer_->front().data())->sin_addr.s_addr);
}

TEST_F(resolver_test, who_is_told_may_end_it_or_ask_again)
{
    bool again = false;
    ASSERT_TRUE(names_->start(
        "127.0.0.1",
        [&](const resolver::answer&) {
            again = names_->start("127.0.0.2", [&](const resolver::answer&) { names_.reset(); }, kept_);
        },
        kept_));
    settle();
    EXPECT_TRUE(again);
    EXPECT_EQ(nullptr, names_);
}

}  // namespace
}  // namespace zlink::runtime::test
