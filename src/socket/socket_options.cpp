// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: options that reach open endpoints and pipes.
#include "socket/socket.hpp"

#include "base/option_values.hpp"
#include "socket/descriptor_signal.hpp"

#define ZMQ_BUILD_DRAFT_API
#include <zlink.h>
#include <zmq.h>

#include <span>

namespace zlink::socket {

errc socket::set(int option, const void* value, std::size_t size)
{
    if (mailbox_->stop_taken()) return errc::terminated;
    if (option == ZLINK_SHARED) return set_shared(value, size);
    descriptor_signal signal(*mailbox_);
    try {
        if (option == ZMQ_SUBSCRIBE || option == ZMQ_UNSUBSCRIBE) {
            if (!accepts_live_option(options_, option)) return errc::invalid_argument;
            if (const errc stopped = process(); stopped != errc::none) return stopped;
            if (option_input(value, size).is_broken()) return errc::invalid_argument;
            const std::span topic{static_cast<const std::byte*>(value), size};
            const errc e = pattern_->subscribe(topic, option == ZMQ_SUBSCRIBE);
            subscriptions_.note_told();
            return e;
        }
        const errc e = set_option(options_, option, value, size);
        if (e == errc::none && takes_effect_at_once(option)) {
            signal.changes();
            apply(option);
        }
        return e;
    } catch (...) {
        return errc::out_of_memory;
    }
}

void socket::apply(int option)
{
    shortcuts_.drop_for_news();
    switch (option) {
    case ZMQ_SNDHWM: return apply_hwm(true);
    case ZMQ_RCVHWM: return apply_hwm(false);
    case ZLINK_SNDHWM_BYTES: return apply_hwm_bytes(true);
    case ZLINK_RCVHWM_BYTES: return apply_hwm_bytes(false);
    case ZMQ_LINGER:
    case ZMQ_SNDTIMEO:
    case ZMQ_RCVTIMEO: return;
    case ZLINK_NAME: return host_.account().set_name(options_.name);
    default: pattern_->options_changed(options_.pattern);
    }
}

// Pipes between two sockets carry both sides' marks; the other side's share stays.
void socket::apply_hwm(bool outbound) noexcept
{
    for (pipe::pipe_end* end : pipes_.open()) {
        if (outbound) {
            const auto mark = std::uint64_t(options_.sndhwm) + record_of(*end).peer_rcvhwm;
            end->set_hwm(options_.sndhwm == 0 || record_of(*end).peer_unlimited_in ? 0 : mark);
            end->peer().notify(pipe::event_hwm);
            pattern_->on_credit(*end);
        } else {
            const auto mark = std::uint64_t(options_.rcvhwm) + record_of(*end).peer_sndhwm;
            end->request_hwm(options_.rcvhwm == 0 || record_of(*end).peer_unlimited_out ? 0 : mark);
            end->peer().notify(pipe::event_hwm);
        }
    }
}

void socket::apply_hwm_bytes(bool outbound) noexcept
{
    for (pipe::pipe_end* end : pipes_.open()) {
        if (outbound) {
            end->set_octet_mark(std::uint64_t(options_.sndhwm_bytes));
            pattern_->on_credit(*end);
        } else {
            end->request_octet_mark(std::uint64_t(options_.rcvhwm_bytes));
        }
        end->peer().notify(pipe::event_hwm);
    }
}

errc socket::get(int option, void* value, std::size_t* size)
{
    if (mailbox_->stop_taken()) return errc::terminated;
    try {
        if (!is_live_option(option)) return get_option(options_, option, value, size);
        if (!accepts_live_option(options_, option)) return errc::invalid_argument;
        return get_live(option, value, size);
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc socket::get_live(int option, void* value, std::size_t* size)
{
    const option_output out(value, size);
    if (out.is_broken()) return errc::invalid_argument;
    switch (option) {
    case ZMQ_RCVMORE: return out.put_in_room(int(more_));
    case ZMQ_FD: {
        if (out.room() < sizeof(int) || is_shared()) return errc::invalid_argument;
        const int fd = descriptor();
        return fd < 0 ? errc::too_many_files : out.put_in_room(fd);
    }
    case ZLINK_FD: {
        if (out.room() < sizeof(int)) return errc::invalid_argument;
        const int fd = level_descriptor();
        return fd < 0 ? errc::too_many_files : out.put_in_room(fd);
    }
    case ZMQ_EVENTS: {
        if (out.room() < sizeof(int)) return errc::invalid_argument;
        const auto now = ready(poll_in | poll_out);
        if (!now) return now.error();
        return out.put_in_room(int(*now));
    }
    case ZMQ_LAST_ENDPOINT: return out.put_text(endpoints_.last_opened());
    case ZMQ_TOPICS_COUNT: {
        const descriptor_signal signal(*mailbox_);
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        return out.put_in_room(pattern_->topics_count());
    }
    default: return errc::invalid_argument;
    }
}

}  // namespace zlink::socket
