// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// vsock listeners, connections and streams over loopback: opening, the buffer sizes that reach the kernel, errors,
// addresses.
#include "transport/vsock/vsock_socket.hpp"

#include "support/vsock_loopback.hpp"
#include "transport/vsock/vsock_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

namespace zlink::transport::vsock {
namespace {

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

unsigned long long size_option(int fd, int name)
{
    unsigned long long value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(0, ::getsockopt(fd, AF_VSOCK, name, &value, &size)) << std::strerror(errno);
    return value;
}

/// How a connection attempt ends.
errc outcome_of(const result<connecting_socket>& connection)
{
    if (!connection || !connection->in_progress) return connection.error();
    EXPECT_TRUE(wait_for(connection->fd.get(), POLLOUT));
    return finish_connect(connection->fd.get()).error();
}

class vsock_socket_test : public testing::Test {
protected:
    void listen_at(const vsock_endpoint& address)
    {
        result<unique_fd> opened = open_listener(address, options_);
        ASSERT_TRUE(opened) << std::strerror(to_errno(opened.error()));
        listener_ = std::move(*opened);
        where_ = *local_address(listener_.get());
    }
    unique_fd connect_to(const vsock_endpoint& peer)
    {
        result<connecting_socket> connection = open_connection(peer, options_);
        EXPECT_EQ(errc::none, outcome_of(connection));
        return connection ? std::move(connection->fd) : unique_fd{};
    }
    result<unique_fd> accept_next(std::optional<vsock_endpoint>* peer = nullptr)
    {
        EXPECT_TRUE(wait_for(listener_.get(), POLLIN));
        return accept_connection(listener_.get(), peer);
    }

