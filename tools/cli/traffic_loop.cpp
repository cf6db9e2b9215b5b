// Send while the socket takes, receive while it gives, then sleep. Lockstep of REQ and REP is a matter of may_send()
// and may_receive(); all other types go through the same lines.
#include "cli/traffic_loop.hpp"

#include "support/failure.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr int batch = 256;  // messages before the other direction gets its turn

std::string endpoints_of(const traffic_options& options)
{
    std::string text;
    for (const auto* list : {&options.bind, &options.connect}) {
        for (const auto& endpoint : *list) {
            text += (text.empty() ? "" : ", ") + endpoint;
        }
    }
    return text;
}

}  // namespace

bool can_send(int type)
{
    return type != ZMQ_SUB && type != ZMQ_PULL;
}

bool can_receive(int type)
{
    return type != ZMQ_PUB && type != ZMQ_PUSH;
}

traffic_loop::traffic_loop(const traffic_options& options, socket& peer)
    : options_(options),
      peer_(peer),
      input_(options),
      output_(options),
      meter_(options.quiet, can_receive(options.type)),
      sends_(can_send(options.type)),
      receives_(can_receive(options.type)),
      answers_(options.type == ZMQ_REP || options.echo || options.reply.has_value())
{
    input_ended_ = !sends_ || answers_;
}

exit_status traffic_loop::run()
{
    next_send_ = clock::now();
    while (!stop_signal::requested() && !output_.closed()) {
        const turn sent = send_some();
        const turn received = receive_some();
        meter_.tick();
        if (finished()) {
            break;
        }
        if (sent == turn::moved || received == turn::moved) {
            continue;
        }
        output_.flush();
        if (sleep_milliseconds() == 0 && options_.timeout) {
            const exit_status status = timed_out();
            meter_.summary(false);
            return status;
        }
        sleep_until_something();
    }
    output_.flush();
    meter_.summary(stop_signal::requested());
    return exit_status::success;
}

bool traffic_loop::finished() const
{
    if (pending_) {
        return false;
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
    if (options_.count) {
        return received >= *options_.count;
    }
    return options_.type == ZMQ_DEALER && !answers_ && sent > 0 && received >= sent;
}

bool traffic_loop::wants_input() const
{
    return !input_ended_ && !pending_ &&
           (options_.type != ZMQ_REQ || meter_.messages_received() == meter_.messages_sent());
}

bool traffic_loop::may_send() const
{
    return pending_ && (pending_is_answer_ || options_.rate <= 0 || clock::now() >= next_send_);
}

bool traffic_loop::may_receive() const
{
    if (!receives_ || (answers_ && pending_)) {
        return false;
    }
    const bool limited = options_.count && options_.type != ZMQ_REQ;
    if (limited && meter_.messages_received() >= *options_.count) {
        return false;
    }
    return options_.type != ZMQ_REQ || meter_.messages_received() < meter_.messages_sent();
}

void traffic_loop::fetch_input()
{
    const bool counts_sent = !receives_ || options_.type == ZMQ_REQ;
    input_waits_ = false;
    if (counts_sent && options_.count && meter_.messages_sent() >= *options_.count) {
        input_ended_ = true;
        return;
    }
    auto state = input_.next(outgoing_);
    if (state == input_source::state::ended && counts_sent && options_.count && input_.repeatable()) {
        input_.rewind();
        state = input_.next(outgoing_);
    }
    input_ended_ = state == input_source::state::ended;
    input_waits_ = state == input_source::state::waiting;
    pending_ = state == input_source::state::ready;
    if (pending_ && options_.type == ZMQ_ROUTER && outgoing_[0].starts_with("0x")) {
        outgoing_[0] = from_hex(outgoing_[0]).value_or(outgoing_[0]);
    }
}

traffic_loop::turn traffic_loop::send_some()
{
    turn result = turn::blocked;
    for (int sent = 0; sent < batch; ++sent) {
        if (wants_input()) {
            fetch_input();
        }
        if (!may_send() || !peer_.send(outgoing_, ZMQ_DONTWAIT)) {
            break;
        }
        pending_ = false;
        meter_.sent(outgoing_);
        result = turn::moved;
        if (options_.rate > 0 && !pending_is_answer_) {
            const auto step =
                std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(1 / options_.rate));
            next_send_ = std::max(next_send_ + step, clock::now() - std::chrono::seconds(1));
        }
        pending_is_answer_ = false;
    }
    return result;
}

