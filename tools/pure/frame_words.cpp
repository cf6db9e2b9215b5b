// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/frame_words.hpp"

#include "pure/network_order.hpp"
#include "pure/octet_text.hpp"

#include <optional>

namespace zlink::tool {
namespace {

// "Socket-Type 'DEALER', Identity ''"; also finds the type.
std::string metadata(std::string_view rest, std::size_t shown, std::string& type)
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
        if (name == "Socket-Type") {
            type = std::string(value);
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

std::string frame_words::command(std::string_view body, std::size_t shown)
{
    any_ = true;
    std::string_view rest = body;
    const auto name = short_text(rest);
    return name && !name->empty() ? explain_command(*name, rest, shown)
                                  : "malformed command: " + shown_octets(body, shown);
}

std::string frame_words::explain_command(std::string_view name, std::string_view rest, std::size_t shown)
{
    const bool curve = mechanism_ == "CURVE";
    if (curve && (name == "HELLO" || name == "WELCOME" || name == "INITIATE" || name == "READY")) {
        return std::string(name) + " of CURVE, " + octets_text(rest.size()) + (name == "HELLO" ? "" : ", encrypted");
    }
    if (name == "READY" || name == "INITIATE") {
        return std::string(name) + ": " + metadata(rest, shown, socket_type_);
    }
    if (name == "HELLO") {
        const auto user = short_text(rest);
        return user ? "HELLO of PLAIN: user " + shown_octets(*user, shown) + ", with a password" : "HELLO, malformed";
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
        return std::string(name) + ' ' + shown_octets(rest, shown);
    }
    return "command " + shown_octets(name, shown) + ", " + octets_text(rest.size());
}

std::string frame_words::message(std::string_view beginning, std::uint64_t size, bool more, std::size_t shown)
{
    const bool introduces = !any_ && mechanism_.empty();
    any_ = true;
    if (introduces) {
        return "routing id " + shown_octets(beginning, shown);
    }
    return explain_message(beginning, size, shown) + (more ? ", more follows" : "");
}

std::string frame_words::explain_message(std::string_view beginning, std::uint64_t size, std::size_t shown) const
{
    constexpr std::string_view sealed = "\7MESSAGE";
    constexpr std::size_t around = 8 + 8 + 16 + 1;  // name, nonce, authenticator and flags
    if (mechanism_ == "CURVE" && beginning.starts_with(sealed) && size >= around) {
        return "message frame, encrypted, " + octets_text(std::size_t(size) - around);
    }
    const bool subscribes = socket_type_ == "SUB" || socket_type_ == "XSUB";
    if (subscribes && !beginning.empty() && static_cast<unsigned char>(beginning[0]) <= 1) {
        return (beginning[0] == 1 ? "subscribe " : "cancel ") + shown_octets(beginning.substr(1), shown);
    }
    const std::string dots = beginning.size() < size && beginning.size() <= shown ? "..." : "";
    return "message frame, " + octets_text(std::size_t(size)) +
           (size == 0 ? "" : ": " + shown_octets(beginning, shown) + dots);
}

}  // namespace zlink::tool
