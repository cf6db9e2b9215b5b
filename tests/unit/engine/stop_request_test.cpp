// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Requests to stop an object that lives on a worker: on the loop's thread, once while one is queued.
#include "engine/stop_request.hpp"

#include "runtime/driver.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace zlink::engine {
namespace {

using namespace std::chrono_literals;

class no_work final : public runtime::work_source {
    bool begin() noexcept override { return false; }
    bool piece() noexcept override { return false; }
    bool has_work() noexcept override { return false; }
    bool prepare_to_sleep() noexcept override { return false; }
};

class stopped {
public:
    void post(runtime::event_loop& loop, const std::shared_ptr<stopped>& self, std::chrono::milliseconds linger)
    {
        request_.post(loop, self, linger);
    }

    std::vector<std::chrono::milliseconds> lingers;  ///< of the calls so far

private:
    void stop() noexcept { lingers.push_back(request_.linger()); }

    stop_request<stopped> request_{&stopped::stop};
};

class stop_request_test : public testing::Test {
protected:
    stop_request_test() { EXPECT_TRUE(loop_.open()); }

    no_work no_work_;
    runtime::event_loop loop_{false};
    runtime::driver driver_{loop_, no_work_};
    std::shared_ptr<stopped> target_ = std::make_shared<stopped>();
};

using times = std::vector<std::chrono::milliseconds>;

TEST_F(stop_request_test, is_carried_out_on_the_loop)
{
    target_->post(loop_, target_, 5ms);
    EXPECT_EQ(times{}, target_->lingers);
    (void)driver_.step({});
    EXPECT_EQ(times{5ms}, target_->lingers);
}

TEST_F(stop_request_test, another_one_changes_nothing_while_it_is_queued)
{
    target_->post(loop_, target_, -1ms);
    target_->post(loop_, target_, 0ms);
    (void)driver_.step({});
    EXPECT_EQ(times{-1ms}, target_->lingers);
    target_->post(loop_, target_, 0ms);
    (void)driver_.step({});
    EXPECT_EQ((times{-1ms, 0ms}), target_->lingers) << "a later one counts again";
}

TEST_F(stop_request_test, keeps_its_target_until_it_is_carried_out)
{
    const std::weak_ptr<stopped> seen = target_;
    target_->post(loop_, target_, 0ms);
    target_.reset();
    EXPECT_FALSE(seen.expired());
    (void)driver_.step({});
    EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace zlink::engine
