// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/kernel.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zlink::sim {

// --- what all of them have ------------------------------------------------------------------------------------------

ssize_t file::read(const iovec*, int, bool)
{
    return -EINVAL;
}

ssize_t file::write(const iovec*, int)
{
    return -EINVAL;
}

void file::changed()
{
    world::get().wake_all(waiters_);
    for (const auto& [by, fd] : std::vector(watchers_)) by->touched(fd);
}

void file::leave_epolls(int fd)
{
    for (const auto& [by, its] : std::vector(watchers_)) {
        if (its == fd) by->forget(fd);
    }
}

std::size_t length_of(const iovec* some, int count)
{
    std::size_t length = 0;
    for (int i = 0; i < count; ++i) length += some[i].iov_len;
    return length;
}

std::string copy_of(const iovec* from, int count, std::size_t most)
{
    std::string all;
    all.reserve(most);
    for (int i = 0; i < count && all.size() < most; ++i) {
        all.append(static_cast<const char*>(from[i].iov_base), std::min(from[i].iov_len, most - all.size()));
    }
    return all;
}

// --- counters and timers --------------------------------------------------------------------------------------------

unsigned event_counter::ready()
{
    return unsigned(POLLOUT) | (value_ != 0 ? unsigned(POLLIN) : 0);
}

ssize_t event_counter::read(const iovec* to, int count, bool)
{
    if (count < 1 || to->iov_len < sizeof value_) return -EINVAL;
    if (value_ == 0) return -EAGAIN;
    std::memcpy(to->iov_base, &value_, sizeof value_);
    value_ = 0;
    return sizeof value_;
}

ssize_t event_counter::write(const iovec* from, int count)
{
    std::uint64_t more = 0;
    if (count < 1 || from->iov_len < sizeof more) return -EINVAL;
    std::memcpy(&more, from->iov_base, sizeof more);
    value_ += more;
    changed();
    return sizeof more;
}

ssize_t timer::read(const iovec* to, int count, bool)
{
    if (count < 1 || to->iov_len < sizeof expired_) return -EINVAL;
    if (expired_ == 0) return -EAGAIN;
    std::memcpy(to->iov_base, &expired_, sizeof expired_);
    expired_ = 0;
    return sizeof expired_;
}

void timer::set(nanos at, nanos interval)
{
    interval_ = interval;
    expired_ = 0;
    const auto number = ++setting_;
    if (at == never) return;
    world::get().at(at, [weak = weak_from_this(), number] {
        if (const auto self = weak.lock()) {
            auto& mine = static_cast<timer&>(*self);
            if (mine.setting_ == number) mine.expire();
        }
    });
}

void timer::expire()
{
    ++expired_;
    changed();
    if (interval_ > 0) {
        const auto before = expired_;
        set(world::get().now() + interval_, interval_);
        expired_ = before;
    }
}

// --- epoll ----------------------------------------------------------------------------------------------------------

int epoll::control(int operation, int fd, epoll_event* e)
{
    const auto of = kernel::get().at(fd);
    if (!of) return -EBADF;
    const auto at = items_.find(fd);
    switch (operation) {
    case EPOLL_CTL_ADD: {
        if (at != items_.end()) return -EEXIST;
        item& i = items_[fd];
        i.of = of;
        i.wanted = *e;
        of->watch(*this, fd);
        if (of->ready() & (i.wanted.events | EPOLLERR | EPOLLHUP)) touched(fd);
        return 0;
    }
    case EPOLL_CTL_MOD:
        if (at == items_.end()) return -ENOENT;
        at->second.wanted = *e;
        if (of->ready() & (e->events | EPOLLERR | EPOLLHUP)) touched(fd);
        return 0;
    case EPOLL_CTL_DEL:
        if (at == items_.end()) return -ENOENT;
        of->unwatch(*this, fd);
        forget(fd);
        return 0;
    default: return -EINVAL;
    }
}

void epoll::add_candidate(int fd, item& i)
{
    if (i.in_candidates) return;
    i.in_candidates = true;
    candidates_.push_back(fd);
}

void epoll::touched(int fd)
{
    const auto at = items_.find(fd);
    if (at == items_.end()) return;
    item& i = at->second;
    const auto of = i.of.lock();
    // A one-shot interest that has been reported, or none at all.
    if (!of || (i.wanted.events & ~(EPOLLONESHOT | EPOLLET)) == 0) return;
    if ((of->ready() & (i.wanted.events | EPOLLERR | EPOLLHUP)) == 0) return;
    add_candidate(fd, i);
    changed();
}

void epoll::forget(int fd)
{
    items_.erase(fd);
    candidates_.remove(fd);
    if (const auto of = kernel::get().at(fd)) of->unwatch(*this, fd);
}

void epoll::closed()
{
    for (auto& [fd, i] : items_) {
        if (const auto of = i.of.lock()) of->unwatch(*this, fd);
    }
    items_.clear();
    candidates_.clear();
}

