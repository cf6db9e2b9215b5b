// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets of streams, and the network between them: octets arrive in order, each after a delay of its own.

#include "sim/addresses.hpp"
#include "sim/kernel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zlink::sim {

namespace {

constexpr unsigned readable = POLLIN | POLLRDNORM, writable = POLLOUT | POLLWRNORM;

world& here()
{
    return world::get();
}

bool happens(double circumstances::*what)
{
    world& w = here();
    return w.chance().chance(w.how().*what);
}

}  // namespace

std::size_t stream_socket::room() const
{
    const auto other = peer_.lock();
    if (!other) return std::size_t(send_buffer);  // the next write is told
    const auto capacity = std::size_t(send_buffer) + std::size_t(other->receive_buffer);
    const auto taken = other->in_.size() + other->on_the_way_;
    return taken < capacity ? capacity - taken : 0;
}

unsigned stream_socket::ready()
{
    switch (state_) {
    case state::listening: return accepted_.empty() ? 0 : readable;
    case state::fresh:
    case state::bound: return writable | POLLHUP;
    case state::connecting: return 0;
    case state::failed: return readable | writable | POLLERR | POLLHUP | POLLRDHUP;
    case state::connected: break;
    }
    unsigned events = 0;
    const bool ended = ended_ || shut_read_;
    if (!in_.empty() || ended || error_ != 0) events |= readable;
    if (ended) events |= POLLRDHUP;
    if ((ended_ && shut_write_) || was_reset_) events |= POLLHUP;
    if (error_ != 0) events |= POLLERR;
    if (shut_write_ || was_reset_ || gone_ || 3 * room() >= std::size_t(send_buffer)) events |= writable;
    return events;
}

// When octets that are sent now arrive: never before those that were sent earlier.
nanos stream_socket::when_it_arrives(nanos& last)
{
    world& w = here();
    if (family == AF_UNIX) return last = w.now();
    nanos delay = w.how().least_delay + w.chance().exponential(double(w.how().delay - w.how().least_delay));
    if (happens(&circumstances::clogged)) delay += w.chance().exponential(double(w.how().clogged_time));
    if (happens(&circumstances::partition)) {
        stopped_until_ = w.now() + std::min(w.chance().exponential(300.0 * millisecond), 3 * second);
        if (const auto other = peer_.lock(); other && w.chance().chance(0.5)) other->stopped_until_ = stopped_until_;
        w.trace("partition");
    }
    return last = std::max({last, stopped_until_, w.now() + delay});
}

ssize_t stream_socket::write(const iovec* from, int count)
{
    if (error_ != 0) return -take_error();
    if (state_ != state::connected) return -ENOTCONN;
    if (shut_write_ || was_reset_) return -EPIPE;
    if (happens(&circumstances::reset)) {
        reset();
        return -take_error();
    }
    const auto other = peer_.lock();
    if (!other || (other->gone_ && family == AF_UNIX)) return -EPIPE;
    const std::size_t length = length_of(from, count);
    std::size_t n = std::min(length, room());
    if (n == 0 && length != 0) return -EAGAIN;
    if (happens(&circumstances::blocked_write)) return -EAGAIN;
    if (n > 1 && happens(&circumstances::short_write)) n = 1 + here().chance().below(n - 1);
    std::string octets = copy_of(from, count, n);
    const nanos due = when_it_arrives(last_octets_);
    if (due <= here().now() && other->on_the_way_ == 0) {
        other->arrive(octets);
        return ssize_t(n);
    }
    other->on_the_way_ += n;
    here().at(due, [other, some = std::move(octets)] {
        other->on_the_way_ -= some.size();
        other->arrive(some);
    });
    return ssize_t(n);
}

// Octets in the local domain arrive at once.
ssize_t stream_socket::write_with_descriptor(const iovec* from, int count, int descriptor)
{
    const auto other = peer_.lock();
    const std::uint64_t first = other ? other->octets_arrived_ : 0;
    const ssize_t n = write(from, count);
    if (n > 0 && other && other->octets_arrived_ != first) {
        other->passed_.push_back({first, first + std::uint64_t(n), ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)});
    }
    return n;
}

