// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a descriptor, and the sockets below it: what their calls tell.
#include "transport/descriptor_stream.hpp"

#include "transport/stream_socket.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::transport {
namespace {

using status = io_outcome::status;

class test_stream final : public descriptor_stream {
public:
    using descriptor_stream::descriptor_stream;
    using descriptor_stream::limit_writes;
    [[nodiscard]] std::string local_endpoint() const override { return {}; }
    [[nodiscard]] std::string peer_endpoint() const override { return {}; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}
};

class descriptor_stream_test : public testing::Test {
protected:
    descriptor_stream_test()
    {
        int fds[2] = {-1, -1};
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        near_.emplace(unique_fd(fds[0]));
        far_.reset(fds[1]);
    }

    io_outcome write(std::string_view octets)
    {
        const iovec piece{const_cast<char*>(octets.data()), octets.size()};
        return near_->write(&piece, 1);
    }
    io_outcome read(std::string& to)
    {
        const iovec piece{to.data(), to.size()};
        return near_->read(&piece, 1);
    }
    void peer_sends(std::string_view octets) const
    {
        ASSERT_EQ(ssize_t(octets.size()), ::write(far_.get(), octets.data(), octets.size()));
    }
    [[nodiscard]] std::string peer_gets() const
    {
        std::string all(1 << 20, '\0');
        const ssize_t n = ::read(far_.get(), all.data(), all.size());
        all.resize(n < 0 ? 0 : std::size_t(n));
        return all;
    }

    std::optional<test_stream> near_;
    unique_fd far_;
};

TEST_F(descriptor_stream_test, a_read_that_fills_its_room_may_have_left_something)
{
    std::string to(3, '?');
    EXPECT_EQ(status::blocked, read(to).state);
    EXPECT_FALSE(near_->has_unread_octets());
    peer_sends("abcd");
    EXPECT_TRUE(near_->has_unread_octets());
    EXPECT_EQ(status::more, read(to).state);
    EXPECT_EQ("abc", to);
    const io_outcome rest = read(to);
    EXPECT_EQ(status::blocked, rest.state) << "the room was not filled";
    EXPECT_EQ(1u, rest.octets);
    EXPECT_FALSE(near_->has_unread_octets());
}

TEST_F(descriptor_stream_test, a_read_fills_piece_after_piece)
{
    peer_sends("abcde");
    std::string one(2, '?'), other(4, '?');
    const iovec pieces[] = {{one.data(), one.size()}, {other.data(), other.size()}};
    const io_outcome what = near_->read(pieces, 2);
    EXPECT_EQ(5u, what.octets);
    EXPECT_EQ("ab", one);
    EXPECT_EQ("cde?", other);
}

TEST_F(descriptor_stream_test, tells_the_end_of_the_stream)
{
    peer_sends("x");
    far_.reset();
    std::string to(1, '?');
    EXPECT_EQ(status::more, read(to).state);
    EXPECT_EQ(status::closed, read(to).state);
}

TEST_F(descriptor_stream_test, a_write_to_a_peer_that_has_gone_fails_without_a_signal)
{
    far_.reset();
    const io_outcome what = write("x");
    EXPECT_EQ(status::failed, what.state);
    EXPECT_EQ(errc::broken_pipe, what.error);
}

TEST_F(descriptor_stream_test, a_write_tells_how_much_was_taken)
{
    EXPECT_EQ(status::more, write("abc").state);
    EXPECT_EQ("abc", peer_gets());
    const std::string much(1 << 20, 'x');
    const io_outcome what = write(much);
    EXPECT_EQ(status::blocked, what.state);
    EXPECT_LT(0u, what.octets);
    EXPECT_GT(much.size(), what.octets);
    EXPECT_EQ(status::blocked, write("x").state);
    EXPECT_EQ(what.octets, peer_gets().size());
}

TEST_F(descriptor_stream_test, a_write_beyond_the_limit_takes_the_first_octets)
{
    near_->limit_writes(5);
    std::string octets = "0123456789";
    const iovec pieces[] = {{octets.data(), 3}, {octets.data() + 3, 7}};
    const io_outcome what = near_->write(pieces, 2);
    EXPECT_EQ(status::more, what.state);
    EXPECT_EQ(5u, what.octets);
    EXPECT_EQ("01234", peer_gets());
    EXPECT_EQ(5u, write("56789").octets) << "as much as the limit is no part";
    EXPECT_EQ("56789", peer_gets());
}

TEST_F(descriptor_stream_test, an_error_of_the_descriptor_is_told)
{
    test_stream none{unique_fd()};
    std::string to(1, '?');
    const iovec piece{to.data(), to.size()};
    EXPECT_EQ(from_errno(EBADF), none.read(&piece, 1).error);
    EXPECT_EQ(from_errno(EBADF), none.write(&piece, 1).error);
    EXPECT_FALSE(none.has_unread_octets());
}

// --- sockets
// -----------------------------------------------------------------------------------------------------------

bool is_private_and_does_not_block(int fd)
{
    return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) && (::fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/// A listener at a free port.
class listening_socket {
public:
    listening_socket() : fd_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(0, ::bind(fd_.get(), address(), sizeof address_));
        EXPECT_EQ(0, ::listen(fd_.get(), 8));
        socklen_t size = sizeof address_;
        EXPECT_EQ(0, ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address_), &size));
    }
    [[nodiscard]] const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }
    [[nodiscard]] int get() const { return fd_.get(); }
    [[nodiscard]] int release() { return fd_.release(); }

