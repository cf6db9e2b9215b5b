// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZLINK_IPC_MODE: the permissions of socket files.
#include "support/zmq_fixture.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

class ipc_mode_test : public zmq_test {
protected:
    static constexpr mode_t strict_umask = 077;
    ipc_mode_test() : umask_before_(::umask(strict_umask)) {}
    ~ipc_mode_test() override { EXPECT_EQ(strict_umask, ::umask(umask_before_)); }

    static int mode_of(const std::string& path)
    {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? int(status.st_mode & 07777) : -1;
    }
    socket bound_with(int mode, const std::string& path)
    {
        socket s = ctx_.open(ZMQ_PULL);
        s.set(ZLINK_IPC_MODE, mode);
        s.bind("ipc://" + path);
        return s;
    }

    temp_directory folder_;

private:
    mode_t umask_before_;
};

TEST_F(ipc_mode_test, is_minus_one_or_permissions)
{
    socket s = ctx_.open(ZMQ_PULL);
    EXPECT_EQ(-1, s.get_int(ZLINK_IPC_MODE));
    for (const int wrong : {-2, 01000, 04755, 1 << 30}) {
        EXPECT_EQ(-1, zmq_setsockopt(s, ZLINK_IPC_MODE, &wrong, sizeof wrong));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
    EXPECT_EQ(-1, zmq_setsockopt(s, ZLINK_IPC_MODE, nullptr, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
    for (const int right : {0, 0600, 0777, -1}) {
        s.set(ZLINK_IPC_MODE, right);
        EXPECT_EQ(right, s.get_int(ZLINK_IPC_MODE));
    }
}

TEST_F(ipc_mode_test, holds_whatever_the_umask_is)
{
    const std::string path = folder_.file("s");
    for (const int mode : {0600, 0660, 0666, 0777, 0222}) {
        const socket s = bound_with(mode, path);
        EXPECT_EQ(mode, mode_of(path));
    }
    const socket usual = bound_with(-1, path);
    EXPECT_EQ(0700, mode_of(path));
}

TEST_F(ipc_mode_test, lets_messages_through)
{
    socket pull = bound_with(0660, folder_.file("s")), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.last_endpoint());
    push.send("a");
    EXPECT_EQ("a", pull.recv());
    socket any = ctx_.open(ZMQ_PULL);
    any.set(ZLINK_IPC_MODE, 0606);
    const std::string endpoint = any.bind("ipc://*");
    EXPECT_EQ(0606, mode_of(endpoint.substr(std::strlen("ipc://"))));
}

TEST_F(ipc_mode_test, belongs_to_later_binds)
{
    socket s = bound_with(0640, folder_.file("first"));
    s.set(ZLINK_IPC_MODE, 0604);
    s.bind("ipc://" + folder_.file("second"));
    EXPECT_EQ(0640, mode_of(folder_.file("first")));
    EXPECT_EQ(0604, mode_of(folder_.file("second")));
}

TEST_F(ipc_mode_test, is_refused_for_names_without_a_file)
{
    socket s = ctx_.open(ZMQ_PULL);
    s.set(ZLINK_IPC_MODE, 0600);
    EXPECT_EQ(-1, zmq_bind(s, ("ipc://@zlink-mode-" + std::to_string(::getpid())).c_str()));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("ZLINK_IPC_MODE"));
}

// Whoever gets in finds the permissions in force.
// Each bind has a file of its own, as the listener before may still let somebody in.
TEST_F(ipc_mode_test, holds_before_anybody_can_connect)
{
    constexpr int binds = 50;
    const auto path_of = [&](int turn) { return folder_.file(std::to_string(turn)); };
    std::atomic<int> asked{0}, seen{0}, wrong{0};
    std::thread visitor([&] {
        for (int turn = 1; turn <= binds; ++turn) {
            const std::string path = path_of(turn);
            sockaddr_un where{};
            where.sun_family = AF_UNIX;
            std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
            while (asked < turn) std::this_thread::yield();
            for (bool inside = false; !inside;) {
                const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
                inside = ::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
                if (inside && mode_of(path) != 0646) ++wrong;
                ::close(fd);
            }
            seen = turn;
        }
    });
    for (int turn = 1; turn <= binds; ++turn) {
        asked = turn;
        const socket s = bound_with(0646, path_of(turn));
        EXPECT_TRUE(eventually([&] { return seen == turn; }));
    }
    visitor.join();
    EXPECT_EQ(0, wrong);
}

}  // namespace
}  // namespace zlink::test
