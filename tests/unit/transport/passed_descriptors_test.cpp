// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Descriptors that go with octets of a Unix domain socket.
#include "transport/ipc/passed_descriptors.hpp"

#include "transport/ipc/ipc_transport.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zlink::transport::ipc {
namespace {

using status = io_outcome::status;

class passed_descriptors_test : public testing::Test {
protected:
    passed_descriptors_test()
    {
        int ends[2] = {-1, -1};
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
        here_ = make_stream(unique_fd(ends[0]));
        there_ = make_stream(unique_fd(ends[1]));
    }

    static unique_fd some_file() { return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
    static bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }
    static bool same_file(int one, int other)
    {
        struct stat a {};
        struct stat b {};
        return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_ino == b.st_ino && a.st_rdev == b.st_rdev;
    }

    io_outcome pass(std::string_view octets, int fd)
    {
        return here_->write_with_descriptor(std::as_bytes(std::span(octets)), fd);
    }
    void write(std::string_view octets)
    {
        const iovec piece{const_cast<char*>(octets.data()), octets.size()};
        EXPECT_EQ(octets.size(), here_->write(&piece, 1).octets);
    }
    // Passes several with one call.
    void pass_many(int count)
    {
        std::vector<unique_fd> files;
        std::vector<std::byte> control(CMSG_SPACE(std::size_t(count) * sizeof(int)));
        char octet = 'x';
        iovec piece{&octet, 1};
        msghdr m{};
        m.msg_iov = &piece;
        m.msg_iovlen = 1;
        m.msg_control = control.data();
        m.msg_controllen = control.size();
        cmsghdr* const c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(std::size_t(count) * sizeof(int));
        for (int i = 0; i < count; ++i) {
            const int fd = files.emplace_back(some_file()).get();
            std::memcpy(CMSG_DATA(c) + std::size_t(i) * sizeof fd, &fd, sizeof fd);
        }
        EXPECT_EQ(1, ::sendmsg(here_->descriptor(), &m, MSG_NOSIGNAL));
    }
    io_outcome read(std::size_t most = 100)
    {
        octets_.resize(most);
        const iovec piece{octets_.data(), octets_.size()};
        const io_outcome come = there_->read(&piece, 1);
        octets_.resize(come.octets);
        return come;
    }

