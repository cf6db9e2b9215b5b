// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A worker with a host for what lives on it, for tests that play the peer on a socket.
#pragma once

#include "engine/io_worker.hpp"
#include "engine/session.hpp"
#include "raw_peer.hpp"
#include "recording_host.hpp"
#include "runtime/task.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace zlink::engine::test {

using zlink::test::raw_listener;
using zlink::test::raw_peer;
using zlink::test::zmtp_version;

class engine_fixture : public ::testing::Test {
protected:
    engine_fixture()
    {
        options_.type = zmtp::socket_type::dealer;
        options_.routing_id = "here";
        options_.endpoint_id = 7;
        options_.connection.reconnect_ivl = std::chrono::milliseconds(1);
    }

    void SetUp() override { ASSERT_TRUE(worker_.start({}, 0)); }
    void TearDown() override
    {
        for (const auto& s : sessions_) s->stop(std::chrono::milliseconds(0));
        sessions_.clear();
        EXPECT_TRUE(host_.wait_for_release());
        EXPECT_EQ(0u, alive_.count());
        worker_.stop();
        host_.close_all();
    }

    [[nodiscard]] std::shared_ptr<const session_options> options() const
    {
        return std::make_shared<const session_options>(options_);
    }

    /// A pipe as a connecting session gets it: the first end is the host's, the second the session's.
    [[nodiscard]] pipe::pipe& make_pipe()
    {
        pipe::pipe* p = pipe::pipe::create({1000, 1000, options_.data_path.writev_threshold});
        host_.adopt(p->first());
        return *p;
    }

    /// What it starts is stopped at the end.
    void start(const std::shared_ptr<session>& s)
    {
        sessions_.push_back(s);
        s->start();
    }

    /// Runs `function` on the worker's thread, and returns when that is done.
    void on_worker(std::function<void()> function)
    {
        class call final : public runtime::task {
        public:
            explicit call(std::function<void()> f) : function_(std::move(f)) {}
            void run() noexcept override
            {
                const std::unique_ptr<call> self(this);
                function_();
                done.set_value();
            }
            std::promise<void> done;

        private:
            std::function<void()> function_;
        };
        auto* work = new call(std::move(function));
        const auto done = work->done.get_future();
        worker_.loop().post(*work);
        ASSERT_EQ(std::future_status::ready, done.wait_for(patience));
    }

    /// What the worker had been told of has been passed on when this returns.
    void let_a_round_pass()
    {
        for (int i = 0; i < 2; ++i) on_worker([] {});
    }

    session_options options_;
    runtime::latch alive_;
    recording_host host_;
    io_worker worker_{false};
    std::vector<std::shared_ptr<session>> sessions_;
};

}  // namespace zlink::engine::test
