// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A process with its standard input and output at our end of a pair of sockets: openssl's client or server, that
// raw_peer speaks ZMTP through.
#pragma once

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <string>
#include <utility>

namespace zlink::test {

class piped_process {
public:
    explicit piped_process(const std::string& command, const place& where = place::current())
    {
        int ends[2] = {-1, -1};
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
        posix_spawn_file_actions_t redirect;
        posix_spawn_file_actions_init(&redirect);
        posix_spawn_file_actions_adddup2(&redirect, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&redirect, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&redirect, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        std::string line = "PATH=$PATH:/usr/sbin; exec " + command;
        char shell[] = "/bin/sh", option[] = "-c";
        char* arguments[] = {shell, option, line.data(), nullptr};
        if (::posix_spawn(&pid_, shell, &redirect, nullptr, arguments, environ) != 0) {
            pid_ = -1;
            fail_at(where, "cannot start " + command);
        }
        posix_spawn_file_actions_destroy(&redirect);
        ::close(ends[1]);
        ours_ = ends[0];
    }
    piped_process(const piped_process&) = delete;
    piped_process& operator=(const piped_process&) = delete;
    ~piped_process()
    {
        kill();
        if (ours_ != -1) ::close(ours_);
    }

    /// What it reads and writes, once.
    [[nodiscard]] raw_peer peer() { return raw_peer(std::exchange(ours_, -1)); }

    /// At once: it says no more.
    void kill()
    {
        if (pid_ == -1) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    }

private:
    pid_t pid_ = -1;
    int ours_ = -1;
};

/// "127.0.0.1:5555" of "tls://127.0.0.1:5555".
inline std::string host_and_port(const std::string& endpoint)
{
    return endpoint.substr(endpoint.find("://") + 3);
}

/// Octets go through as they are, whatever they are.
inline std::string tls_client(const std::string& endpoint, const std::string& options = {})
{
    return "openssl s_client -quiet -no_ign_eof -connect " + host_and_port(endpoint) + " -CAfile " +
           authority::of_this_process().file() + " -verify_return_error " + options;
}

}  // namespace zlink::test
