// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a poll does for the items that it was given: the connections of sockets that its thread reads itself, and the
// descriptors.
//
// Threads: the poll's.
#pragma once

#include "runtime/readiness.hpp"
#include "runtime/waiter.hpp"
#include "socket/inline_reader.hpp"
#include "socket/socket.hpp"

#include <zmq.h>

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace zlink::socket {

inline socket& socket_of(const zmq_pollitem_t& item) noexcept
{
    return *static_cast<socket*>(item.socket);
}

inline bool wants_input(const zmq_pollitem_t& item) noexcept
{
    return item.socket && (item.events & ZMQ_POLLIN);
}

inline short wanted(const zmq_pollitem_t& item) noexcept
{
    return short(item.events & (ZMQ_POLLIN | ZMQ_POLLOUT));
}

inline bool is_descriptor(const zmq_pollitem_t& item) noexcept
{
    return !item.socket && item.fd >= 0;
}

/// The sockets that have their connections read by this thread itself while it waits.
class inline_readers {
public:
    inline_readers() = default;
    inline_readers(const inline_readers&) = delete;
    inline_readers& operator=(const inline_readers&) = delete;
    ~inline_readers() { end(); }

    static constexpr unsigned most = inline_reader::most;

    void begin(std::span<const zmq_pollitem_t> items) noexcept
    {
        std::size_t all = 0;
        for (const zmq_pollitem_t& item : items) {
            if (!wants_input(item)) continue;
            const std::size_t own = socket_of(item).reading().candidates();
            if (own <= most) all += own;  // others are left to the I/O threads in any case
        }
        for (const zmq_pollitem_t& item : items) {
            if (!wants_input(item)) continue;
            socket& s = socket_of(item);
            const std::size_t own = s.reading().candidates();
            if (descriptors_ + own > most) continue;
            const auto beside = unsigned(std::min<std::size_t>(all, most) - std::min<std::size_t>(own, most));
            if (!s.reading().begin(beside)) {
                s.reading().skip(beside);
                continue;
            }
            sockets_[count_++] = &s;
            descriptors_ += s.reading().count();
        }
    }

    /// The same for a thread that does not wait: connections that it has parked at sockets that have nothing ready.
    void begin_parked(std::span<const zmq_pollitem_t> items) noexcept
    {
        for (const zmq_pollitem_t& item : items) {
            if (!wants_input(item) || (item.revents & ZMQ_POLLIN)) continue;
            socket& s = socket_of(item);
            if (!s.reading().parks() || descriptors_ + s.reading().candidates() > most) continue;
            if (!s.reading().begin_parked()) continue;
            sockets_[count_++] = &s;
            descriptors_ += s.reading().count();
        }
    }

    /// Descriptors.
    [[nodiscard]] unsigned count() const noexcept { return descriptors_; }

    /// A look at each would be many system calls.
    [[nodiscard]] bool many() const noexcept { return descriptors_ > most_looked_at; }

    /// True: there is news.
    [[nodiscard]] bool read() noexcept
    {
        bool found = false;
        for (unsigned i = 0; i < count_; ++i) found |= sockets_[i]->reading().read();
        return found;
    }

    void list(pollfd* fds) const noexcept
    {
        for (unsigned i = 0; i < count_; ++i) {
            sockets_[i]->reading().list(fds);
            fds += sockets_[i]->reading().count();
        }
    }

    /// Reads the connections that list() was for, after the sleep.
    void read_ready(const pollfd* fds) noexcept
    {
        for (unsigned i = 0; i < count_; ++i) {
            const unsigned n = sockets_[i]->reading().count();
            (void)sockets_[i]->reading().read(fds);
            fds += n;
        }
    }

    void end() noexcept
    {
        load::connections_read all{.all = descriptors_};
        for (unsigned i = 0; i < count_; ++i) all.found += sockets_[i]->reading().so_far().found;
        while (count_ != 0) {
            socket& s = *sockets_[--count_];
            s.end_reading(all - s.reading().so_far());
        }
        descriptors_ = 0;
    }
    void end_parked() noexcept
    {
        while (count_ != 0) sockets_[--count_]->end_reading_parked();
        descriptors_ = 0;
    }

private:
    static constexpr unsigned most_looked_at = 4;

    socket* sockets_[most];
    unsigned count_ = 0;
    unsigned descriptors_ = 0;
};

/// The descriptors among the items, as ppoll(2) wants them. In front of them is a slot for the sleeping thread's
/// waiter, and behind them are the connections that the thread reads itself.
class polled_descriptors {
public:
    /// `others`: that are to be added.
    [[nodiscard]] bool fill(std::span<const zmq_pollitem_t> items, unsigned descriptors, unsigned others) noexcept
    {
        if (descriptors + others > ZMQ_POLLITEMS_DFLT) {
            many_.reset(new (std::nothrow) pollfd[1 + descriptors + others + inline_readers::most]);
            if (!many_) return false;
            fds_ = many_.get();
        }
        fds_[0] = {-1, 0, 0};
        for (const zmq_pollitem_t& item : items) {
            if (is_descriptor(item)) fds_[count_++] = {item.fd, to_system(item.events), 0};
        }
        return true;
    }
    /// One that is no item, and ends a sleep.
    void add(int fd) noexcept { fds_[count_++] = {fd, POLLIN, 0}; }

    /// Sleeps, and then reads the connections that are ready.
    [[nodiscard]] waiter::reason sleep(waiter& w, inline_readers& readers, const deadline& until,
                                       const sigset_t* signal_mask)
    {
        readers.list(fds_ + count_);
        const waiter::reason why = w.sleep(fds_, count_ + readers.count(), until, signal_mask);
        readers.read_ready(fds_ + count_);
        return why;
    }

    /// Looks without waiting.
    [[nodiscard]] errc look(const sigset_t* signal_mask) noexcept
    {
        return runtime::poll_now(fds_ + 1, count_ - 1, signal_mask).error();
    }

    /// Stores the events found in the items; returns how many are ready.
    [[nodiscard]] int report(std::span<zmq_pollitem_t> items) const noexcept
    {
        int ready = 0;
        const pollfd* fd = fds_;
        for (zmq_pollitem_t& item : items) {
            if (!is_descriptor(item)) continue;
            item.revents = from_system((++fd)->revents);
            ready += item.revents != 0;
        }
        return ready;
    }

private:
    static short to_system(short events) noexcept
    {
        return short((events & ZMQ_POLLIN ? POLLIN : 0) | (events & ZMQ_POLLOUT ? POLLOUT : 0) |
                     (events & ZMQ_POLLPRI ? POLLPRI : 0));
    }

    static short from_system(short events) noexcept
    {
        return short((events & POLLIN ? ZMQ_POLLIN : 0) | (events & POLLOUT ? ZMQ_POLLOUT : 0) |
                     (events & POLLPRI ? ZMQ_POLLPRI : 0) | (events & ~(POLLIN | POLLOUT | POLLPRI) ? ZMQ_POLLERR : 0));
    }

    pollfd few_[1 + ZMQ_POLLITEMS_DFLT + inline_readers::most];
    std::unique_ptr<pollfd[]> many_;
    pollfd* fds_ = few_;
    unsigned count_ = 1;
};

}  // namespace zlink::socket
