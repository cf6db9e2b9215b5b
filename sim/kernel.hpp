// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The simulated kernel: descriptors, what is behind them, and who waits for them. Errors are errno values, negated, as
// inside a real one. All of it behaves as Linux does as far as zlink can tell; docs/simulation.md says what is missing.
#pragma once

#include "sim/world.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace zlink::sim {

class epoll;

/// What a descriptor stands for.
class file : public std::enable_shared_from_this<file> {
public:
    file() = default;
    virtual ~file() = default;
    file(const file&) = delete;
    file& operator=(const file&) = delete;

    /// As poll(2) tells it.
    [[nodiscard]] virtual unsigned ready() = 0;
    virtual ssize_t read(const iovec* to, int count, bool peek);
    virtual ssize_t write(const iovec* from, int count);
    /// The last descriptor is closed.
    virtual void closed() {}

    /// ready() may have changed: wakes those who wait.
    void changed();
    void wait_here(fiber& f) { waiters_.add(f); }
    void watch(epoll& by, int fd) { watchers_.emplace_back(&by, fd); }
    void unwatch(const epoll& by, int fd) { std::erase(watchers_, std::pair{const_cast<epoll*>(&by), fd}); }
    /// The descriptor is closed: no epoll watches it any more.
    void leave_epolls(int fd);

    int descriptors = 0;
    bool non_blocking = false;

private:
    wait_queue waiters_;
    std::vector<std::pair<epoll*, int>> watchers_;
};

class event_counter : public file {
public:
    explicit event_counter(std::uint64_t value) : value_(value) {}
    unsigned ready() override;
    ssize_t read(const iovec* to, int count, bool peek) override;
    ssize_t write(const iovec* from, int count) override;

private:
    std::uint64_t value_;
};

class timer : public file {
public:
    unsigned ready() override { return expired_ != 0 ? unsigned(POLLIN) : 0; }
    ssize_t read(const iovec* to, int count, bool peek) override;
    /// At never: disarmed.
    void set(nanos at, nanos interval);

private:
    void expire();
    nanos interval_ = 0;
    std::uint64_t setting_ = 0, expired_ = 0;
};

class epoll : public file {
public:
    unsigned ready() override;
    int control(int operation, int fd, epoll_event* e);
    int collect(epoll_event* to, int room);
    void touched(int fd);
    void forget(int fd);
    void closed() override;

private:
    struct item {
        std::weak_ptr<file> of;
        epoll_event wanted{};
        bool in_candidates = false;
    };
    void add_candidate(int fd, item& i);
    std::map<int, item> items_;
    std::list<int> candidates_;
};

/// An address of a socket, as octets.
using address = std::string;

/// A socket of streams, over tcp or in the local domain.
class stream_socket : public file {
public:
    explicit stream_socket(int domain) : family(domain) {}

    unsigned ready() override;
    ssize_t read(const iovec* to, int count, bool peek) override;
    ssize_t write(const iovec* from, int count) override;
    void closed() override;

    int bind(const address& where);
    int listen(int backlog);
    int connect(const address& where);
    /// Null: nobody is there; `error` says more.
    std::shared_ptr<stream_socket> accept(int& error);
    int shut_down(int how);
    /// As write(), with a descriptor of the real kernel (SCM_RIGHTS). Its duplicate goes with the first octet.
    ssize_t write_with_descriptor(const iovec* from, int count, int descriptor);
    /// The descriptor that came with the octets of the last read(), which the caller owns; -1: none.
    int take_descriptor();
    int take_error();
    [[nodiscard]] std::size_t unread() const { return in_.size(); }
    [[nodiscard]] std::size_t on_the_way() const { return on_the_way_; }
    [[nodiscard]] bool listens() const { return state_ == state::listening; }
    [[nodiscard]] bool is_connected() const { return state_ == state::connected; }
    void reset();

    const int family;
    address local, remote;
    int send_buffer = 212992, receive_buffer = 212992;

private:
    enum class state : std::uint8_t { fresh, bound, listening, connecting, connected, failed };
    void join(const std::shared_ptr<stream_socket>& other);
    void arrive(const std::string& octets);
    void end_of_input();
    void be_reset();
    void reach(const address& where);
    [[nodiscard]] std::size_t room() const;
    nanos when_it_arrives(nanos& last);

    state state_ = state::fresh;
    std::weak_ptr<stream_socket> peer_;
    std::string in_;  ///< arrived, and not read
    std::size_t on_the_way_ = 0;
    nanos stopped_until_ = 0;  ///< nothing that is sent arrives before
    nanos last_octets_ = 0;    ///< when what was sent last arrives
    int error_ = 0, backlog_ = 0;
    bool ended_ = false, shut_read_ = false, shut_write_ = false, gone_ = false, was_reset_ = false;
    std::deque<std::shared_ptr<stream_socket>> accepted_;
    int half_open_ = 0;

    struct passed {
        std::uint64_t first, end;  ///< octets that it goes with, counted from the beginning
        int descriptor;
    };
    std::deque<passed> passed_;  ///< not read yet
    int come_ = -1;
    std::uint64_t octets_arrived_ = 0;
};

/// Descriptors, names and files of one simulated machine.
class kernel {
public:
    static kernel& get();
    static constexpr int first = 1000;  ///< below it are the real ones

    [[nodiscard]] static bool owns(int fd) noexcept { return fd >= first; }
    /// Null: bad descriptor.
    [[nodiscard]] std::shared_ptr<file> at(int fd);
    template <class T>
    [[nodiscard]] std::shared_ptr<T> as(int fd)
    {
        return std::dynamic_pointer_cast<T>(at(fd));
    }
    /// The lowest free one, or -EMFILE, by chance as well.
    int add(const std::shared_ptr<file>& f);
    int add_surely(const std::shared_ptr<file>& f);
    int close(int fd);
    [[nodiscard]] bool no_descriptor();
    /// Descriptors that the program has not closed. Not counted are wake-ups: they stay with threads' waiters, for the
    /// next thread.
    [[nodiscard]] int left_open() const;
    /// Written to sockets, and not yet read.
    [[nodiscard]] std::size_t octets_of_streams() const;

    /// Waits until one of them is ready, and returns the number as poll(2).
    int poll(pollfd* fds, nfds_t count, nanos until);
    int wait(epoll& set, epoll_event* to, int room, nanos until);

    // --- names ---
    [[nodiscard]] std::shared_ptr<stream_socket> listener(const address& where);
    int take_name(const address& where, const std::shared_ptr<stream_socket>& by);
    void leave_name(const address& where, const stream_socket& by);
    [[nodiscard]] int free_port();

    struct node {
        std::uint64_t number = 0;
        bool directory = false;
        std::weak_ptr<stream_socket> socket;
    };
    std::map<std::string, node> files;  ///< sockets of the local domain, and temporary folders
    std::uint64_t new_node() { return next_node_++; }

private:
    std::vector<std::shared_ptr<file>> table_;
    std::map<address, std::weak_ptr<stream_socket>> names_;
    std::uint64_t next_node_ = 1;
    int next_port_ = 30000;
};

std::string copy_of(const iovec* from, int count, std::size_t most);
std::size_t length_of(const iovec* some, int count);

}  // namespace zlink::sim
