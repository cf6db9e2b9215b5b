// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Send while the socket takes, receive while it gives, then sleep. Lockstep of REQ and REP is a matter of may_send()
// and may_receive(); all other types go through the same lines.
#include "cli/traffic_loop.hpp"

#include "cli/traffic_words.hpp"

#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr int batch = 256;  // messages before the other direction gets its turn
constexpr std::chrono::seconds quiet_wait{2};
constexpr std::chrono::seconds between_complaints{5};

bool answers(const traffic_options& options)
{
    return options.type == ZMQ_REP || options.echo || options.reply.has_value();
}

// Whether the user wants these socket options to hold: then nothing is dropped at the mark, or everything may be.
bool may_lose(const traffic_options& options)
{
    if (publishes(options.type)) {
        return setting_of(options.settings, ZMQ_XPUB_NODROP).value_or("0") == "0";
    }
    return answers(options) || setting_of(options.settings, ZMQ_ROUTER_MANDATORY).value_or("1") == "0";
}

// STREAM sends octets, not frames: what follows the id is one piece.
message joined(const std::string& id, message::const_iterator begin, message::const_iterator end)
{
    message result{id, ""};
    for (; begin != end; ++begin) {
        result[1] += *begin;
    }
    return result;
}

}  // namespace

traffic_loop::traffic_loop(const traffic_options& options, socket& peer, connection_watch& watch)
    : options_(options),
      peer_(peer),
      watch_(watch),
      input_(options),
      output_(options),
      meter_(options.quiet, can_receive(options.type) && options.to.empty(), options.count),
      sender_(peer, options.type, may_lose(options)),
      pace_(options.rate),
      sends_(can_send(options.type)),
      receives_(can_receive(options.type)),
      answers_(answers(options)),
      dials_(dials(options)),
      input_ended_(!sends_ || answers_),
      told_drops_at_(clock::now())
{}

void traffic_loop::run()
{
    while (!stop_signal::requested() && !output_.closed()) {
        watch_.read();
        const turn sent = send_some();
        const turn received = receive_some();
        const auto now = clock::now();
        meter_.tick(now);
        complain_now_and_then(now);
        if (finished() || (watch_.hopeless() && received == turn::blocked)) {
            break;
        }
        if (sent == turn::moved || received == turn::moved) {
            continue;
        }
        output_.flush();
        if (options_.timeout && sleep_milliseconds(now) == 0) {
            timed_out();
            break;
        }
        sleep(now);
    }
    output_.flush();
}

bool traffic_loop::finished() const
{
    if (pending_ || hung_up_) {
        return hung_up_;
    }
    const auto sent = meter_.messages_sent();
    const auto received = meter_.messages_received();
    if (!receives_) {
        return input_ended_;
    }
    if (options_.type == ZMQ_REQ) {
        return input_ended_ && received == sent;
    }
    if (!input_ended_) {
        return false;
    }
    if (options_.type == ZMQ_XPUB) {
        return options_.count || sent > 0;  // without a message it is there for the subscriptions
    }
    if (options_.count) {
        return received >= *options_.count;
    }
    const bool awaits_answers = options_.type == ZMQ_DEALER || options_.type == ZMQ_CLIENT;
    return awaits_answers && !answers_ && sent > 0 && received >= sent;
}

bool traffic_loop::wants_input() const
{
    return !input_ended_ && !pending_ &&
           (options_.type != ZMQ_REQ || meter_.messages_received() == meter_.messages_sent());
}

bool traffic_loop::may_send(clock::time_point now) const
{
    return pending_ && (pending_is_answer_ || pace_.due(now)) && !(dials_ && dialled_.empty());
}

bool traffic_loop::may_receive() const
{
    if (!receives_ || (answers_ && pending_)) {
        return false;
    }
    const bool limited = options_.count && !counts_sent(options_.type);
    if (limited && meter_.messages_received() >= *options_.count) {
        return false;
    }
    return options_.type != ZMQ_REQ || meter_.messages_received() < meter_.messages_sent();
}

