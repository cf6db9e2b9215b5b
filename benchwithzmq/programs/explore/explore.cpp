// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Runs one workload, which its arguments describe (workload.hpp), and prints one line of JSON: what became of it. The
// explorer (explore.py) draws workloads and compares libraries.
#include "explore/measure.hpp"
#include "explore/sides.hpp"
#include "harness/fail.hpp"
#include "harness/own_process.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

namespace {

using explore::board;
using explore::core_kind;
using explore::workload;

void allow_descriptors()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// The last core but `back`, of those this process may use.
void pin(int back)
{
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    int left = back;
    for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
        if (!CPU_ISSET(core, &allowed) || left-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        (void)::sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

// Ends with the program, or after twice its limit.
pid_t start_stranger(const workload& of)
{
    const pid_t pid = bench::fork_bound();
    if (pid != 0) return pid;
    ::prctl(PR_SET_NAME, "stranger");
    ::alarm(2 * of.limit_s);
    for (unsigned value = 0;; ++value) asm volatile("" : "+r"(value));
}

void out_of_time(int)
{
    explore::tell_timeout();
    ::_exit(3);
}

// The back's process: until the other end of the pipe is closed.
void be_back(const workload& of, board& with, int until)
{
    if (of.cores == core_kind::apart) pin(1);
    const explore::process back(of, with, false, true);
    char nothing = 0;
    while (::read(until, &nothing, 1) > 0) {
    }
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const workload of = explore::parse_workload(argc, argv);
    allow_descriptors();
    if (of.cores == core_kind::one) pin(0);
    board& with = explore::new_board();
    const pid_t stranger = of.stranger ? start_stranger(of) : 0;
    explore::watch_over(with);
    ::signal(SIGALRM, out_of_time);
    ::alarm(of.limit_s);

    pid_t other = 0;
    int ends[2] = {-1, -1};
    if (of.processes == 2) {
        if (::pipe(ends) != 0) bench::fail(bench::exit_status::failed, "pipe failed");
        other = bench::fork_bound();
        if (other == 0) {
            ::close(ends[1]);
            be_back(of, with, ends[0]);
            ::_exit(0);
        }
        ::close(ends[0]);
        if (of.cores == core_kind::apart) pin(0);
    }
    explore::outcome seen;
    {
        const explore::process mine(of, with, true, of.processes == 1);
        seen = explore::measure(of, with, other);
    }
    if (other != 0) {
        ::close(ends[1]);
        bench::await_child(other);
    }
    if (stranger != 0) ::kill(stranger, SIGKILL);
    explore::print(of, seen);
    return 0;
}
