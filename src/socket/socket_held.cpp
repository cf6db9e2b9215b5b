// socket: sends that wait for each other. A thread that has received something and has more to receive will send again: what
// it sends meanwhile is held back, and goes out together once there is nothing left to receive. Whoever does not come
// back to receive is watched by the I/O thread, which takes over. See docs/decisions/0009-load.md.
#include "socket/socket.hpp"

namespace zlink::socket {

namespace {

// More messages or large ones go at once: the peer shall have something to do, too.
constexpr std::uint32_t most_held = 64;

// Pipes looked at for something unread.
constexpr std::size_t most_looked_at = 64;

}  // namespace

// Whether a receive would find something at once. Changes nothing: patterns may be in the middle of a send.
bool socket::has_unread() noexcept
{
    const std::size_t count = pipes_.size();
    for (std::size_t i = 0; i < count && i < most_looked_at; ++i) {
        if (unread_at_ >= count) unread_at_ = 0;
        if (pipes_[unread_at_]->reader.has_news()) return true;
        ++unread_at_;
    }
    return false;
}

bool socket::hold(pipe::pipe_end& end) noexcept
{
    if (end.held == 0 && !end.parent().write_token.offered()) return false;
    if (!has_unread()) {
        // The last one of a round: all of it goes out.
        if (end.held != 0) std::erase(holding_, &end);
        const bool several = end.held != 0;
        end.held = 0;
        send_held();
        if (several) end.send_held();
        return several;
    }
    if (end.held == 0) holding_.push_back(&end);
    if (++end.held < most_held) {
        if (end.parent().held.note()) end.peer().notify(pipe::event_watch);
        return true;
    }
    end.held = 0;
    std::erase(holding_, &end);
    end.send_held();
    return true;
}

void socket::send_held() noexcept
{
    while (!holding_.empty()) {
        pipe::pipe_end* end = holding_.back();
        holding_.pop_back();
        end->held = 0;
        end->send_held();
    }
}

}  // namespace zlink::socket
