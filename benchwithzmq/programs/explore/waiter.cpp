// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See waiter.hpp.
#include "explore/waiter.hpp"

#include "explore/line.hpp"
#include "harness/fail.hpp"

#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace explore {

namespace {

// zmq_poller is a draft, which libzmq's release builds do not have.
struct poller_event {
    void* socket;
    int fd;
    void* user_data;
    short events;
};

struct poller_calls {
    void* (*make)() = nullptr;
    int (*destroy)(void**) = nullptr;
    int (*add)(void*, void*, void*, short) = nullptr;
    int (*modify)(void*, void*, short) = nullptr;
    int (*add_fd)(void*, int, void*, short) = nullptr;
    int (*wait_all)(void*, poller_event*, int, long) = nullptr;

    poller_calls()
    {
        find(make, "zmq_poller_new");
        find(destroy, "zmq_poller_destroy");
        find(add, "zmq_poller_add");
        find(modify, "zmq_poller_modify");
        find(add_fd, "zmq_poller_add_fd");
        find(wait_all, "zmq_poller_wait_all");
    }
    [[nodiscard]] bool complete() const { return make && destroy && add && modify && add_fd && wait_all; }

private:
    template <class Function>
    static void find(Function& function, const char* name)
    {
        function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
    }
};

const poller_calls& calls()
{
    static const poller_calls found;
    return found;
}

constexpr std::uint64_t timer_mark = 1'000'001;
constexpr std::uint64_t stranger_mark = 1'000'002;
constexpr std::uint64_t guest_mark = 1'000'003;

void* as_data(std::uint64_t mark)
{
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(mark));
}

int descriptor_of(void* socket)
{
    int descriptor = -1;
    std::size_t size = sizeof descriptor;
    if (zmq_getsockopt(socket, ZMQ_FD, &descriptor, &size) != 0) fail_call("zmq_getsockopt(ZMQ_FD)");
    return descriptor;
}

// -1 if the context ends.
int events_of(void* socket)
{
    int events = 0;
    std::size_t size = sizeof events;
    return zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) == 0 ? events : -1;
}

void add_to(int epoll, int descriptor, std::uint64_t mark)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = mark;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
        bench::fail(bench::exit_status::failed, "epoll_ctl failed: %d", errno);
    }
}

void drain(int timer)
{
    std::uint64_t times = 0;
    (void)!::read(timer, &times, sizeof times);
}

}  // namespace

bool waiter::has_poller()
{
    return calls().complete();
}

waiter::waiter(const workload& of, std::vector<void*> sockets, void* guest, bool timed)
    : kind_(of.wait == wait_kind::receive ? wait_kind::poll : of.wait),
      sockets_(std::move(sockets)),
      wanted_(sockets_.size(), ZMQ_POLLIN),
      is_hot_(sockets_.size(), false)
{
    if (timed) timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (of.guest == guest_kind::descriptor) stranger_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (kind_ == wait_kind::poll) {
        for (void* socket : sockets_) items_.push_back({socket, 0, ZMQ_POLLIN, 0});
        if (timer_ >= 0) items_.push_back({nullptr, timer_, ZMQ_POLLIN, 0});
        if (stranger_ >= 0) items_.push_back({nullptr, stranger_, ZMQ_POLLIN, 0});
        if (guest != nullptr) items_.push_back({guest, 0, ZMQ_POLLIN, 0});
    } else if (kind_ == wait_kind::descriptor) {
        epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
        for (unsigned i = 0; i < sockets_.size(); ++i) {
            add_to(epoll_, descriptor_of(sockets_[i]), i);
            make_hot(i);
        }
        if (timer_ >= 0) add_to(epoll_, timer_, timer_mark);
        if (stranger_ >= 0) add_to(epoll_, stranger_, stranger_mark);
        if (guest != nullptr) {
            add_to(epoll_, descriptor_of(guest), guest_mark);
            (void)events_of(guest);
        }
    } else {
        if (!has_poller()) bench::fail(bench::exit_status::usage, "this library has no zmq_poller");
        poller_ = calls().make();
        for (unsigned i = 0; i < sockets_.size(); ++i) {
            if (calls().add(poller_, sockets_[i], as_data(i), ZMQ_POLLIN) != 0) fail_call("zmq_poller_add");
        }
        if (timer_ >= 0) (void)calls().add_fd(poller_, timer_, as_data(timer_mark), ZMQ_POLLIN);
        if (stranger_ >= 0) (void)calls().add_fd(poller_, stranger_, as_data(stranger_mark), ZMQ_POLLIN);
        if (guest != nullptr) (void)calls().add(poller_, guest, as_data(guest_mark), ZMQ_POLLIN);
    }
}

