// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection_traffic.hpp"

#include "load/limits.hpp"
#include "wire/decoded_inbound.hpp"
#include "wire/sealed_inbound.hpp"
#include "wire/zmtp_inbound.hpp"
#include "wire/zws_inbound.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace zlink::engine {

namespace {

// Batches written in one go before other connections get their turn.
constexpr int most_writes = 16;

// Null: as messages lie in the lane.
std::unique_ptr<wire::frame_encoder> encoder_for(const session_options& options, zmtp::protocol_version version)
{
    if (options.raw) return wire::make_raw_encoder();
    if (version == zmtp::protocol_version::zmtp_1_0) return wire::make_zmtp1_encoder();
    if (traits(options.type).subscribes && version >= zmtp::protocol_version::zmtp_3_1)
        return wire::make_subscription_encoder();
    return nullptr;
}

// Publishers wait for what has come on their connections to be read, and hardly anything comes: a peer that sends a lot all
// the same is read in small pieces.
std::size_t read_limit(const session_options& options) noexcept
{
    constexpr std::size_t small_read = 8 * 1024;
    const std::size_t most = options.data_path.in_batch;
    return publishes(options.type) ? std::min(most, small_read) : most;
}

wire::frame_form form_of(const transport::stream& stream) noexcept
{
    const zws::agreement* const agreed = stream.agreed();
    if (!agreed) return wire::frame_form::zmtp;
    return agreed->client ? wire::frame_form::zws_client : wire::frame_form::zws_server;
}

std::unique_ptr<wire::inbound> inbound_for(const session_options& options, zmtp::protocol_version version,
                                           wire::frame_form form, std::unique_ptr<zmtp::opener> opens)
{
    const transport::data_path_settings& path = options.data_path;
    const std::int64_t most = options.connection.max_msg_size;
    const auto decoded = [&](std::unique_ptr<wire::frame_decoder> how) {
        return std::make_unique<wire::decoded_inbound>(std::move(how), path.max_transfer);
    };
    if (options.raw) return decoded(wire::make_raw_decoder());
    if (version == zmtp::protocol_version::zmtp_1_0) return decoded(wire::make_zmtp1_decoder(most));
    const wire::frame_limits limits{most, read_limit(options), path.writev_threshold, path.max_transfer};
    if (form != wire::frame_form::zmtp) {
        return std::make_unique<wire::zws_inbound>(limits, form == wire::frame_form::zws_client, std::move(opens));
    }
    if (opens) return std::make_unique<wire::sealed_inbound>(std::move(opens), limits);
    return std::make_unique<wire::zmtp_inbound>(limits);
}

connection_writer::limits write_limits(const transport::data_path_settings& path) noexcept
{
    return {{path.out_batch, path.out_batch_small}, path.max_transfer};
}

}  // namespace

connection_traffic::connection_traffic(io_worker& worker, traffic_owner& owner, const host_ref& host,
                                       const endpoint_pair& endpoints, const session_options& options,
                                       transport::stream& stream, descriptor_interest& interest,
                                       zmtp::protocol_version version, zmtp::sealing sealing)
    : worker_(worker),
      owner_(owner),
      host_(host),
      endpoints_(endpoints),
      options_(options),
      stream_(stream),
      wraps_(!stream.lends_descriptor()),
      interest_(interest),
      version_(version),
      writer_(encoder_for(options, version), write_limits(options.data_path), std::move(sealing.out), form_of(stream)),
      reader_(inbound_for(options, version, form_of(stream), std::move(sealing.in))),
      heartbeat_(worker.loop(), *this),
      look_timer_(worker.loop()),
      wait_for_room_(worker.loop().yields(), load::limits::yielding::longest_for_room)
{}

bool connection_traffic::take_over(std::span<const std::byte> to_send, std::span<const std::byte> unread) noexcept
{
    return writer_.send_first(to_send) && reader_.feed(unread);
}

