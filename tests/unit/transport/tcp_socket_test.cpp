// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tcp listeners and connections over loopback: opening, the options that reach the kernel, errors, addresses.
#include "transport/tcp/tcp_socket.hpp"

#include "transport/ip/ip_options.hpp"
#include "transport/tcp/tcp_options.hpp"
#include "transport/tcp/tcp_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace zlink::transport::tcp {

namespace {

constexpr int patience_ms = 10000;

ip_address loopback(std::uint16_t port = 0)
{
    return *ip_address::from_literal("127.0.0.1", port);
}

bool wait_for(int fd, short events)
{
    pollfd waiting{fd, events, 0};
    return ::poll(&waiting, 1, patience_ms) == 1;
}

int option_of(int fd, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0) << std::strerror(errno);
    return value;
}

void expect_private_and_non_blocking(int fd)
{
    EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}

bool system_has_ipv6()
{
    const unique_fd fd{::socket(AF_INET6, SOCK_STREAM, 0)};
    const ip_address address = *ip_address::from_literal("::1", 0);
    return fd && ::bind(fd.get(), address.data(), address.size()) == 0;
}

/// Holds a port without listening at it.
class bound_socket {
public:
    explicit bound_socket(const ip_address& address) : fd_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        EXPECT_EQ(::bind(fd_.get(), address.data(), address.size()), 0) << std::strerror(errno);
    }
    [[nodiscard]] ip_address address() const { return local_address(fd_.get()).value(); }

private:
    unique_fd fd_;
};

/// How a connection attempt ends.
errc outcome_of(const result<connecting_socket>& connection)
{
    if (!connection || !connection->in_progress) {
        return connection.error();
    }
    EXPECT_TRUE(wait_for(connection->fd.get(), POLLOUT));
    return finish_connect(connection->fd.get()).error();
}

/// A listener and what it takes to make connected pairs through it.
class tcp_socket_test : public ::testing::Test {
protected:
    void listen_at(const ip_address& address)
    {
        result<unique_fd> opened = open_listener(address, options_);
        ASSERT_TRUE(opened) << std::strerror(to_errno(opened.error()));
        listener_ = std::move(*opened);
        where_ = local_address(listener_.get()).value();
    }

    unique_fd connect_to(const ip_address& peer, const std::optional<ip_address>& source = std::nullopt)
    {
        result<connecting_socket> connection = open_connection(peer, source, options_);
        EXPECT_TRUE(connection) << std::strerror(to_errno(connection.error()));
        EXPECT_EQ(outcome_of(connection), errc::none);
        return connection ? std::move(connection->fd) : unique_fd{};
    }

    result<unique_fd> accept_next()
    {
        EXPECT_TRUE(wait_for(listener_.get(), POLLIN));
        return accept_connection(listener_.get(), options_);
    }

    stream_options options_;
    unique_fd listener_;
    ip_address where_ = loopback();
};

}  // namespace

TEST_F(tcp_socket_test, listener_gets_a_port_and_tells_its_endpoint)
{
    listen_at(loopback());
    EXPECT_NE(where_.port(), 0);
    EXPECT_EQ(local_endpoint(listener_.get()), "tcp://127.0.0.1:" + std::to_string(where_.port()));
    expect_private_and_non_blocking(listener_.get());
    EXPECT_EQ(option_of(listener_.get(), SOL_SOCKET, SO_REUSEADDR), 1);
}

TEST_F(tcp_socket_test, connects_and_accepts)
{
    listen_at(loopback());
    const unique_fd client = connect_to(where_);
    const result<unique_fd> server = accept_next();
    ASSERT_TRUE(server);
    expect_private_and_non_blocking(client.get());
    expect_private_and_non_blocking(server->get());
    EXPECT_EQ(peer_endpoint(client.get()), endpoint_text(where_));
    EXPECT_EQ(local_endpoint(server->get()), endpoint_text(where_));
    EXPECT_EQ(peer_endpoint(server->get()), local_endpoint(client.get()));
    EXPECT_EQ(peer_address(server->get())->host_text(), "127.0.0.1");
    ASSERT_EQ(::send(client.get(), "ping", 4, MSG_NOSIGNAL), 4);
    ASSERT_TRUE(wait_for(server->get(), POLLIN));
    char received[8];
    EXPECT_EQ(::recv(server->get(), received, sizeof received, 0), 4);
}

