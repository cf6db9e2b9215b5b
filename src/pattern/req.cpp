// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/req.hpp"

#include "base/byte_order.hpp"
#include "base/invariant.hpp"
#include "pattern/routing/most_dropped.hpp"
#include "pattern/routing/whole_message.hpp"

#include <cstring>

namespace zlink::pattern {

namespace {

std::array<std::byte, 4> octets_of(std::uint32_t number) noexcept
{
    std::array<std::byte, 4> octets;
    store_be32(octets.data(), number);
    return octets;
}

}  // namespace

// Numbers start at a value made of this object's address, so that a reply to an earlier socket of the same routing id
// rarely matches.
req::req(pattern_host& host, const pattern_options& options) noexcept
    : host_(host),
      queue_(*this),
      number_(std::uint32_t(reinterpret_cast<std::uintptr_t>(this) >> 4) * 2654435761u)
{
    req::options_changed(options);
}

errc req::send(const pipe::outgoing& frame)
{
    if (state_ != state::sending) {
        if (state_ != state::idle && !relaxed_) return errc::fsm;
        if (const errc error = begin_request(); error != errc::none) return error;
        state_ = state::sending;
    }
    if (const errc error = balancer_.send(frame); error != errc::none) {
        state_ = state::idle;
        return error;
    }
    if (!frame.more) state_ = state::awaiting;
    return errc::none;
}

// Writes the envelope. On failure nothing is changed: an earlier request keeps waiting for its reply.
errc req::begin_request()
{
    invariant([this] { return !balancer_.target(); });  // no peer has a part of a request
    const std::uint32_t number = number_ + 1;
    if (correlate_) {
        const auto octets = octets_of(number);
        if (const errc error = balancer_.send({octets.data(), octets.size(), true}); error != errc::none) return error;
    }
    if (const errc error = balancer_.send({nullptr, 0, true}); error != errc::none) return error;
    asked_ = balancer_.target();
    expected_ = correlate_ ? std::optional(number) : std::nullopt;
    number_ = number;
    forget_replies();
    return errc::none;
}

// Messages that are there now cannot be the reply to the request that begins.
void req::forget_replies()
{
    pipe::incoming f;
    for (int dropped = 0; dropped < routing::most_dropped; ++dropped) {
        pipe::pipe_end* end = queue_.next(f);
        if (!end) return;
        queue_.skip(*end, f);
    }
}

errc req::receive(pipe::delivery& to)
{
    if (may_send()) return errc::fsm;
    pipe::incoming f;
    pipe::pipe_end* end = find_reply() ? queue_.next(f) : nullptr;
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    queue_.pop(*end, f);
    if (!f.more) state_ = state::idle;
    return errc::none;
}

bool req::can_receive()
{
    return !may_send() && find_reply();
}

// Goes to the body of the reply, past all other messages. False: it is not there yet.
bool req::find_reply()
{
    pipe::incoming f;
    for (int dropped = 0; state_ == state::awaiting; ++dropped) {
        pipe::pipe_end* end = dropped < routing::most_dropped ? queue_.next(f) : nullptr;
        if (!end) return false;
        if (end == asked_ && take_envelope(*end, f)) {
            state_ = state::receiving;
        } else {
            queue_.skip(*end, f);
        }
    }
    return true;
}

// False: not the reply, and `f` is the frame that showed it.
bool req::take_envelope(pipe::pipe_end& end, pipe::incoming& f)
{
    if (expected_) {
        const auto octets = octets_of(*expected_);
        if (!f.more || f.size != octets.size() || std::memcmp(f.data, octets.data(), octets.size()) != 0) return false;
        queue_.pop(end, f);
        (void)end.reader.next(f);  // messages are there as a whole
    }
    if (!f.more || f.size != 0) return false;
    queue_.pop(end, f);
    return true;
}

bool req::attach(pipe::pipe_end& end, const attachment&)
{
    if (!queue_.attach(end)) return false;
    if (!balancer_.attach(end)) {
        queue_.remove(end);
        return false;
    }
    if (probe_router_) routing::write_whole(end, {});
    return true;
}

void req::on_peer_closed(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.peer_closed(end);
}

void req::forget(pipe::pipe_end& end) noexcept
{
    balancer_.remove(end);
    if (asked_ != &end) return;
    asked_ = nullptr;
    if (state_ == state::receiving) state_ = state::idle;  // the rest of the reply went with it
}

void req::on_drained(pipe::pipe_end& end)
{
    forget(end);
    host_.give_up(end);
}

void req::detach(pipe::pipe_end& end)
{
    forget(end);
    queue_.remove(end);
}

void req::options_changed(const pattern_options& options)
{
    relaxed_ = options.req_relaxed;
    correlate_ = options.req_correlate;
    probe_router_ = options.probe_router;
}

}  // namespace zlink::pattern
