// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/stats_reading.hpp"

#include "pure/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace zlink::tool {
namespace {

std::string text_of(const json_value& of, std::string_view name)
{
    const json_value* const found = of.member(name);
    return found != nullptr ? found->text() : "";
}

std::uint64_t number_of(const json_value& of, std::string_view name)
{
    const json_value* const found = of.member(name);
    return found != nullptr ? found->number() : 0;
}

std::string from_hex_digits(std::string_view digits)
{
    std::string octets;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned value = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        octets += static_cast<char>(value);
    }
    return octets;
}

const char* mechanism_of(std::string_view name)
{
    for (const char* const known : {"NULL", "PLAIN", "CURVE"}) {
        if (name == known) {
            return known;
        }
    }
    return "";
}

std::optional<socket_type> type_of(std::string_view name)
{
    for (int i = 0; const auto type = socket_type_of(i); ++i) {
        if (stats::name_of(*type) == name) {
            return type;
        }
    }
    return std::nullopt;
}

zlink::socket::peer_statistics read_peer(const json_value& from)
{
    zlink::socket::peer_statistics to;
    to.endpoint = text_of(from, "endpoint");
    to.address = text_of(from, "address");
    to.routing_id = from_hex_digits(text_of(from, "routing_id"));
    to.user_id = text_of(from, "user_id");
    to.mechanism = mechanism_of(text_of(from, "mechanism"));
    const json_value* const connected = from.member("connected");
    to.connected = connected != nullptr && connected->is_true();
    to.round_trip = std::chrono::microseconds(number_of(from, "round_trip_us"));
    stats::each_count(to.messages, [&](std::string_view name, std::uint64_t& value) { value = number_of(from, name); });
    return to;
}

bool read_socket(const json_value& from, stats::socket_report& to)
{
    const auto type = type_of(text_of(from, "type"));
    if (!type) {
        return false;
    }
    to.numbers.type = *type;
    to.label = text_of(from, "socket");
    to.numbers.name = text_of(from, "name");
    to.numbers.last_error = text_of(from, "last_error");
    to.numbers.age = std::chrono::milliseconds(number_of(from, "age_ms"));
    stats::each_number(to.numbers, [&](std::string_view name, std::uint64_t& value) { value = number_of(from, name); });
    if (const json_value* const peers = from.member("peer_list")) {
        for (const auto& one : peers->items()) {
            to.peers.push_back(read_peer(one));
        }
    }
    return !to.label.empty();
}

}  // namespace

std::optional<stats::process_report> read_report(std::string_view json)
{
    const auto all = json_value::parse(json);
    if (!all || all->member("zlink") == nullptr || all->member("sockets") == nullptr) {
        return std::nullopt;
    }
    stats::process_report report;
    report.version = text_of(*all, "zlink");
    report.process = static_cast<std::int64_t>(number_of(*all, "pid"));
    report.program = text_of(*all, "program");
    for (const auto& one : all->member("sockets")->items()) {
        stats::socket_report socket;
        if (!read_socket(one, socket)) {
            return std::nullopt;
        }
        report.with_peers = report.with_peers || one.member("peer_list") != nullptr;
        report.sockets.push_back(std::move(socket));
    }
    return report;
}

http_content read_answer(std::string_view octets)
{
    constexpr std::string_view version = "HTTP/1.", head_end = "\r\n\r\n", length_field = "\r\nContent-Length: ";
    const auto end = octets.find(head_end);
    if (!octets.starts_with(version) || end == std::string_view::npos) {
        return {};
    }
    http_content read;
    const auto head = octets.substr(0, end);
    const auto status = head.substr(std::min(head.find(' '), head.size() - 1) + 1, 3);
    std::from_chars(status.data(), status.data() + status.size(), read.status);
    read.content = octets.substr(end + head_end.size());
    if (const auto at = head.find(length_field); at != std::string_view::npos) {
        const auto digits = head.substr(at + length_field.size());
        std::size_t length = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), length);
        if (length != read.content.size()) {
            return {};
        }
    }
    return read;
}

socket_rates rates_between(const zlink::socket::socket_statistics& before,
                           const zlink::socket::socket_statistics& after)
{
    if (after.age <= before.age) {
        return {};
    }
    const double seconds = std::chrono::duration<double>(after.age - before.age).count();
    const auto rate = [seconds](std::uint64_t from, std::uint64_t to) {
        return to > from ? static_cast<double>(to - from) / seconds : 0;
    };
    const auto &one = before.messages, &two = after.messages;
    return {rate(one.received.messages, two.received.messages), rate(one.sent.messages, two.sent.messages),
            rate(one.received.octets, two.received.octets), rate(one.sent.octets, two.sent.octets)};
}

}  // namespace zlink::tool
