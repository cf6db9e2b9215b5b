// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Command bodies: parsing and writing.
#include "zmtp/command.hpp"

#include "base/byte_order.hpp"
#include "base/grow.hpp"
#include "message/frame_header.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::zmtp {

namespace {

constexpr std::string_view ready_name = "READY";
constexpr std::string_view error_name = "ERROR";
constexpr std::string_view subscribe_name = "SUBSCRIBE";
constexpr std::string_view cancel_name = "CANCEL";
constexpr std::string_view join_name = "JOIN";
constexpr std::string_view leave_name = "LEAVE";
constexpr std::string_view ping_name = "PING";
constexpr std::string_view pong_name = "PONG";

constexpr std::size_t ttl_size = 2;

std::string_view as_text(std::span<const std::byte> octets) noexcept
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

command_kind kind_of(std::string_view name) noexcept
{
    if (name == subscribe_name) return command_kind::subscribe;
    if (name == cancel_name) return command_kind::cancel;
    if (name == join_name) return command_kind::join;
    if (name == leave_name) return command_kind::leave;
    if (name == ping_name) return command_kind::ping;
    if (name == pong_name) return command_kind::pong;
    if (name == ready_name) return command_kind::ready;
    if (name == error_name) return command_kind::error;
    return command_kind::unknown;
}

std::size_t encode_name(std::byte* to, std::string_view name) noexcept
{
    to[0] = std::byte(name.size());
    std::memcpy(to + 1, name.data(), name.size());
    return 1 + name.size();
}

static_assert(subscribe_prefix_size == 1 + subscribe_name.size());
static_assert(cancel_prefix_size == 1 + cancel_name.size());
static_assert(join_prefix_size == 1 + join_name.size());
static_assert(leave_prefix_size == 1 + leave_name.size());
static_assert(ping_prefix_size == 1 + ping_name.size() + ttl_size);
static_assert(pong_prefix_size == 1 + pong_name.size());
static_assert(ready_prefix_size == 1 + ready_name.size());

}  // namespace

result<command> parse_command(std::span<const std::byte> body) noexcept
{
    if (body.empty()) return errc::protocol_error;
    const auto name_size = std::size_t(body[0]);
    if (name_size == 0 || name_size > body.size() - 1) return errc::protocol_error;
    const std::string_view name = as_text(body.subspan(1, name_size));
    return command{kind_of(name), name, body.subspan(1 + name_size)};
}

result<ping> parse_ping(std::span<const std::byte> data) noexcept
{
    if (data.size() < ttl_size) return errc::protocol_error;
    const auto context = data.subspan(ttl_size);
    return ping{load_be16(data.data()), context.first(std::min(context.size(), max_ping_context))};
}

result<std::string_view> parse_error_reason(std::span<const std::byte> data) noexcept
{
    if (data.empty()) return errc::protocol_error;
    const auto size = std::size_t(data[0]);
    if (size > data.size() - 1) return errc::protocol_error;
    return as_text(data.subspan(1, size));
}

std::size_t encode_ready_prefix(std::byte* to) noexcept
{
    return encode_name(to, ready_name);
}

std::size_t encode_subscribe_prefix(std::byte* to) noexcept
{
    return encode_name(to, subscribe_name);
}

std::size_t encode_cancel_prefix(std::byte* to) noexcept
{
    return encode_name(to, cancel_name);
}

std::size_t encode_join_prefix(std::byte* to) noexcept
{
    return encode_name(to, join_name);
}

std::size_t encode_leave_prefix(std::byte* to) noexcept
{
    return encode_name(to, leave_name);
}

std::size_t encode_ping_prefix(std::byte* to, std::uint16_t ttl) noexcept
{
    const std::size_t n = encode_name(to, ping_name);
    store_be16(to + n, ttl);
    return n + ttl_size;
}

std::size_t encode_pong_prefix(std::byte* to) noexcept
{
    return encode_name(to, pong_name);
}

void append_error(std::vector<std::byte>& out, std::string_view reason)
{
    const std::string_view sent = reason.substr(0, 255);
    const std::size_t at = out.size();
    out.resize(at + 1 + error_name.size() + 1 + sent.size());
    std::byte* to = out.data() + at;
    to += encode_name(to, error_name);
    encode_name(to, sent);
}

void append_command_frame(std::vector<std::byte>& out, std::span<const std::byte> body)
{
    std::byte header[message::long_header_size];
    const std::size_t n = message::encode_header(header, message::flag_command, body.size());
    grow_for(out, n + body.size());
    out.insert(out.end(), header, header + n);
    out.insert(out.end(), body.begin(), body.end());
}

}  // namespace zlink::zmtp
