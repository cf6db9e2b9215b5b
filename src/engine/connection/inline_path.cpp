// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/inline_path.hpp"

#include "base/cancellation.hpp"
#include "base/invariant.hpp"
#include "base/thread_state.hpp"
#include "load/limits.hpp"
#include "load/thread_waits.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace zlink::engine {

namespace {

// One arena for all connections that the thread reads, as an I/O thread has one. Otherwise many connections with some
// messages each would walk through a chunk each, and find none of it in the cache.
wire::receive_arena* make_arena() noexcept
{
    return new (std::nothrow) wire::receive_arena(true);
}
using arena_of_this_thread = one_of_each_thread<thread_slot::receive_arena, wire::receive_arena, make_arena>;

}  // namespace

inline_path::inline_path(traffic_context& at, connection_writer& writer, connection_reader& reader,
                         connection_heartbeat& heartbeat)
    : at_(at),
      writer_(writer),
      reader_(reader),
      heartbeat_(heartbeat),
      wait_for_room_(at.worker.loop().yields(), load::limits::yielding::longest_for_room,
                     runtime::core_contention::of_process(), load::limits::yielding::late_for_room)
{}

bool inline_path::offers() const noexcept
{
    const session_options& o = at_.options;
    return o.inline_io && !at_.wraps && !o.raw && at_.version >= zmtp::protocol_version::zmtp_3_0 && !o.has_relays();
}

void inline_path::begin() noexcept
{
    invariant([this] { return at_.on_worker(); });
    if (!offers()) return;
    at_.end->parent().io.offer(*this);
}

void inline_path::end() noexcept
{
    invariant([this] { return at_.worker_reads() && at_.worker_writes(); });
    at_.end->parent().io.withdraw();
}

pipe::inline_io::write_outcome inline_path::write_inline(bool held) noexcept
{
    invariant([this] { return at_.end->parent().io.write_token.with_application(); });
    using verdict = load::own_writes::verdict;
    const auto now = runtime::clock::now();
    const load::own_write_facts facts{.held = held,
                                      .io_thread_awake = at_.worker.loop().awake(),
                                      .affordable = at_.worker.own_writes().allows(now),
                                      .received = at_.end->peer().reader.messages_read(),
                                      .sent = at_.end->peer().writer.written()};
    load::own_write_row& row = load::row_of_this_thread();
    const verdict what_to_do = own_writes_.decide(facts, now, row);
    if (what_to_do == verdict::leave || process_generation() != generation_) return write_outcome::hand_over;
    // Messages that were held back are several, or come from a thread that is about to wait.
    if (!held && !load::waits_of_this_thread().allow_write(now, 1, runtime::thread_usage::sleeps_now))
        return write_outcome::hand_over;
    const cancellation_held_off hold;
    if (idle_trimmer::wants(*at_.end)) [[unlikely]]
        at_.end->notify(pipe::event_chunk);
    pipe::owed_credit credit(at_.end);
    auto what = writer_.write_once(at_.stream, at_.end->reader, credit);
    if (what_to_do == verdict::write_in_row) {
        const auto end = runtime::clock::now();
        load::waits_of_this_thread().wrote(end - now);
        at_.worker.own_writes().spend(end, end - now);
        load::own_writes::wrote_in_row(end, row);
    }
    if (what == connection_writer::outcome::more) {
        // Usually all of it went out with the first call.
        if (!at_.end->reader.has_news() && !writer_.in_the_middle()) return write_outcome::done;
        what = writer_.write_once(at_.stream, at_.end->reader, credit);
    }
    return what == connection_writer::outcome::idle ? write_outcome::done : write_outcome::hand_over;
}

pipe::inline_io::write_outcome inline_path::write_large(bool may_wait) noexcept
{
    invariant([this] { return at_.end->parent().io.write_token.with_application(); });
    if (process_generation() != generation_) return write_outcome::hand_over;
    const cancellation_held_off hold;
    pipe::owed_credit credit(at_.end);
    auto what = connection_writer::outcome::blocked;
    const auto go_on = [&] {
        do {
            what = writer_.write_once(at_.stream, at_.end->reader, credit);
        } while (what == connection_writer::outcome::more && (at_.end->reader.has_news() || writer_.in_the_middle()));
        return what != connection_writer::outcome::blocked;
    };
    if (!go_on() && may_wait) (void)wait_for_room_(go_on);
    note_pool();
    const bool done = what == connection_writer::outcome::more || what == connection_writer::outcome::idle;
    return done ? write_outcome::done : write_outcome::hand_over;
}

pipe::inline_io::read_outcome inline_path::read_inline() noexcept
{
    invariant([this] { return at_.end->parent().io.read_token.with_application(); });
    if (process_generation() != generation_ || reader_.has_unread()) return read_outcome::hand_over;
    if (!at_.end->writer.has_room_for_next()) return read_outcome::hand_over;
    wire::receive_arena* const arena = arena_of_this_thread::get();
    if (!arena) return read_outcome::hand_over;
    const cancellation_held_off hold;
    const std::uint64_t before = at_.end->writer.written();
    const std::uint64_t octets_before = reader_.octets_read();
    const connection_reader::outcome what = reader_.read_once(at_.stream, *arena, at_.end->writer, nullptr);
    const bool messages = at_.end->writer.written() != before;
    if (messages) {
        at_.end->writer.note_written();
        note_pool();
    }
    if (reader_.octets_read() != octets_before) heartbeat_.note_activity();
    switch (what) {
    case connection_reader::outcome::more:
    case connection_reader::outcome::drained: return messages ? read_outcome::messages : read_outcome::nothing;
    case connection_reader::outcome::hand_over:
    case connection_reader::outcome::closed:
    case connection_reader::outcome::failed: break;
    }
    // The I/O thread meets the end or the error again when it reads. An error that is not a condition of the descriptor
    // is kept in the reader and found by read().
    return read_outcome::hand_over;
}

void inline_path::note_pool() noexcept
{
    if (at_.worker.idle().pool_needs_watch()) [[unlikely]]
        at_.end->notify(pipe::event_pool);
}

void inline_path::pause_reading() noexcept
{
    invariant([this] { return at_.end->parent().io.read_token.with_application(); });
    at_.interest.change_and_rearm(0, runtime::events::readable);
}

void inline_path::resume_reading() noexcept
{
    invariant([this] { return at_.end->parent().io.read_token.with_application(); });
    at_.interest.ask_for_input(false);
}

}  // namespace zlink::engine