void connection_traffic::begin(pipe::pipe_end& end, bool wants_all) noexcept
{
    end_ = &end;
    former_client_ = std::exchange(end.client, static_cast<pipe::pipe_client*>(this));
    if (wants_all && !deliver_subscription(true, {})) return over(ending::lost);
    end_->reader.begin_octets();
    // What was asked for while nobody was connected.
    take_up_marks();
    if (end_->reader.flush_credit()) end_->peer().notify(pipe::event_credit);
    if (offers_inline_io()) {
        pipe::pipe& p = end_->parent();
        p.io = this;
        p.parked.begin();
        p.held.begin();
        p.parked.end();
        p.held.end();
        // Offered at the end of the first write and read below.
        (void)p.write_token.take_or_ask();
        p.write_token.offer();
        p.read_token.offer();
    }
    start_heartbeat();
    takes_on(true);
    write();
    if (!stopped_) read();
    if (!stopped_) watch_those_who_resumed();
}

bool connection_traffic::offers_inline_io() const noexcept
{
    return options_.inline_io && !wraps_ && !options_.raw && version_ >= zmtp::protocol_version::zmtp_3_0 &&
           !options_.conflate;
}

void connection_traffic::on_ready(std::uint32_t events) noexcept
{
    if (stopped_) return;
    if (events & runtime::events::writable) {
        interest_.change(0, runtime::events::writable);
        go_on_writing();
        if (stopped_) return;
    }
    // What a peer that nobody hears has left in the kernel keeps nobody from seeing that it has gone.
    if (refused_ && read_paused_ &&
        (events & (runtime::events::hung_up | runtime::events::failed | runtime::events::ended)))
        return over(ending::lost);
    if (events &
        (runtime::events::readable | runtime::events::hung_up | runtime::events::failed | runtime::events::ended)) {
        read();
    } else {
        interest_.rearm();
    }
}

void connection_traffic::on_pipe_events(std::uint32_t events) noexcept
{
    if (events & pipe::event_peer_closed) former_client_->on_pipe_events(pipe::event_peer_closed);
    if (stopped_) return owner_.on_token_back();
    if (events & pipe::event_hwm) inbound_mark_changed_ = outbound_mark_changed_ = true;
    if (inbound_mark_changed_ || outbound_mark_changed_) {
        on_changed_marks();
        if (stopped_) return;
    }
    if (events & (pipe::event_data | pipe::event_peer_closed | pipe::event_token)) {
        if (!write_blocked_) write();
    }
    if (stopped_) return;
    if (events & pipe::event_chunk) worker_.idle().add_if_unknown(*end_);
    if (events & pipe::event_pool) worker_.idle().note_pool();
    if (events & pipe::event_watch) begin_watching();
    if (events & pipe::event_look) {
        on_look();
        if (stopped_) return;
    }
    if (events & pipe::event_refused) {
        refused_ = true;
        if (read_paused_) interest_.change_and_rearm(runtime::events::ended, runtime::events::readable);
    }
    const bool unpaused = read_paused_ && (events & pipe::event_credit);
    if (unpaused || (events & pipe::event_inline_stop)) read();
}

// A mark belongs to the two ends of its lane, and those here to whoever holds the tokens: an application that does tells when
// it gives them back, and is woken if it sleeps with one.
void connection_traffic::on_changed_marks() noexcept
{
    pipe::pipe& p = end_->parent();
    if (outbound_mark_changed_ && p.write_token.take_or_ask()) {
        outbound_mark_changed_ = false;
        const bool credit = end_->reader.flush_credit();
        p.write_token.give_back();
        if (credit) end_->peer().notify(pipe::event_credit);
    }
    if (!inbound_mark_changed_) return;
    if (!p.read_token.take_or_ask()) return end_->peer().notify(pipe::event_token);
    take_up_marks();
    // Also as the token may have been parked.
    read();
}

// The holder of the read token, or before it is offered.
void connection_traffic::take_up_marks() noexcept
{
    inbound_mark_changed_ = false;
    if (end_->writer.apply_requested_hwm()) end_->peer().notify(pipe::event_hwm);
}