traffic_loop::turn traffic_loop::receive_some()
{
    turn result = turn::blocked;
    for (int received = 0; received < batch && may_receive(); ++received) {
        if (!peer_.receive(incoming_, ZMQ_DONTWAIT)) {
            break;
        }
        meter_.received(incoming_);
        output_.put(incoming_);
        result = turn::moved;
        if (answers_) {
            answer(incoming_);
        }
    }
    return result;
}

void traffic_loop::answer(message frames)
{
    if (options_.reply) {
        // A ROUTER's answer keeps what leads back to the asker: its id, and REQ's empty delimiter.
        std::size_t envelope = 0;
        if (options_.type == ZMQ_ROUTER) {
            envelope = frames.size() > 2 && frames[1].empty() ? 2 : 1;
        }
        frames.resize(envelope);
        for (auto& part : split(*options_.reply, options_.separator)) {
            frames.push_back(std::move(part));
        }
    }
    outgoing_ = std::move(frames);
    pending_ = true;
    pending_is_answer_ = true;
}

// Milliseconds until something falls due: -1 when nothing will, 0 when the time-out is over.
int traffic_loop::sleep_milliseconds() const
{
    using std::chrono::milliseconds;
    const auto now = clock::now();
    const bool paced = pending_ && !pending_is_answer_ && options_.rate > 0 && now < next_send_;
    if (paced) {
        return static_cast<int>(std::chrono::ceil<milliseconds>(next_send_ - now).count());
    }
    if (!options_.timeout || (wants_input() && input_waits_)) {
        return -1;  // waiting for the user is nobody's fault
    }
    const auto left = std::chrono::ceil<milliseconds>(meter_.last_progress() + *options_.timeout - now).count();
    return static_cast<int>(std::max<long>(left, 0));
}

void traffic_loop::sleep_until_something()
{
    const int events = (may_receive() ? ZMQ_POLLIN : 0) | (may_send() ? ZMQ_POLLOUT : 0);
    std::array<zmq_pollitem_t, 3> items{{
        {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0},
        {peer_.handle(), 0, static_cast<short>(events), 0},
        {nullptr, input_.descriptor(), ZMQ_POLLIN, 0},
    }};
    const bool listens_to_input = wants_input() && input_waits_;
    zmq_poll(items.data(), listens_to_input ? 3 : 2, sleep_milliseconds());
}

exit_status traffic_loop::timed_out() const
{
    const auto received = meter_.messages_received();
    const bool awaits = receives_ && !pending_;
    if (awaits && !options_.count && options_.type != ZMQ_REQ && received > 0) {
        return exit_status::success;
    }
    const auto waited = options_.timeout->count();
    const auto where = endpoints_of(options_);
    if (!awaits) {
        throw failure(fmt::format(
            "timed out: no peer at {} took the message within {} ms; start one or check the endpoint", where, waited));
    }
    if (options_.type == ZMQ_REQ) {
        throw failure(fmt::format("timed out: no reply from {} within {} ms; is a 'zlink rep' or another REP there?",
                                  where, waited));
    }
    if (options_.count) {
        throw failure(
            fmt::format("timed out: {} of {} messages received at {}, then none for {} ms; is the sender running?",
                        received, *options_.count, where, waited));
    }
    throw failure(fmt::format("timed out: nothing received at {} within {} ms; is the sender running?", where, waited));
}

}  // namespace zlink::tool