TEST_F(tcp_socket_test, accept_says_again_when_nobody_waits)
{
    listen_at(loopback());
    EXPECT_EQ(accept_connection(listener_.get(), options_).error(), errc::again);
}

TEST_F(tcp_socket_test, accept_gets_over_a_peer_that_gave_up)
{
    listen_at(loopback());
    {
        const unique_fd hasty = connect_to(where_);
        const linger abort{1, 0};  // close by reset
        ASSERT_EQ(::setsockopt(hasty.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort), 0);
    }
    const unique_fd client = connect_to(where_);
    // Linux hands the reset connection out, others skip it; the second one follows in any case.
    bool met = false;
    for (int turn = 0; turn < 2 && !met; ++turn) {
        const result<unique_fd> server = accept_next();
        ASSERT_TRUE(server);
        met = peer_endpoint(server->get()) == local_endpoint(client.get());
    }
    EXPECT_TRUE(met);
}

TEST_F(tcp_socket_test, accept_tells_who_a_peer_was_that_is_gone_already)
{
    options_.change<tcp_options>().accept_filters = {"127.0.0.3/32"};
    listen_at(loopback());
    std::string where_from;
    {
        const unique_fd hasty = connect_to(where_, *ip_address::from_literal("127.0.0.3", 0));
        where_from = local_endpoint(hasty.get());
        const linger abort{1, 0};  // close by reset
        ASSERT_EQ(::setsockopt(hasty.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort), 0);
    }
    ASSERT_TRUE(wait_for(listener_.get(), POLLIN));
    std::optional<ip_address> peer;
    result<unique_fd> server = accept_connection(listener_.get(), options_, &peer);
    ASSERT_TRUE(server);
    EXPECT_FALSE(peer_address(server->get()));
    ASSERT_TRUE(peer);
    EXPECT_EQ(endpoint_text(*peer), where_from);
    const tcp_stream stream(std::move(*server), peer);
    EXPECT_EQ(stream.peer_endpoint(), where_from);
    std::vector<std::pair<std::string, std::string>> properties;
    stream.add_properties(properties);
    EXPECT_EQ(properties, (decltype(properties){{"Peer-Address", "127.0.0.3"}}));
}

TEST_F(tcp_socket_test, a_connection_that_was_made_tells_its_peer_after_a_reset)
{
    listen_at(loopback());
    const tcp_stream stream(connect_to(where_), where_);
    {
        const result<unique_fd> server = accept_next();
        ASSERT_TRUE(server);
        const linger abort{1, 0};
        ASSERT_EQ(::setsockopt(server->get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort), 0);
    }
    ASSERT_TRUE(wait_for(stream.descriptor(), POLLIN));
    EXPECT_FALSE(peer_address(stream.descriptor()));
    EXPECT_EQ(stream.peer_endpoint(), endpoint_text(where_));
}

TEST_F(tcp_socket_test, address_in_use_and_foreign_addresses_are_errors)
{
    listen_at(loopback());
    EXPECT_EQ(open_listener(where_, options_).error(), errc::address_in_use);
    EXPECT_EQ(open_listener(*ip_address::from_literal("192.0.2.77", 0), options_).error(), errc::address_not_available);
}

TEST_F(tcp_socket_test, connecting_where_nobody_listens_is_refused)
{
    const bound_socket silent(loopback());
    EXPECT_EQ(outcome_of(open_connection(silent.address(), std::nullopt, options_)), errc::connection_refused);
}

TEST_F(tcp_socket_test, a_socket_that_connects_to_itself_is_refused)
{
    // An address of loopback that nobody else uses, so that the port stays free once the probe has closed.
    const ip_address own = bound_socket(*ip_address::from_literal("127.83.7.21", 0)).address();
    EXPECT_EQ(outcome_of(open_connection(own, own, options_)), errc::connection_refused);
}

