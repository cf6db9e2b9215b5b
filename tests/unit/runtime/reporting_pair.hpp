// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A connected pair of sockets, one of which is watched: keeps what is reported of it.
#pragma once

#include "base/unique_fd.hpp"
#include "runtime/event_loop.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <semaphore>

namespace zlink::runtime::test {

class reporting_pair : public descriptor_handler {
public:
    reporting_pair()
    {
        int fds[2];
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        watched_.reset(fds[0]);
        peer_.reset(fds[1]);
    }

    [[nodiscard]] int watched() const { return watched_.get(); }
    void write() const { EXPECT_EQ(1, ::write(peer_.get(), "x", 1)); }
    void read() const
    {
        char c;
        EXPECT_EQ(1, ::read(watched_.get(), &c, 1));
    }
    void hang_up() { peer_.reset(); }

    [[nodiscard]] bool await_report() { return reported_.try_acquire_for(std::chrono::seconds(20)); }

    std::function<void(std::uint32_t)> action;  ///< loop's thread
    std::atomic<int> reports{0};
    std::atomic<std::uint32_t> last_events{0};

private:
    void on_ready(std::uint32_t events) noexcept override
    {
        ++reports;
        last_events = events;
        if (action) action(events);
        reported_.release();
    }

    unique_fd watched_;
    unique_fd peer_;
    std::counting_semaphore<1024> reported_{0};
};

}  // namespace zlink::runtime::test