int stream_socket::take_descriptor()
{
    return std::exchange(come_, -1);
}

// If nobody has the socket any more, the sender is told with a reset.
void stream_socket::arrive(const std::string& octets)
{
    if (was_reset_) return;
    if (gone_ || shut_read_) {
        if (const auto other = peer_.lock(); other && gone_) {
            here().at(when_it_arrives(last_octets_), [other] { other->be_reset(); });
        }
        return;
    }
    in_ += octets;
    octets_arrived_ += octets.size();
    changed();
}

ssize_t stream_socket::read(const iovec* to, int count, bool peek)
{
    if (state_ != state::connected && state_ != state::failed) return -ENOTCONN;
    if (happens(&circumstances::reset)) reset();
    std::size_t n = std::min(length_of(to, count), in_.size());
    if (n == 0) {
        if (error_ != 0) return -take_error();
        if (ended_ || shut_read_ || was_reset_) return 0;
        return -EAGAIN;
    }
    const bool is_short = n > 1 && happens(&circumstances::short_read);
    if (is_short) n = 1 + here().chance().below(n - 1);
    // A read ends behind octets that a descriptor came with.
    const std::uint64_t at = octets_arrived_ - in_.size();
    const bool with_descriptor = !passed_.empty() && passed_.front().first < at + n;
    if (with_descriptor) n = std::min<std::size_t>(n, std::size_t(passed_.front().end - at));
    std::size_t done = 0;
    for (int i = 0; i < count && done < n; ++i) {
        const std::size_t part = std::min(to[i].iov_len, n - done);
        std::memcpy(to[i].iov_base, in_.data() + done, part);
        done += part;
    }
    if (peek) return ssize_t(n);
    in_.erase(0, n);
    if (is_short) changed();  // as if the rest came now: a set that reports edges reports it
    if (with_descriptor) {
        come_ = passed_.front().descriptor;
        passed_.pop_front();
    }
    if (const auto other = peer_.lock()) other->changed();
    return ssize_t(n);
}

void stream_socket::end_of_input()
{
    if (ended_) return;
    ended_ = true;
    changed();
}

void stream_socket::be_reset()
{
    if (was_reset_ || state_ != state::connected) return;
    was_reset_ = true;
    ended_ = true;
    error_ = ECONNRESET;
    changed();
}

/// Both ends, now.
void stream_socket::reset()
{
    here().trace("reset");
    if (const auto other = peer_.lock()) other->be_reset();
    be_reset();
}

int stream_socket::take_error()
{
    return std::exchange(error_, 0);
}

int stream_socket::shut_down(int how)
{
    if (state_ != state::connected) return -ENOTCONN;
    if (how == SHUT_RD || how == SHUT_RDWR) shut_read_ = true;
    if ((how == SHUT_WR || how == SHUT_RDWR) && !std::exchange(shut_write_, true)) {
        if (const auto other = peer_.lock()) {
            here().at(when_it_arrives(last_octets_), [other] { other->end_of_input(); });
        }
    }
    changed();
    return 0;
}

void stream_socket::closed()
{
    gone_ = true;
    const auto self = std::static_pointer_cast<stream_socket>(shared_from_this());
    kernel::get().leave_name(name_of(local), *this);
    for (const passed& p : passed_) ::close(p.descriptor);
    passed_.clear();
    for (const auto& waiting : accepted_) {
        if (const auto other = waiting->peer_.lock()) other->be_reset();
    }
    accepted_.clear();
    if (state_ != state::connected) {
        state_ = state::failed;
        return;
    }
    const auto other = peer_.lock();
    if (!other) return;
    // Octets that nobody has read: the peer learns that they are lost.
    if (!in_.empty()) {
        here().at(when_it_arrives(last_octets_), [other] { other->be_reset(); });
    } else if (!shut_write_) {
        here().at(when_it_arrives(last_octets_), [other, self] { other->end_of_input(); });
    }
}

// --- making connections ---------------------------------------------------------------------------------------------

