// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See rig.hpp.
#include "harness/rig.hpp"

#include "harness/fail.hpp"
#include "harness/own_process.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace bench {

namespace {

constexpr std::uint64_t watchdog_pause_ns = 250'000'000;
constexpr unsigned patience = 40;  // pauses: while the whole program is stopped (a debugger, a freezer), none passes

}  // namespace

rig::rig(const settings& of) : settings_(of)
{
    void* memory = ::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail(exit_status::failed, "mmap: %s", std::strerror(errno));
    state_ = ::new (memory) shared_state;
    if (of.shared_core) start_stranger();
    watchdog_ = std::thread([this] { watch(); });
}

rig::~rig()
{
    over_ = true;
    watchdog_.join();
    end_stranger();
    ::munmap(state_, sizeof(shared_state));
}

// Computes without end, on the core of this process and as important as it.
void rig::start_stranger()
{
    stranger_ = fork_bound();
    if (stranger_ != 0) return;
    ::prctl(PR_SET_NAME, "stranger");
    for (volatile unsigned turns = 0;;) turns = turns + 1;
}

void rig::end_stranger()
{
    if (stranger_ == 0) return;
    int status = 0;
    if (::waitpid(stranger_, &status, WNOHANG) != 0) {
        fail(exit_status::failed, "the busy process on the core has died: run it again");
    }
    ::kill(stranger_, SIGKILL);
    ::waitpid(stranger_, &status, 0);
}

void rig::pin_to(int core)
{
    if (core < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0)
        fail(exit_status::failed, "BENCH_END_CORES: core %d: %s", core, std::strerror(errno));
}

void rig::reset()
{
    shared_state& s = *state_;
    s.sent = s.received = s.start = s.timer_ns = s.skipped = 0;
    s.stop = s.endpoint_known[0] = s.endpoint_known[1] = s.met = s.sender_finished = s.receiver_finished = false;
    s.samples.clear();
    s.steps.fetch_add(1);
}

observation rig::look()
{
    usage used = own_usage();
    for (const process& child : children_) {
        if (child.id == 0) continue;
        usage other;
        if (::send(child.control, "?", 1, MSG_NOSIGNAL) != 1 ||
            ::recv(child.control, &other, sizeof other, MSG_WAITALL) != ssize_t{sizeof other}) {
            check_children();
            fail(exit_status::failed, "a forked process does not answer");
        }
        used += other;
    }
    return {now_ns(), state_->received.load(std::memory_order_relaxed), used};
}

void rig::wait_until(std::uint64_t time)
{
    sleep_until_ns(time);
    state_->steps.fetch_add(1);
}

void rig::tell_endpoint(const std::string& endpoint, std::size_t which)
{
    std::strncpy(state_->endpoint[which], endpoint.c_str(), sizeof state_->endpoint[which] - 1);
    state_->endpoint_known[which] = true;
}

std::string rig::await_endpoint(std::size_t which)
{
    wait_for([&] { return state_->endpoint_known[which].load(); });
    return state_->endpoint[which];
}

bool rig::fork_end()
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        fail(exit_status::failed, "socketpair: %s", std::strerror(errno));
    }
    const pid_t pid = fork_bound();
    if (pid == 0) {
        ::close(ends[0]);
        parent_ = ends[1];
        return true;
    }
    ::close(ends[1]);
    process& child = children_[0].id == 0 ? children_[0] : children_[1];
    child.control = ends[0];
    child.id = pid;
    return false;
}

void rig::serve_parent()
{
    for (char request; ::recv(parent_, &request, 1, 0) == 1 && request == '?';) {
        const usage used = own_usage();
        if (::send(parent_, &used, sizeof used, MSG_NOSIGNAL) != ssize_t{sizeof used}) break;
    }
}

void rig::dismiss_children()
{
    for (process& child : children_) {
        if (child.id == 0) continue;
        (void)::send(child.control, "q", 1, MSG_NOSIGNAL);
        await_child(child.id);
        child.id = 0;
        ::close(child.control);
    }
}

void rig::check_children()
{
    for (const process& child : children_) {
        siginfo_t info{};
        const pid_t pid = child.id;
        if (pid == 0 || ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) continue;
        if (info.si_pid != pid || (info.si_code == CLD_EXITED && info.si_status == 0)) continue;
        if (info.si_code == CLD_EXITED) ::_exit(info.si_status);  // it has said why
        fail(exit_status::failed, "a forked process died of signal %d", info.si_status);
    }
}

std::uint64_t rig::progress() const
{
    return state_->sent + state_->received + state_->steps + (state_->met ? 1 : 0) +
           (state_->endpoint_known[0] ? 1 : 0) + (state_->sender_finished ? 1 : 0) +
           (state_->receiver_finished ? 1 : 0);
}

void rig::watch()
{
    std::uint64_t last = progress();
    unsigned pauses = 0;
    while (!over_) {
        sleep_ns(watchdog_pause_ns);
        check_children();
        const std::uint64_t current = progress();
        if (current != last) {
            last = current;
            pauses = 0;
        } else if (++pauses == patience) {
            fail(exit_status::timed_out, "no progress for 10 s: %s, %llu messages sent, %llu received",
                 state_->met ? "the peers had met" : "the peers did not meet",
                 static_cast<unsigned long long>(state_->sent.load()),
                 static_cast<unsigned long long>(state_->received.load()));
        }
    }
}

}  // namespace bench
