// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "zws/upgrade.hpp"

#include "zws/accept_key.hpp"

#include <algorithm>
#include <utility>

namespace zlink::zws {

namespace {

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

// The path of "GET /path?query HTTP/1.1", with the rest behind it; empty: not such a line.
std::string_view target_of(std::string_view line) noexcept
{
    constexpr std::string_view method = "GET ", version = " HTTP/1.1";
    if (!line.starts_with(method) || !line.ends_with(version) || line.size() < method.size() + version.size())
        return {};
    const auto target = line.substr(method.size(), line.size() - method.size() - version.size());
    return target.find(' ') == std::string_view::npos ? target : std::string_view{};
}

bool serves_all(std::string_view path) noexcept
{
    return path.empty() || path == "/" || path == "/*";
}

// Octets that a peer has sent, made readable for error texts.
std::string quoted(std::string_view text)
{
    constexpr std::size_t most = 80;
    std::string shown(text.substr(0, most));
    std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + shown + (text.size() > most ? "..." : "") + "'";
}

}  // namespace

upgrade::upgrade(client_side options) : side_(std::move(options))
{
    const auto& client = std::get<client_side>(side_);
    agreed_.client = true;
    out_ = "GET " + client.path + " HTTP/1.1\r\nHost: " + client.host +
           "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + client.key +
           "\r\nSec-WebSocket-Protocol: " + joined(client.protocols) + "\r\nSec-WebSocket-Version: 13\r\n\r\n";
}

upgrade::upgrade(server_side options) : side_(std::move(options)) {}

std::size_t upgrade::advance(std::span<const std::byte> in)
{
    if (state_ != state::in_progress) return 0;
    const std::size_t taken = head_.advance(in);
    switch (head_.current()) {
    case http_head::state::in_progress: break;
    case http_head::state::complete: agreed_.client ? check_answer() : answer(); break;
    case http_head::state::too_long:
        agreed_.client ? fail("the server's answer is too long")
                       : refuse("431 Request Header Fields Too Large", "the client's request is too long");
        break;
    case http_head::state::malformed:
        agreed_.client ? fail("the server's answer is not HTTP")
                       : refuse("400 Bad Request", "the client's request is not HTTP");
        break;
    }
    if (state_ != state::in_progress) head_.clear();
    return taken;
}

void upgrade::answer()
{
    const auto& server = std::get<server_side>(side_);
    const std::string_view target = target_of(head_.start_line());
    if (target.empty()) return refuse("400 Bad Request", "the client's request is not a GET of HTTP/1.1");
    if (head_.count("host") != 1) return refuse("400 Bad Request", "the client names no host, or several");
    if (!serves_all(server.path) && target.substr(0, target.find('?')) != server.path) {
        return refuse("404 Not Found", "the client asks for another path", {}, ": " + quoted(target));
    }
    if (!head_.lists("upgrade", "websocket") || !head_.lists("connection", "upgrade")) {
        return refuse("426 Upgrade Required", "the client wants no WebSocket",
                      "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    }
    for (const char* one : {"sec-websocket-version", "origin"}) {
        if (head_.count(one) > 1) return refuse("400 Bad Request", "the client repeats a field that there is one of");
    }
    if (head_.field("sec-websocket-version") != "13") {
        return refuse("426 Upgrade Required", "the client speaks another version of WebSocket",
                      "Sec-WebSocket-Version: 13\r\n");
    }
    const auto key = head_.field("sec-websocket-key");
    if (!key || !is_key(*key) || head_.count("sec-websocket-key") != 1) {
        return refuse("400 Bad Request", "the client's WebSocket key is malformed");
    }
    const auto origin = head_.field("origin");
    const auto admits = [&](const std::string& one) { return same_word(one, *origin); };
    if (!server.origins.empty() && origin && std::ranges::none_of(server.origins, admits)) {
        return refuse("403 Forbidden", "pages of this origin are not let in", {}, ": " + quoted(*origin));
    }
    const auto speaks = [&](std::string_view one) {
        return std::ranges::find(server.protocols, one) != server.protocols.end();
    };
    const auto protocol = head_.first_listed("sec-websocket-protocol", speaks);
    if (!protocol) {
        return refuse("400 Bad Request", "the client's sub-protocols and security mechanisms differ from ours", {},
                      ": " + quoted(head_.field("sec-websocket-protocol").value_or("")) + ", where " +
                          quoted(joined(server.protocols)) + " is wanted");
    }
    out_ = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept_for(*key) + "\r\nSec-WebSocket-Protocol: " + std::string(*protocol) + "\r\n\r\n";
    agree(*protocol);
}

void upgrade::check_answer()
{
    const auto& client = std::get<client_side>(side_);
    const std::string_view line = head_.start_line();
    if (!line.starts_with("HTTP/1.1 101") || (line.size() > 12 && line[12] != ' ')) {
        return fail("the server answers " + quoted(line) + " instead of switching to WebSocket");
    }
    if (!head_.lists("upgrade", "websocket") || !head_.lists("connection", "upgrade")) {
        return fail("the server switches to another protocol than WebSocket");
    }
    for (const char* one : {"sec-websocket-accept", "sec-websocket-protocol"}) {
        if (head_.count(one) > 1) return fail("the server repeats a field that there is one of");
    }
    if (head_.field("sec-websocket-accept") != accept_for(client.key)) {
        return fail("the server's Sec-WebSocket-Accept is not the one for this client's key");
    }
    if (head_.count("sec-websocket-extensions") != 0)
        return fail("the server uses an extension that nobody has offered");
    const auto protocol = head_.field("sec-websocket-protocol");
    if (!protocol) return fail("the server has chosen no sub-protocol of " + quoted(joined(client.protocols)));
    if (std::ranges::find(client.protocols, *protocol) == client.protocols.end()) {
        return fail("the server has chosen the sub-protocol " + quoted(*protocol) + ", which nobody has offered");
    }
    agree(*protocol);
}

void upgrade::agree(std::string_view protocol)
{
    agreed_.mechanism = protocol != bare_protocol;
    state_ = state::done;
}

void upgrade::fail(std::string reason)
{
    reason_ = std::move(reason);
    state_ = state::failed;
}

void upgrade::refuse(std::string_view status, std::string_view reason, std::string_view fields,
                     const std::string& detail)
{
    out_ = "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(fields) +
           "Content-Type: text/plain\r\nContent-Length: " + std::to_string(reason.size() + 1) + "\r\n" +
           (fields.find("Connection") == std::string_view::npos ? "Connection: close\r\n" : "") + "\r\n" +
           std::string(reason) + "\n";
    fail(std::string(reason) + detail);
}

}  // namespace zlink::zws
