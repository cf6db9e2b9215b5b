// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Readers of a local service: one question, one answer, and limits that no reader gets around.
#include "transport/local_service/question_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::transport::local_service {

namespace {

using namespace std::chrono_literals;
using runtime::clock;

/// What a test's question is: a line.
struct answering {
    std::string text = "answer";
    std::chrono::milliseconds takes{0};
};

class line_question final : public question {
public:
    explicit line_question(const answering& with) : with_(with) {}
    std::optional<answer> take(std::string_view octets) override
    {
        const auto end = octets.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        std::this_thread::sleep_for(with_.takes);
        return answer{with_.text, end + 1 == octets.size()};
    }

private:
    const answering& with_;
};

class question_server_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "zlink-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        place_.path = folder_ + "/s";
        auto opened = service_opening::at(place_);
        ASSERT_TRUE(opened.listener) << opened.failure;
        listener_ = std::move(opened.listener);
        limits_.between = 1ms;
        limits_.time = 1h;
    }
    void TearDown() override
    {
        server_.reset();
        listener_.close();
        std::filesystem::remove_all(folder_);
    }

    void serve()
    {
        server_.emplace(listener_, [this] { return std::make_unique<line_question>(answering_); }, limits_);
    }
    [[nodiscard]] unique_fd connected() const
    {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        place_.path.copy(name.sun_path, sizeof name.sun_path - 1);
        unique_fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
        EXPECT_EQ(0, ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name));
        return fd;
    }
    [[nodiscard]] unique_fd asking(const std::string& what) const
    {
        unique_fd fd = connected();
        say(fd, what);
        return fd;
    }
    static void say(const unique_fd& fd, const std::string& what)
    {
        (void)::send(fd.get(), what.data(), what.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }

    /// One step, which waits for a moment at most.
    void step()
    {
        std::vector<pollfd> fds;
        server_->await(fds, clock::now());
        (void)::poll(fds.data(), fds.size(), 5);
        server_->step(fds.data(), fds.size(), clock::now());
    }
    template <class Done>
    [[nodiscard]] bool step_until(Done done)
    {
        const auto end = clock::now() + 10s;
        while (!done()) {
            if (clock::now() > end) return false;
            step();
        }
        return true;
    }
    /// What has come so far; `ended`: there will be no more.
    static std::string heard(const unique_fd& fd, bool& ended)
    {
        std::string all;
        char octets[65536];
        ssize_t size = 0;
        while ((size = ::recv(fd.get(), octets, sizeof octets, MSG_DONTWAIT)) > 0)
            all.append(octets, std::size_t(size));
        ended = size == 0 || (errno != EAGAIN && errno != EINTR);
        return all;
    }
    [[nodiscard]] std::string whole_answer(const unique_fd& fd)
    {
        std::string all;
        bool ended = false;
        EXPECT_TRUE(step_until([&] {
            all += heard(fd, ended);
            return ended;
        }));
        return all;
    }
    [[nodiscard]] bool names_listener()
    {
        std::vector<pollfd> fds;
        server_->await(fds, clock::now());
        return !fds.empty() && fds[0].fd == listener_.get();
    }

    std::string folder_;
    service_place place_;
    service_listener listener_;
    service_limits limits_;
    answering answering_;
    std::optional<question_server> server_;
};

TEST_F(question_server_test, a_question_is_answered_and_the_connection_ends)
{
    serve();
    EXPECT_EQ("answer", whole_answer(asking("what\n")));
    EXPECT_EQ(0u, server_->readers());
    EXPECT_TRUE(step_until([&] { return !server_->next_step(clock::now()); })) << "there is nothing more to do";
    const unique_fd slow = asking("wh");
    step();
    say(slow, "at\n");
    EXPECT_EQ("answer", whole_answer(slow));
}

TEST_F(question_server_test, a_large_answer_comes_whole)
{
    answering_.text.assign(3'000'000, 'x');
    serve();
    EXPECT_EQ(answering_.text, whole_answer(asking("what\n")));
    EXPECT_EQ(0u, server_->octets_that_wait());
}

