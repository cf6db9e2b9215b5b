// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether publishers' connections of several I/O threads have anything to be read.
#include "socket/input_probe.hpp"

#include "base/unique_fd.hpp"
#include "runtime/task.hpp"

#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::socket {
namespace {

// Input that the I/O thread takes its time to read.
class slow_input final : public runtime::descriptor_handler {
public:
    slow_input() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    void arrive() const
    {
        const std::uint64_t one = 1;
        EXPECT_EQ(ssize_t(sizeof one), ::write(fd_.get(), &one, sizeof one));
    }

    [[nodiscard]] int fd() const { return fd_.get(); }

    std::promise<void> begun;
    std::promise<void> may_end;

private:
    void on_ready(std::uint32_t) noexcept override
    {
        begun.set_value();
        may_end.get_future().wait();
    }

    unique_fd fd_;
};

class call final : public runtime::task {
public:
    explicit call(std::function<void()> function) : function_(std::move(function)) {}
    void run() noexcept override
    {
        function_();
        done.set_value();
    }
    std::promise<void> done;

private:
    std::function<void()> function_;
};

void on_loop(engine::io_worker& worker, std::function<void()> function)
{
    call work(std::move(function));
    worker.loop().post(work);
    work.done.get_future().wait();
}

TEST(input_probe_test, is_silent_while_no_thread_has_anything_to_read)
{
    std::vector<std::unique_ptr<engine::io_worker>> workers;
    for (int i = 0; i < 3; ++i) {
        workers.push_back(std::make_unique<engine::io_worker>(false));
        ASSERT_TRUE(workers.back()->start({}, i));
    }
    input_probe h;
    EXPECT_FALSE(h.nothing_ready(workers)) << "not known";
    h.open(workers);
    ASSERT_TRUE(h.opened());
    EXPECT_TRUE(h.nothing_ready(workers));

    engine::io_worker& last = *workers.back();
    slow_input input;
    on_loop(last, [&] {
        ASSERT_TRUE(last.loop().add(input.fd(), input, runtime::input::awaited));
        last.loop().arm_input(input.fd(), input, EPOLLIN);
    });
    EXPECT_TRUE(h.nothing_ready(workers));
    input.arrive();
    EXPECT_FALSE(h.nothing_ready(workers)) << "there to be read, or being read";
    input.begun.get_future().wait();
    EXPECT_FALSE(h.nothing_ready(workers)) << "being read";
    input.may_end.set_value();
    while (!h.nothing_ready(workers)) std::this_thread::yield();
    on_loop(last, [&] { last.loop().remove(input.fd(), input); });
}

}  // namespace
}  // namespace zlink::socket
