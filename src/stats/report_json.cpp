// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/report_json.hpp"

#include "stats/text_escapes.hpp"

#include <string_view>

namespace zlink::stats {

namespace {

class json_object {
public:
    explicit json_object(std::string& to) : to_(to) { to_ += '{'; }
    ~json_object() = default;
    json_object(const json_object&) = delete;
    json_object& operator=(const json_object&) = delete;
    void end() { to_ += '}'; }

    std::string& name(std::string_view text)
    {
        if (!first_) to_ += ',';
        first_ = false;
        put_json_string(to_, text);
        to_ += ':';
        return to_;
    }
    void text(std::string_view key, std::string_view value) { put_json_string(name(key), value); }
    void number(std::string_view key, std::uint64_t value) { name(key) += std::to_string(value); }

private:
    std::string& to_;
    bool first_ = true;
};

void put_json(std::string& to, const socket::peer_statistics& peer)
{
    json_object out(to);
    out.text("endpoint", peer.endpoint);
    out.text("address", peer.address);
    out.text("routing_id", hex_of(peer.routing_id));
    out.text("user_id", peer.user_id);
    out.text("mechanism", peer.mechanism);
    out.name("connected") += peer.connected ? "true" : "false";
    out.number("round_trip_us", std::uint64_t(peer.round_trip.count()));
    each_count(peer.messages, [&out](std::string_view key, std::uint64_t value) { out.number(key, value); });
    out.end();
}

void put_json(std::string& to, const socket_report& one, bool with_peers)
{
    json_object out(to);
    out.text("socket", one.label);
    out.text("type", name_of(one.numbers.type));
    out.text("name", one.numbers.name);
    out.number("age_ms", std::uint64_t(one.numbers.age.count()));
    out.number("peers", peers_of(one.numbers));
    each_number(one.numbers, [&out](std::string_view key, std::uint64_t value) { out.number(key, value); });
    out.text("last_error", one.numbers.last_error);
    if (with_peers) {
        out.name("peer_list") += '[';
        for (const auto& peer : one.peers) {
            if (&peer != one.peers.data()) to += ',';
            put_json(to, peer);
        }
        to += ']';
    }
    out.end();
}

}  // namespace

std::string json_of(const process_report& what)
{
    std::string to;
    json_object out(to);
    out.text("zlink", what.version);
    out.number("pid", std::uint64_t(what.process));
    out.text("program", what.program);
    out.name("sockets") += '[';
    for (const auto& one : what.sockets) {
        if (&one != what.sockets.data()) to += ',';
        put_json(to, one, what.with_peers);
    }
    to += ']';
    out.end();
    to += '\n';
    return to;
}

}  // namespace zlink::stats