void traffic_loop::fetch_input()
{
    const bool limited = counts_sent(options_.type) && options_.count;
    input_waits_ = false;
    if (limited && meter_.messages_sent() >= *options_.count) {
        input_ended_ = true;
        return;
    }
    auto state = input_.next(outgoing_);
    if (state == input_source::state::ended && limited && input_.repeatable()) {
        input_.rewind();
        state = input_.next(outgoing_);
    }
    input_ended_ = state == input_source::state::ended;
    input_waits_ = state == input_source::state::waiting;
    pending_ = state == input_source::state::ready;
    if (!pending_) {
        return;
    }
    if (addresses(options_.type) && !dials_) {
        address();
    }
    if (sends_one_frame(options_.type)) {
        make_one_frame();
    }
}

// What the types of the draft API send: one frame, and before it the address or the group if there is one.
void traffic_loop::make_one_frame()
{
    if (options_.type == ZMQ_RADIO && !options_.groups.empty()) {
        outgoing_.insert(outgoing_.begin(), options_.groups.front());
    }
    if (options_.type == ZMQ_RADIO && outgoing_.size() < 2) {
        throw usage_failure("radio needs the group before the message: --group NAME, or --multipart '|' 'NAME|text'");
    }
    check_one_frame(options_.type == ZMQ_RADIO || (addresses(options_.type) && !dials_));
}

// `addressed`: the first frame is the address or the group.
void traffic_loop::check_one_frame(bool addressed) const
{
    const std::size_t frames = outgoing_.size() - (addressed ? 1 : 0);
    if (frames != 1) {
        throw usage_failure(fmt::format("{} sends messages of one frame{}, not of {}; leave --multipart out",
                                        lower(socket_type_name(options_.type)), addressed ? " after the address" : "",
                                        frames));
    }
}

// The first frame as typed becomes the routing id.
void traffic_loop::address()
{
    if (outgoing_.size() < 2) {
        throw usage_failure(fmt::format("{} needs the receiver's {} before the message: --multipart '|' '{}|text'",
                                        lower(socket_type_name(options_.type)),
                                        options_.type == ZMQ_DGRAM ? "address" : "routing id",
                                        options_.type == ZMQ_DGRAM ? "127.0.0.1:5555" : "ID"));
    }
    if (outgoing_[0].starts_with("0x")) {
        outgoing_[0] = from_hex(outgoing_[0]).value_or(outgoing_[0]);
    }
    if (options_.type == ZMQ_STREAM) {
        outgoing_ = joined(outgoing_[0], outgoing_.begin() + 1, outgoing_.end());
    }
}

message_sender::result traffic_loop::send_pending()
{
    const auto result = dials_ && !pending_is_answer_
                            ? sender_.send(joined(dialled_, outgoing_.begin(), outgoing_.end()))
                            : sender_.send(outgoing_);
    if (result == message_sender::result::unreachable && options_.type == ZMQ_STREAM && dials_) {
        return result;  // the side that dialled hears of the end, after what else there is to hear
    }
    if (result == message_sender::result::unreachable) {
        throw failure(fmt::format("no connected peer has the routing id '{}'; start the peer with --identity, or give "
                                  "it time with --delay",
                                  printable(dials_ && !pending_is_answer_ ? dialled_ : outgoing_[0])));
    }
    return result;
}

traffic_loop::turn traffic_loop::send_some()
{
    turn moved = turn::blocked;
    for (int sent = 0; sent < batch; ++sent) {
        if (wants_input()) {
            fetch_input();
        }
        const auto now = pace_.limited() ? clock::now() : clock::time_point{};
        if (!may_send(now)) {
            break;
        }
        const auto result = send_pending();
        refused_ = result == message_sender::result::blocked || result == message_sender::result::unreachable;
        if (refused_) {
            break;
        }
        if (result == message_sender::result::sent) {
            meter_.sent(outgoing_);
        }
        moved = turn::moved;
        pending_ = false;
        if (!pending_is_answer_) {
            pace_.sent(now);
        }
        pending_is_answer_ = false;
    }
    return moved;
}

traffic_loop::turn traffic_loop::receive_some()
{
    turn result = turn::blocked;
    for (int received = 0; received < batch && may_receive(); ++received) {
        if (!peer_.receive(incoming_, ZMQ_DONTWAIT)) {
            break;
        }
        result = turn::moved;
        if (options_.type == ZMQ_STREAM && take_notice()) {
            continue;
        }
        if (options_.type == ZMQ_DGRAM && incoming_[0].ends_with('\0')) {
            incoming_[0].pop_back();  // the library ends addresses as C strings
        }
        meter_.received(incoming_);
        output_.put(incoming_);
        if (answers_) {
            answer(incoming_);
        }
    }
    return result;
}