void connection_traffic::write() noexcept
{
    pipe::io_token& token = end_->parent().write_token;
    if (!token.take_or_ask()) return;  // told by event_token
    if (commands_wait_) pass_commands_on();
    const std::uint64_t written_before = writer_.octets_written();
    const std::uint64_t messages_before = end_->reader.messages_read();
    pipe::owed_credit credit(end_);
    auto what = connection_writer::outcome::idle;
    for (int i = 0; i < most_writes; ++i) {
        what = writer_.write_once(stream_, end_->reader, credit);
        if (what != connection_writer::outcome::more || worker_.turn_is_over()) break;
        if (peer_closes_ && writer_.commands_written()) break;
    }
    const std::uint64_t messages = end_->reader.messages_read() - messages_before;
    taken_over_ += messages;
    worker_.note_written(messages, writer_.octets_written() - written_before);
    if (commands_wait_) {
        commands_wait_ = !writer_.commands_written();
        // Until a PING has left, a peer that takes octets is no silent one.
        if (writer_.octets_written() != written_before) heartbeat_.on_progress(!commands_wait_);
    }
    bool drained = false;
    if (what == connection_writer::outcome::idle) {
        credit.add(end_->reader.commit(0));
        drained = drained_or_finishing();
    }
    credit.tell();
    const bool dormant = end_->reader.dormant();
    if (idle_watch::wants(*end_)) worker_.idle().add(*end_);
    worker_.idle().note_pool();
    // A thread that sends may write from here on: it has the lane and the writer then.
    const bool commands_written = writer_.commands_written();
    const bool wrote_large = writer_.wrote_large();
    const bool lost = what == connection_writer::outcome::failed && drained_or_finishing();
    token.give_back();
    // What it wants to hear has gone; nothing may follow that.
    if (peer_closes_ && commands_written) return over(ending::lost);
    switch (what) {
    case connection_writer::outcome::idle:
        if (wraps_) write_own_octets();
        if (drained && !write_blocked_) return over(ending::finished);
        if (dormant) break;
        if (wrote_large) {
            worker_.make_dormant(*end_);  // the sender goes on by itself then
        } else {
            worker_.watch(*end_);
        }
        break;
    case connection_writer::outcome::more:
        (void)end_->reader.wake_up();
        end_->notify(pipe::event_data);
        break;
    case connection_writer::outcome::blocked:
        (void)end_->reader.wake_up();
        wait_to_write();
        break;
    case connection_writer::outcome::failed:
        // The peer is gone, but what it sent before may still be in the kernel: the reader finds the end.
        (void)end_->reader.wake_up();
        write_blocked_ = true;
        takes_on(false);
        if (lost) return over(ending::lost);
        break;
    }
}

void connection_traffic::wait_to_write() noexcept
{
    write_blocked_ = true;
    takes_on(false);
    write_awaits_input_ = stream_.write_waits_for_input();
    // Input is asked for already, unless nothing is read now; and after each read follows what waited for it.
    if (!write_awaits_input_) interest_.change_and_rearm(runtime::events::writable, 0);
}

void connection_traffic::go_on_writing() noexcept
{
    write_blocked_ = write_awaits_input_ = false;
    takes_on(true);
    write();
}

void connection_traffic::takes_on(bool does) noexcept
{
    end_->parent().taken_on.store(does, std::memory_order_relaxed);
}

// Of a stream that wraps another; an error is found by reading.
void connection_traffic::write_own_octets() noexcept
{
    const bool waits_for_room = write_blocked_ && !write_awaits_input_;
    if (waits_for_room || !stream_.wants_write_turn()) return;
    if (stream_.write(nullptr, 0).state == transport::io_outcome::status::blocked) wait_to_write();
}

void connection_traffic::finish() noexcept
{
    finishing_ = true;
    if (end_ && !stopped_ && !write_blocked_) write();
}

void connection_traffic::stop() noexcept
{
    stopped_ = true;
    heartbeat_.stop();
    look_timer_.cancel();
}

// Both tokens are held. A peer that closes itself has had its answer; who has gone, or is silent, hears nothing.
void connection_traffic::say_close(ending why) noexcept
{
    if (peer_closes_ || !writer_.between_frames(end_->reader)) return;
    if (why == ending::finished) stream_.say_close(zws::close_code::normal);
    if (why == ending::protocol_error) stream_.say_close(reader_.told_to_peer());
}

bool connection_traffic::let_go(ending why) noexcept
{
    if (!end_) return true;
    pipe::pipe& p = end_->parent();
    if (!p.read_token.take_or_ask()) {
        end_->peer().notify(pipe::event_token);
        return false;
    }
    if (!p.write_token.take_or_ask()) return false;
    say_close(why);
    takes_on(false);
    p.read_token.withdraw();
    p.write_token.withdraw();
    p.io = nullptr;
    worker_.forget(*end_);
    end_->writer.rollback();
    end_->reader.rewind();
    end_->client = former_client_;
    return true;
}

}  // namespace zlink::engine
