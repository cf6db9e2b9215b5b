// socket: waiting for messages by reading its connections; see socket/inline_reader.hpp.
#include "base/asymmetric_fence.hpp"
#include "runtime/readiness.hpp"
#include "socket/context.hpp"
#include "socket/socket.hpp"

namespace zlink::socket {

// Unless somebody watches a ZMQ_FD: that has to be signalled by whoever reads.
bool socket::begin_reading() noexcept
{
    return reads_inline_ && !mailbox_->has_descriptor() && reading_.begin(pipes_);
}

bool socket::read_now(const pollfd* ready) noexcept
{
    return reading_.read(ready) || mailbox_->pending();
}

void socket::end_reading(unsigned beside) noexcept
{
    const bool got_messages = reading_.got_messages();
    reading_.end(reading_.count() + beside);
    if (!got_messages) return;
    // The pattern may have put a pipe to sleep earlier: nobody else tells it of what this thread has read.
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
        pipe::pipe_end& end = *pipes_[i];
        if (end.reader.dormant() && end.reader.has_news()) pattern_->on_data(end);
    }
}

// Reads the connections until messages are there.
waiter::reason socket::receive_inline(const deadline& until) noexcept
{
    waiter& w = waiter::of_this_thread();
    waiter::reason why = waiter::reason::woken;
    // Of one connection a read tells as much as a poll does.
    const bool lone = reading_.count() == 1;
    if (!lone || (poll_first_ && !reading_.has_more()) || !read_now()) {
        poll_first_ = true;
        while (!lone || !spin_([this] { return read_now(); })) {
            pollfd fds[1 + inline_reader::most];
            bool ready = false;
            w.prepare();
            mailbox_->set_sleeper(&w);
            asymmetric_fence::full_fence();  // partner: mailbox::wake(), which raises the flag and looks for a sleeper
            if (!mailbox_->pending() && !reading_.has_news()) {
                reading_.list(fds + 1);
                why = w.sleep(fds, 1 + reading_.count(), until);
                ready = true;
            }
            mailbox_->set_sleeper(nullptr);
            if (ready ? read_now(fds + 1) : true) break;
            if (reading_.wanted() || why != waiter::reason::woken || is_over(until)) break;
        }
    }
    end_reading();
    return why;
}

// For a program that asks without waiting: what it would find if the I/O threads read, at the price of a system call now and
// then. They take over when it goes on without waiting.
void socket::look_inline() noexcept
{
    if (!reading_.look_is_due()) return;
    if (!begin_reading()) return unpark();
    if (reading_.count() == 1) {
        (void)read_now();
    } else {
        pollfd fds[inline_reader::most];
        reading_.list(fds);
        if (const auto ready = runtime::look_at(fds, reading_.count()); ready && *ready != 0) (void)read_now(fds);
    }
    end_reading();
}

}  // namespace zlink::socket
