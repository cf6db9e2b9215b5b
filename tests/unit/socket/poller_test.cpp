// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pollers: what may be registered, and what comes back for it.
#include "socket/poller.hpp"

#include "socket/context.hpp"
#include "socket/socket.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

namespace zlink::socket {
namespace {

constexpr long patience_ms = 20'000;

class poller_test : public testing::Test {
protected:
    poller_test() : in_(open()), out_(open())
    {
        EXPECT_EQ(errc::none, in_->bind("inproc://poller"));
        EXPECT_EQ(errc::none, out_->connect("inproc://poller"));
        EXPECT_EQ(0, ::pipe2(pipe_.data(), O_CLOEXEC));
    }
    ~poller_test() override
    {
        for (const int fd : pipe_) ::close(fd);
        for (socket* s : {in_, out_}) {
            if (socket::valid(s)) s->close();
        }
        EXPECT_EQ(errc::none, context_->terminate());
    }

    socket* open()
    {
        const auto opened = context_->open_socket(ZMQ_PAIR);
        if (!opened) throw std::runtime_error("no socket");
        return *opened;
    }

    static poller::object of(void* s) { return {s, -1}; }
    poller::object reading() const { return {nullptr, pipe_[0]}; }
    poller::object writing() const { return {nullptr, pipe_[1]}; }

    void send() { EXPECT_EQ(errc::none, out_->send({reinterpret_cast<const std::byte*>("x"), 1, false}, true)); }