int stream_socket::bind(const address& where)
{
    if (state_ != state::fresh) return -EINVAL;
    const auto self = std::static_pointer_cast<stream_socket>(shared_from_this());
    kernel& k = kernel::get();
    local = where;
    if (family == AF_UNIX) {
        const std::string path = path_of(where);
        if (!path.empty()) {
            if (k.files.contains(path)) return -EADDRINUSE;
            k.files[path] = {k.new_node(), false, self};
        } else if (const int error = k.take_name(name_of(local), self); error != 0) {
            return error;
        }
    } else {
        if (port_of(local) == 0) set_port(local, k.free_port());
        if (k.listener(name_of(local))) return -EADDRINUSE;
    }
    state_ = state::bound;
    return 0;
}

int stream_socket::listen(int backlog)
{
    if (state_ != state::bound) return -EINVAL;
    if (path_of(local).empty()) {
        const auto self = std::static_pointer_cast<stream_socket>(shared_from_this());
        if (const int error = kernel::get().take_name(name_of(local), self); error != 0) return error;
    }
    state_ = state::listening;
    backlog_ = std::max(backlog, 1);
    return 0;
}

void stream_socket::join(const std::shared_ptr<stream_socket>& other)
{
    peer_ = other;
    state_ = state::connected;
}

int stream_socket::connect(const address& where)
{
    if (state_ == state::connecting) return -EALREADY;
    if (state_ == state::connected) return -EISCONN;
    kernel& k = kernel::get();
    remote = where;
    if (family == AF_UNIX) {
        std::shared_ptr<stream_socket> to;
        if (const std::string path = path_of(where); !path.empty()) {
            const auto at = k.files.find(path);
            if (at == k.files.end()) return -ENOENT;
            to = at->second.socket.lock();
        } else {
            to = k.listener(name_of(where));
        }
        if (!to || !to->listens() || to->gone_ || happens(&circumstances::refused)) return -ECONNREFUSED;
        if (int(to->accepted_.size()) > to->backlog_) return -EAGAIN;
    }
    if (family == AF_UNIX) {
        reach(where);
        return 0;
    }
    if (local.empty()) {
        local = where;  // from the same address: it is the same machine
        set_port(local, k.free_port());
    }
    state_ = state::connecting;
    const auto self = std::static_pointer_cast<stream_socket>(shared_from_this());
    here().at(when_it_arrives(last_octets_), [self, where] {
        if (self->state_ == state::connecting && !self->gone_) self->reach(where);
    });
    return -EINPROGRESS;
}

void stream_socket::reach(const address& where)
{
    const auto self = std::static_pointer_cast<stream_socket>(shared_from_this());
    kernel& k = kernel::get();
    const std::string path = family == AF_UNIX ? path_of(where) : std::string();
    const auto to = path.empty() ? k.listener(name_of(where)) : k.files[path].socket.lock();
    const bool other_family = to && family == AF_INET6 && to->family == AF_INET;
    if (!to || other_family || (family != AF_UNIX && happens(&circumstances::refused))) {
        state_ = state::failed;
        error_ = ECONNREFUSED;
        changed();
        return;
    }
    if (family != AF_UNIX && int(to->accepted_.size()) > to->backlog_) {  // the segment is sent again later
        here().at(here().now() + second, [self, where] {
            if (self->state_ == state::connecting && !self->gone_) self->reach(where);
        });
        return;
    }
    auto theirs = std::make_shared<stream_socket>(family);
    theirs->local = family == AF_UNIX ? to->local : where;
    theirs->remote = local;
    theirs->send_buffer = to->send_buffer;
    theirs->receive_buffer = to->receive_buffer;
    join(theirs);
    theirs->join(self);
    to->accepted_.push_back(theirs);
    to->changed();
    changed();
}

std::shared_ptr<stream_socket> stream_socket::accept(int& error)
{
    error = 0;
    if (state_ != state::listening) {
        error = -EINVAL;
    } else if (accepted_.empty()) {
        error = -EAGAIN;
    } else if (kernel::get().no_descriptor()) {
        error = -EMFILE;
    }
    if (error != 0) return nullptr;
    auto first = accepted_.front();
    accepted_.pop_front();
    return first;
}

}  // namespace zlink::sim