    stream_options options_;
    unique_fd listener_;
    vsock_endpoint where_;
};

TEST_F(vsock_socket_test, a_listener_gets_a_port_and_tells_it)
{
    listen_at({vsock_endpoint::local_cid, vsock_endpoint::any});
    expect_private_and_non_blocking(listener_.get());
    EXPECT_EQ(vsock_endpoint::local_cid, where_.cid);
    EXPECT_NE(vsock_endpoint::any, where_.port);
    listen_at({});
    EXPECT_EQ(vsock_endpoint::any, where_.cid) << "all context ids of this machine";
    EXPECT_NE(vsock_endpoint::any, where_.port);
}

TEST_F(vsock_socket_test, both_sides_know_their_addresses)
{
    for (const std::uint32_t cid : {vsock_endpoint::local_cid, vsock_endpoint::any}) {
        listen_at({cid, vsock_endpoint::any});
        const unique_fd client = connect_to({vsock_endpoint::local_cid, where_.port});
        std::optional<vsock_endpoint> from;
        const result<unique_fd> server = accept_next(&from);
        ASSERT_TRUE(server);
        expect_private_and_non_blocking(client.get());
        expect_private_and_non_blocking(server->get());
        EXPECT_EQ(where_.port, peer_address(client.get())->port);
        EXPECT_EQ(local_address(client.get()), from);
        EXPECT_EQ(vsock_endpoint::local_cid, from->cid);
        EXPECT_EQ(errc::again, accept_connection(listener_.get()).error());
    }
}

TEST_F(vsock_socket_test, a_port_at_which_nobody_listens_refuses)
{
    const vsock_endpoint silent{vsock_endpoint::local_cid, zlink::test::free_vsock_port()};
    int number = -1;
    const auto opened = open_connection(silent, options_, &number);
    EXPECT_NE(-1, number);
    EXPECT_EQ(errc::connection_refused, outcome_of(opened));
}

TEST_F(vsock_socket_test, a_port_in_use_and_a_foreign_context_id_are_errors)
{
    listen_at({vsock_endpoint::local_cid, vsock_endpoint::any});
    int number = -1;
    EXPECT_EQ(errc::address_in_use, open_listener(where_, options_, &number).error());
    EXPECT_NE(-1, number);
    EXPECT_EQ(errc::address_not_available, open_listener({4294967290, vsock_endpoint::any}, options_).error());
}

TEST_F(vsock_socket_test, a_listener_may_be_the_programs)
{
    listen_at({vsock_endpoint::local_cid, vsock_endpoint::any});
    options_.use_fd = listener_.release();
    const result<unique_fd> adopted = open_listener({}, options_);
    ASSERT_TRUE(adopted);
    EXPECT_EQ(where_, local_address(adopted->get()));
}

TEST_F(vsock_socket_test, the_larger_option_is_the_buffer_size)
{
    listen_at({});
    const auto usual = size_option(listener_.get(), SO_VM_SOCKETS_BUFFER_SIZE);
    for (const auto& [sndbuf, rcvbuf, expected] :
         std::vector<std::tuple<int, int, unsigned long long>>{{-1, -1, usual},
                                                               {0, -1, usual},
                                                               {0, 0, usual},
                                                               {-1, 65536, 65536},
                                                               {65536, -1, 65536},
                                                               {4096, 65536, 65536},
                                                               {1 << 20, 4096, 1 << 20},
                                                               {-1, 8192, 8192}}) {
        options_.sndbuf = sndbuf;
        options_.rcvbuf = rcvbuf;
        listen_at({});
        EXPECT_EQ(expected, size_option(listener_.get(), SO_VM_SOCKETS_BUFFER_SIZE)) << sndbuf << ' ' << rcvbuf;
    }
}

// Also on kernels without loopback.
TEST_F(vsock_socket_test, the_kernel_takes_the_buffer_size)
{
    unique_fd fd(static_cast<int>(::syscall(SYS_socket, AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    if (!fd) {
        EXPECT_FALSE(zlink::test::kernel_has_vsock_loopback());
        fd = unique_fd(::socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }
    options_.rcvbuf = 1 << 20;
    EXPECT_TRUE(tune_connection(fd.get(), options_));
    EXPECT_EQ(1ULL << 20, size_option(fd.get(), SO_VM_SOCKETS_BUFFER_SIZE));
    options_.rcvbuf = 8192;
    EXPECT_TRUE(tune_connection(fd.get(), options_));
    EXPECT_EQ(8192ULL, size_option(fd.get(), SO_VM_SOCKETS_BUFFER_SIZE));
}

TEST_F(vsock_socket_test, a_stream_tells_its_ends)
{
    listen_at({vsock_endpoint::local_cid, vsock_endpoint::any});
    const vsock_stream client(connect_to(where_), where_);
    std::optional<vsock_endpoint> from;
    result<unique_fd> accepted = accept_next(&from);
    ASSERT_TRUE(accepted);
    vsock_stream server(std::move(*accepted), from);
    EXPECT_EQ(to_text(where_), client.peer_endpoint());
    EXPECT_EQ(client.local_endpoint(), server.peer_endpoint());
    EXPECT_TRUE(server.supports_inline_io());
    EXPECT_EQ("", vsock_stream({}, {}).local_endpoint());
    EXPECT_EQ("", vsock_stream({}, {}).peer_endpoint());
    std::vector<std::pair<std::string, std::string>> properties;
    server.add_properties(properties);
    EXPECT_EQ((std::vector<std::pair<std::string, std::string>>{{"Peer-Address", "1"}}), properties);
}

TEST_F(vsock_socket_test, a_stream_knows_of_unread_octets)
{
    listen_at({vsock_endpoint::local_cid, vsock_endpoint::any});
    vsock_stream client(connect_to(where_), where_);
    result<unique_fd> accepted = accept_next();
    ASSERT_TRUE(accepted);
    std::optional<vsock_stream> server(std::in_place, std::move(*accepted), std::nullopt);
    EXPECT_FALSE(client.has_unread_octets());
    char octets[] = "ab";
    const iovec two{octets, 2};
    EXPECT_EQ(2U, server->write(&two, 1).octets);
    ASSERT_TRUE(wait_for(client.descriptor(), POLLIN));
    EXPECT_TRUE(client.has_unread_octets());
    EXPECT_TRUE(client.has_unread_octets()) << "looking takes none";
    char read[3] = "";
    const iovec room{read, 3};
    EXPECT_EQ(2U, client.read(&room, 1).octets);
    EXPECT_FALSE(client.has_unread_octets());
    server.reset();
    ASSERT_TRUE(wait_for(client.descriptor(), POLLIN));
    EXPECT_FALSE(client.has_unread_octets()) << "the end is none";
    EXPECT_EQ(io_outcome::status::closed, client.read(&room, 1).state);
}

}  // namespace
}  // namespace zlink::transport::vsock