TEST_F(question_server_test, one_reader_too_many_takes_the_place_of_the_oldest)
{
    limits_.readers = 2;
    serve();
    const unique_fd first = connected(), second = connected();
    ASSERT_TRUE(step_until([&] { return server_->readers() == 2; }));
    const unique_fd third = asking("what\n");
    EXPECT_EQ("answer", whole_answer(third));
    EXPECT_EQ("", whole_answer(first));
    say(second, "what\n");
    EXPECT_EQ("answer", whole_answer(second));
}

TEST_F(question_server_test, a_reader_that_trickles_has_its_time)
{
    limits_.time = 100ms;
    serve();
    const unique_fd slow = connected();
    bool ended = false;
    EXPECT_TRUE(step_until([&] {
        say(slow, "x");
        EXPECT_EQ("", heard(slow, ended));
        return ended;
    }));
}

TEST_F(question_server_test, a_reader_that_does_not_read_has_its_time)
{
    limits_.time = 100ms;
    answering_.text.assign(3'000'000, 'x');
    serve();
    const unique_fd deaf = asking("what\n");
    ASSERT_TRUE(step_until([&] { return server_->readers() == 1; }));
    EXPECT_TRUE(step_until([&] { return server_->readers() == 0; }));
    EXPECT_EQ(0u, server_->octets_that_wait());
}

TEST_F(question_server_test, answers_that_wait_have_so_much_memory)
{
    limits_.answers = 2'500'000;
    answering_.text.assign(1'000'000, 'x');
    serve();
    std::vector<unique_fd> deaf;
    for (int i = 0; i < 5; ++i) {
        deaf.push_back(asking("what\n"));
        ASSERT_TRUE(step_until([&, i] { return server_->readers() >= std::min<std::size_t>(2, std::size_t(i) + 1); }));
        for (int steps = 0; steps < 5; ++steps) step();
        EXPECT_LE(server_->octets_that_wait(), limits_.answers);
    }
    EXPECT_EQ(answering_.text, whole_answer(deaf.back()));
    EXPECT_GT(answering_.text.size(), whole_answer(deaf.front()).size());
}

TEST_F(question_server_test, a_flood_of_connections_is_taken_slowly)
{
    limits_.burst = 2;
    limits_.between = 1h;
    serve();
    std::vector<unique_fd> flood;
    for (int i = 0; i < 5; ++i) flood.push_back(connected());
    for (int i = 0; i < 5; ++i) step();
    EXPECT_EQ(2u, server_->readers());
    EXPECT_FALSE(names_listener());
    say(flood[0], "what\n");
    EXPECT_EQ("answer", whole_answer(flood[0]));
}

TEST_F(question_server_test, accepting_rests_when_descriptors_are_short)
{
    limits_.shortage = 1h;
    serve();
    const unique_fd one = connected();
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    const int next = ::dup(0);
    ::close(next);
    rlimit none_left = before;
    none_left.rlim_cur = rlim_t(next);
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none_left));
    step();
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
    EXPECT_EQ(0u, server_->readers());
    EXPECT_FALSE(names_listener());
    EXPECT_GT(server_->next_step(clock::now()).value_or(clock::now()), clock::now() + 30min);
}

TEST_F(question_server_test, costly_answers_take_a_part_of_the_time)
{
    answering_.takes = 20ms;
    limits_.share = 100;
    serve();
    EXPECT_EQ("answer", whole_answer(asking("what\n")));
    EXPECT_FALSE(names_listener());
    EXPECT_GT(server_->next_step(clock::now()).value_or(clock::now()), clock::now() + 500ms);
}

TEST_F(question_server_test, a_reader_that_has_sent_too_much_gets_its_answer)
{
    serve();
    EXPECT_EQ("answer", whole_answer(asking("what\nand more")));
}

TEST_F(question_server_test, a_reader_that_goes_on_sending_ends)
{
    limits_.farewell = 1h;
    serve();
    const unique_fd talker = asking("what\nand");
    EXPECT_TRUE(step_until([&] {
        say(talker, std::string(10'000, 'x'));
        bool ended = false;
        (void)heard(talker, ended);
        return ended && server_->readers() == 0;
    }));
}

}  // namespace

}  // namespace zlink::transport::local_service
