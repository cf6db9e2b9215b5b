// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zws_handshake.hpp"

#include "message/frame_header.hpp"
#include "wire/zws_octets.hpp"

#include <algorithm>
#include <array>

namespace zlink::wire {

zmtp::handshake::step zws_handshake::advance(std::span<const std::byte> in) noexcept
{
    if (end_ != ending::none) return fail();
    try {
        in_.append(in);
        auto now = progress::frame;
        while (now == progress::frame && inner_.current() == zmtp::handshake::state::in_progress) now = take_frame();
        if (now == progress::over) return fail();
        return {in.size(), inner_.current()};
    } catch (...) {
        end_ = ending::broken;
        return fail();
    }
}

zws_handshake::progress zws_handshake::take_frame()
{
    const auto there = in_.unread();
    zws::frame_header h{};
    switch (zws::decode_header(there.data(), there.size(), h)) {
    case zws::header_state::partial: return progress::more_input;
    case zws::header_state::bad: close(close_reason::protocol_error); return progress::over;
    case zws::header_state::whole: break;
    }
    if (h.masked == client_ || is_too_long(h)) {
        close(h.masked == client_ ? close_reason::protocol_error : close_reason::too_long);
        return progress::over;
    }
    const auto size = std::size_t(h.payload);
    if (there.size() - h.size < size) return progress::more_input;
    const auto payload = there.subspan(h.size, size);
    zws::copy_masked(payload.data(), payload.data(), size, h.key);
    in_.consume(h.size + size);
    const bool good = h.is_control() ? take_control(h, payload) : take_data(h, payload);
    return good ? progress::frame : progress::over;
}

// Decided by the header: a frame that is longer than the machine takes now, fragments before it counted, is not
// collected.
bool zws_handshake::is_too_long(const zws::frame_header& h) const noexcept
{
    const std::uint64_t most = inner_.longest_frame() + 1;  // with the flags
    return !h.is_control() && (h.payload > most || h.payload + message_.octets().size() > most);
}

bool zws_handshake::take_control(const zws::frame_header& h, std::span<std::byte> payload)
{
    if (h.what == zws::opcode::ping) {
        pong_.emplace(payload.begin(), payload.end());
    } else if (h.what == zws::opcode::close) {
        if (!zws::is_close_payload(payload.data(), payload.size())) {
            close(close_reason::protocol_error);
            return false;
        }
        append_zws_frame(out_.end(), client_, zws::opcode::close,
                         payload.first(std::min<std::size_t>(payload.size(), 2)));
        end_ = ending::closed;
        return false;
    }
    return true;
}

bool zws_handshake::take_data(const zws::frame_header& h, std::span<std::byte> payload)
{
    const bool text = h.what == zws::opcode::text;
    if (!message_.may_follow(h.what) || text) {
        close(text ? close_reason::unsupported_data : close_reason::protocol_error);
        return false;
    }
    message_.add(payload, h.final);
    if (message_.begun()) return true;
    const std::span<const std::byte> whole = message_.octets();
    const auto flags = whole.empty() ? 0xff : std::uint8_t(whole.front());
    if (flags > zws::flag_command) {
        close(close_reason::protocol_error);
        return false;
    }
    // MORE is a mistake here; the machine reports it.
    const std::uint8_t lane_flags = flags == zws::flag_command ? message::flag_command : flags;
    std::array<std::byte, message::long_header_size> header;
    const std::size_t n = message::encode_header(header.data(), lane_flags, whole.size() - 1);
    (void)inner_.advance(std::span(header).first(n));
    (void)inner_.advance(whole.subspan(1));
    message_.clear();
    return true;
}

std::vector<std::byte> zws_handshake::begun_traffic() const
{
    std::vector<std::byte> out;
    if (message_.begun()) {
        constexpr std::byte final{0x80};
        append_zws_frame(out, !client_, zws::opcode::binary, message_.octets());  // as the peer sends it
        out.front() &= ~final;
    }
    out.insert(out.end(), unread().begin(), unread().end());
    return out;
}

void zws_handshake::close(close_reason why) noexcept
{
    told_to_peer_ = why;
    end_ = ending::broken;
}

// The machine's frames are whole.
void zws_handshake::translate_output()
{
    std::vector<std::byte>& out = out_.end();
    const auto frames = inner_.output();
    for (std::size_t at = 0; at != frames.size();) {
        const message::frame_header h = message::decode_header(frames.data() + at);
        const auto flags = std::byte(h.flags & message::flag_command ? zws::flag_command : 0);
        append_zws_frame(out, client_, zws::opcode::binary, {&flags, 1},
                         frames.subspan(at + h.size, std::size_t(h.body_size)));
        at += h.size + std::size_t(h.body_size);
    }
    inner_.consume_output(frames.size());
    if (!pong_) return;
    append_zws_frame(out, client_, zws::opcode::pong, *pong_);
    pong_.reset();
}

std::span<const std::byte> zws_handshake::output() noexcept
{
    if (out_.empty()) {
        try {
            translate_output();
        } catch (...) {
            out_.clear();
            end_ = ending::broken;
        }
    }
    return out_.unread();
}

}  // namespace zlink::wire