TEST_F(tcp_socket_test, source_address_is_used)
{
    listen_at(loopback());
    const unique_fd client = connect_to(where_, *ip_address::from_literal("127.0.0.2", 0));
    EXPECT_EQ(local_address(client.get())->host_text(), "127.0.0.2");
    const result<unique_fd> server = accept_next();
    ASSERT_TRUE(server);
    EXPECT_EQ(peer_address(server->get())->host_text(), "127.0.0.2");
    EXPECT_EQ(open_connection(where_, *ip_address::from_literal("192.0.2.77", 0), options_).error(),
              errc::address_not_available);
}

TEST_F(tcp_socket_test, one_source_port_serves_several_peers)
{
    const ip_address source = bound_socket(*ip_address::from_literal("127.83.7.22", 0)).address();
    listen_at(loopback());
    const unique_fd to_first = connect_to(where_, source);
    const unique_fd first_listener = std::move(listener_);
    listen_at(loopback());
    const unique_fd to_second = connect_to(where_, source);
    EXPECT_EQ(local_endpoint(to_first.get()), endpoint_text(source));
    EXPECT_EQ(local_endpoint(to_second.get()), endpoint_text(source));
}

TEST_F(tcp_socket_test, ipv6_wildcard_serves_ipv4_too)
{
    if (!system_has_ipv6()) {
        listen_at(ip_address::any(true, 0));  // opened as IPv4 then, where there is no IPv6 at all
        EXPECT_NE(where_.port(), 0);
        return;
    }
    listen_at(ip_address::any(true, 0));
    EXPECT_EQ(local_endpoint(listener_.get()), "tcp://[::]:" + std::to_string(where_.port()));
    const unique_fd v4 = connect_to(loopback(where_.port()));
    const result<unique_fd> from_v4 = accept_next();
    ASSERT_TRUE(from_v4);
    EXPECT_EQ(peer_address(from_v4->get())->host_text(), "::ffff:127.0.0.1");
    const unique_fd v6 = connect_to(*ip_address::from_literal("::1", where_.port()));
    const result<unique_fd> from_v6 = accept_next();
    ASSERT_TRUE(from_v6);
    EXPECT_EQ(peer_address(from_v6->get())->host_text(), "::1");
}

