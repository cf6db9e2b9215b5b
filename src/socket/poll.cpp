// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/poll.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/at_end.hpp"
#include "base/cancellation.hpp"
#include "load/limits.hpp"
#include "load/thread_waits.hpp"
#include "runtime/clock.hpp"
#include "runtime/readiness.hpp"
#include "runtime/waiter.hpp"
#include "socket/held_socket.hpp"
#include "socket/hosting.hpp"
#include "socket/poll_items.hpp"
#include "socket/polled_sockets.hpp"
#include "socket/socket.hpp"
#include "socket/thread_yielding.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>

namespace zlink::socket {

namespace {

static_assert(int(poll_in) == ZMQ_POLLIN && int(poll_out) == ZMQ_POLLOUT);

// In effect for ever; more milliseconds than this do not fit the clock.
constexpr long longest_timeout = std::chrono::milliseconds(std::chrono::hours(24 * 365 * 50)).count();

// How long a sleep may last if other threads cannot be made to see that this thread is about to sleep.
constexpr std::chrono::milliseconds unfenced_slice{10};

// Pauses of hosted loops that are longer end by the descriptor alone.
constexpr std::chrono::hours sleep_limit_of_steps{1};

/// Looks at the sockets of a poll of which some need a hold; returns how many are ready.
result<int> look_at_held_sockets(std::span<zmq_pollitem_t> items, polled_sockets& sockets, bool will_wait) noexcept
{
    if (sockets.all_plain()) {
        if (const errc e = sockets.hold(); e != errc::none) return e;
    }
    int ready = 0;
    for (zmq_pollitem_t& item : items) {
        item.revents = 0;
        if (!item.socket) continue;
        const held_socket s(item.socket);
        if (!sockets.holds(item, s)) return s ? errc::not_a_socket : s.refusal();
        const auto found = s->ready(wanted(item), will_wait);
        if (!found) return found.error();
        item.revents = *found;
        ready += item.revents != 0;
    }
    return ready;
}

/// What a look at the sockets has found.
struct look {
    int ready = 0;
    bool complete = true;  ///< all items are plain sockets, and their thread has no parked connections
};

/// Looks at the sockets. The first look finds out whether all are plain.
[[gnu::always_inline]] inline result<look> look_at_sockets(std::span<zmq_pollitem_t> items, polled_sockets& sockets,
                                                           bool will_wait) noexcept
{
    look all;
    for (zmq_pollitem_t& item : items) {
        item.revents = 0;
        if (!item.socket) {
            all.complete = false;
            continue;
        }
        if (!sockets.all_plain() || !socket::valid(item.socket)) [[unlikely]] {
            const auto ready = look_at_held_sockets(items, sockets, will_wait);
            if (!ready) return ready.error();
            return look{*ready, false};
        }
        socket& s = socket_of(item);
        const auto found = s.ready(wanted(item), will_wait);
        if (!found) [[unlikely]]
            return found.error();
        item.revents = *found;
        all.ready += item.revents != 0;
        if (s.reading().parks()) all.complete = false;
    }
    return all;
}

/// The same; returns how many are ready.
result<int> look_again(std::span<zmq_pollitem_t> items, polled_sockets& sockets) noexcept
{
    const auto all = look_at_sockets(items, sockets, true);
    if (!all) return all.error();
    return all->ready;
}

/// Reads the connections that this thread has parked at sockets that have nothing ready, for a call that does not wait.
/// True: there was input.
bool read_parked(std::span<const zmq_pollitem_t> items) noexcept
{
    const auto parks = [](const zmq_pollitem_t& item) {
        return wants_input(item) && !(item.revents & ZMQ_POLLIN) && socket_of(item).reading().parks();
    };
    if (std::none_of(items.begin(), items.end(), parks)) return false;
    if (thread_yielding* const mine = thread_yielding::of_this_thread()) {
        const auto now = runtime::clock::now();
        if (now - mine->read_parked_at < load::limits::lease::between_reads_of_parked) return false;
        mine->read_parked_at = now;
    }
    inline_readers readers;
    readers.begin_parked(items);
    if (readers.count() == 0) return false;
    pollfd fds[inline_readers::most];
    readers.list(fds);
    const auto found = runtime::poll_now(fds, readers.count());
    const bool any = found && *found != 0;
    if (any) readers.read_ready(fds);
    readers.end_parked();
    return any;
}

std::uint64_t received_at(std::span<const zmq_pollitem_t> items) noexcept
{
    std::uint64_t count = 0;
    for (const zmq_pollitem_t& item : items) {
        if (item.socket && wants_input(item)) count += socket_of(item).received();
    }
    return count;
}

bool any_may_be_ready(std::span<const zmq_pollitem_t> items) noexcept
{
    for (const zmq_pollitem_t& item : items) {
        if (item.socket && socket_of(item).may_be_ready(wanted(item))) return true;
    }
    return false;
}

/// Whether to yield before a sleep. While the thread yields, it does not look at descriptors, as each look would take a
/// system call. A descriptor that is ready ends the sleep. So if there are descriptors, a thread yields only for
/// sockets with peers in this process. Connections of other sockets would have to be read as well.
bool yields(std::span<const zmq_pollitem_t> items, bool descriptors_too) noexcept
{
    const auto is_socket = [](const zmq_pollitem_t& item) { return item.socket; };
    const auto may_have_connections = [](const zmq_pollitem_t& item) {
        return item.socket && socket_of(item).may_have_connections();
    };
    return std::any_of(items.begin(), items.end(), is_socket) &&
           !(descriptors_too && std::any_of(items.begin(), items.end(), may_have_connections));
}

/// Tells the sockets that this thread is about to sleep. False: there is news already, do not sleep. If other threads
/// may not have noticed, `until` is brought forward.
bool announce(waiter& w, std::span<const zmq_pollitem_t> items, polled_sockets& sockets, deadline& until) noexcept
{
    w.prepare();
    const bool closed = !sockets.join_lines(w);
    bool full_fence_does = true;
    for (const zmq_pollitem_t& item : items) {
        if (sockets.is_unshared(item)) full_fence_does &= socket_of(item).begin_wait(w, wanted(item));
    }
    if (!asymmetric_fence::sleeper_fence(full_fence_does)) {
        const auto slice = runtime::clock::now() + unfenced_slice;
        if (!until || slice < *until) until = slice;
    }
    bool news = closed;
    for (const zmq_pollitem_t& item : items) {
        if (sockets.is_unshared(item) && socket_of(item).end_announcement(wanted(item))) news = true;
    }
    return !news;
}

void end_waits(std::span<const zmq_pollitem_t> items, polled_sockets& sockets) noexcept
{
    sockets.leave_lines();
    for (const zmq_pollitem_t& item : items) {
        if (sockets.is_unshared(item)) socket_of(item).end_wait();
    }
}

/// The hosted contexts of the sockets. False: memory is short.
bool find_groups(std::span<const zmq_pollitem_t> items, stepped_groups& groups) noexcept
{
    try {
        for (const zmq_pollitem_t& item : items) {
            hosting* const host = item.socket ? socket_of(item).hosted() : nullptr;
            if (host) [[unlikely]]
                groups.add(*host);
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void bring_forward(deadline& until, std::chrono::nanoseconds pause) noexcept
{
    const auto end = runtime::clock::now() + std::chrono::duration_cast<runtime::clock::duration>(pause);
    if (!until || end < *until) until = end;
}

/// A poll whose first look was not all that is needed. `ready` sockets have been found ready.
[[gnu::noinline]] result<int> poll_on(std::span<zmq_pollitem_t> items, polled_sockets& sockets, int ready, long timeout,
                                      const sigset_t* signal_mask)
{
    unsigned descriptors = 0;
    for (const zmq_pollitem_t& item : items) descriptors += is_descriptor(item);
    stepped_groups groups;
    if (timeout != 0 && !find_groups(items, groups)) return errc::out_of_memory;
    const bool several = groups.size() > 1;
    const bool system_poll = descriptors != 0 || signal_mask || several;
    polled_descriptors set;
    inline_readers readers;
    if (system_poll) {
        if (!set.fill(items, descriptors, several ? unsigned(groups.size()) : 0)) return errc::out_of_memory;
        const errc e = set.look(signal_mask);
        if (e != errc::none && (e != errc::interrupted || ready == 0)) return e;
        if (e == errc::none) ready += set.report(items);
    }
    if (ready != 0 && !sockets.any_shared() && read_parked(items)) {
        const auto second = look_again(items, sockets);
        if (!second) return second;
        // A message or event that was ready first may have gone: then this poll waits like any other.
        ready = *second + (system_poll ? set.report(items) : 0);
    }
    if (ready != 0) return ready;
    if (timeout == 0) {
        cancellation_point();  // for a thread that looks again and again
        return 0;
    }

    const waits_by_steps stepping(several ? nullptr : groups.first());
    if (several) {
        for (hosting* each : groups.all()) set.add(each->descriptor());
    }
    const deadline until = timeout > longest_timeout ? deadline{} : deadline_after(timeout);
    waiter& w = waiter::of_this_thread();
    thread_yielding* const own = thread_yielding::of_this_thread();
    load::note_wait_of_this_thread();
    while (true) {
        waiter::reason why = waiter::reason::woken;
        deadline sleep_until = until;
        const auto pause = several ? groups.step() : runtime::event_loop::unlimited;
        if (pause <= sleep_limit_of_steps) bring_forward(sleep_until, pause);
        if (!sockets.any_shared()) readers.begin(items);
        const auto look = [&] { return readers.read() || any_may_be_ready(items); };
        const auto received = [&] { return received_at(items); };
        if (sockets.any_shared() || several || !yields(items, system_poll) || readers.many() || !own ||
            !own->in_poll(look, received)) {
            const at_end end([&] { end_waits(items, sockets); });
            if (announce(w, items, sockets, sleep_until)) {
                const bool descriptors_too = system_poll || readers.count() != 0;
                why = descriptors_too ? set.sleep(w, readers, sleep_until, signal_mask) : w.sleep(sleep_until);
            }
        }
        readers.end();
        if (sockets.any_closed()) return errc::not_a_socket;
        const auto seen = look_again(items, sockets);
        if (!seen) return seen;
        ready = *seen + (system_poll ? set.report(items) : 0);
        if (ready != 0) return ready;
        if (why == waiter::reason::interrupted) return errc::interrupted;
        if (is_over(until)) return 0;
    }
}

}  // namespace

result<int> poll(std::span<zmq_pollitem_t> items, long timeout, const sigset_t* signal_mask)
{
    polled_sockets sockets(items);
    const auto first = look_at_sockets(items, sockets, timeout != 0);
    if (!first) [[unlikely]]
        return first.error();
    if (first->ready != 0 && first->complete && !signal_mask) [[likely]]
        return first->ready;
    return poll_on(items, sockets, first->ready, timeout, signal_mask);
}

}  // namespace zlink::socket
