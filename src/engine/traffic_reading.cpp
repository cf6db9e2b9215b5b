// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// connection_traffic: from the kernel into the inbound lane.
#include "engine/connection_traffic.hpp"

#include "engine/peer_mistake.hpp"
#include "message/body_pool.hpp"
#include "runtime/clock.hpp"
#include "zmtp/handshake_error.hpp"

namespace zlink::engine {

namespace {

// Reads in one go before other connections get their turn.
constexpr int most_reads = 8;

// A publisher's peer that has so many in a row is not waited for; see event_loop::catch_up().
constexpr unsigned turns_of_a_flood = 8;

}  // namespace

void connection_traffic::tell_reader() noexcept
{
    end_->wake_reader();
}

void connection_traffic::read() noexcept
{
    pipe::io_token& token = end_->parent().read_token;
    // An application that holds it reads itself, and switches our interest on again when it leaves, or tells us that it
    // left while we were here.
    if (!token.take_if_free()) return;
    read_paused_ = false;
    bool drained = false;
    for (int i = 0; i < most_reads; ++i) {
        if (unheard()) return;
        if (rests_reading()) return;
        if (!end_->writer.has_room_for_next_or_wait()) {
            read_paused_ = true;
            break;
        }
        const std::uint64_t before = end_->writer.written();
        const std::uint64_t octets_before = reader_.octets_read();
        const connection_reader::outcome what = reader_.read_once(stream_, worker_.arena(), end_->writer, this);
        heartbeat_.end_read(reader_.octets_read() != octets_before);
        if (end_->writer.written() != before) {
            worker_.idle().note_pool();
            tell_reader();
        }
        drained = what == connection_reader::outcome::drained && !(wraps_ && stream_.pending());
        if (drained) break;
        if (what == connection_reader::outcome::closed || what == connection_reader::outcome::failed) {
            token.give_back();
            return failed_reading(what);
        }
        if (worker_.turn_is_over()) break;
    }
    undrained_turns_ = drained ? 0 : undrained_turns_ + 1;
    if (undrained_turns_ >= turns_of_a_flood && publishes(options_.type)) worker_.loop().note_flood();
    const bool more_to_look_at = reader_.has_unread() && !read_paused_;
    want_reading();
    if (more_to_look_at) end_->notify(pipe::event_inline_stop);
    if (write_awaits_input_) go_on_writing();
}

// True: the application has large messages enough; it is looked at again in a moment.
bool connection_traffic::rests_reading() noexcept
{
    const pipe::lane_writer& lane = end_->writer;
    const auto much_in_use = [] { return message::body_pool::in_use() > message::body_pool::most_kept; };
    if (!read_easing_.wants_rest(lane.large_bytes_unread(), lane.large_bytes_read(), much_in_use,
                                 runtime::clock::now)) {
        return false;
    }
    reading_rests_ = true;
    interest_.change_and_rearm(0, runtime::events::readable);
    end_->parent().read_token.give_back();
    look_later();
    return true;
}

// True: nobody wants to hear the peer any more. The token stays here, so that no application reads either; what is left to
// write goes out, and the end of a peer that leaves before is seen.
bool connection_traffic::unheard() noexcept
{
    if (!end_->parent().unheard.load(std::memory_order_acquire)) return false;
    refused_ = read_paused_ = true;
    interest_.change_and_rearm(runtime::events::ended, runtime::events::readable);
    return true;
}

// Leaves reading: interest is set while we still hold the token, so that the next holder finds it as it expects.
void connection_traffic::want_reading() noexcept
{
    if (read_paused_) {
        interest_.change_and_rearm(refused_ ? runtime::events::ended : 0U, runtime::events::readable);
    } else {
        interest_.change_and_rearm(runtime::events::readable, 0);
        if (wraps_ && stream_.pending()) interest_.requeue();
    }
    if (wraps_) write_own_octets();
    end_->parent().read_token.give_back();
}

void connection_traffic::failed_reading(connection_reader::outcome what) noexcept
{
    if (what == connection_reader::outcome::closed) return over(ending::lost);
    refused(reader_.error(), reader_.reason());
}

void connection_traffic::refused(errc why, zmtp::handshake_error reason) noexcept
{
    using known = zmtp::handshake_error;
    if (why != errc::protocol_error && why != errc::message_too_long) return over(ending::lost);
    if (stream_.speaks_zws()) tell_mistake(endpoints_, reader_.told_to_peer());
    if (reason == known::none) {
        reason = why == errc::message_too_long ? known::zmtp_malformed_command_message : known::zmtp_unspecified;
    }
    host_->report(monitor_event::handshake_failed_protocol, std::uint64_t(reason), endpoints_);
    over(ending::protocol_error);
}

}  // namespace zlink::engine
