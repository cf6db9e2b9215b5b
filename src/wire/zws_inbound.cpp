// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zws_inbound.hpp"

#include "pipe/receive_count.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace zlink::wire {

namespace {

constexpr std::uint64_t largest_frame = (std::uint64_t{1} << 62) - 1;

// A frame of a client in one piece, with its first octet, its length, its mask, and its flags.
constexpr std::byte whole_binary{0x82};
constexpr std::byte masked_bit{0x80};

std::uint8_t first_octet(const std::byte* payload, const zws::mask& key) noexcept
{
    return std::uint8_t(*payload ^ reinterpret_cast<const std::byte*>(&key)[0]);
}

frame_limits with_growth(frame_limits l, bool client) noexcept
{
    // If a body has 256 octets or more, its header in the lane is longer than a header of WebSocket without mask.
    l.grows = client;
    return l;
}

}  // namespace

zws_inbound::zws_inbound(const frame_limits& l, bool client, std::unique_ptr<zmtp::opener> opens)
    : opening_inbound(with_growth(l, client)),
      client_(client),
      opener_(opens ? std::optional<frame_opener>(std::in_place, std::move(opens), l.max_msg_size) : std::nullopt),
      largest_(std::min(largest_frame, opener_              ? opener_->largest_sealed()
                                       : l.max_msg_size < 0 ? largest_frame
                                                            : std::uint64_t(l.max_msg_size)))
{}

inbound::outcome zws_inbound::process(octets there, receive_arena& arena, pipe::lane_writer& lane,
                                      command_handler* commands) noexcept
{
    // No octets follow the frame that closes the connection.
    if (closed_) return outcome::done;
    if (const std::size_t opened = take_opened(); opened != 0) {
        std::byte* const to = arena.at();
        std::memmove(to, there.begin, opened);
        there.begin += opened;
        const outcome result = deliver({to, to + opened}, there, arena, lane, commands);
        if (result != outcome::done) return result;
    }
    while (true) {
        std::byte* const to = arena.at();
        const run what = unframe(there, to);
        there.begin = what.rest;
        outcome result = hand_over(to, what, there, arena, lane, commands);
        if (result != outcome::done) return result;
        switch (what.why) {
        case stop::end: return outcome::done;
        case stop::partial: return keep_partial(there, what.header);
        case stop::control: result = take_control(there, what.header, commands); break;
        case stop::command: result = take_command(there, what.header, commands); break;
        case stop::fragment: result = take_fragment(there, what.header, lane, commands); break;
        case stop::bad: return broken();
        case stop::text: return broken(close_reason::unsupported_data);
        case stop::long_command: return fail(errc::protocol_error);
        case stop::too_long: return too_long();
        }
        if (result != outcome::done) return result;
    }
}

zws_inbound::run zws_inbound::unframe(octets from, std::byte* to) const noexcept
{
    return client_ ? unframe<false>(from, to) : unframe<true>(from, to);
}

// `to` lies before the octets, as far as they can grow.
template <bool Masked>
zws_inbound::run zws_inbound::unframe(octets from, std::byte* to) const noexcept
{
    constexpr std::size_t short_header = zws::header_size(0, Masked);
    const std::uint8_t plain_flags = opener_ ? 0 : message::flag_more;
    run out{{to, nullptr, 0, zmtp::frame_scanner::stop::end, {}}, from.begin, stop::end, {}};
    const std::byte* at = from.begin;
    while (at != from.end) {
        const auto there = std::size_t(from.end - at);
        std::uint8_t flags = 0;
        // Up to 124 octets in one piece: almost all frames are such.
        const std::size_t payload = there > short_header ? std::size_t(at[1] ^ (Masked ? masked_bit : std::byte{})) : 0;
        if (payload - 1 < zws::short_payload && at[0] == whole_binary && there - short_header >= payload &&
            payload - 1 <= largest_ && !fragments_.begun()) [[likely]] {
            zws::mask key = 0;
            if constexpr (Masked) std::memcpy(&key, at + 2, sizeof key);
            flags = std::uint8_t(at[short_header] ^ (Masked ? at[2] : std::byte{}));
            if (flags > plain_flags) {
                out.why = look(at, there, out.header);
                if (out.why != stop::end) break;
                flags = 0;
            }
            to[0] = std::byte(flags);
            to[1] = std::byte(payload - 1);
            zws::copy_masked(to + 2, at + short_header + 1, payload - 1, zws::mask_behind(key, 1));
            to += payload + 1;
            at += short_header + payload;
        } else {
            out.why = look(at, there, out.header);
            if (out.why != stop::end) break;
            const zws::frame_header& h = out.header;
            const auto size = std::size_t(h.payload - 1);
            flags = opener_ ? 0 : first_octet(at + h.size, h.key);
            const std::byte* const body = at + h.size + 1;
            std::byte* const body_to = to + message::header_size(size);
            // The body first: the lane's header may be longer than the header that it replaces.
            zws::copy_masked(body_to, body, size, zws::mask_behind(h.key, 1));
            message::encode_header(to, flags, size);
            to = body_to + size;
            at = body + size;
        }
        out.found.frames_end = to;
        if (!(flags & message::flag_more)) {
            out.found.messages_end = to;
            ++out.found.messages;
        }
    }
    out.rest = const_cast<std::byte*>(at);
    return out;
}

