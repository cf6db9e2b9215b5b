// socket: reading its connection on the application's thread; see docs/decisions/0003-inline-io.md.
#include "socket/socket.hpp"

#include "socket/context.hpp"

#include <chrono>
#include <utility>

namespace zlink::socket {

namespace {

// A receiver that read inline this recently is expected back soon: handing reading over to the I/O thread and back
// costs two system calls.
constexpr std::chrono::microseconds back_within{500};

// Gives the read token of `end`'s connection back, with the I/O thread's interest on. What was there already when it came on
// has been reported by now, perhaps while we still held the token.
void leave_reading(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    p.io->resume_reading();
    if (p.read_token.give()) end.peer().notify(pipe::event_token | pipe::event_inline_stop);
}

}  // namespace

// The pipe whose connection this thread may read itself: the only one, and nobody watches a ZMQ_FD. Its read token is
// taken then.
bool socket::begin_reading() noexcept
{
    if (reading_ || !reads_inline_ || pipes_.size() != 1 || mailbox_->has_descriptor()) return false;
    pipe::pipe_end* end = pipes_.front();
    switch (end->parent().read_token.take()) {
    case pipe::io_token::taken::no: return false;
    case pipe::io_token::taken::fresh: end->parent().io->pause_reading(); break;
    case pipe::io_token::taken::parked: break;
    }
    parked_ = nullptr;
    reading_ = end;
    read_outcome_ = pipe::inline_io::read_outcome::nothing;
    return true;
}

bool socket::read_now() noexcept
{
    // What the I/O thread published before it lent the token counts as well.
    if (mailbox_->pending() || reading_->reader.has_news()) return true;
    read_outcome_ = reading_->parent().io->read_inline();
    if (read_outcome_ == pipe::inline_io::read_outcome::nothing) return false;
    // Messages may have come before what the I/O thread has to handle.
    context_.count_inline_read();
    return true;
}

int socket::reading_descriptor() const noexcept
{
    return reading_->parent().io->descriptor();
}

// The I/O thread is told of whatever it has to handle, and gets the token back, unless this thread is likely to be back
// at once: then it is parked.
void socket::end_reading() noexcept
{
    pipe::pipe_end& end = *std::exchange(reading_, nullptr);
    pipe::pipe& p = end.parent();
    const auto now = std::chrono::steady_clock::now();
    const bool back_soon = now - last_inline_ < back_within;
    last_inline_ = now;
    if (read_outcome_ == pipe::inline_io::read_outcome::hand_over) {
        // The I/O thread reads first and decides then what it waits for.
        p.read_token.hand_over();
        end.peer().notify(pipe::event_inline_stop);
    } else {
        if (back_soon) p.io->note_parking(end.peer());
        if (back_soon && p.read_token.park()) {
            parked_ = &end;
        } else {
            leave_reading(end);
        }
    }
    // The pattern may have put the pipe to sleep earlier: nobody else tells it of what this thread has read.
    if (end.reader.dormant() && end.reader.has_news()) pattern_->on_data(end);
}

// Reads the connection until messages are there.
waiter::reason socket::receive_inline(const deadline& until) noexcept
{
    pipe::pipe& p = reading_->parent();
    waiter& w = waiter::of_this_thread();
    waiter::reason why = waiter::reason::woken;
    if ((poll_first_ && !p.io->has_more()) || !read_now()) {
        poll_first_ = true;
        while (!spin_([this] { return read_now(); })) {
            w.prepare();
            mailbox_->set_sleeper(&w);
            if (!mailbox_->pending() && !reading_->reader.has_news()) {
                pollfd fds[2] = {{}, {reading_descriptor(), POLLIN, 0}};
                why = w.sleep(fds, 2, until);
            }
            mailbox_->set_sleeper(nullptr);
            if (read_now() || p.read_token.wanted() || why != waiter::reason::woken || is_over(until)) break;
        }
    }
    end_reading();
    return why;
}

// Before the program waits in another way than by receiving: the I/O thread has to read again.
void socket::unpark() noexcept
{
    pipe::pipe_end* end = std::exchange(parked_, nullptr);
    if (end->parent().read_token.take() == pipe::io_token::taken::no) return;
    leave_reading(*end);
}

}  // namespace zlink::socket
