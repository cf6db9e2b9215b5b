// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two ends of a stream, one of which plays the peer, and the frames that go over it.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/ipc/ipc_transport.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::engine::test {

using pipe::test::encode;
using pipe::test::encode_all;
using pipe::test::joined_lane;
using pipe::test::parts;
using pipe::test::pattern_of;
using pipe::test::text;

using messages = std::vector<parts>;

class stream_pair {
public:
    stream_pair()
    {
        int fds[2] = {-1, -1};
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        near_ = transport::ipc::make_stream(unique_fd(fds[0]));
        far_.reset(fds[1]);
    }

    [[nodiscard]] transport::stream& stream() const { return *near_; }

    /// The peer sends as much as the kernel takes; returns how much that was.
    std::size_t send_some(std::string_view octets) const
    {
        const ssize_t n = ::send(far_.get(), octets.data(), octets.size(), MSG_NOSIGNAL);
        return n < 0 ? 0 : std::size_t(n);
    }
    void send(std::string_view octets) const { ASSERT_EQ(octets.size(), send_some(octets)); }

    /// The peer reads up to `most` octets of what is there.
    [[nodiscard]] std::string receive(std::size_t most = std::size_t{1} << 20) const
    {
        std::string octets(most, '\0');
        const ssize_t n = ::recv(far_.get(), octets.data(), octets.size(), 0);
        octets.resize(n < 0 ? 0 : std::size_t(n));
        return octets;
    }

    /// Octets that wait on either side.
    [[nodiscard]] std::size_t waiting_here() const { return waiting(near_->descriptor()); }
    [[nodiscard]] std::size_t waiting_there() const { return waiting(far_.get()); }

    void shrink_send_buffer() const
    {
        const int size = 1;  // the kernel takes its least
        ASSERT_EQ(0, ::setsockopt(near_->descriptor(), SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
    }

    void hang_up() { far_.reset(); }

private:
    static std::size_t waiting(int fd)
    {
        int n = 0;
        EXPECT_EQ(0, ::ioctl(fd, FIONREAD, &n));
        return std::size_t(n);
    }

    std::unique_ptr<transport::stream> near_;
    unique_fd far_;
};

inline std::string command_frame(std::string_view body)
{
    std::byte header[message::long_header_size];
    return text(header, message::encode_header(header, message::flag_command, body.size())) + std::string(body);
}

inline std::span<const std::byte> octets_of(std::string_view s)
{
    return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

}  // namespace zlink::engine::test
