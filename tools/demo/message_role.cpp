// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sender and receiver of all patterns that carry messages: everything but STREAM.
#include "demo/role.hpp"

#include "support/failure.hpp"
#include "support/frame_list.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool::demo {
namespace {

constexpr const char* sender_id = "demo-sender";
constexpr const char* receiver_id = "demo-receiver";
constexpr unsigned noise_interval = 16;  // published messages between two that nobody subscribed to

[[noreturn]] void stalled(const role_options& options, const char* what, std::uint64_t messages)
{
    throw failure(fmt::format("{} for {} ms, after {} messages", what, options.stall_ms, messages));
}

// Frames of a received message that precede the record: the id that a ROUTER puts there.
std::size_t envelope_size(int type)
{
    return type == ZMQ_ROUTER ? 1 : 0;
}

bool publishes(int type)
{
    return type == ZMQ_PUB || type == ZMQ_XPUB;
}

class message_sender {
public:
    message_sender(const role_options& options, const context& owner, const corpus& source, control& line)
        : options_(options),
          traits_(traits_of(options.pattern)),
          own_(owner, traits_.sender_type),
          source_(source),
          line_(line),
          schedule_(options)
    {}

    tally run()
    {
        if (traits_.sender_type == ZMQ_ROUTER) {
            own_.set(ZMQ_ROUTING_ID, std::string_view(sender_id));
            own_.set(ZMQ_ROUTER_MANDATORY, 1);
        }
        if (publishes(traits_.sender_type)) {
            own_.set(ZMQ_XPUB_NODROP, 1);
        }
        open_role(own_, options_, line_);
        meet_peer();
        bool more = true;
        while (more) {
            const record_kind kind = schedule_.next(sequence_);
            send_record(kind);
            more = kind != record_kind::end;
            if (more) {
                line_.progress(++sequence_);
            }
            const std::uint64_t allowed = kind == record_kind::burst ? traits_.window - 1 : 0;
            while (traits_.echoes && under_way_ > allowed) {
                take_echo();
            }
        }
        tally result = judge_.finish();
        result.sent = sequence_;
        return result;
    }

private:
    // Returns when the peer is sure to get what is sent from now on and the demo has given the order to begin.
    void meet_peer()
    {
        if (traits_.sender_type == ZMQ_XPUB) {
            message subscription;
            if (!own_.receive(subscription, 0)) {
                stalled(options_, "no subscription arrived", 0);
            }
        }
        if (traits_.sender_type == ZMQ_ROUTER) {
            await_route();
        }
        line_.say("ready", "");
        const std::int64_t deadline = now_ns() + std::int64_t{options_.stall_ms} * 2'000'000;
        while (!line_.go(traits_.sender_type == ZMQ_PUB ? 5 : options_.stall_ms)) {
            if (now_ns() > deadline) {
                throw failure("the other peer wasn't ready in time");
            }
            if (traits_.sender_type == ZMQ_PUB) {
                send_record(record_kind::hello);  // until the subscriber has heard one
            }
        }
    }

    // ROUTER knows its peer once the handshake is over; until then the message is refused.
    void await_route()
    {
        const std::int64_t deadline = now_ns() + std::int64_t{options_.stall_ms} * 1'000'000;
        make(record_, source_, 0, record_kind::hello, true);
        while (zmq_send(own_.handle(), receiver_id, std::char_traits<char>::length(receiver_id), ZMQ_SNDMORE) < 0) {
            if (zmq_errno() != EHOSTUNREACH || now_ns() > deadline) {
                throw failure(fmt::format("no route to the other ROUTER: {}", zmq_strerror(zmq_errno())));
            }
            line_.go(2);
        }
        send_frames();
        under_way_ += 1;
        take_echo();
    }

    void send_record(record_kind kind)
    {
        make(record_, source_, sequence_, kind, false);
        if (traits_.sender_type == ZMQ_ROUTER) {
            send_frame(receiver_id, ZMQ_SNDMORE);
        }
        send_frames();
        under_way_ += traits_.echoes ? 1 : 0;
        if (publishes(traits_.sender_type) && sequence_ % noise_interval == 0) {
            send_frame("noise that no subscription matches", 0);
        }
    }

