// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Unix domain listeners and connections: names, the life of socket files, credentials, errors.
#include "transport/ipc/ipc_socket.hpp"

#include "transport/ipc/ipc_options.hpp"
#include "transport/ipc/ipc_transport.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::transport::ipc {

namespace {

namespace fs = std::filesystem;
using kind = ipc_endpoint::kind;

constexpr int patience_ms = 10000;

bool wait_for(int fd, short events)
{
    pollfd waiting{fd, events, 0};
    return ::poll(&waiting, 1, patience_ms) == 1;
}

void expect_private_and_non_blocking(int fd)
{
    EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}

/// A name no other test or process has.
ipc_endpoint unique_abstract_name(const char* name)
{
    return {kind::abstract, "zlink-" + std::to_string(::getpid()) + "-" + name};
}

class ipc_socket_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "zlink-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { fs::remove_all(directory_); }

    [[nodiscard]] ipc_endpoint path(const char* name) const { return {kind::path, (directory_ / name).string()}; }

    ipc_listener listen_at(const ipc_endpoint& address)
    {
        result<ipc_listener> opened = open_listener(address, options_);
        EXPECT_TRUE(opened) << std::strerror(to_errno(opened.error()));
        return opened ? std::move(*opened) : ipc_listener{};
    }

    unique_fd connect_to(const ipc_endpoint& peer)
    {
        result<connecting_socket> connection = open_connection(peer, options_);
        EXPECT_TRUE(connection) << std::strerror(to_errno(connection.error()));
        return connection ? std::move(connection->fd) : unique_fd{};
    }

    result<unique_fd> accept_next(const ipc_listener& listener)
    {
        EXPECT_TRUE(wait_for(listener.get(), POLLIN));
        return accept_connection(listener.get(), options_);
    }

    stream_options options_;
    fs::path directory_;
};

