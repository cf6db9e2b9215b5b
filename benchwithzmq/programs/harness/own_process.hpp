// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Work done by a process forked for it, whose failure is this one's, too.
#pragma once

#include "harness/fail.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bench {

// fork() whose child does not outlive its parent. What stdout holds is written first.
inline pid_t fork_bound()
{
    std::fflush(stdout);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) fail(exit_status::failed, "fork: %s", std::strerror(errno));
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(1);
    }
    return pid;
}

// Ends this process if that child has not ended well. A child that failed has said why.
inline void await_child(pid_t pid)
{
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) ::_exit(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) fail(exit_status::failed, "a forked process died of signal %d", WTERMSIG(status));
}

template <class Work>
void in_own_process(Work work)
{
    const pid_t pid = fork_bound();
    if (pid == 0) {
        work();
        std::fflush(stdout);
        ::_exit(0);
    }
    await_child(pid);
}

}  // namespace bench
