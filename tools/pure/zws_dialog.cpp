// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the side that asked sends behind its request waits for the answer, which says what it is.
#include "pure/zws_dialog.hpp"

#include "pure/network_order.hpp"
#include "pure/octet_text.hpp"

#include "zws/agreement.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace zlink::tool {
namespace {

constexpr std::size_t most_of_line = 60;  // of HTTP
constexpr std::size_t most_of_field = 200;
constexpr std::size_t longest_head = 8 * 1024;
constexpr std::size_t most_of_message = 64 * 1024;
constexpr std::size_t most_awaiting = 1024 * 1024;  // while the answer is awaited

std::string shown_line(std::string_view octets)
{
    return shown_octets(octets.substr(0, octets.find_first_of("\r\n")), most_of_line);
}

std::string not_zmtp(std::string_view octets)
{
    return "this is HTTP, not ZMTP (" + shown_line(octets) + "); a web client or server";
}

bool same_word(std::string_view a, std::string_view b)
{
    const auto lower = [](unsigned char c) { return std::tolower(c); };
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text)
{
    const auto first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// The first field of this name in a head.
std::optional<std::string_view> field(std::string_view head, std::string_view name)
{
    constexpr std::string_view line_end = "\r\n";
    for (auto end = head.find(line_end); end != std::string_view::npos; end = head.find(line_end)) {
        head.remove_prefix(end + line_end.size());
        const std::string_view line = head.substr(0, head.find(line_end));
        const auto colon = std::min(line.find(':'), line.size());
        if (colon < line.size() && same_word(line.substr(0, colon), name)) {
            return trimmed(line.substr(colon + 1));
        }
    }
    return std::nullopt;
}

std::string unmasked(std::string_view octets, zws::mask key)
{
    std::string plain(octets.size(), '\0');
    zws::copy_masked(reinterpret_cast<std::byte*>(plain.data()), reinterpret_cast<const std::byte*>(octets.data()),
                     octets.size(), key);
    return plain;
}

}  // namespace

bool zws_dialog::begins_as_http(std::string_view octets)
{
    constexpr std::array words{"GET ", "POST", "PUT ", "HEAD", "HTTP", "OPTI"};
    return std::ranges::any_of(words, [&](std::string_view word) { return octets.starts_with(word); });
}

void zws_dialog::take(int side, std::string_view octets)
{
    direction& one = sides_[std::size_t(side)];
    if (one.now == stage::ignored) {
        return;
    }
    one.held += octets;
    while (advance(side)) {
    }
    while (advance(1 - side)) {
    }
    if (one.held.size() > most_awaiting) {
        give_up(side, "the answer to the upgrade is missing: the rest is not decoded");
    }
}

void zws_dialog::end(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (one.now == stage::head && !one.held.empty()) {
        told_(side, not_zmtp(one.held));
    } else if (one.now == stage::frames && (one.inside || one.message.begun || !one.held.empty())) {
        told_(side, "the connection ends within a message of WebSocket");
    }
    one.now = stage::ignored;
    one.held.clear();
}

void zws_dialog::lose(int side, const std::string& why)
{
    if (sides_[std::size_t(side)].now != stage::ignored) {
        give_up(side, why);
    }
}

void zws_dialog::give_up(int side, const std::string& why)
{
    direction& one = sides_[std::size_t(side)];
    one.now = stage::ignored;
    one.held = std::string();
    told_(side, why);
}

bool zws_dialog::advance(int side)
{
    const bool awaits = upgrade_ == upgrade::asked && side == asking_;
    switch (sides_[std::size_t(side)].now) {
    case stage::head: return read_head(side);
    case stage::frames: return !awaits && read_frame(side);
    case stage::ignored: break;
    }
    return false;
}

bool zws_dialog::read_head(int side)
{
    direction& one = sides_[std::size_t(side)];
    constexpr std::string_view empty_line = "\r\n\r\n";
    const auto found = one.held.find(empty_line);
    if (std::min(found, one.held.size()) > longest_head) {
        give_up(side, not_zmtp(one.held));
        return false;
    }
    if (found == std::string::npos) {
        return false;
    }
    const direction& other = sides_[std::size_t(1 - side)];
    const bool is_answer = one.held.starts_with("HTTP/");
    if (is_answer && other.now == stage::head && !other.held.empty()) {
        return false;  // a capture may have the rest of the request later
    }
    const std::string head = one.held.substr(0, found + empty_line.size());
    one.held.erase(0, head.size());
    one.now = stage::frames;
    is_answer ? read_answer(side, head) : read_request(side, head);
    return true;
}

void zws_dialog::read_request(int side, std::string_view head)
{
    const auto wanted = field(head, "upgrade");
    if (upgrade_ != upgrade::none || !wanted || !same_word(*wanted, "websocket")) {
        give_up(side, not_zmtp(head));
        return;
    }
    upgrade_ = upgrade::asked;
    asking_ = side;
    const auto protocols = field(head, "sec-websocket-protocol");
    const auto origin = field(head, "origin");
    told_(side, shown_line(head) + ": asks for WebSocket" +
                    (protocols ? ", sub-protocols " + shown_octets(*protocols, most_of_field) : "") +
                    (origin ? ", for a web page of " + shown_octets(*origin, most_of_field) : ""));
}

void zws_dialog::read_answer(int side, std::string_view head)
{
    if (upgrade_ != upgrade::asked || side == asking_) {
        give_up(side, not_zmtp(head));
        return;
    }
    if (!head.substr(std::min(head.find(' '), head.size())).starts_with(" 101")) {
        give_up(side, "the upgrade to WebSocket is refused: " + shown_line(head));
        sides_[std::size_t(asking_)].now = stage::ignored;
        return;
    }
    upgrade_ = upgrade::agreed;
    const auto agreed = field(head, "sec-websocket-protocol");
    of_zeromq_ = agreed && agreed->starts_with(zws::bare_protocol);
    const auto slash = of_zeromq_ ? agreed->find('/') : std::string_view::npos;
    if (slash != std::string_view::npos) {
        for (auto& each : sides_) {
            each.words.set_mechanism(agreed->substr(slash + 1));
        }
    }
    const std::string name = agreed ? "sub-protocol " + shown_octets(*agreed, most_of_field) : "no sub-protocol";
    told_(side, shown_line(head) + ": WebSocket, " + name + (of_zeromq_ ? "" : ", so this is not ZeroMQ"));
}

bool zws_dialog::begin_frame(int side)
{
    direction& one = sides_[std::size_t(side)];
    const auto* octets = reinterpret_cast<const std::byte*>(one.held.data());
    switch (zws::decode_header(octets, one.held.size(), one.frame)) {
    case zws::header_state::partial: return false;
    case zws::header_state::bad:
        give_up(side, "a frame of WebSocket cannot begin with " +
                          shown_octets(std::string_view(one.held).substr(0, 2), 2) + ": the rest is not decoded");
        return false;
    case zws::header_state::whole: break;
    }
    if (one.frame.is_control()) {
        if (one.held.size() < one.frame.size + one.frame.payload) {
            return false;
        }
        tell_control(side);
        one.held.erase(0, one.frame.size + std::size_t(one.frame.payload));
        return true;
    }
    const bool continues = one.frame.what == zws::opcode::continuation;
    if (continues != one.message.begun) {
        give_up(side, continues ? "a fragment of WebSocket continues nothing: the rest is not decoded"
                                : "a message of WebSocket begins within another one: the rest is not decoded");
        return false;
    }
    if (!continues) {
        one.message = {one.frame.what, true, 0, {}};
    }
    one.held.erase(0, one.frame.size);
    one.inside = true;
    one.left = one.frame.payload;
    return true;
}

bool zws_dialog::read_frame(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (!one.inside) {
        return begin_frame(side);
    }
    const auto taken = std::size_t(std::min<std::uint64_t>(one.left, one.held.size()));
    carried& message = one.message;
    const std::size_t kept = std::min(taken, most_of_message - std::min(most_of_message, message.beginning.size()));
    const std::uint64_t before = one.frame.payload - one.left;
    message.beginning +=
        unmasked(std::string_view(one.held).substr(0, kept), zws::mask_behind(one.frame.key, std::size_t(before % 4)));
    message.size += taken;
    one.held.erase(0, taken);
    one.left -= taken;
    if (one.left > 0) {
        return false;
    }
    one.inside = false;
    message.begun = !one.frame.final;
    if (one.frame.final) {
        tell_message(side);
    }
    return true;
}

void zws_dialog::tell_control(int side)
{
    const direction& one = sides_[std::size_t(side)];
    const std::string payload =
        unmasked(std::string_view(one.held).substr(one.frame.size, std::size_t(one.frame.payload)), one.frame.key);
    if (one.frame.what != zws::opcode::close) {
        const std::string name = one.frame.what == zws::opcode::ping ? "WebSocket ping" : "WebSocket pong";
        told_(side, name + (payload.empty() ? "" : ", " + shown_octets(payload, shown_)));
        return;
    }
    std::string why;
    if (payload.size() >= 2) {
        why = ", code " + std::to_string(number_at<std::uint16_t>(payload, 0));
        why += payload.size() > 2 ? ": " + shown_octets(payload.substr(2), zws::longest_control) : "";
    }
    told_(side, "WebSocket close" + why);
}

void zws_dialog::tell_message(int side)
{
    direction& one = sides_[std::size_t(side)];
    const carried& message = one.message;
    const bool text = message.what == zws::opcode::text;
    if (!of_zeromq_ || text || message.size == 0) {
        told_(side, std::string("WebSocket message, ") + (text ? "text, " : "") +
                        octets_text(std::size_t(message.size)) +
                        (message.size == 0 ? "" : ": " + shown_octets(message.beginning, shown_)) +
                        (of_zeromq_ ? "; ZeroMQ sends binary messages of at least 1 octet" : ""));
        return;
    }
    const auto flags = static_cast<std::uint8_t>(message.beginning[0]);
    const std::string_view body = std::string_view(message.beginning).substr(1);
    told_(side, (flags & zws::flag_command) != 0
                    ? one.words.command(body, shown_)
                    : one.words.message(body, message.size - 1, (flags & zws::flag_more) != 0, shown_));
}

}  // namespace zlink::tool