/// Sets an environment variable for as long as it lives.
class environment_variable {
public:
    environment_variable(const char* name, const std::string& value) : name_(name)
    {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    ~environment_variable()
    {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace

// The file of a listener that comes while another one at the same path ends stays, whichever is first.
TEST_F(ipc_socket_test, a_listener_that_ends_leaves_the_file_of_its_successor_stress)
{
    const ipc_endpoint here = path("one-after-the-other");
    ipc_listener listener = listen_at(here);
    // So many rounds, or as many as a machine that does other work as well gets done in some seconds.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (int i = 0; i < 3000 && !HasFailure() && std::chrono::steady_clock::now() < end; ++i) {
        std::atomic<bool> begun{false};
        std::jthread ending([&begun, old = std::move(listener)]() mutable {
            begun = true;
            old = {};
        });
        while (!begun) {
        }
        listener = listen_at(here);
        ending.join();
        EXPECT_TRUE(fs::is_socket(here.name)) << "round " << i;
    }
}

TEST_F(ipc_socket_test, connects_and_accepts_over_a_path)
{
    const ipc_endpoint address = path("feed");
    const ipc_listener listener = listen_at(address);
    EXPECT_EQ(listener.endpoint_text(), "ipc://" + address.name);
    EXPECT_EQ(local_endpoint(listener.get()), "ipc://" + address.name);
    const unique_fd client = connect_to(address);
    const result<unique_fd> server = accept_next(listener);
    ASSERT_TRUE(server);
    EXPECT_TRUE(finish_connect(client.get()));
    for (const int fd : {listener.get(), client.get(), server->get()}) {
        expect_private_and_non_blocking(fd);
    }
    EXPECT_EQ(peer_endpoint(client.get()), "ipc://" + address.name);
    EXPECT_EQ(local_endpoint(server->get()), "ipc://" + address.name);
    EXPECT_EQ(peer_endpoint(server->get()), "ipc://");
    ASSERT_EQ(::send(client.get(), "ping", 4, MSG_NOSIGNAL), 4);
    char received[8];
    EXPECT_EQ(::recv(server->get(), received, sizeof received, 0), 4);
}

TEST_F(ipc_socket_test, abstract_names_leave_no_file_and_are_exclusive)
{
    const ipc_endpoint address = unique_abstract_name("exclusive");
    ipc_listener listener = listen_at(address);
    EXPECT_EQ(listener.endpoint_text(), "ipc://@" + address.name);
    EXPECT_EQ(local_endpoint(listener.get()), "ipc://@" + address.name);
    EXPECT_FALSE(fs::exists("@" + address.name));
    EXPECT_EQ(open_listener(address, options_).error(), errc::address_in_use);
    const unique_fd client = connect_to(address);
    EXPECT_TRUE(accept_next(listener));
    listener.close();
    EXPECT_EQ(open_connection(address, options_).error(), errc::connection_refused);
    EXPECT_TRUE(open_listener(address, options_));
}

TEST_F(ipc_socket_test, accept_says_again_when_nobody_waits)
{
    const ipc_listener listener = listen_at(path("quiet"));
    EXPECT_EQ(accept_connection(listener.get(), options_).error(), errc::again);
}

TEST_F(ipc_socket_test, the_file_goes_when_the_listener_closes)
{
    const ipc_endpoint address = path("closing");
    {
        const ipc_listener listener = listen_at(address);
        EXPECT_TRUE(fs::is_socket(address.name));
    }
    EXPECT_FALSE(fs::exists(address.name));
    EXPECT_EQ(open_connection(address, options_).error(), errc::no_entry);
}

TEST_F(ipc_socket_test, closing_twice_and_moving_are_harmless)
{
    const ipc_endpoint address = path("moving");
    ipc_listener first = listen_at(address);
    ipc_listener second = std::move(first);
    first.close();
    EXPECT_FALSE(first);
    EXPECT_TRUE(fs::exists(address.name));
    second.close();
    second.close();
    EXPECT_FALSE(fs::exists(address.name));
}

TEST_F(ipc_socket_test, a_stale_file_is_replaced)
{
    const ipc_endpoint address = path("stale");
    {
        const unique_fd dead{::socket(AF_UNIX, SOCK_STREAM, 0)};
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        ASSERT_LT(address.name.size(), sizeof name.sun_path);
        std::memcpy(name.sun_path, address.name.data(), address.name.size());
        ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    }
    ASSERT_TRUE(fs::exists(address.name));
    EXPECT_EQ(open_connection(address, options_).error(), errc::connection_refused);
    const ipc_listener listener = listen_at(address);
    const unique_fd client = connect_to(address);
    EXPECT_TRUE(accept_next(listener));
}

TEST_F(ipc_socket_test, a_second_listener_takes_the_name_over_and_keeps_its_file)
{
    const ipc_endpoint address = path("contested");
    ipc_listener first = listen_at(address);
    const ipc_listener second = listen_at(address);
    first.close();
    EXPECT_TRUE(fs::exists(address.name));
    const unique_fd client = connect_to(address);
    EXPECT_TRUE(accept_next(second));
}

TEST_F(ipc_socket_test, wildcard_makes_a_name_up_and_cleans_up)
{
    const environment_variable place("TMPDIR", directory_.string());
    ipc_listener listener = listen_at({kind::any, {}});
    const std::string text = listener.endpoint_text();
    ASSERT_TRUE(text.starts_with("ipc://" + directory_.string() + "/")) << text;
    const result<endpoint> parsed = parse_connect_endpoint(text);
    ASSERT_TRUE(parsed);
    const unique_fd client = connect_to(parts_of(*parsed->where));
    EXPECT_TRUE(accept_next(listener));
    const ipc_listener other = listen_at({kind::any, {}});
    EXPECT_NE(other.endpoint_text(), text);
    listener.close();
    EXPECT_FALSE(fs::exists(fs::path(parts_of(*parsed->where).name).parent_path()));
}

TEST_F(ipc_socket_test, wildcard_under_a_place_too_long_fails_and_leaves_nothing)
{
    const fs::path deep = directory_ / std::string(100, 'd');
    fs::create_directory(deep);
    const environment_variable place("TMPDIR", deep.string());
    EXPECT_EQ(open_listener({kind::any, {}}, options_).error(), errc::name_too_long);
    EXPECT_TRUE(fs::is_empty(deep));
}

TEST_F(ipc_socket_test, places_that_cannot_hold_a_file_are_errors)
{
    EXPECT_EQ(open_listener(path("missing/socket"), options_).error(), errc::no_entry);
    EXPECT_EQ(open_listener({kind::path, directory_.string()}, options_).error(), errc::address_in_use);
    EXPECT_EQ(open_listener({kind::path, "/" + std::string(120, 'x')}, options_).error(), errc::name_too_long);
    EXPECT_EQ(open_connection({kind::abstract, std::string(108, 'x')}, options_).error(), errc::name_too_long);
    EXPECT_TRUE(fs::is_directory(directory_));
}

TEST_F(ipc_socket_test, a_full_backlog_says_again)
{
    options_.backlog = 1;
    const ipc_endpoint address = path("full");
    const ipc_listener listener = listen_at(address);
    std::vector<unique_fd> clients;
    errc error = errc::none;
    for (int i = 0; i < 10 && error == errc::none; ++i) {
        result<connecting_socket> connection = open_connection(address, options_);
        error = connection.error();
        if (connection) {
            clients.push_back(std::move(connection->fd));
        }
    }
    EXPECT_EQ(error, errc::again);
    EXPECT_TRUE(accept_next(listener));
    EXPECT_TRUE(open_connection(address, options_));
}

TEST_F(ipc_socket_test, peers_are_known_by_their_credentials)
{
    const ipc_endpoint address = path("who");
    const ipc_listener listener = listen_at(address);
    const unique_fd client = connect_to(address);
    const result<unique_fd> server = accept_next(listener);
    ASSERT_TRUE(server);
    const result<peer_credentials> peer = credentials_of_peer(server->get());
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->uid, ::geteuid());
    EXPECT_EQ(peer->gid, ::getegid());
    EXPECT_EQ(peer->pid, ::getpid());
    EXPECT_EQ(peer_address_property(server->get()), "localhost:" + std::to_string(::geteuid()) + ":" +
                                                        std::to_string(::getegid()) + ":" + std::to_string(::getpid()));
    EXPECT_EQ(peer_address_property(-1), "");
}

TEST_F(ipc_socket_test, filters_admit_by_user_group_or_process)
{
    const ipc_endpoint address = path("filtered");
    const ipc_listener listener = listen_at(address);
    const auto admitted = [&] {
        const unique_fd client = connect_to(address);
        const result<unique_fd> server = accept_next(listener);
        EXPECT_TRUE(server || server.error() == errc::access_denied);
        return server.has_value();
    };
    EXPECT_TRUE(admitted());
    options_.change<ipc_options>().filter_pid = {1};
    if (::getpid() != 1) {
        EXPECT_FALSE(admitted());
    }
    options_.change<ipc_options>().filter_uid = {::geteuid()};
    EXPECT_TRUE(admitted());
    options_.change<ipc_options>().filter_uid = {::geteuid() + 1};
    EXPECT_FALSE(admitted());
    options_.change<ipc_options>().filter_gid = {::getegid()};
    EXPECT_TRUE(admitted());
    options_.change<ipc_options>().filter_gid = {::getegid() + 40000};
    EXPECT_FALSE(admitted());
    options_.change<ipc_options>().filter_pid = {::getpid()};
    EXPECT_TRUE(admitted());
}

TEST_F(ipc_socket_test, takes_over_a_listening_descriptor_and_leaves_its_file)
{
    const ipc_endpoint address = path("own");
    unique_fd own{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    ASSERT_LT(address.name.size(), sizeof name.sun_path);
    std::memcpy(name.sun_path, address.name.data(), address.name.size());
    ASSERT_EQ(::bind(own.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    ASSERT_EQ(::listen(own.get(), 5), 0);
    options_.use_fd = own.release();
    {
        const ipc_listener listener = listen_at(address);
        EXPECT_EQ(listener.get(), options_.use_fd);
        EXPECT_EQ(listener.endpoint_text(), "ipc://" + address.name);
        EXPECT_EQ(accept_connection(listener.get(), options_).error(), errc::again);
        const unique_fd client = connect_to(address);
        EXPECT_TRUE(accept_next(listener));
    }
    EXPECT_TRUE(fs::exists(address.name));
}

TEST_F(ipc_socket_test, a_forked_child_does_not_remove_its_parents_file)
{
    const ipc_endpoint address = path("forked");
    ipc_listener listener = listen_at(address);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        listener.close();
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const unique_fd client = connect_to(address);
    EXPECT_TRUE(accept_next(listener));
}

TEST_F(ipc_socket_test, buffer_sizes_apply)
{
    options_.sndbuf = 20000;
    const ipc_endpoint address = path("sized");
    const ipc_listener listener = listen_at(address);
    const unique_fd client = connect_to(address);
    int size = 0;
    socklen_t length = sizeof size;
    ASSERT_EQ(::getsockopt(client.get(), SOL_SOCKET, SO_SNDBUF, &size, &length), 0);
    EXPECT_GE(size, 20000);
    EXPECT_LE(size, 40000);
}

TEST_F(ipc_socket_test, buffers_nobody_asked_for_are_no_smaller_than_the_systems)
{
    const unique_fd untouched{::socket(AF_UNIX, SOCK_STREAM, 0)};
    const ipc_endpoint address = path("unsized");
    const ipc_listener listener = listen_at(address);
    const unique_fd client = connect_to(address);
    int usual = 0, size = 0;
    socklen_t length = sizeof size;
    ASSERT_EQ(::getsockopt(untouched.get(), SOL_SOCKET, SO_SNDBUF, &usual, &length), 0);
    ASSERT_EQ(::getsockopt(client.get(), SOL_SOCKET, SO_SNDBUF, &size, &length), 0);
    EXPECT_GE(size, usual);
}

}  // namespace zlink::transport::ipc