waiter::~waiter()
{
    if (poller_ != nullptr) calls().destroy(&poller_);
    for (const int descriptor : {timer_, stranger_, epoll_}) {
        if (descriptor >= 0) ::close(descriptor);
    }
}

bool waiter::wait(int timeout_ms)
{
    ready_.clear();
    if (kind_ == wait_kind::poll) return poll(timeout_ms);
    if (kind_ == wait_kind::descriptor) return watch(timeout_ms);
    return ask_poller(timeout_ms);
}

bool waiter::poll(int timeout_ms)
{
    while (zmq_poll(items_.data(), static_cast<int>(items_.size()), timeout_ms) < 0) {
        if (zmq_errno() == ETERM || zmq_errno() == ENOTSOCK) return false;
        if (zmq_errno() != EINTR) fail_call("zmq_poll");
    }
    for (unsigned i = 0; i < sockets_.size(); ++i) {
        if (items_[i].revents != 0) ready_.push_back(i);
    }
    if (timer_ >= 0 && items_[sockets_.size()].revents != 0) drain(timer_);
    return true;
}

void waiter::make_hot(unsigned number)
{
    if (is_hot_[number]) return;
    is_hot_[number] = true;
    hot_.push_back(number);
}

// Looks at the hot sockets. True if one is ready; those that are not are hot no more.
bool waiter::sift(bool& ended)
{
    std::vector<unsigned> looked;
    looked.swap(hot_);
    for (const unsigned number : looked) {
        const int events = events_of(sockets_[number]);
        if (events < 0) ended = true;
        is_hot_[number] = events >= 0 && (events & wanted_[number]) != 0;
        if (!is_hot_[number]) continue;
        hot_.push_back(number);
        ready_.push_back(number);
    }
    return !ready_.empty();
}

bool waiter::watch(int timeout_ms)
{
    bool ended = false;
    while (true) {
        const bool found = sift(ended);
        if (ended) return false;
        epoll_event events[64];
        const int count = ::epoll_wait(epoll_, events, 64, found ? 0 : timeout_ms);
        if (count < 0 && errno != EINTR) bench::fail(bench::exit_status::failed, "epoll_wait failed: %d", errno);
        bool timer_ended = false;
        for (int i = 0; i < count; ++i) {
            if (events[i].data.u64 == timer_mark) {
                drain(timer_);
                timer_ended = true;
            } else if (events[i].data.u64 < sockets_.size()) {
                make_hot(static_cast<unsigned>(events[i].data.u64));
            }
        }
        if (found || timer_ended || count == 0) return true;
    }
}

bool waiter::ask_poller(int timeout_ms)
{
    poller_event events[64];
    const int count = calls().wait_all(poller_, events, 64, timeout_ms);
    if (count < 0 && zmq_errno() != EAGAIN && zmq_errno() != EINTR) return false;
    for (int i = 0; i < count; ++i) {
        const auto mark = reinterpret_cast<std::uintptr_t>(events[i].user_data);
        if (mark == timer_mark)
            drain(timer_);
        else if (mark < sockets_.size())
            ready_.push_back(static_cast<unsigned>(mark));
    }
    return true;
}

void waiter::sent_to(unsigned number)
{
    if (kind_ == wait_kind::descriptor) make_hot(number);
}

void waiter::want_room(unsigned number, bool wanted)
{
    const auto events = static_cast<short>(wanted ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN);
    if (wanted_[number] == events) return;
    wanted_[number] = events;
    if (kind_ == wait_kind::poll) items_[number].events = events;
    if (kind_ == wait_kind::poller) (void)calls().modify(poller_, sockets_[number], events);
    if (kind_ == wait_kind::descriptor) make_hot(number);
}

void waiter::set_timer(std::uint64_t when_ns)
{
    itimerspec at{};
    at.it_value.tv_sec = static_cast<time_t>(when_ns / 1'000'000'000);
    at.it_value.tv_nsec = static_cast<long>(when_ns % 1'000'000'000);
    if (::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr) != 0) {
        bench::fail(bench::exit_status::failed, "timerfd_settime failed: %d", errno);
    }
}

}  // namespace explore