// STREAM reports a connection and its end by a message without octets.
bool traffic_loop::take_notice()
{
    if (incoming_.size() != 2 || !incoming_[1].empty()) {
        return false;
    }
    if (dials_ && dialled_.empty()) {
        dialled_ = incoming_[0];
    } else if (dials_) {
        hung_up_ = true;
    }
    return true;
}

void traffic_loop::answer(message frames)
{
    if (options_.reply) {
        // What leads back to the asker stays: its id, and REQ's empty delimiter.
        std::size_t envelope = 0;
        if (addresses(options_.type)) {
            envelope = frames.size() > 2 && frames[1].empty() ? 2 : 1;
        }
        frames.resize(envelope);
        for (auto& part : split(*options_.reply, options_.separator)) {
            frames.push_back(std::move(part));
        }
        if (options_.type == ZMQ_STREAM) {
            frames = joined(frames[0], frames.begin() + 1, frames.end());
        }
    }
    outgoing_ = std::move(frames);
    if (sends_one_frame(options_.type)) {
        check_one_frame(true);
    }
    pending_ = true;
    pending_is_answer_ = true;
}

// What a user wants to know while it goes on: that it waits, and that it loses messages.
void traffic_loop::complain_now_and_then(clock::time_point now)
{
    if (!told_to_wait_ && !options_.quiet && pending_ && !watch_.ever_connected() &&
        now - meter_.last_progress() >= quiet_wait) {
        told_to_wait_ = true;
        say("waiting for a peer at {}{}; Ctrl-C gives up, --timeout limits the wait\n", endpoints_of(options_),
            watch_.hint());
    }
    const auto lost = sender_.lost().all();
    if (lost > told_drops_ && now - told_drops_at_ >= between_complaints) {
        told_drops_ = lost;
        told_drops_at_ = now;
        say("zlink: {} lost so far\n", messages(lost));
    }
}

// Milliseconds until something falls due: -1 when nothing will, 0 when the time-out is over.
int traffic_loop::sleep_milliseconds(clock::time_point now) const
{
    using std::chrono::milliseconds;
    const auto count = [](milliseconds time) { return static_cast<int>(time.count()); };
    if (pending_ && !pending_is_answer_ && !pace_.due(now)) {
        return count(pace_.wait(now));
    }
    if (!options_.timeout || (wants_input() && input_waits_)) {
        return -1;  // waiting for the user is nobody's fault
    }
    const auto left = std::chrono::ceil<milliseconds>(meter_.last_progress() + *options_.timeout - now);
    return std::max(count(left), 0);
}

// Everything is decided by the same `now`: a message that falls due meanwhile must not be slept over.
void traffic_loop::sleep(clock::time_point now)
{
    const int events = (may_receive() ? ZMQ_POLLIN : 0) | (may_send(now) ? ZMQ_POLLOUT : 0);
    std::array<zmq_pollitem_t, 4> items{{
        {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0},
        {watch_.handle(), 0, ZMQ_POLLIN, 0},
        {peer_.handle(), 0, static_cast<short>(events), 0},
        {nullptr, input_.descriptor(), ZMQ_POLLIN, 0},
    }};
    const bool listens_to_input = wants_input() && input_waits_;
    int limit = sleep_milliseconds(now);
    if (meter_.live() || (pending_ && !told_to_wait_)) {
        limit = limit < 0 ? 1000 : std::min(limit, 1000);  // there may be something to show or to say
    }
    zmq_poll(items.data(), listens_to_input ? 4 : 3, limit);
}

void traffic_loop::timed_out() const
{
    const auto received = meter_.messages_received();
    const bool awaits = receives_ && !pending_;
    if (awaits && !options_.count && options_.type != ZMQ_REQ && received > 0) {
        return;
    }
    throw failure(fmt::format("timed out: {}{}", explain_time_out(options_, received, awaits), watch_.hint()));
}

}  // namespace zlink::tool
