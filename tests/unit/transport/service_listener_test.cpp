// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The place of a local service: who gets it, who may read, and what is left of it.
#include "transport/local_service/service_listener.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::transport::local_service {

namespace {

class service_listener_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "zlink-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const char* name = "stats") const { return folder_ + "/" + name; }
    [[nodiscard]] static service_opening open(const std::string& text)
    {
        const auto place = parse_place(text);
        return service_opening::at(std::get<service_place>(place));
    }
    /// A socket's file that nobody listens at.
    void leave_stale() const
    {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path().copy(name.sun_path, sizeof name.sun_path - 1);
        const unique_fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
        ASSERT_EQ(0, ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name));
    }
    [[nodiscard]] bool is_listened_at() const
    {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path().copy(name.sun_path, sizeof name.sun_path - 1);
        const unique_fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
        return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
    }

    std::string folder_;
};

TEST_F(service_listener_test, the_file_is_the_owners_alone_whatever_the_umask)
{
    const mode_t before = ::umask(0);
    const auto opened = open(path());
    ::umask(before);
    ASSERT_TRUE(opened.listener) << opened.failure;
    struct stat made {};
    ASSERT_EQ(0, ::stat(path().c_str(), &made));
    EXPECT_TRUE(S_ISSOCK(made.st_mode));
    EXPECT_EQ(0600u, made.st_mode & 07777);
}

TEST_F(service_listener_test, the_file_goes_at_the_end_also_if_the_program_has_changed_its_folder)
{
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
    {
        const auto opened = open("stats");
        std::filesystem::current_path(before);
        ASSERT_TRUE(opened.listener) << opened.failure;
        EXPECT_TRUE(is_listened_at());
    }
    EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(service_listener_test, the_file_of_a_process_that_has_ended_is_replaced)
{
    leave_stale();
    const auto opened = open(path());
    EXPECT_TRUE(opened.listener) << opened.failure;
    EXPECT_TRUE(is_listened_at());
}

TEST_F(service_listener_test, a_place_in_use_stays_with_its_owner)
{
    const auto first = open(path());
    ASSERT_TRUE(first.listener);
    const auto second = open(path());
    EXPECT_FALSE(second.listener);
    EXPECT_TRUE(second.in_use);
    EXPECT_NE(std::string::npos, second.failure.find("use %p")) << second.failure;
    EXPECT_TRUE(is_listened_at());

    const auto port = open("127.0.0.1:0");
    ASSERT_TRUE(port.listener) << port.failure;
    EXPECT_NE(0, port.listener.place().port);
    EXPECT_TRUE(open(to_text(port.listener.place())).in_use);
}

TEST_F(service_listener_test, what_is_no_socket_stays)
{
    std::ofstream(path()) << "precious";
    EXPECT_NE(std::string::npos, open(path()).failure.find("no socket"));
    std::filesystem::create_symlink("nowhere", path("link"));
    EXPECT_NE(std::string::npos, open(path("link")).failure.find("no socket"));
    EXPECT_EQ(8u, std::filesystem::file_size(path()));
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_NE(std::string::npos, open(path("no/folder")).failure.find("no such folder"));
}

TEST_F(service_listener_test, a_file_that_has_taken_the_place_stays)
{
    auto opened = open(path());
    std::filesystem::remove(path());
    std::ofstream(path()) << "new";
    opened.listener.close();
    EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(service_listener_test, a_folder_that_stays_locked_is_left_alone)
{
    const unique_fd locked(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_EQ(0, ::flock(locked.get(), LOCK_EX));
    EXPECT_NE(std::string::npos, open(path()).failure.find("locked the folder"));
    ASSERT_EQ(0, ::flock(locked.get(), LOCK_UN));
    EXPECT_TRUE(open(path()).listener);
}

TEST_F(service_listener_test, a_child_leaves_its_parents_file)
{
    auto opened = open(path());
    const pid_t child = ::fork();
    if (child == 0) {
        opened.listener.close();
        ::_exit(0);
    }
    ASSERT_EQ(child, ::waitpid(child, nullptr, 0));
    EXPECT_TRUE(is_listened_at());
}

TEST_F(service_listener_test, of_processes_that_begin_at_once_one_gets_the_place_of_an_ended_one)
{
    constexpr int processes = 8;
    leave_stale();
    int go[2], stay[2];
    ASSERT_EQ(0, ::pipe(go));
    ASSERT_EQ(0, ::pipe(stay));
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            char octet = 0;
            ::close(go[1]);
            ::close(stay[1]);
            (void)!::read(go[0], &octet, 1);
            const auto opened = open(path());
            if (!opened.listener) ::_exit(opened.in_use ? 1 : 2);
            (void)!::read(stay[0], &octet, 1);
            ::_exit(is_listened_at() ? 0 : 3);
        }
        children.push_back(child);
    }
    ::close(go[1]);  // all go on
    // The losers end; the winner stays until it is told.
    int winners = 0, losers = 0;
    for (int i = 0; i < processes - 1; ++i) {
        int status = 0;
        ASSERT_GT(::wait(&status), 0);
        losers += WEXITSTATUS(status) == 1;
    }
    ::close(stay[1]);
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    winners += WEXITSTATUS(status) == 0;
    EXPECT_EQ(1, winners);
    EXPECT_EQ(processes - 1, losers);
    ::close(go[0]);
    ::close(stay[0]);
}

}  // namespace

}  // namespace zlink::transport::local_service