unsigned epoll::ready()
{
    for (const int fd : candidates_) {
        const item& i = items_.at(fd);
        const auto of = i.of.lock();
        if (of && (of->ready() & (i.wanted.events | EPOLLERR | EPOLLHUP))) return POLLIN;
    }
    return 0;
}

int epoll::collect(epoll_event* to, int room)
{
    int found = 0;
    const auto count = candidates_.size();
    for (std::size_t n = 0; n < count && found < room; ++n) {
        const int fd = candidates_.front();
        candidates_.pop_front();
        item& i = items_.at(fd);
        i.in_candidates = false;
        const auto of = i.of.lock();
        const unsigned events = of ? of->ready() & (i.wanted.events | EPOLLERR | EPOLLHUP) : 0;
        if (events == 0) continue;
        to[found].events = events;
        to[found++].data = i.wanted.data;
        if (i.wanted.events & EPOLLONESHOT) {
            i.wanted.events = EPOLLONESHOT;
        } else if (!(i.wanted.events & EPOLLET)) {
            add_candidate(fd, i);
        }
    }
    return found;
}

// --- descriptors ----------------------------------------------------------------------------------------------------

kernel& kernel::get()
{
    static kernel the_one;
    return the_one;
}

std::shared_ptr<file> kernel::at(int fd)
{
    const auto i = std::size_t(fd - first);
    return owns(fd) && i < table_.size() ? table_[i] : nullptr;
}

bool kernel::no_descriptor()
{
    world& w = world::get();
    if (!w.chance().chance(w.how().no_files)) return false;
    w.trace("EMFILE");
    return true;
}

int kernel::add(const std::shared_ptr<file>& f)
{
    return no_descriptor() ? -EMFILE : add_surely(f);
}

int kernel::add_surely(const std::shared_ptr<file>& f)
{
    std::size_t i = 0;
    while (i < table_.size() && table_[i]) ++i;
    if (i == table_.size()) table_.emplace_back();
    table_[i] = f;
    ++f->descriptors;
    return int(i) + first;
}

int kernel::close(int fd)
{
    const auto f = at(fd);
    if (!f) return -EBADF;
    f->leave_epolls(fd);
    table_[std::size_t(fd - first)].reset();
    if (--f->descriptors == 0) f->closed();
    return 0;
}

int kernel::left_open() const
{
    return int(
        std::ranges::count_if(table_, [](const auto& f) { return f && !dynamic_cast<event_counter*>(f.get()); }));
}

std::size_t kernel::octets_of_streams() const
{
    std::size_t all = 0;
    for (const auto& f : table_) {
        if (const auto* const s = dynamic_cast<const stream_socket*>(f.get())) all += s->unread() + s->on_the_way();
    }
    return all;
}

// --- waiting --------------------------------------------------------------------------------------------------------

int kernel::poll(pollfd* fds, nfds_t count, nanos until)
{
    world& w = world::get();
    while (true) {
        int found = 0;
        for (nfds_t i = 0; i < count; ++i) {
            fds[i].revents = 0;
            if (fds[i].fd < 0) continue;
            const auto f = at(fds[i].fd);
            const unsigned wanted = unsigned(fds[i].events);
            if (!owns(fds[i].fd)) {
                fds[i].revents = short(wanted & POLLOUT);  // a real one: standard error
            } else {
                fds[i].revents = short(f ? f->ready() & (wanted | POLLERR | POLLHUP) : unsigned(POLLNVAL));
            }
            if (fds[i].revents != 0) ++found;
        }
        if (found != 0 || until <= w.now()) return found;
        if (w.chance().chance(w.how().interrupted)) return -EINTR;
        for (nfds_t i = 0; i < count; ++i) {
            if (const auto f = at(fds[i].fd)) f->wait_here(w.current());
        }
        (void)w.wait_in_queues(until, "descriptors (poll)");
    }
}

int kernel::wait(epoll& set, epoll_event* to, int room, nanos until)
{
    world& w = world::get();
    const auto held = set.shared_from_this();
    while (true) {
        const int found = set.collect(to, room);
        if (found != 0 || until <= w.now()) return found;
        if (w.chance().chance(w.how().interrupted)) return -EINTR;
        set.wait_here(w.current());
        (void)w.wait_in_queues(until, "descriptors (epoll)");
    }
}

// --- names ----------------------------------------------------------------------------------------------------------

std::shared_ptr<stream_socket> kernel::listener(const address& where)
{
    const auto at = names_.find(where);
    const auto found = at == names_.end() ? nullptr : at->second.lock();
    return found && found->listens() ? found : nullptr;
}

int kernel::take_name(const address& where, const std::shared_ptr<stream_socket>& by)
{
    auto& slot = names_[where];
    if (const auto other = slot.lock(); other && other != by) return -EADDRINUSE;
    slot = by;
    return 0;
}

void kernel::leave_name(const address& where, const stream_socket& by)
{
    const auto at = names_.find(where);
    if (at == names_.end()) return;
    const auto has = at->second.lock();
    if (!has || has.get() == &by) names_.erase(at);
}

int kernel::free_port()
{
    return next_port_++;
}

}  // namespace zlink::sim