    std::unique_ptr<stream> here_;
    std::unique_ptr<stream> there_;
    std::string octets_;
};

TEST_F(passed_descriptors_test, go_to_a_process_of_the_same_user)
{
    EXPECT_TRUE(here_->passes_descriptors());
    const unique_fd file = some_file();
    there_->keep_descriptors(true);
    EXPECT_EQ(7u, pass("command", file.get()).octets);
    EXPECT_EQ(7u, read().octets);
    EXPECT_EQ("command", octets_);
    const unique_fd come = there_->take_descriptor();
    ASSERT_TRUE(come);
    EXPECT_NE(file.get(), come.get());
    EXPECT_TRUE(same_file(file.get(), come.get()));
    EXPECT_TRUE(::fcntl(come.get(), F_GETFD) & FD_CLOEXEC);
    EXPECT_FALSE(there_->take_descriptor());
}

TEST_F(passed_descriptors_test, a_read_ends_behind_the_octets_of_a_descriptor)
{
    const unique_fd file = some_file();
    there_->keep_descriptors(true);
    write("before");
    EXPECT_EQ(4u, pass("with", file.get()).octets);
    write("after");
    std::string all;
    bool had = false;
    for (int i = 0; i < 10 && all.size() < 15; ++i) {
        const io_outcome come = read();
        all += octets_;
        if (const unique_fd fd = there_->take_descriptor()) {
            EXPECT_EQ("beforewith", all);
            EXPECT_EQ(status::more, come.state) << "more may be there";
            had = true;
        }
    }
    EXPECT_EQ("beforewithafter", all);
    EXPECT_TRUE(had);
}

TEST_F(passed_descriptors_test, are_lost_if_nobody_expects_them)
{
    const unique_fd file = some_file();
    EXPECT_EQ(1u, pass("x", file.get()).octets);
    EXPECT_EQ(1u, read().octets);
    EXPECT_FALSE(there_->take_descriptor());
    there_->keep_descriptors(true);
    EXPECT_EQ(1u, pass("x", file.get()).octets);
    EXPECT_EQ(1u, read().octets);
    there_->keep_descriptors(false);
    EXPECT_FALSE(there_->take_descriptor()) << "closed";
}

// As behind a relay of octets. With another one before it, as when a connection is lost, so that the endpoint connects
// again; a mistake of the peer would end it.
TEST_F(passed_descriptors_test, a_process_with_too_many_descriptors_does_not_blame_its_peer)
{
    const unique_fd file = some_file();
    there_->keep_descriptors(true);
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    const rlimit none{0, before.rlim_max};
    const auto read_without_descriptors = [&] {
        EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none));
        const io_outcome come = read();
        EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
        return come;
    };
    write("before");
    EXPECT_EQ(1u, pass("x", file.get()).octets);
    const io_outcome alone = read_without_descriptors();
    EXPECT_EQ(status::more, alone.state);
    EXPECT_EQ("beforex", octets_);
    EXPECT_FALSE(there_->take_descriptor());

    EXPECT_EQ(1u, pass("y", file.get()).octets);
    EXPECT_EQ(1u, read().octets);
    EXPECT_EQ(1u, pass("z", file.get()).octets);
    const io_outcome behind = read_without_descriptors();
    EXPECT_EQ(status::failed, behind.state);
    EXPECT_EQ(errc::too_many_files, behind.error);
    EXPECT_FALSE(there_->take_descriptor());
}

TEST_F(passed_descriptors_test, two_may_wait_in_order_and_a_third_ends_the_stream)
{
    const unique_fd files[] = {some_file(), unique_fd(::open("/dev/zero", O_RDONLY | O_CLOEXEC)), some_file()};
    there_->keep_descriptors(true);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(1u, pass("x", files[i].get()).octets);
        EXPECT_EQ(1u, read().octets);
    }
    EXPECT_TRUE(same_file(files[0].get(), there_->take_descriptor().get()));
    EXPECT_EQ(1u, pass("x", files[0].get()).octets);
    EXPECT_EQ(1u, read().octets);
    EXPECT_EQ(1u, pass("x", files[2].get()).octets);
    const io_outcome come = read();
    EXPECT_EQ(status::failed, come.state);
    EXPECT_EQ(errc::protocol_error, come.error);
    EXPECT_FALSE(there_->take_descriptor()) << "all are closed";
}

TEST_F(passed_descriptors_test, several_at_once_end_the_stream_and_are_closed)
{
    for (const int count : {2, 3, 50}) {
        const unique_fd before = some_file();
        there_->keep_descriptors(true);
        pass_many(count);
        EXPECT_EQ(errc::protocol_error, read().error) << count;
        EXPECT_FALSE(there_->take_descriptor());
        const unique_fd after = some_file();
        EXPECT_EQ(before.get() + 1, after.get()) << "none was left open";
    }
}

TEST_F(passed_descriptors_test, a_full_socket_takes_none)
{
    const std::string much(1 << 20, 'm');
    const iovec piece{const_cast<char*>(much.data()), much.size()};
    while (here_->write(&piece, 1).state != status::blocked) {
    }
    const unique_fd file = some_file();
    const io_outcome refused = pass("x", file.get());
    EXPECT_EQ(status::blocked, refused.state);
    EXPECT_EQ(0u, refused.octets);
    EXPECT_TRUE(is_open(file.get()));
}

TEST_F(passed_descriptors_test, the_end_of_the_stream_is_seen)
{
    there_->keep_descriptors(true);
    EXPECT_EQ(status::blocked, read().state);
    here_.reset();
    EXPECT_EQ(status::closed, read().state);
}

}  // namespace
}  // namespace zlink::transport::ipc
