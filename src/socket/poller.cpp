// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/poller.hpp"

#include "socket/held_socket.hpp"

#include <algorithm>
#include <cerrno>

namespace zlink::socket {

namespace {

bool known(short events) noexcept
{
    return (events & ~(ZMQ_POLLIN | ZMQ_POLLOUT | ZMQ_POLLERR | ZMQ_POLLPRI)) == 0;
}

}  // namespace

errc poller::check(object what) noexcept
{
    if (what.socket) return socket::kind_of(what.socket) != handle_kind::none ? errc::none : errc::not_a_socket;
    return what.fd < 0 ? from_errno(EBADF) : errc::none;
}

poller::position poller::find(object what) noexcept
{
    return std::ranges::find(entries_, what, &entry::what);
}

errc poller::add(object what, void* user_data, short events)
{
    if (const errc e = check(what); e != errc::none) return e;
    if (!known(events) || find(what) != entries_.end()) return errc::invalid_argument;
    entries_.push_back({what, user_data, events});
    changed_ = true;
    if (!watched_) return errc::none;
    const errc e = watch(what);
    if (e != errc::none) entries_.pop_back();
    return e;
}

errc poller::modify(object what, short events) noexcept
{
    if (const errc e = check(what); e != errc::none) return e;
    const auto found = find(what);
    if (!known(events) || found == entries_.end()) return errc::invalid_argument;
    found->events = events;
    changed_ = true;
    return errc::none;
}

errc poller::remove(object what) noexcept
{
    if (const errc e = check(what); e != errc::none) return e;
    const auto found = find(what);
    if (found == entries_.end()) return errc::invalid_argument;
    entries_.erase(found);
    changed_ = true;
    if (watched_ && what.socket) {
        const held_socket s(what.socket);
        if (s && s.shared()) watched_->remove(s->descriptor());
    }
    return errc::none;
}

// Sockets of one thread have ZMQ_FD for this.
errc poller::watch(object what) noexcept
{
    if (!what.socket) return errc::none;
    const held_socket s(what.socket);
    if (!s || !s.shared()) return s.refusal();
    const int fd = s->descriptor();
    return fd < 0 ? errc::too_many_files : watched_->add(fd).error();
}

result<int> poller::descriptor()
{
    const auto is_shared = [](const entry& e) { return socket::kind_of(e.what.socket) == handle_kind::shared; };
    if (std::ranges::none_of(entries_, is_shared)) return errc::invalid_argument;
    if (watched_) return watched_->descriptor();
    auto made = std::make_unique<runtime::descriptor_group>();
    if (const auto opened = made->open(); !opened) return opened.error();
    watched_ = std::move(made);
    for (const entry& e : entries_) {
        if (const errc why = watch(e.what); why != errc::none) {
            watched_.reset();
            return why;
        }
    }
    return watched_->descriptor();
}

void poller::take_in_descriptors() noexcept
{
    for (const entry& e : entries_) {
        if (socket::kind_of(e.what.socket) != handle_kind::shared) continue;
        const held_socket s(e.what.socket);
        if (s && s.shared()) s->take_in_descriptor();
    }
}

void poller::rebuild()
{
    active_.clear();
    active_data_.clear();
    active_.reserve(entries_.size());
    active_data_.reserve(entries_.size());
    for (const entry& e : entries_) {
        if (e.events == 0) continue;
        active_.push_back({e.what.socket, e.what.fd, e.events, 0});
        active_data_.push_back(e.user_data);
    }
    changed_ = false;
}

result<int> poller::wait(std::span<zmq_poller_event_t> events, long timeout)
{
    if (changed_) rebuild();
    if (active_.empty() && timeout < 0) return errc::bad_address;
    if (watched_) take_in_descriptors();
    const auto ready = poll(active_, timeout);
    if (!ready) return ready;
    std::size_t stored = 0;
    for (std::size_t i = 0; i < active_.size() && stored < events.size(); ++i) {
        const zmq_pollitem_t& item = active_[i];
        if (item.revents) events[stored++] = {item.socket, item.fd, active_data_[i], item.revents};
    }
    if (stored == 0) return errc::again;
    return int(stored);
}

}  // namespace zlink::socket
