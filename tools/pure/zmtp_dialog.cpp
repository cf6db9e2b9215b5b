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

constexpr std::uint8_t more = 1;
constexpr std::uint8_t is_long = 2;
constexpr std::uint8_t is_command = 4;

constexpr std::array socket_types{"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                                  "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};

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
    if (one.held.starts_with("SSH-")) {
        give_up(side, "this is SSH, not ZMTP");
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
        one.words.set_socket_type(type < socket_types.size() ? socket_types[type] : "");
        told_(side, "greeting: ZMTP 2.0" + std::string(*one.revision >= 3 ? " (it also speaks 3)" : "") +
                        ", socket type " + (type < socket_types.size() ? socket_types[type] : std::to_string(type)));
        one.held.erase(0, old_greeting_size);
    } else {
        const std::string_view name = std::string_view(one.held).substr(12, 20);
        const std::string_view mechanism = name.substr(0, name.find('\0'));
        one.words.set_mechanism(mechanism);
        const bool server = one.held[32] != 0;
        told_(side, "greeting: ZMTP " + std::to_string(*one.revision) + '.' +
                        std::to_string(static_cast<unsigned char>(one.held[11])) + ", mechanism " +
                        shown_octets(mechanism, 20) + (server ? ", as server" : ""));
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
    told_(side, (one.flags & is_command) != 0 ? one.words.command(one.body, shown_)
                                              : one.words.message(one.body, one.size, (one.flags & more) != 0, shown_));
    return true;
}

}  // namespace zlink::tool