    context* context_ = context::create();
    socket* in_;
    socket* out_;
    std::array<int, 2> pipe_{};
    poller poller_;
    std::array<zmq_poller_event_t, 4> found_{};
    int first_ = 1;
    int second_ = 2;
};

TEST_F(poller_test, is_told_from_other_memory)
{
    EXPECT_TRUE(poller::valid(&poller_));
    EXPECT_FALSE(poller::valid(nullptr));
    alignas(poller) const std::array<char, sizeof(poller)> zeros{};
    EXPECT_FALSE(poller::valid(zeros.data()));
}

TEST_F(poller_test, refuses_what_is_neither_socket_nor_descriptor)
{
    alignas(8) std::array<char, sizeof(socket)> zeros{};
    for (const auto& [what, why] :
         {std::pair{of(zeros.data()), errc::not_a_socket}, {of(nullptr), from_errno(EBADF)}}) {
        EXPECT_EQ(why, poller_.add(what, nullptr, ZMQ_POLLIN));
        EXPECT_EQ(why, poller_.modify(what, ZMQ_POLLIN));
        EXPECT_EQ(why, poller_.remove(what));
    }
    EXPECT_EQ(0u, poller_.size());
}

TEST_F(poller_test, keeps_each_object_once)
{
    std::size_t size = 0;
    for (const poller::object& what : {of(in_), reading()}) {
        EXPECT_EQ(errc::invalid_argument, poller_.modify(what, ZMQ_POLLIN));
        EXPECT_EQ(errc::invalid_argument, poller_.remove(what));
        EXPECT_EQ(errc::invalid_argument, poller_.add(what, nullptr, 16));
        EXPECT_EQ(errc::none, poller_.add(what, nullptr, ZMQ_POLLIN | ZMQ_POLLOUT | ZMQ_POLLERR | ZMQ_POLLPRI));
        EXPECT_EQ(errc::invalid_argument, poller_.add(what, nullptr, ZMQ_POLLIN));
        EXPECT_EQ(errc::invalid_argument, poller_.modify(what, 16));
        EXPECT_EQ(errc::none, poller_.modify(what, 0));
        EXPECT_EQ(++size, poller_.size());
    }
    for (const poller::object& what : {of(in_), reading()}) {
        EXPECT_EQ(errc::none, poller_.remove(what));
        EXPECT_EQ(errc::invalid_argument, poller_.remove(what));
        EXPECT_EQ(--size, poller_.size());
    }
}

TEST_F(poller_test, with_nothing_to_wait_for_waits_only_if_that_ends)
{
    EXPECT_EQ(errc::bad_address, poller_.wait(found_, -1).error());
    EXPECT_EQ(errc::again, poller_.wait(found_, 1).error());
    ASSERT_EQ(errc::none, poller_.add(of(in_), nullptr, 0));
    send();
    EXPECT_EQ(errc::bad_address, poller_.wait(found_, -1).error());
    EXPECT_EQ(errc::again, poller_.wait(found_, 0).error());
}

TEST_F(poller_test, tells_what_is_ready_with_the_data_of_the_program)
{
    ASSERT_EQ(errc::none, poller_.add(of(in_), &first_, ZMQ_POLLIN));
    ASSERT_EQ(errc::none, poller_.add(reading(), &second_, ZMQ_POLLIN));
    EXPECT_EQ(errc::again, poller_.wait(found_, 0).error());

    ASSERT_EQ(1, ::write(pipe_[1], "x", 1));
    auto ready = poller_.wait(found_, patience_ms);
    ASSERT_TRUE(ready);
    ASSERT_EQ(1, *ready);
    EXPECT_EQ(nullptr, found_[0].socket);
    EXPECT_EQ(pipe_[0], found_[0].fd);
    EXPECT_EQ(&second_, found_[0].user_data);
    EXPECT_EQ(ZMQ_POLLIN, found_[0].events);

    send();
    ready = poller_.wait(found_, patience_ms);
    ASSERT_TRUE(ready);
    ASSERT_EQ(2, *ready);
    EXPECT_EQ(in_, found_[0].socket);
    EXPECT_EQ(&first_, found_[0].user_data);
    EXPECT_EQ(ZMQ_POLLIN, found_[0].events);
    EXPECT_EQ(&second_, found_[1].user_data);

    // No more than fits.
    found_[1].user_data = nullptr;
    ready = poller_.wait(std::span(found_).first(1), patience_ms);
    ASSERT_TRUE(ready);
    EXPECT_EQ(1, *ready);
    EXPECT_EQ(nullptr, found_[1].user_data);
}

TEST_F(poller_test, heeds_changes_between_two_waits)
{
    ASSERT_EQ(errc::none, poller_.add(of(in_), &first_, ZMQ_POLLIN));
    ASSERT_EQ(errc::none, poller_.add(writing(), &second_, ZMQ_POLLIN));
    EXPECT_EQ(errc::again, poller_.wait(found_, 0).error());
    ASSERT_EQ(errc::none, poller_.modify(writing(), ZMQ_POLLOUT));
    ASSERT_EQ(errc::none, poller_.modify(of(in_), ZMQ_POLLIN | ZMQ_POLLOUT));
    const auto ready = poller_.wait(found_, patience_ms);
    ASSERT_TRUE(ready);
    ASSERT_EQ(2, *ready);
    EXPECT_EQ(&first_, found_[0].user_data);
    EXPECT_EQ(ZMQ_POLLOUT, found_[0].events);
    EXPECT_EQ(&second_, found_[1].user_data);
    EXPECT_EQ(ZMQ_POLLOUT, found_[1].events);
    ASSERT_EQ(errc::none, poller_.remove(writing()));
    ASSERT_EQ(errc::none, poller_.modify(of(in_), ZMQ_POLLIN));
    EXPECT_EQ(errc::again, poller_.wait(found_, 0).error());
}

TEST_F(poller_test, is_woken_by_other_threads_and_fails_with_its_sockets)
{
    ASSERT_EQ(errc::none, poller_.add(of(in_), &first_, ZMQ_POLLIN));
    std::thread sending([this] { send(); });
    const auto ready = poller_.wait(found_, patience_ms);
    sending.join();
    ASSERT_TRUE(ready);
    EXPECT_EQ(&first_, found_[0].user_data);

    context_->shutdown();
    EXPECT_EQ(errc::terminated, poller_.wait(found_, patience_ms).error());
    in_->close();
    EXPECT_EQ(errc::not_a_socket, poller_.wait(found_, patience_ms).error());
}

}  // namespace
}  // namespace zlink::socket
