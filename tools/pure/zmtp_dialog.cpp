// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How the octets after a version are laid out depends on the versions of both sides: the lower one counts. So a side
// whose version is 3 waits for that of the other side.
#include "pure/zmtp_dialog.hpp"

#include "pure/network_order.hpp"
#include "pure/octet_text.hpp"

#include <algorithm>

namespace zlink::tool {
namespace {

constexpr std::size_t signature_size = 10;
constexpr std::size_t old_greeting_size = 12;  // of ZMTP 2.0
constexpr std::size_t greeting_size = 64;
constexpr std::size_t most_of_command = 64 * 1024;
constexpr std::size_t most_held = 1024 * 1024;  // while the other side's version is awaited

constexpr std::size_t most_of_line = 60;  // of HTTP

constexpr std::uint8_t more = 1;
constexpr std::uint8_t is_long = 2;
constexpr std::uint8_t is_command = 4;

constexpr std::array socket_types{"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                                  "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};

bool begins_as_http(std::string_view octets)
{
    constexpr std::array words{"GET ", "POST", "PUT ", "HEAD", "HTTP", "OPTI"};
    return std::ranges::any_of(words, [&](const char* word) { return octets.starts_with(word); });
}

// What isn't ZMTP and is often met in its place; empty: nothing of that.
std::string foreign(std::string_view octets)
{
    if (begins_as_http(octets)) {
        return "this is HTTP, not ZMTP (" + shown_octets(octets.substr(0, octets.find_first_of("\r\n")), most_of_line) +
               "); a web client or server, or the upgrade of a ws:// connection";
    }
    if (octets.starts_with("SSH-")) {
        return "this is SSH, not ZMTP";
    }
    if (octets.size() >= 3 && octets[0] == 0x16 && octets[1] == 0x03) {
        return "this is TLS: what is inside cannot be decoded";
    }
    return "";
}

// "Socket-Type 'DEALER', Identity ''"; also finds the type.
std::string metadata(std::string_view rest, std::size_t shown, std::string* type)
{
    std::string text;
    while (!rest.empty()) {
        const std::size_t name_size = static_cast<unsigned char>(rest[0]);
        if (rest.size() < 1 + name_size + 4) {
            return text + (text.empty() ? "" : ", ") + "then malformed metadata";
        }
        const std::string_view name = rest.substr(1, name_size);
        const std::size_t size = number_at<std::uint32_t>(rest, 1 + name_size);
        rest.remove_prefix(1 + name_size + 4);
        if (rest.size() < size) {
            return text + (text.empty() ? "" : ", ") + "then malformed metadata";
        }
        const std::string_view value = rest.substr(0, size);
        rest.remove_prefix(size);
        const std::string shown_name = shown_octets(name, shown);
        text +=
            (text.empty() ? "" : ", ") + shown_name.substr(1, shown_name.size() - 2) + ' ' + shown_octets(value, shown);
        if (type != nullptr && name == "Socket-Type") {
            *type = std::string(value);
        }
    }
    return text;
}

// A text whose size is the first octet; nothing if it is cut off.
std::optional<std::string_view> short_text(std::string_view& rest)
{
    if (rest.empty() || rest.size() < 1 + std::size_t(static_cast<unsigned char>(rest[0]))) {
        return std::nullopt;
    }
    const std::size_t size = static_cast<unsigned char>(rest[0]);
    const std::string_view text = rest.substr(1, size);
    rest.remove_prefix(1 + size);
    return text;
}

}  // namespace

void zmtp_dialog::take(int side, std::string_view octets)
{
    direction& one = sides_[std::size_t(side)];
    if (one.now == stage::ignored) {
        return;
    }
    // Of a long frame, what is neither shown nor needed isn't kept.
    if (one.inside && one.held.empty() && one.body.size() >= most_of_command) {
        const auto skipped = std::size_t(std::min<std::uint64_t>(one.left, octets.size()));
        one.left -= skipped;
        octets.remove_prefix(skipped);
    }
    one.held += octets;
    while (advance(side)) {
    }
    const int other = 1 - side;
    while (advance(other)) {
    }
    if (one.held.size() > most_held) {
        give_up(side, "the other side's greeting is missing: the rest is not decoded");
    }
}

void zmtp_dialog::end(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (one.now == stage::ignored) {
        return;
    }
    if (one.inside) {
        told_(side, "the connection ends within a frame: " + std::to_string(one.left) + " of " +
                        octets_text(std::size_t(one.size)) + " are missing");
    } else if (one.now == stage::signature && begins_as_http(one.held)) {
        told_(side, foreign(one.held));
    } else if (!one.held.empty()) {
        told_(side, "the connection ends within " +
                        std::string(one.now == stage::frames ? "the header of a frame"
                                                             : "the "
                                                               "greeting") +
                        ", after " + shown_octets(one.held, shown_));
    }
    one.now = stage::ignored;
    one.held.clear();
}

void zmtp_dialog::lose(int side, const std::string& why)
{
    if (sides_[std::size_t(side)].now != stage::ignored) {
        give_up(side, why);
    }
}

void zmtp_dialog::give_up(int side, const std::string& why)
{
    direction& one = sides_[std::size_t(side)];
    one.now = stage::ignored;
    one.inside = false;
    one.held = std::string();
    told_(side, why);
}

// Which version's frames a side sends; -1: not known yet.
int zmtp_dialog::framing(int side) const
{
    const auto& own = sides_[std::size_t(side)].revision;
    const auto& peer = sides_[std::size_t(1 - side)].revision;
    if ((own && *own == 0) || (peer && *peer == 0)) {
        return 1;
    }
    if ((own && *own < 3) || (peer && *peer < 3)) {
        return 2;
    }
    return own && peer ? 3 : -1;
}

bool zmtp_dialog::advance(int side)
{
    switch (sides_[std::size_t(side)].now) {
    case stage::signature: return read_signature(side);
    case stage::version: return read_version(side);
    case stage::greeting: return read_greeting(side);
    case stage::frames: return read_frame(side);
    case stage::ignored: break;
    }
    return false;
}

bool zmtp_dialog::read_signature(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (one.held.empty()) {
        return false;
    }
    const bool versioned = static_cast<unsigned char>(one.held[0]) == 0xff;
    if (!versioned && one.held.size() < 4) {
        return false;
    }
    const bool half_a_line = one.held.size() <= most_of_line && one.held.find_first_of("\r\n") == std::string::npos;
    if (begins_as_http(one.held) && half_a_line) {
        return false;
    }
    if (const std::string what = foreign(one.held); !what.empty()) {
        give_up(side, what);
        return false;
    }
    if (versioned && one.held.size() < signature_size) {
        return false;
    }
    if (versioned && (static_cast<unsigned char>(one.held[signature_size - 1]) & 1) != 0) {
        one.now = stage::version;
        return true;
    }
    one.revision = 0;
    one.now = stage::frames;
    told_(side, "no greeting: ZMTP 1.0 (ZeroMQ 2), or something else");
    return true;
}

bool zmtp_dialog::read_version(int side)
{
    direction& one = sides_[std::size_t(side)];
    const auto& peer = sides_[std::size_t(1 - side)].revision;
    if (peer && *peer == 0) {  // what looked like a signature was the header of a frame
        one.revision = 0;
        one.now = stage::frames;
        return true;
    }
    if (one.held.size() <= signature_size) {
        return false;
    }
    const int number = static_cast<unsigned char>(one.held[signature_size]);
    one.revision = number == 0 ? 1 : number;  // 0 and 1 are both of ZMTP 2.0's time
    one.now = stage::greeting;
    return true;
}

bool zmtp_dialog::read_greeting(int side)
{
    direction& one = sides_[std::size_t(side)];
    const int version = framing(side);
    if (version == 1) {  // see read_version
        one.revision = 0;
        one.now = stage::frames;
        return true;
    }
    if (version < 0 || one.held.size() < (version == 3 ? greeting_size : old_greeting_size)) {
        return false;
    }
    if (version == 2) {
        const std::size_t type = static_cast<unsigned char>(one.held[old_greeting_size - 1]);
        one.socket_type = type < socket_types.size() ? socket_types[type] : "";
        told_(side, "greeting: ZMTP 2.0" + std::string(*one.revision >= 3 ? " (it also speaks 3)" : "") +
                        ", socket type " + (one.socket_type.empty() ? std::to_string(type) : one.socket_type));
        one.held.erase(0, old_greeting_size);
        one.ready = true;
    } else {
        const std::string_view name = std::string_view(one.held).substr(12, 20);
        one.mechanism = std::string(name.substr(0, name.find('\0')));
        const bool server = one.held[32] != 0;
        told_(side, "greeting: ZMTP " + std::to_string(*one.revision) + '.' +
                        std::to_string(static_cast<unsigned char>(one.held[11])) + ", mechanism " +
                        shown_octets(one.mechanism, 20) + (server ? ", as server" : ""));
        one.held.erase(0, greeting_size);
    }
    one.now = stage::frames;
    return true;
}

// The header of ZMTP 1.0: the size counts the flags.
bool zmtp_dialog::begin_old_frame(direction& one)
{
    const bool wide = static_cast<unsigned char>(one.held[0]) == 0xff;
    const std::size_t header = wide ? 10 : 2;
    if (one.held.size() < header) {
        return false;
    }
    const std::uint64_t size = wide ? number_at<std::uint64_t>(one.held, 1) : static_cast<unsigned char>(one.held[0]);
    one.flags = static_cast<std::uint8_t>(one.held[header - 1]) & more;
    one.size = size == 0 ? 0 : size - 1;
    one.held.erase(0, header);
    return true;
}

bool zmtp_dialog::begin_frame(direction& one, int side)
{
    const auto flags = static_cast<std::uint8_t>(one.held[0]);
    if ((flags & ~(more | is_long | is_command)) != 0 || ((flags & is_command) != 0 && (flags & more) != 0)) {
        give_up(side, "a frame cannot begin with " + shown_octets(std::string_view(one.held).substr(0, 1), 1) +
                          ": this is not ZMTP; the rest is not decoded");
        return false;
    }
    const std::size_t header = (flags & is_long) != 0 ? 9 : 2;
    if (one.held.size() < header) {
        return false;
    }
    one.flags = flags;
    one.size = header == 9 ? number_at<std::uint64_t>(one.held, 1) : static_cast<unsigned char>(one.held[1]);
    one.held.erase(0, header);
    return true;
}

bool zmtp_dialog::read_frame(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (!one.inside) {
        const int version = framing(side);
        if (version < 0 || one.held.empty() || !(version == 1 ? begin_old_frame(one) : begin_frame(one, side))) {
            return false;
        }
        one.inside = true;
        one.left = one.size;
        one.body.clear();
    }
    const auto taken = std::size_t(std::min<std::uint64_t>(one.left, one.held.size()));
    const std::size_t kept = std::min(taken, most_of_command - std::min(most_of_command, one.body.size()));
    one.body.append(one.held, 0, kept);
    one.held.erase(0, taken);
    one.left -= taken;
    if (one.left > 0) {
        return false;
    }
    one.inside = false;
    ++one.frames;
    (one.flags & is_command) != 0 ? tell_command(side) : tell_frame(side);
    return true;
}

void zmtp_dialog::tell_command(int side)
{
    direction& one = sides_[std::size_t(side)];
    std::string_view rest = one.body;
    const auto name = short_text(rest);
    told_(side, name && !name->empty() ? explain_command(one, *name, rest)
                                       : "malformed command: " + shown_octets(one.body, shown_));
}

std::string zmtp_dialog::explain_command(direction& one, std::string_view name, std::string_view rest) const
{
    const bool curve = one.mechanism == "CURVE";
    if (curve && (name == "HELLO" || name == "WELCOME" || name == "INITIATE" || name == "READY")) {
        one.ready = name == "READY" || name == "INITIATE";
        return std::string(name) + " of CURVE, " + octets_text(rest.size()) + (name == "HELLO" ? "" : ", encrypted");
    }
    if (name == "READY" || name == "INITIATE") {
        one.ready = true;
        return std::string(name) + ": " + metadata(rest, shown_, &one.socket_type);
    }
    if (name == "HELLO") {
        const auto user = short_text(rest);
        return user ? "HELLO of PLAIN: user " + shown_octets(*user, shown_) + ", with a password" : "HELLO, malformed";
    }
    if (name == "WELCOME") {
        return "WELCOME";
    }
    if (name == "ERROR") {
        const auto reason = short_text(rest);
        return "ERROR: " + (reason ? shown_octets(*reason, 255) : std::string("malformed"));
    }
    if (name == "PING") {
        if (rest.size() < 2) {
            return "PING, malformed";
        }
        const auto tenths = number_at<std::uint16_t>(rest, 0);
        return "PING, time to live " + std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s" +
               (rest.size() > 2 ? ", context " + shown_octets(rest.substr(2), 16) : "");
    }
    if (name == "PONG") {
        return "PONG" + (rest.empty() ? "" : ", context " + shown_octets(rest, 16));
    }
    if (name == "SUBSCRIBE" || name == "CANCEL" || name == "JOIN" || name == "LEAVE") {
        return std::string(name) + ' ' + shown_octets(rest, shown_);
    }
    return "command " + shown_octets(name, shown_) + ", " + octets_text(rest.size());
}

void zmtp_dialog::tell_frame(int side)
{
    const direction& one = sides_[std::size_t(side)];
    const bool follows = (one.flags & more) != 0 && !(one.mechanism.empty() && one.frames == 1);
    told_(side, explain_message(one) + (follows ? ", more follows" : ""));
}

std::string zmtp_dialog::explain_message(const direction& one) const
{
    constexpr std::string_view sealed = "\7MESSAGE";
    constexpr std::size_t around = 8 + 8 + 16 + 1;  // name, nonce, authenticator and flags
    const bool old = one.mechanism.empty();
    if (old && one.frames == 1) {
        return "routing id " + shown_octets(one.body, shown_);
    }
    if (one.mechanism == "CURVE" && one.body.starts_with(sealed) && one.size >= around) {
        return "message frame, encrypted, " + octets_text(std::size_t(one.size) - around);
    }
    const bool subscribes = one.socket_type == "SUB" || one.socket_type == "XSUB";
    if (subscribes && !one.body.empty() && static_cast<unsigned char>(one.body[0]) <= 1) {
        return (one.body[0] == 1 ? "subscribe " : "cancel ") +
               shown_octets(std::string_view(one.body).substr(1), shown_);
    }
    const std::string dots = one.body.size() < one.size && one.body.size() <= shown_ ? "..." : "";
    return "message frame, " + octets_text(std::size_t(one.size)) +
           (one.size == 0 ? "" : ": " + shown_octets(one.body, shown_) + dots);
}

}  // namespace zlink::tool