// end: a whole frame of ZeroMQ in one piece, for the lane or to be opened.
zws_inbound::stop zws_inbound::look(const std::byte* at, std::size_t there, zws::frame_header& h) const noexcept
{
    switch (zws::decode_header(at, there, h)) {
    case zws::header_state::partial: h.size = 0; return stop::partial;
    case zws::header_state::bad: return stop::bad;
    case zws::header_state::whole: break;
    }
    if (h.masked == client_) return stop::bad;
    if (h.what == zws::opcode::text) return stop::text;
    const std::size_t behind = there - h.size;
    if (h.is_control()) return behind < h.payload ? stop::partial : stop::control;
    if (!fragments_.may_follow(h.what)) return stop::bad;
    if (h.payload > largest_ + 1) return stop::too_long;
    if (fragments_.begun() || !h.final) return look_at_fragment(at + h.size, behind, h);
    if (h.payload == 0) return stop::bad;
    if (behind == 0) return stop::partial;
    const auto flags = first_octet(at + h.size, h.key);
    if (flags > zws::flag_command) return stop::bad;
    if (behind < h.payload) return stop::partial;
    return flags == zws::flag_command && !opener_ ? stop::command : stop::end;
}

// `there`: octets of the fragment that have come. Its final length is known before it has come. Whether it is a command
// is known from the first octet on.
zws_inbound::stop zws_inbound::look_at_fragment(const std::byte* payload, std::size_t there,
                                                const zws::frame_header& h) const noexcept
{
    const std::uint64_t size = h.payload + fragments_.octets().size();
    if (size > largest_ + 1) return stop::too_long;
    if (!opener_ && size > frame_intake::largest_kept) {
        std::uint8_t flags = 0;
        if (!fragments_.octets().empty()) {
            flags = std::uint8_t(fragments_.octets().front());
        } else if (there != 0) {
            flags = first_octet(payload, h.key);
        }
        if (flags == zws::flag_command) return stop::long_command;
    }
    return there < h.payload ? stop::partial : stop::fragment;
}

inbound::outcome zws_inbound::hand_over(std::byte* begin, const run& what, octets rest, receive_arena& arena,
                                        pipe::lane_writer& lane, command_handler* commands) noexcept
{
    auto* const end = const_cast<std::byte*>(what.found.frames_end);
    if (begin == end) return outcome::done;
    if (!opener_) {
        return intake_.hand_over(begin, what.found, arena, lane, rest.end) ? outcome::done : fail(errc::out_of_memory);
    }
    const frame_opener::opening opened = opener_->open_all({begin, end});
    const outcome result = deliver({begin, opened.opened}, rest, arena, lane, commands);
    if (result != outcome::done) return result;
    return opener_->error() == errc::none ? outcome::done : fail(opener_->error(), opener_->reason());
}

inbound::outcome zws_inbound::take_control(octets& there, const zws::frame_header& h,
                                           command_handler* commands) noexcept
{
    if (!commands && h.what != zws::opcode::pong) {
        return intake_.keep_unread(there) ? outcome::command : fail(errc::out_of_memory);
    }
    std::array<std::byte, zws::longest_control> payload;
    const auto size = std::size_t(h.payload);
    zws::copy_masked(payload.data(), there.begin + h.size, size, h.key);
    there.begin += h.size + size;
    const std::span<const std::byte> text(payload.data(), size);
    switch (h.what) {
    case zws::opcode::ping: return commands->on_ping(text) ? outcome::done : broken();
    case zws::opcode::close:
        closed_ = true;
        there.begin = there.end;
        if (!zws::is_close_payload(text.data(), size)) return broken();
        return commands->on_close(text.first(std::min<std::size_t>(size, 2))) ? outcome::done : broken();
    default: return outcome::done;
    }
}

inbound::outcome zws_inbound::take_command(octets& there, const zws::frame_header& h,
                                           command_handler* commands) noexcept
{
    if (!commands) return intake_.keep_unread(there) ? outcome::command : fail(errc::out_of_memory);
    std::byte* const body = there.begin + h.size + 1;
    const auto size = std::size_t(h.payload - 1);
    zws::copy_masked(body, body, size, zws::mask_behind(h.key, 1));
    there.begin = body + size;
    return commands->on_command({body, size}) ? outcome::done : fail(errc::protocol_error);
}

