// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// fork and exec with two pipes; stderr stays the demo's own.
#include "demo/child.hpp"

#include "support/failure.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zlink::tool::demo {
namespace {

struct pipe_ends {
    int reading;
    int writing;
};

pipe_ends make_pipe()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw failure(fmt::format("cannot make a pipe: {}; raise 'ulimit -n'", std::strerror(errno)));
    }
    return {ends[0], ends[1]};
}

}  // namespace

child::child(const std::string& program, const std::vector<std::string>& arguments, bool foreign)
{
    const pipe_ends in = make_pipe();
    const pipe_ends out = make_pipe();
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const auto& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const pid_t demo = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != demo) {
            _exit(127);  // the demo ended in between
        }
        setpgid(0, 0);
        dup2(in.reading, STDIN_FILENO);
        dup2(out.writing, STDOUT_FILENO);
        if (foreign) {
            unsetenv("LD_LIBRARY_PATH");
            const char* preload = getenv("LD_PRELOAD");
            if (preload != nullptr && std::strstr(preload, "zmq") != nullptr) {
                unsetenv("LD_PRELOAD");
            }
        }
        execv(program.c_str(), words.data());
        _exit(127);
    }
    ::close(in.reading);
    ::close(out.writing);
    input_ = in.writing;
    output_ = out.reading;
    if (pid_ < 0) {
        const int error = errno;
        ::close(input_);
        ::close(output_);
        throw failure(fmt::format("cannot start {}: {}", program, std::strerror(error)));
    }
    fcntl(output_, F_SETFL, O_NONBLOCK);
}

child::~child()
{
    signal(SIGKILL);
    wait(5000);
    ::close(input_);
    if (output_ >= 0) {
        ::close(output_);
    }
}

std::vector<std::string> child::lines()
{
    std::vector<std::string> complete;
    std::array<char, 4096> chunk;
    while (output_ >= 0) {
        const ssize_t size = read(output_, chunk.data(), chunk.size());
        if (size > 0) {
            partial_.append(chunk.data(), static_cast<std::size_t>(size));
        } else if (size == 0) {
            ::close(output_);
            output_ = -1;
        } else if (errno != EINTR) {
            break;
        }
    }
    std::size_t at = 0;
    for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', at)) {
        complete.push_back(partial_.substr(at, end - at));
        at = end + 1;
    }
    partial_.erase(0, at);
    return complete;
}

void child::order(char what) const
{
    if (write(input_, &what, 1) < 0) {
        return;  // it has ended: its silence will be noticed
    }
}

void child::signal(int number) const noexcept
{
    if (!ended_ && pid_ > 0) {
        kill(pid_, number);
    }
}

bool child::wait(int milliseconds)
{
    for (int waited = 0; !ended_; ++waited) {
        if (waitpid(pid_, &status_, WNOHANG) == pid_) {
            ended_ = true;
        } else if (waited >= milliseconds) {
            return false;
        } else {
            const timespec moment{0, 1'000'000};
            nanosleep(&moment, nullptr);
        }
    }
    return true;
}

std::string child::ending() const
{
    if (WIFSIGNALED(status_)) {
        return fmt::format("signal {} ({})", WTERMSIG(status_), strsignal(WTERMSIG(status_)));
    }
    return fmt::format("exit status {}", WEXITSTATUS(status_));
}

}  // namespace zlink::tool::demo