    void send_frames()
    {
        const auto& header = record_.header;
        const std::string_view head(reinterpret_cast<const char*>(&header), sizeof header);
        if (header.frames == 0) {
            joined_.assign(head);
            joined_ += record_.content[0];
            send_frame(joined_, 0);
            return;
        }
        send_frame(head, ZMQ_SNDMORE);
        for (std::size_t at = 0; at < record_.content.size(); ++at) {
            send_frame(record_.content[at], at + 1 < record_.content.size() ? ZMQ_SNDMORE : 0);
        }
    }

    void send_frame(std::string_view bytes, int flags)
    {
        while (zmq_send(own_.handle(), bytes.data(), bytes.size(), flags) < 0) {
            const int error = zmq_errno();
            if (error == EAGAIN) {
                stalled(options_, "the peer took no message", sequence_);
            }
            if (error != EINTR) {
                throw failure(fmt::format("sending message {} failed: {}", sequence_, zmq_strerror(error)));
            }
            line_.go(0);  // throws if it is time to stop
        }
    }

    void take_echo()
    {
        if (!echo_.receive(own_.handle(), 0)) {
            stalled(options_, "no echo arrived", judge_.received());
        }
        --under_way_;
        const auto frames = echo_.views().subspan(std::min(envelope_size(traits_.sender_type), echo_.views().size()));
        const auto header = frames.empty() ? std::nullopt : read_header(frames[0]);
        if (header) {
            judge_.accept(*header, frames);
        } else {
            judge_.reject();
        }
    }

    const role_options& options_;
    const pattern_traits& traits_;
    socket own_;
    const corpus& source_;
    control& line_;
    schedule schedule_;
    judge judge_;
    record record_;
    std::string joined_;
    frame_list echo_;
    std::uint64_t sequence_ = 0;
    std::uint64_t under_way_ = 0;
};

}  // namespace

tally run_sender(const role_options& options, const context& owner, const corpus& source, control& line)
{
    return message_sender(options, owner, source, line).run();
}

tally run_receiver(const role_options& options, const context& owner, control& line)
{
    const auto& traits = traits_of(options.pattern);
    socket own(owner, traits.receiver_type);
    if (traits.receiver_type == ZMQ_ROUTER) {
        own.set(ZMQ_ROUTING_ID, std::string_view(receiver_id));
        own.set(ZMQ_ROUTER_MANDATORY, 1);
    }
    if (traits.receiver_type == ZMQ_SUB) {
        own.set(ZMQ_SUBSCRIBE, topic);
    }
    open_role(own, options, line);
    if (traits.receiver_type == ZMQ_XSUB) {
        own.send({"\x01" + std::string(topic)}, 0);
    }
    bool ready = traits.receiver_type != ZMQ_SUB;
    if (ready) {
        line.say("ready", "");
    }
    judge verdict;
    frame_list arrived;
    std::uint64_t echoed = 0;
    for (bool more = true; more;) {
        if (!arrived.receive(own.handle(), 0)) {
            stalled(options, "nothing arrived", verdict.received());
        }
        const auto frames =
            arrived.views().subspan(std::min(envelope_size(traits.receiver_type), arrived.views().size()));
        const auto header = frames.empty() ? std::nullopt : read_header(frames[0]);
        if (!header) {
            verdict.reject();
        } else {
            more = verdict.accept(*header, frames);
            if (!ready) {
                ready = true;  // the first message of a publisher
                line.say("ready", "");
            }
        }
        if (traits.echoes) {
            echoed += header && (header->kind == record_kind::paced || header->kind == record_kind::burst) ? 1 : 0;
            arrived.send(own.handle());
        }
        line.progress(verdict.received());
    }
    tally result = verdict.finish();
    result.sent = echoed;
    return result;
}

}  // namespace zlink::tool::demo
