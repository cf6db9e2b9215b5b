// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/held_sends.hpp"

#include <algorithm>
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

// Room for all of them, for hold() must not need memory.
void held_sends::reserve(std::size_t count)
{
    if (holding_.capacity() < count) holding_.reserve(2 * count + 2);
}

void held_sends::forget(const pipe::pipe_end& end) noexcept
{
    if (end.held != 0) std::erase(holding_, &end);
}

// Whether a receive would find something at once. Changes nothing: patterns may be in the middle of a send.
bool held_sends::has_unread() noexcept
{
    const std::size_t count = pipes_.size();
    for (std::size_t i = 0; i < count && i < most_looked_at; ++i) {
        if (unread_at_ >= count) unread_at_ = 0;
        if (pipes_[unread_at_]->reader.has_news()) return true;
        ++unread_at_;
    }
    return false;
}

pipe::send_holder::verdict held_sends::hold(pipe::pipe_end& end) noexcept
{
    if (end.held == 0 && !end.parent().write_token.offered()) return verdict::write;
    const auto now = runtime::clock::now();
    const bool after_input = ++sent_in_round_ == 1;
    if (after_input) round_began_ = now;
    const bool begins_burst = end.rhythm.begins_burst(now, end.writer.written(), after_input);
    // Whoever watches a ZMQ_FD waits without telling.
    const bool waits_soon =
        batches_ >= rounds_to_learn && now - round_began_ < short_round && !mailbox_.has_descriptor();
    if (!in_burst_ && !waits_soon && !has_unread()) {
        // The last one of a round: all of it goes out.
        const bool went_too = end.held != 0;
        send();
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

void held_sends::wrote(pipe::pipe_end& end) noexcept
{
    end.rhythm.wrote(runtime::clock::now());
}

void held_sends::send() noexcept
{
    // Who has waited longest goes first. Nothing is held, and no pipe goes, within.
    for (pipe::pipe_end* end : holding_) {
        end->held = 0;
        end->send_held();
    }
    holding_.clear();
}

void held_sends::end_round() noexcept
{
    send();
    if (sent_in_round_ == 0) return;
    if (sent_in_round_ > 1 && runtime::clock::now() - round_began_ < short_round) {
        if (batches_ < rounds_to_learn) ++batches_;
    } else if (batches_ > 0) {
        --batches_;
    }
    sent_in_round_ = 0;
}

}  // namespace zlink::socket
