// Reads a socket's connections on the thread that waits for their messages, in place of the I/O threads: while that thread
// sleeps in ppoll, and for as long as it keeps coming back. See docs/decisions/0003-inline-io.md and 0009-load.md.
//
// A read token is taken for each connection, so that nobody else reads. Between two waits in quick succession the tokens are
// left parked (pipe/io_token.hpp); an I/O thread takes them over from a thread that stays away (pipe/absence.hpp).
//
// Threads: the socket's.
#pragma once

#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::socket {

class inline_reader {
public:
    using clock = runtime::clock;

    /// More connections than this are left to the I/O threads: looking at each costs more than being told.
    static constexpr unsigned most = 64;

    inline_reader() = default;
    inline_reader(const inline_reader&) = delete;
    inline_reader& operator=(const inline_reader&) = delete;

    /// The socket has `count` pipes from now on; whoever adds one asks first. May throw std::bad_alloc.
    void reserve(std::size_t count) { taken_.reserve(std::min<std::size_t>(count, most)); }

    /// Takes the read tokens of all `pipes`. False: one of them cannot be had, none is taken.
    [[nodiscard]] bool begin(std::span<pipe::pipe_end* const> pipes) noexcept;

    /// Between begin() and end().
    [[nodiscard]] bool active() const noexcept { return !taken_.empty(); }
    [[nodiscard]] unsigned count() const noexcept { return unsigned(taken_.size()); }

    /// What tells that there is something to read: count() entries.
    void list(pollfd* fds) const noexcept;
    /// Reads each connection once that list() reported as ready; all, if `fds` is null. True: there is something for the
    /// program to receive, or for the I/O thread to look after.
    [[nodiscard]] bool read(const pollfd* fds) noexcept;
    /// Messages from read() since begin().
    [[nodiscard]] bool got_messages() const noexcept { return got_messages_; }
    [[nodiscard]] bool has_news() const noexcept;
    /// The last read took all it could.
    [[nodiscard]] bool has_more() const noexcept;
    /// An I/O thread waits for one of the tokens.
    [[nodiscard]] bool wanted() const noexcept;

    /// Gives the tokens back: to the I/O thread what it has to handle, parked what this thread is likely to be back for.
    /// `connections`: all that it reads at a time, of this socket and of others.
    void end(unsigned connections) noexcept;

    /// From now on neither this thread nor the I/O thread reads the connection; not between begin() and end().
    static void leave_for_good(pipe::pipe_end& end) noexcept;

    /// The tokens that end() left parked go back to the I/O threads, which read from now on.
    void unpark(std::span<pipe::pipe_end* const> pipes) noexcept;
    [[nodiscard]] bool parks() const noexcept { return parks_; }
    /// Whether it is time for a thread that does not wait to read itself what it has parked, rather than say that there is
    /// nothing.
    [[nodiscard]] bool look_is_due() const noexcept { return parks_ && clock::now() - last_ > between_looks; }

private:
    struct connection {
        pipe::pipe_end* end;
        pipe::inline_io::read_outcome last;
    };

    // A thread that has come so often, each time this soon after the last, is expected back: handing reading over to the I/O
    // thread and back costs two system calls a connection. At fewer messages a second it would cost more to have an I/O
    // thread look after what is parked. The more connections, the longer their messages keep the thread, and the more
    // is saved.
    static constexpr std::chrono::microseconds back_within{500};
    static constexpr std::chrono::microseconds back_within_each_more{50};
    static constexpr std::chrono::milliseconds away_for{1};
    static constexpr std::chrono::microseconds away_for_each_more{100};
    static constexpr unsigned quick_rounds_before_parking = 4;
    static constexpr std::chrono::microseconds between_looks{20};

    static void leave(pipe::pipe_end& end) noexcept;
    void give_back(connection& c, bool back_soon, std::chrono::microseconds away) noexcept;

    std::vector<connection> taken_;
    clock::time_point last_{};
    unsigned quick_rounds_ = 0;
    bool parks_ = false;
    bool got_messages_ = false;
};

}  // namespace zlink::socket
