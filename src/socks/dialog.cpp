// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socks/dialog.hpp"

#include <algorithm>
#include <utility>

namespace zlink::socks {

namespace {

constexpr std::uint8_t version = 5;
constexpr std::uint8_t login_version = 1;
constexpr std::uint8_t connect_command = 1;

namespace method {
constexpr std::uint8_t none = 0;
constexpr std::uint8_t user_password = 2;
constexpr std::uint8_t not_acceptable = 0xff;
}  // namespace method

namespace address_type {
constexpr std::uint8_t ipv4 = 1;
constexpr std::uint8_t name = 3;
constexpr std::uint8_t ipv6 = 4;
}  // namespace address_type

// The parts of an answer whose length is known: version and code. Of a reply it is the head, then the first octet of
// its address, which may be a length.
constexpr std::size_t code_size = 2;
constexpr std::size_t head_size = 4;
constexpr std::size_t port_size = 2;

struct refusal {
    errc error;
    std::string_view reason;
};

refusal refusal_of(std::uint8_t reply) noexcept
{
    switch (reply) {
    case 1: return {errc::connection_aborted, "the proxy reports a general failure"};
    case 2: return {errc::access_denied, "the proxy's rules do not allow the connection"};
    case 3: return {errc::network_unreachable, "the proxy reports: network unreachable"};
    case 4: return {errc::host_unreachable, "the proxy reports: host unreachable"};
    case 5: return {errc::connection_refused, "the proxy reports: connection refused"};
    case 6: return {errc::host_unreachable, "the proxy reports: time to live expired"};
    case 7: return {errc::not_supported, "the proxy does not support the command"};
    case 8: return {errc::family_not_supported, "the proxy does not support this type of address"};
    default: return {errc::protocol_error, "the proxy answers with an unknown reply"};
    }
}

}  // namespace

dialog::dialog(destination to, credentials as) : to_(std::move(to)), as_(std::move(as))
{
    put_greeting();
    begin(step::method, code_size);
}

std::size_t dialog::advance(std::span<const std::byte> in)
{
    std::size_t taken = 0;
    while (taken != in.size() && wanted() != 0 && output().empty()) {
        const auto part = in.subspan(taken, std::min(in.size() - taken, wanted()));
        std::ranges::copy(part, answer_.begin() + std::ptrdiff_t(received_));
        received_ += part.size();
        taken += part.size();
        if (received_ == needed_) take_answer();
    }
    return taken;
}

void dialog::take_answer()
{
    switch (step_) {
    case step::method: return take_method();
    case step::login: return take_login();
    case step::reply: return take_reply();
    }
}

void dialog::take_method()
{
    if (at(0) != version) return fail(errc::protocol_error, "what answers is not a SOCKS5 proxy");
    const bool with_login = !as_.user_name.empty();
    if (at(1) == method::not_acceptable) {
        return fail(errc::access_denied, with_login ? "the proxy does not take user names and passwords"
                                                    : "the proxy wants authentication, and there is no user name");
    }
    if (at(1) != (with_login ? method::user_password : method::none)) {
        return fail(errc::protocol_error, "the proxy chooses a method that it was not offered");
    }
    if (with_login) return put_login();
    put_request();
}

void dialog::take_login()
{
    if (at(0) != login_version) return fail(errc::protocol_error, "the proxy answers the password in an unknown form");
    if (at(1) != 0) return fail(errc::access_denied, "the proxy refuses user name and password");
    put_request();
}

// The proxy's own address is ignored, but it has to be read: the peer's octets are behind it.
void dialog::take_reply()
{
    if (received_ == code_size) {
        if (at(0) != version) return fail(errc::protocol_error, "the proxy replies in an unknown version");
        // Some proxies end their reply here when they refuse.
        if (const std::uint8_t reply = at(1); reply != 0) {
            const refusal why = refusal_of(reply);
            return fail(why.error, why.reason);
        }
        needed_ = head_size;
        return;
    }
    if (received_ == head_size) {
        switch (at(head_size - 1)) {
        case address_type::ipv4: needed_ = head_size + 4 + port_size; return;
        case address_type::ipv6: needed_ = head_size + 16 + port_size; return;
        case address_type::name: needed_ = head_size + 1; return;
        default: return fail(errc::protocol_error, "the proxy replies with an unknown type of address");
        }
    }
    if (received_ == head_size + 1) {
        needed_ = received_ + at(head_size) + port_size;
        return;
    }
    state_ = state::done;
}

void dialog::begin(step next, std::size_t answer) noexcept
{
    step_ = next;
    received_ = 0;
    needed_ = answer;
}

void dialog::put_greeting()
{
    put(version);
    put(1);  // one method
    put(as_.user_name.empty() ? method::none : method::user_password);
}

void dialog::put_login()
{
    out_.clear();
    sent_ = 0;
    put(login_version);
    put_text(as_.user_name);
    put_text(as_.password);
    begin(step::login, code_size);
}

void dialog::put_request()
{
    out_.clear();
    sent_ = 0;
    put(version);
    put(connect_command);
    put(0);
    if (!to_.name.empty()) {
        put(address_type::name);
        put_text(to_.name);
    } else {
        put(to_.address.size() == 4 ? address_type::ipv4 : address_type::ipv6);
        out_.append(to_.address.begin(), to_.address.end());
    }
    put(to_.port >> 8);
    put(to_.port & 0xff);
    begin(step::reply, code_size);
}

void dialog::put_text(const std::string& text)
{
    put(text.size());
    out_.append(text);
}

void dialog::fail(errc error, std::string_view reason) noexcept
{
    state_ = state::failed;
    error_ = error;
    reason_ = reason;
}

}  // namespace zlink::socks
