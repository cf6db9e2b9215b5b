// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Runs a process with one socket of a foreign libzmq, and talks to it line by line.
#pragma once

#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::test {

// The programs that can be one.
inline constexpr std::string_view libzmq_peer = "libzmq_peer";  // on the distribution's libzmq
inline constexpr std::string_view draft_libzmq_peer =
    "draft_libzmq_peer";  // on a libzmq with drafts, which ./build.sh builds

// One peer. Commands are described in peer_program.hpp. Its end is waited for, and forced when it does not come. Another
// program, for a run of the tests, may take libzmq_peer's place: ZLINK_TEST_PEER names it (peers/run.py).
class peer_process {
public:
    explicit peer_process(const std::string& type, std::string_view file = libzmq_peer,
                          const place& where = place::current())
    {
        int input[2] = {-1, -1};
        int output[2] = {-1, -1};
        EXPECT_EQ(0, ::pipe2(input, O_CLOEXEC));
        EXPECT_EQ(0, ::pipe2(output, O_CLOEXEC));

        posix_spawn_file_actions_t redirect;
        posix_spawn_file_actions_init(&redirect);
        posix_spawn_file_actions_adddup2(&redirect, input[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&redirect, output[1], STDOUT_FILENO);
        const char* const other = file == libzmq_peer ? std::getenv("ZLINK_TEST_PEER") : nullptr;
        const std::string program =
            other ? std::filesystem::path(other) : std::filesystem::read_symlink("/proc/self/exe").parent_path() / file;
        std::string name = program;
        std::string argument = type;
        char* arguments[] = {name.data(), argument.data(), nullptr};
        std::vector<char*> environment = without_loader_paths();
        if (::posix_spawn(&pid_, program.c_str(), &redirect, nullptr, arguments, environment.data()) != 0) {
            throw std::runtime_error("cannot start " + program +
                                     ": ./build.sh builds it, and the libzmq that it needs");
        }
        posix_spawn_file_actions_destroy(&redirect);

        ::close(input[0]);
        ::close(output[1]);
        input_ = input[1];
        output_ = output[0];
        const std::string library = ask("library", where);
        if (other) {
            EXPECT_FALSE(library.empty() || library.starts_with("zlink")) << "the peer runs on: " << library;
            return;
        }
        EXPECT_TRUE(library.starts_with("libzmq 4.")) << "the peer must run on libzmq, not on: " << library;
        EXPECT_EQ(file == draft_libzmq_peer, library.ends_with(" with drafts")) << library;
    }

    peer_process(const peer_process&) = delete;
    peer_process& operator=(const peer_process&) = delete;

    ~peer_process() { end(); }

    // Gives a command; its answer must be read with reply().
    void tell(const std::string& command, const place& where = place::current())
    {
        const std::string line = command + "\n";
        if (::write(input_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            fail_at(where, "cannot tell the peer: " + command);
        }
    }

    // Whether the answer to a command has come, waiting for it no longer than `timeout_ms`.
    bool answered(int timeout_ms = 0) const
    {
        pollfd ready{output_, POLLIN, 0};
        return ::poll(&ready, 1, timeout_ms) == 1;
    }

    // The answer to a command, which must be one of success; "" after a reported failure.
    std::string reply(const place& where = place::current())
    {
        std::string line;
        for (char c = 0; c != '\n';) {
            if (!answered(reply_patience_ms) || ::read(output_, &c, 1) != 1) {
                fail_at(where, "no answer from the peer, only: " + line);
                return {};
            }
            line += c;
        }
        line.pop_back();
        if (!line.starts_with("ok ")) {
            ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "peer: " << line;
            return {};
        }
        return line.substr(3);
    }

    std::string ask(const std::string& command, const place& where = place::current())
    {
        tell(command, where);
        return reply(where);
    }

    void set(int option, int value, const place& where = place::current())
    {
        ask("set " + std::to_string(option) + " " + std::to_string(value), where);
    }

    void text(int option, const std::string& value, const place& where = place::current())
    {
        ask("text " + std::to_string(option) + " " + value, where);
    }

    // Stops all its threads, as a machine that hangs would; wake() ends that.
    void freeze() const { ::kill(pid_, SIGSTOP); }
    void wake() const { ::kill(pid_, SIGCONT); }

    // Ends it at once, as a crash would.
    void kill()
    {
        if (pid_ != -1) {
            ::kill(pid_, SIGKILL);
            ::waitpid(std::exchange(pid_, -1), nullptr, 0);
        }
    }

    // Lets it close its socket and end; failing that within the time, reports it and kills it.
    void end()
    {
        if (input_ != -1) {
            ::close(std::exchange(input_, -1));
        }
        if (pid_ != -1) {
            int status = -1;
            const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
            if (ended) {
                pid_ = -1;
                EXPECT_EQ(0, status) << "how the peer ended";
            } else {
                ADD_FAILURE() << "the peer does not end";
                kill();
            }
        }
        if (output_ != -1) {
            ::close(std::exchange(output_, -1));
        }
    }

private:
    static constexpr int reply_patience_ms = 40000;  // more than the peer has itself

    // Our environment, without the variables that could put another library in libzmq's place.
    static std::vector<char*> without_loader_paths()
    {
        std::vector<char*> kept;
        for (char** entry = environ; *entry != nullptr; ++entry) {
            if (!std::string_view(*entry).starts_with("LD_")) {
                kept.push_back(*entry);
            }
        }
        kept.push_back(nullptr);
        return kept;
    }

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
};

}  // namespace zlink::test
