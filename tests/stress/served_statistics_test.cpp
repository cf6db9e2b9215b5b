// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The statistics are read from outside while contexts and sockets come and go. The environment is read once in a
// process, so the test runs itself in a child.
#include <zmq.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace zlink::test {
namespace {

/// What comes up to the end of the connection; empty: nobody listens.
std::string ask(const std::string& path, const std::string& page)
{
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::string all;
    const std::string request = "GET " + page + " HTTP/1.1\r\nHost: x\r\n\r\n";
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        ::send(fd, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
        char octets[4096];
        for (ssize_t size = 0; (size = ::recv(fd, octets, sizeof octets, 0)) > 0;) {
            all.append(octets, std::size_t(size));
        }
    }
    ::close(fd);
    return all;
}

void use_sockets(const std::string& endpoint)
{
    void* const context = zmq_ctx_new();
    void* const in = zmq_socket(context, ZMQ_PULL);
    ASSERT_EQ(0, zmq_bind(in, endpoint.c_str()));
    char where[256];
    std::size_t size = sizeof where;
    ASSERT_EQ(0, zmq_getsockopt(in, ZMQ_LAST_ENDPOINT, where, &size));
    std::vector<void*> out;
    for (int i = 0; i < 4; ++i) {
        out.push_back(zmq_socket(context, ZMQ_PUSH));
        ASSERT_EQ(0, zmq_connect(out.back(), where));
        ASSERT_EQ(5, zmq_send(out.back(), "hello", 5, 0));
    }
    char octets[5];
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(5, zmq_recv(in, octets, sizeof octets, 0));
    }
    for (void* s : out) zmq_close(s);
    zmq_close(in);
    ASSERT_EQ(0, zmq_ctx_term(context));
}

void run_in_child(const std::string& path)
{
    std::vector<std::thread> threads;
    std::atomic<bool> ends{false};
    std::atomic<int> read{0};
    for (const auto* const endpoint : {"inproc://x", "tcp://127.0.0.1:*"}) {
        threads.emplace_back([&, endpoint] {
            while (!ends) use_sockets(endpoint);
        });
    }
    for (const auto* const page : {"/stats.json?peers=1", "/metrics?peers=1"}) {
        threads.emplace_back([&, page] {
            while (!ends) read += ask(path, page).starts_with("HTTP/1.1 200 OK\r\n");
        });
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (read < 20 && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ends = true;
    for (auto& one : threads) one.join();
    EXPECT_GE(read, 20);
    EXPECT_FALSE(std::filesystem::exists(path)) << "the last context has ended";
}

TEST(served_statistics_stress_test, they_are_read_while_contexts_and_sockets_come_and_go)
{
    if (const char* const path = std::getenv("ZLINK_STATS")) return run_in_child(path);
    std::string folder = (std::filesystem::temp_directory_path() / "zlink-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::vector<std::string> variables{"ZLINK_STATS=" + folder + "/s"};
    for (char** one = environ; *one; ++one) {
        if (!std::string(*one).starts_with("GTEST_")) variables.emplace_back(*one);  // shards have other tests
    }
    std::vector<char*> environment;
    for (auto& one : variables) environment.push_back(one.data());
    environment.push_back(nullptr);
    std::string program = "/proc/self/exe", filter = "--gtest_filter=served_statistics_stress_test.*";
    char* arguments[] = {program.data(), filter.data(), nullptr};
    pid_t child = 0;
    ASSERT_EQ(0, ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environment.data()));
    int status = 0;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace zlink::test
