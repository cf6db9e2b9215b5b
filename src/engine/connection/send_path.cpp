// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/send_path.hpp"

#include "base/invariant.hpp"
#include "pipe/owed_credit.hpp"

#include <utility>

namespace zlink::engine {

namespace {

// Batches written in one go before other connections get their turn.
constexpr int most_writes = 16;

}  // namespace

send_path::send_path(traffic_context& at, std::unique_ptr<zmtp::sealer> seals)
    : at_(at),
      writer_(make_writer(at.frames, at.options, at.version, at.stream, std::move(seals)))
{}

connection_writer::outcome send_path::write_batches(pipe::owed_credit& credit) noexcept
{
    invariant([this] { return at_.worker_writes(); });
    auto what = connection_writer::outcome::idle;
    for (int i = 0; i < most_writes; ++i) {
        what = writer_.write_once(at_.stream, at_.end->reader, credit);
        if (what != connection_writer::outcome::more || at_.worker.slice_is_over()) break;
        if (at_.life == traffic_life::peer_closing && writer_.commands_written()) break;
    }
    return what;
}

send_path::outcome send_path::write(command_path& commands) noexcept
{
    invariant([this] { return at_.on_worker() && !at_.stopped(); });
    if (state_ != state::ready) return outcome::goes_on;
    pipe::pipe_end& end = *at_.end;
    pipe::io_token& token = end.parent().io.write_token;
    if (!token.take_or_ask()) return outcome::goes_on;  // event_token tells when the token is back
    commands.pass_on(writer_);
    const std::uint64_t octets_before = writer_.octets_written();
    const std::uint64_t messages_before = end.reader.messages_read();
    pipe::owed_credit credit(&end);
    const connection_writer::outcome what = write_batches(credit);
    const std::uint64_t messages = end.reader.messages_read() - messages_before;
    messages_taken_ += messages;
    at_.worker.note_written(messages, writer_.octets_written() - octets_before);
    commands.note_written(writer_, writer_.octets_written() != octets_before);
    bool drained = false;
    if (what == connection_writer::outcome::idle) {
        credit.add(end.reader.commit(0));
        drained = at_.ends_when_drained();
    }
    credit.tell();
    const bool dormant = end.reader.dormant();
    if (idle_trimmer::wants(end)) at_.worker.idle().add(end);
    at_.worker.idle().note_pool();
    const bool closes = at_.life == traffic_life::peer_closing;
    // A thread that sends may write from here on: it has the lane and the writer then.
    const bool answered = closes && writer_.commands_written();
    const bool large = writer_.wrote_large();
    // A closing peer whose answer cannot be written is lost: it need not be read any more. If memory is short, nothing is
    // wrong with the stream, so the reader would wait for its end in vain.
    if (what == connection_writer::outcome::failed)
        drained = closes || at_.ends_when_drained() || writer_.error() == errc::out_of_memory;
    token.give_back();
    // The answer to a closing peer has gone out; nothing may follow it.
    if (answered) return outcome::close_answered;
    return after(what, drained, dormant, large);
}

// `drained`: nothing is left to wait for once everything is written, or cannot be.
send_path::outcome send_path::after(connection_writer::outcome what, bool drained, bool dormant, bool large) noexcept
{
    pipe::pipe_end& end = *at_.end;
    switch (what) {
    case connection_writer::outcome::idle:
        if (at_.wraps) write_own_octets();
        if (drained && state_ == state::ready) return outcome::drained;
        if (dormant) break;
        if (large) {
            at_.worker.make_dormant(end);  // the sender goes on by itself then
        } else {
            at_.worker.watch(end);
        }
        break;
    case connection_writer::outcome::more:
        (void)end.reader.wake_up();
        end.notify(pipe::event_data);
        break;
    case connection_writer::outcome::blocked:
        (void)end.reader.wake_up();
        wait();
        break;
    case connection_writer::outcome::failed:
        // The peer is gone, but the kernel may still have octets that it sent before: the reader finds the end.
        (void)end.reader.wake_up();
        move_to(state::broken);
        if (drained) return outcome::lost;
        break;
    }
    return outcome::goes_on;
}

void send_path::wait() noexcept
{
    move_to(at_.stream.write_waits_for_input() ? state::wait_input : state::wait_room);
    // Input is asked for already, unless nothing is read now. After each read, the writes that waited for it follow.
    if (state_ == state::wait_room) at_.interest.change_and_rearm(runtime::events::writable, 0);
}

send_path::outcome send_path::go_on(command_path& commands) noexcept
{
    if (state_ == state::broken) return outcome::goes_on;
    move_to(state::ready);
    return write(commands);
}

void send_path::write_own_octets() noexcept
{
    invariant([this] { return at_.on_worker(); });
    if (state_ == state::wait_room || state_ == state::broken || !at_.stream.has_pending_output()) return;
    if (at_.stream.write(nullptr, 0).state == transport::io_outcome::status::blocked) wait();
}

void send_path::move_to(state to) noexcept
{
    invariant([this] { return state_ != state::broken; });
    state_ = to;
    take_on(to == state::ready);
}

void send_path::take_on(bool does) noexcept
{
    at_.end->parent().io.set_io_thread_writes(does);
}

void send_path::take_up_mark() noexcept
{
    invariant([this] { return at_.on_worker(); });
    if (!mark_changed_) return;
    pipe::io_token& token = at_.end->parent().io.write_token;
    if (!token.take_or_ask()) return;
    mark_changed_ = false;
    const bool credit = at_.end->reader.flush_credit();
    token.give_back();
    if (credit) at_.end->peer().notify(pipe::event_credit);
}

}  // namespace zlink::engine
