#include "socket/inline_reader.hpp"

namespace zlink::socket {

using outcome = pipe::inline_io::read_outcome;

bool inline_reader::begin(std::span<pipe::pipe_end* const> pipes) noexcept
{
    if (active() || pipes.empty() || pipes.size() > most) return false;
    for (pipe::pipe_end* end : pipes) {
        // What is there and was not received is none of the pattern's business now: it shall say itself what to sleep for.
        if (!end->parent().read_token.available() || end->reader.has_news()) return false;
        if (end->parent().unheard.load(std::memory_order_relaxed)) return false;  // stored by this thread
    }
    for (pipe::pipe_end* end : pipes) {
        pipe::pipe& p = end->parent();
        const auto how = p.read_token.take();
        if (how == pipe::io_token::taken::no) {
            for (connection& c : taken_) leave(*c.end);
            taken_.clear();
            return false;
        }
        if (how == pipe::io_token::taken::fresh) p.io->pause_reading();
        // Its descriptor would not tell.
        taken_.push_back({end, p.io->waits_for_io() ? outcome::hand_over : outcome::nothing});
    }
    parks_ = false;
    got_messages_ = false;
    return true;
}

void inline_reader::list(pollfd* fds) const noexcept
{
    for (const connection& c : taken_) *fds++ = {c.end->parent().io->descriptor(), POLLIN, 0};
}

bool inline_reader::read(const pollfd* fds) noexcept
{
    bool found = false;
    for (connection& c : taken_) {
        const bool ready = !fds || (fds++)->revents;
        // What the I/O thread published before it lent the token counts as well.
        if (c.end->reader.has_news() || c.last == outcome::hand_over) {
            found = true;
            continue;
        }
        if (!ready) continue;
        c.last = c.end->parent().io->read_inline();
        if (c.last == outcome::nothing) continue;
        // Messages may have come before what the I/O thread has to handle.
        got_messages_ = found = true;
    }
    return found;
}

bool inline_reader::has_news() const noexcept
{
    for (const connection& c : taken_) {
        if (c.end->reader.has_news() || c.last == outcome::hand_over) return true;
    }
    return false;
}

bool inline_reader::has_more() const noexcept
{
    return taken_.size() == 1 && taken_.front().end->parent().io->has_more();
}

bool inline_reader::wanted() const noexcept
{
    for (const connection& c : taken_) {
        if (c.end->parent().read_token.wanted()) return true;
    }
    return false;
}

void inline_reader::end(unsigned connections) noexcept
{
    const auto now = clock::now();
    const unsigned others = connections - 1;
    quick_rounds_ = now - last_ < back_within + others * back_within_each_more ? quick_rounds_ + 1 : 0;
    last_ = now;
    const bool back_soon = quick_rounds_ >= quick_rounds_before_parking;
    for (connection& c : taken_) give_back(c, back_soon, away_for + others * away_for_each_more);
    taken_.clear();
}

void inline_reader::give_back(connection& c, bool back_soon, std::chrono::microseconds away) noexcept
{
    pipe::pipe& p = c.end->parent();
    if (c.last == outcome::hand_over) {
        // The I/O thread reads first and decides then what it waits for.
        p.read_token.hand_over();
        c.end->peer().notify(pipe::event_inline_stop);
        return;
    }
    if (back_soon && p.read_token.park()) {
        parks_ = true;
        p.parked.allow(away);
        if (p.parked.note()) c.end->peer().notify(pipe::event_watch);
        return;
    }
    leave(*c.end);
}

void inline_reader::unpark(std::span<pipe::pipe_end* const> pipes) noexcept
{
    parks_ = false;
    for (pipe::pipe_end* end : pipes) {
        if (end->parent().read_token.take_if_parked_here()) leave(*end);
    }
}

void inline_reader::leave_for_good(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    p.unheard.store(true, std::memory_order_release);
    if (p.read_token.take() != pipe::io_token::taken::no) p.read_token.hand_over();
    end.peer().notify(pipe::event_inline_stop);
}

// Gives the read token of `end`'s connection back, with the I/O thread's interest on. What was there already when it came on
// has been reported by now, perhaps while we still held the token.
void inline_reader::leave(pipe::pipe_end& end) noexcept
{
    pipe::pipe& p = end.parent();
    p.io->resume_reading();
    if (p.read_token.give()) end.peer().notify(pipe::event_token | pipe::event_inline_stop);
}

}  // namespace zlink::socket
