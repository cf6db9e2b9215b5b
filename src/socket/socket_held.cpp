// socket: sends that wait for each other. What a thread sends is held back, and goes out together, while it has something
// left to receive, and where it has been seen to send several messages and wait for input then. Whoever does not come back
// is watched by the I/O thread, which takes over. See docs/decisions/0009-load.md.
//
// A round is what happens between two times that the thread found nothing to receive.
#include "socket/socket.hpp"

#include <chrono>

namespace zlink::socket {

namespace {

// More messages go at once: the peer shall have something to do, too.
constexpr std::uint32_t most_held = 64;

// Pipes looked at for something unread.
constexpr std::size_t most_looked_at = 64;

// Rounds like this in a row that are needed to expect another one, and how long they may take.
constexpr int rounds_to_learn = 4;
constexpr std::chrono::microseconds short_round{50};

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

pipe::send_holder::verdict socket::hold(pipe::pipe_end& end) noexcept
{
    if (end.held == 0 && !end.parent().write_token.offered()) return verdict::write;
    const auto now = runtime::clock::now();
    const bool after_input = ++sent_in_round_ == 1;
    if (after_input) round_began_ = now;
    const bool begins_burst = end.rhythm.begins_burst(now, end.writer.written(), after_input);
    // Whoever watches a ZMQ_FD waits without telling.
    const bool waits_soon =
        batches_ >= rounds_to_learn && now - round_began_ < short_round && !mailbox_->has_descriptor();
    if (!in_burst_ && !waits_soon && !has_unread()) {
        // The last one of a round: all of it goes out.
        const bool went_too = end.held != 0;
        send_held();
        if (went_too) {
            wrote(end);
            return verdict::held;
        }
        return begins_burst && end.rhythm.expects_burst() ? verdict::tell : verdict::write;
    }
    if (end.held == 0) holding_.push_back(&end);
    // A pattern that finds its queue full may drop rather than ask.
    if (++end.held < most_held && end.writer.has_room()) {
        if (end.parent().held.note()) end.peer().notify(pipe::event_watch);
        return verdict::held;
    }
    end.held = 0;
    std::erase(holding_, &end);
    end.send_held();
    return verdict::held;
}

void socket::wrote(pipe::pipe_end& end) noexcept
{
    end.rhythm.wrote(runtime::clock::now());
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

void socket::end_round() noexcept
{
    send_held();
    if (sent_in_round_ == 0) return;
    if (sent_in_round_ > 1 && runtime::clock::now() - round_began_ < short_round) {
        if (batches_ < rounds_to_learn) ++batches_;
    } else if (batches_ > 0) {
        --batches_;
    }
    sent_in_round_ = 0;
}

}  // namespace zlink::socket