TEST_F(tcp_socket_test, tuning_sets_no_delay_and_what_was_asked_for)
{
    options_.change<tcp_options>().keepalive = 1;
    options_.change<tcp_options>().keepalive_cnt = 4;
    options_.change<tcp_options>().keepalive_idle = 33;
    options_.change<tcp_options>().keepalive_intvl = 7;
    options_.change<tcp_options>().tos = 0x28;
    options_.change<tcp_options>().priority = 3;
    options_.change<tcp_options>().maxrt = std::chrono::milliseconds(4321);
    listen_at(loopback());
    const unique_fd client = connect_to(where_);
    result<unique_fd> server = accept_next();
    ASSERT_TRUE(server);
    for (const int fd : {client.get(), server->get()}) {
        EXPECT_TRUE(tune_connection(fd, options_));
        EXPECT_NE(option_of(fd, IPPROTO_TCP, TCP_NODELAY), 0);
        EXPECT_NE(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
        EXPECT_EQ(option_of(fd, IPPROTO_TCP, TCP_KEEPCNT), 4);
        EXPECT_EQ(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 33);
        EXPECT_EQ(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 7);
        EXPECT_EQ(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 4321);
        EXPECT_EQ(option_of(fd, IPPROTO_IP, IP_TOS), 0x28);
        EXPECT_EQ(option_of(fd, SOL_SOCKET, SO_PRIORITY), 3);
    }
}

TEST_F(tcp_socket_test, defaults_leave_the_system_alone)
{
    const unique_fd untouched{::socket(AF_INET, SOCK_STREAM, 0)};
    listen_at(loopback());
    const result<connecting_socket> client = open_connection(where_, std::nullopt, options_);
    ASSERT_TRUE(client);
    ASSERT_TRUE(wait_for(client->fd.get(), POLLOUT));
    ASSERT_TRUE(tune_connection(client->fd.get(), options_));
    EXPECT_EQ(option_of(client->fd.get(), SOL_SOCKET, SO_KEEPALIVE),
              option_of(untouched.get(), SOL_SOCKET, SO_KEEPALIVE));
    EXPECT_EQ(option_of(client->fd.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
    EXPECT_EQ(option_of(client->fd.get(), IPPROTO_IP, IP_TOS), 0);
    EXPECT_NE(option_of(client->fd.get(), IPPROTO_TCP, TCP_NODELAY), 0);
}

TEST_F(tcp_socket_test, buffer_sizes_apply_to_listeners_and_connections)
{
    options_.sndbuf = 20000;
    options_.rcvbuf = 30000;
    listen_at(loopback());
    const unique_fd client = connect_to(where_);
    const result<unique_fd> server = accept_next();
    ASSERT_TRUE(server);
    for (const int fd : {listener_.get(), client.get(), server->get()}) {
        // Linux doubles what it is asked for.
        EXPECT_GE(option_of(fd, SOL_SOCKET, SO_SNDBUF), 20000);
        EXPECT_LE(option_of(fd, SOL_SOCKET, SO_SNDBUF), 40000);
        EXPECT_GE(option_of(fd, SOL_SOCKET, SO_RCVBUF), 30000);
        EXPECT_LE(option_of(fd, SOL_SOCKET, SO_RCVBUF), 60000);
    }
}

// What a write of so many octets hands over. The kernel has room for all of them by then.
io_outcome written_with(unique_fd client, const stream_options& options, std::size_t octets)
{
    constexpr int room = 1024 * 1024;
    tcp_stream stream(std::move(client), std::nullopt);
    stream.tune(options);
    EXPECT_EQ(::setsockopt(stream.descriptor(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    std::vector<std::byte> half(octets / 2);
    const iovec pieces[] = {{half.data(), half.size()}, {half.data(), half.size()}};
    return stream.write(pieces, 2);
}

// Two segments of loopback do not fit into such a buffer, and one may be acknowledged after 40 ms only.
TEST_F(tcp_socket_test, a_small_send_buffer_is_not_filled_with_one_segment)
{
    listen_at(loopback());
    for (const int size : {0, 8192, 60'000}) {
        options_.sndbuf = size;
        unique_fd client = connect_to(where_);
        const auto room = std::size_t(option_of(client.get(), SOL_SOCKET, SO_SNDBUF));
        const io_outcome part = written_with(std::move(client), options_, 60'000);
        EXPECT_EQ(part.state, io_outcome::status::more) << size;
        EXPECT_EQ(part.octets, std::min<std::size_t>(32 * 1024, room - room / 8)) << size;
        const std::size_t little = std::min<std::size_t>(20'000, part.octets);
        EXPECT_EQ(written_with(connect_to(where_), options_, little).octets, little) << size;
    }
}

// Both peers of a conversation answer, so their kernels wait with an acknowledgement for what they send: one segment
// alone gets none.
TEST_F(tcp_socket_test, a_second_segment_finds_room_in_a_small_send_buffer)
{
    listen_at(loopback());
    for (const int size : {4096, 8192, 16'384, 60'000}) {
        options_.sndbuf = size;
        unique_fd client = connect_to(where_);
        result<unique_fd> accepted = accept_next();
        ASSERT_TRUE(accepted);
        tcp_stream near(std::move(client), std::nullopt);
        tcp_stream far(std::move(*accepted), std::nullopt);
        near.tune(options_);
        far.tune(options_);
        std::byte octet{};
        const iovec one{&octet, 1};
        for (int i = 0; i < 50; ++i) {
            for (auto [from, to] : {std::pair(&near, &far), std::pair(&far, &near)}) {
                ASSERT_EQ(from->write(&one, 1).octets, 1u);
                ASSERT_TRUE(wait_for(to->descriptor(), POLLIN));
                ASSERT_EQ(to->read(&one, 1).octets, 1u);
            }
        }
        std::vector<std::byte> large(200'000);
        const iovec first{large.data(), large.size()};
        const io_outcome begun = near.write(&first, 1);
        EXPECT_EQ(begun.state, io_outcome::status::more) << size;
        const iovec second{large.data() + begun.octets, large.size() - begun.octets};
        EXPECT_GT(near.write(&second, 1).octets, 0u) << size;
    }
}

TEST_F(tcp_socket_test, a_large_send_buffer_is_filled_at_once)
{
    listen_at(loopback());
    for (const int size : {-1, 64 * 1024}) {
        options_.sndbuf = size;
        EXPECT_EQ(written_with(connect_to(where_), options_, 60'000).octets, 60'000) << size;
    }
}

TEST_F(tcp_socket_test, nothing_paces_on_loopback)
{
    listen_at(loopback());
    const unique_fd client = connect_to(where_);
    const result<unique_fd> server = accept_next();
    ASSERT_TRUE(server);
    for (const int fd : {listener_.get(), client.get(), server->get()}) {
        char name[16] = {};
        socklen_t size = sizeof name - 1;
        ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size), 0);
        EXPECT_NE(std::string_view(name).substr(0, 3), "bbr");
    }
}

TEST_F(tcp_socket_test, tuning_a_descriptor_that_is_none_is_an_error)
{
    EXPECT_FALSE(tune_connection(-1, options_));
    EXPECT_FALSE(finish_connect(-1));
    EXPECT_EQ(local_endpoint(-1), "");
    EXPECT_EQ(peer_endpoint(-1), "");
    EXPECT_FALSE(accept_connection(-1, options_));
}

TEST_F(tcp_socket_test, unknown_devices_are_an_error)
{
    options_.change<ip::ip_options>().bind_to_device = "nosuch0";
    EXPECT_FALSE(open_listener(loopback(), options_));
    EXPECT_FALSE(open_connection(loopback(1), std::nullopt, options_));
}

TEST_F(tcp_socket_test, filters_close_connections_they_do_not_admit)
{
    options_.change<tcp_options>().accept_filters = {"10.0.0.0/8", "127.0.0.3/32"};
    listen_at(loopback());
    const unique_fd stranger = connect_to(where_);
    EXPECT_EQ(accept_next().error(), errc::access_denied);
    ASSERT_TRUE(wait_for(stranger.get(), POLLIN));
    char byte;
    EXPECT_LE(::recv(stranger.get(), &byte, 1, 0), 0);
    const unique_fd friendly = connect_to(where_, *ip_address::from_literal("127.0.0.3", 0));
    EXPECT_TRUE(accept_next());
}

TEST_F(tcp_socket_test, takes_over_a_listening_descriptor)
{
    unique_fd own{::socket(AF_INET, SOCK_STREAM, 0)};
    const ip_address local = loopback();
    ASSERT_EQ(::bind(own.get(), local.data(), local.size()), 0);
    options_.use_fd = own.get();
    EXPECT_EQ(open_listener(loopback(1), options_).error(), errc::invalid_argument);  // not listening yet
    ASSERT_EQ(::listen(own.get(), 5), 0);
    const int number = own.release();
    listen_at(loopback(1));
    EXPECT_EQ(listener_.get(), number);
    expect_private_and_non_blocking(number);
    EXPECT_EQ(accept_connection(number, options_).error(), errc::again);
    options_.use_fd = -1;
    const unique_fd client = connect_to(where_);
    EXPECT_TRUE(accept_next());
}

TEST_F(tcp_socket_test, running_out_of_descriptors_keeps_the_connection_waiting)
{
    listen_at(loopback());
    const unique_fd client = connect_to(where_);
    ASSERT_TRUE(wait_for(listener_.get(), POLLIN));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const unique_fd highest{::fcntl(listener_.get(), F_DUPFD_CLOEXEC, 0)};
    const rlimit tight{static_cast<rlim_t>(highest.get()), before.rlim_max};  // lowest free number: all below are taken
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    const errc accepting = accept_connection(listener_.get(), options_).error();
    const errc opening = open_listener(loopback(), options_).error();
    const errc connection = open_connection(where_, std::nullopt, options_).error();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(accepting, errc::too_many_files);
    EXPECT_EQ(opening, errc::too_many_files);
    EXPECT_EQ(connection, errc::too_many_files);
    EXPECT_TRUE(accept_connection(listener_.get(), options_));
}

}  // namespace zlink::transport::tcp