inbound::outcome zws_inbound::take_fragment(octets& there, const zws::frame_header& h, pipe::lane_writer& lane,
                                            command_handler* commands) noexcept
{
    // The fragment may be the end of a command.
    if (!commands && h.final) return intake_.keep_unread(there) ? outcome::command : fail(errc::out_of_memory);
    std::byte* const payload = there.begin + h.size;
    const auto size = std::size_t(h.payload);
    zws::copy_masked(payload, payload, size, h.key);
    there.begin = payload + size;
    return add_fragment({payload, size}, h.final, there, lane, commands);
}

inbound::outcome zws_inbound::add_fragment(std::span<const std::byte> payload, bool final, octets behind,
                                           pipe::lane_writer& lane, command_handler* commands) noexcept
{
    try {
        fragments_.add(payload, final);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    return final ? deliver_fragments(behind, lane, commands) : outcome::done;
}

// A whole message of WebSocket, in memory that stays with this object.
inbound::outcome zws_inbound::deliver_fragments(octets behind, pipe::lane_writer& lane,
                                                command_handler* commands) noexcept
{
    const std::span<std::byte> whole = fragments_.octets();
    const std::uint8_t first = whole.empty() ? 0xff : std::uint8_t(whole.front());
    if (first > zws::flag_command) return broken();
    std::uint8_t flags = first == zws::flag_command ? std::uint8_t(message::flag_command) : first;
    std::span<std::byte> body = whole.subspan(1);
    if (opener_) {
        zmtp::frame_to_open frame{body, body.data()};
        if (opener_->open({&frame, 1}) == 0) return fail(opener_->error(), opener_->reason());
        flags = frame.flags;
        body = body.first(frame.size);
    }
    if (flags & message::flag_command) {
        // An application's thread may also see the end of a large fragment. Only now is it known that it is a command.
        const outcome result = flags & message::flag_more
                                   ? fail(errc::protocol_error)
                                   : deliver_command({body.data(), body.data() + body.size()}, behind, commands);
        fragments_.clear();
        return result;
    }
    const bool more = flags & message::flag_more;
    if (!lane.write({body.data(), body.size(), more})) return fail(errc::out_of_memory);
    if (!more) {
        pipe::count_receive();
        lane.publish();
    }
    fragments_.clear();
    return outcome::done;
}

inbound::outcome zws_inbound::take_large(const message::frame_header& h, message::buffer* body, octets behind,
                                         receive_arena& arena, pipe::lane_writer& lane,
                                         command_handler* commands) noexcept
{
    const auto size = std::size_t(h.body_size);
    zws::copy_masked(body->data(), body->data(), size, large_key_);
    if (const auto is = std::exchange(large_, large_is::body); is != large_is::body) {
        const bool final = is == large_is::last_fragment;
        const outcome result = add_fragment({body->data(), size}, final, behind, lane, commands);
        body->release();
        return result;
    }
    if (opener_) return open_large(*opener_, size, body, behind, arena, lane, commands);
    return intake_.hand_over_large(h, body, arena, lane) ? outcome::done : fail(errc::out_of_memory);
}

inbound::outcome zws_inbound::keep_partial(octets there, const zws::frame_header& h) noexcept
{
    std::uint64_t missing = 0;
    const auto size = std::uint64_t(there.end - there.begin);
    if (h.size != 0 && !h.is_control() && size > h.size) {
        const bool fragment = fragments_.begun() || !h.final;
        const auto flags = first_octet(there.begin + h.size, h.key);
        const bool command = !fragment && !opener_ && flags == zws::flag_command;
        if (command && h.payload > frame_intake::largest_kept) return fail(errc::protocol_error);
        const std::uint64_t body = h.payload - (fragment ? 0 : 1);
        if (!command && intake_.is_large(body)) {
            large_ = !fragment ? large_is::body : h.final ? large_is::last_fragment : large_is::fragment;
            large_key_ = zws::mask_behind(h.key, fragment ? 0 : 1);
            const std::uint8_t lane_flags = fragment || opener_ ? 0 : flags;
            std::byte* const begin = there.begin + h.size + (fragment ? 0 : 1);
            const bool begun = intake_.begin_large({lane_flags, 0, body}, {begin, there.end});
            return begun ? outcome::done : fail(errc::out_of_memory);
        }
        missing = h.size + h.payload - size;
    }
    return intake_.keep_partial(there, missing) ? outcome::done : fail(errc::out_of_memory);
}

}  // namespace zlink::wire
