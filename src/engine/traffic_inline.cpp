// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// connection_traffic: reading and writing by an application's thread that holds a token, and taking a parked token back.
#include "engine/connection_traffic.hpp"

#include "base/cancellation.hpp"
#include "base/end_of_thread.hpp"
#include "load/thread_rests.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace zlink::engine {

namespace {

// One for all connections that the thread reads, as an I/O thread has: many connections with some messages each would otherwise
// walk through a chunk each, and find none of it in the cache.
wire::receive_arena* make_arena() noexcept
{
    return new (std::nothrow) wire::receive_arena(true);
}
void end_arena(wire::receive_arena& arena) noexcept
{
    delete &arena;
}
using arena_of_this_thread = one_of_each_thread<wire::receive_arena, make_arena, end_arena>;

}  // namespace

pipe::inline_io::write_outcome connection_traffic::write_inline(bool held) noexcept
{
    using verdict = load::own_writes::verdict;
    const auto now = runtime::clock::now();
    const load::own_write_facts facts{.held = held,
                                      .io_thread_awake = worker_.loop().awake(),
                                      .affordable = worker_.own_writes().allows(now),
                                      .received = end_->peer().reader.messages_read(),
                                      .sent = end_->peer().writer.written()};
    load::own_write_row& row = load::row_of_this_thread();
    const verdict what_to_do = own_writes_.decide(facts, now, row);
    if (what_to_do == verdict::leave || process_generation() != generation_) return write_outcome::hand_over;
    // What was held back is several messages, or one of a thread that comes to wait.
    if (!held) {
        const auto sleeps = [] { return runtime::thread_usage::now().sleeps; };
        if (!load::rests_of_this_thread().allow_write(now, sleeps)) return write_outcome::hand_over;
    }
    const cancellation_held_off hold;
    if (idle_watch::wants(*end_)) [[unlikely]]
        end_->notify(pipe::event_chunk);
    pipe::owed_credit credit(end_);
    auto what = writer_.write_once(stream_, end_->reader, credit);
    if (what_to_do == verdict::write_in_row) {
        const auto end = runtime::clock::now();
        load::rests_of_this_thread().wrote(end - now);
        worker_.own_writes().spend(end, end - now);
        load::own_writes::wrote_in_row(end, row);
    }
    if (what == connection_writer::outcome::more) {
        // Usually all of it went out with the first call.
        if (!end_->reader.has_news() && !writer_.in_the_middle()) return write_outcome::done;
        what = writer_.write_once(stream_, end_->reader, credit);
    }
    return what == connection_writer::outcome::idle ? write_outcome::done : write_outcome::hand_over;
}

pipe::inline_io::write_outcome connection_traffic::write_large(bool may_wait) noexcept
{
    if (process_generation() != generation_) return write_outcome::hand_over;
    const cancellation_held_off hold;
    pipe::owed_credit credit(end_);
    auto what = connection_writer::outcome::blocked;
    const auto go_on = [&] {
        do {
            what = writer_.write_once(stream_, end_->reader, credit);
        } while (what == connection_writer::outcome::more && (end_->reader.has_news() || writer_.in_the_middle()));
        return what != connection_writer::outcome::blocked;
    };
    if (!go_on() && may_wait) (void)wait_for_room_(go_on);
    note_pool();
    const bool done = what == connection_writer::outcome::more || what == connection_writer::outcome::idle;
    return done ? write_outcome::done : write_outcome::hand_over;
}

pipe::inline_io::read_outcome connection_traffic::read_inline() noexcept
{
    if (process_generation() != generation_ || reader_.has_unread()) return read_outcome::hand_over;
    if (!end_->writer.has_room_for_next()) return read_outcome::hand_over;
    wire::receive_arena* const arena = arena_of_this_thread::get();
    if (!arena) return read_outcome::hand_over;
    const cancellation_held_off hold;
    const std::uint64_t before = end_->writer.written();
    const std::uint64_t octets_before = reader_.octets_read();
    const connection_reader::outcome what = reader_.read_once(stream_, *arena, end_->writer, nullptr);
    const bool messages = end_->writer.written() != before;
    if (messages) note_pool();
    if (reader_.octets_read() != octets_before) heartbeat_.note_activity();
    switch (what) {
    case connection_reader::outcome::more:
    case connection_reader::outcome::drained: return messages ? read_outcome::messages : read_outcome::nothing;
    case connection_reader::outcome::hand_over:
    case connection_reader::outcome::closed:
    case connection_reader::outcome::failed: break;
    }
    // The I/O thread meets the end or the error again when it reads (an error that is no condition of the descriptor
    // is kept in the reader and found by read()).
    return read_outcome::hand_over;
}

void connection_traffic::note_pool() noexcept
{
    if (worker_.idle().pool_needs_watch()) [[unlikely]]
        end_->notify(pipe::event_pool);
}

void connection_traffic::pause_reading() noexcept
{
    interest_.change_and_rearm(0, runtime::events::readable);
}

void connection_traffic::resume_reading() noexcept
{
    interest_.change_and_rearm(runtime::events::readable, 0);
}

void connection_traffic::begin_watching() noexcept
{
    pipe::pipe& p = end_->parent();
    p.parked.begin();
    p.held.begin();
    looks_.begin(runtime::clock::now());
    look_later();
}

void connection_traffic::look_later() noexcept
{
    const pipe::pipe& p = end_->parent();
    const auto now = runtime::clock::now();
    const auto at = reading_rests_ ? now + load::limits::read_easing::look_after
                                   : looks_.next(now, p.held.watched(), p.parked.allowed());
    if (look_timer_.start(at, [this] { on_look(); })) return;
    // Memory is short: in the next round, then.
    end_->notify(pipe::event_look);
}

void connection_traffic::on_look() noexcept
{
    pipe::pipe& p = end_->parent();
    if (std::exchange(reading_rests_, false)) {
        read();
        if (stopped_) return;
        if (!p.parked.watched() && !p.held.watched()) return;
    }
    const auto now = runtime::clock::now();
    load::look_facts facts;
    facts.parks = p.parked.back();
    facts.holds = p.held.back();
    facts.holds_watched = p.held.watched();
    facts.parks_watched = p.parked.watched();
    const bool take_held = looks_.takes_held(facts, now);
    const std::uint64_t taken_before = taken_over_;
    if (take_held && !write_blocked_) write();
    if (stopped_) return;
    facts.holds_watched = p.held.watched();
    switch (looks_.looked(facts, taken_over_ != taken_before, p.parked.allowed(), now)) {
    case load::look_verdict::goes_on: return look_later();
    case load::look_verdict::holds_no_more: return hold_no_more();
    case load::look_verdict::gone: break;
    }
    p.parked.end();
    p.held.end();
    if (p.read_token.take_if_parked()) {
        read();
        if (stopped_) return;
    }
    if (take_held && !write_blocked_) write();
    if (!stopped_) watch_those_who_resumed();
}

// Somebody who comes, and holds nothing back: he tells when he does again.
void connection_traffic::hold_no_more() noexcept
{
    pipe::pipe& p = end_->parent();
    p.held.end();
    if (!write_blocked_) write();
    if (stopped_) return;
    if (p.held.resumed()) return begin_watching();
    look_later();
}

// Applications that left something while watching ended, and have not told.
void connection_traffic::watch_those_who_resumed() noexcept
{
    pipe::pipe& p = end_->parent();
    const bool parks = p.parked.resumed();
    if (p.held.resumed() || parks) begin_watching();
}

}  // namespace zlink::engine