private:
    unique_fd fd_;
    sockaddr_in address_{};
};

TEST(stream_socket_test, is_private_and_does_not_block)
{
    const auto made = open_stream_socket(AF_INET);
    ASSERT_TRUE(made);
    EXPECT_TRUE(is_private_and_does_not_block(made->get()));
    EXPECT_EQ(from_errno(EAFNOSUPPORT), open_stream_socket(-1).error());
}

TEST(stream_socket_test, takes_over_a_listener_of_the_program)
{
    listening_socket listener;
    const int fd = listener.get();
    const auto adopted = adopt_listener(fd);
    ASSERT_TRUE(adopted);
    (void)listener.release();
    EXPECT_EQ(fd, adopted->get());
    EXPECT_TRUE(is_private_and_does_not_block(fd));
}

TEST(stream_socket_test, takes_over_nothing_that_does_not_listen)
{
    const auto other = open_stream_socket(AF_INET);
    EXPECT_EQ(errc::invalid_argument, adopt_listener(other->get()).error());
    EXPECT_EQ(from_errno(EBADF), adopt_listener(-1).error());
    EXPECT_LE(0, ::fcntl(other->get(), F_GETFD)) << "it stays the program's";
}

TEST(stream_socket_test, accepts_what_is_connected_and_names_it)
{
    listening_socket listener;
    const auto adopted = adopt_listener(listener.release());
    ASSERT_TRUE(adopted);
    EXPECT_EQ(errc::again, accept_stream(adopted->get()).error()) << "nobody is there";
    sockaddr_in at{};
    socklen_t size = sizeof at;
    ASSERT_EQ(0, ::getsockname(adopted->get(), reinterpret_cast<sockaddr*>(&at), &size));
    const unique_fd client{::socket(AF_INET, SOCK_STREAM, 0)};
    const auto under_way = start_connect(client.get(), reinterpret_cast<const sockaddr*>(&at), size);
    ASSERT_TRUE(under_way);
    EXPECT_FALSE(*under_way) << "a socket that blocks is connected by then";
    peer_name from;
    const auto accepted = accept_stream(adopted->get(), &from);
    ASSERT_TRUE(accepted);
    EXPECT_TRUE(is_private_and_does_not_block(accepted->get()));
    sockaddr_in name{};
    size = sizeof name;
    ASSERT_EQ(0, ::getsockname(client.get(), reinterpret_cast<sockaddr*>(&name), &size));
    EXPECT_EQ(name.sin_port, reinterpret_cast<const sockaddr_in*>(&from.address)->sin_port);
    EXPECT_TRUE(take_socket_error(client.get()));
}

TEST(stream_socket_test, tells_why_a_connection_cannot_begin)
{
    const auto made = open_stream_socket(AF_UNIX);
    ASSERT_TRUE(made);
    sockaddr_un nowhere{};
    nowhere.sun_family = AF_UNIX;
    std::string_view("/nonexistent/socket").copy(nowhere.sun_path, sizeof nowhere.sun_path - 1);
    EXPECT_EQ(errc::no_entry,
              start_connect(made->get(), reinterpret_cast<const sockaddr*>(&nowhere), sizeof nowhere).error());
}

TEST(stream_socket_test, options_are_set_or_refused)
{
    const auto made = open_stream_socket(AF_INET);
    ASSERT_TRUE(made);
    EXPECT_TRUE(set_option(made->get(), SOL_SOCKET, SO_KEEPALIVE, 1));
    int on = 0;
    socklen_t size = sizeof on;
    ASSERT_EQ(0, ::getsockopt(made->get(), SOL_SOCKET, SO_KEEPALIVE, &on, &size));
    EXPECT_EQ(1, on);
    EXPECT_EQ(from_errno(ENOPROTOOPT), set_option(made->get(), SOL_SOCKET, 9999, 1).error());
    EXPECT_EQ(from_errno(EBADF), take_socket_error(-1).error());
}

}  // namespace
}  // namespace zlink::transport
