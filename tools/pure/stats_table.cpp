// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/stats_table.hpp"

#include "pure/octet_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace zlink::tool {
namespace {

// 0, 12, 3.4k, 56k, 7.8M
std::string short_number(double value)
{
    constexpr std::string_view units = " kMGTPE";
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    char text[32];
    const bool has_fraction =
        value < 9.95 && value > 0 && (unit > 0 || value != static_cast<double>(std::uint64_t(value)));
    std::snprintf(text, sizeof text, has_fraction ? "%.1f" : "%.0f", value);
    return unit == 0 ? text : text + std::string(1, units[unit]);
}

std::string megabytes(double octets)
{
    char text[32];
    std::snprintf(text, sizeof text, octets < 10e6 ? "%.2f" : "%.0f", octets / 1e6);
    return text;
}

// What a terminal would obey does not get through.
std::string plain(std::string_view text, std::size_t most)
{
    std::string shown;
    for (const char c : text) {
        shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f || static_cast<unsigned char>(c) >= 0x80 ? '?' : c;
    }
    return shown.size() > most ? shown.substr(0, most - 1) + "+" : shown;
}

constexpr std::array columns = {"PROCESS", "SOCKET",   "TYPE", "PEERS", "IN/s",   "OUT/s",
                                "IN MB/s", "OUT MB/s", "Q IN", "Q OUT", "DROPPED"};
constexpr std::size_t left_columns = 3;  // texts; the others are numbers
using row = std::array<std::string, columns.size()>;

const stats::socket_report* same_socket(const std::vector<stats::process_report>& in, std::int64_t process,
                                        std::uint64_t number)
{
    for (const auto& one : in) {
        if (one.process != process) {
            continue;
        }
        const auto at = std::lower_bound(one.sockets.begin(), one.sockets.end(), number,
                                         [](const auto& socket, std::uint64_t n) { return socket.numbers.number < n; });
        return at != one.sockets.end() && at->numbers.number == number ? &*at : nullptr;
    }
    return nullptr;
}

row row_of(const stats::process_report& process, const stats::socket_report& socket, const stats::socket_report* before)
{
    const auto& numbers = socket.numbers;
    const auto rates = before != nullptr ? rates_between(before->numbers, numbers) : socket_rates{};
    return {plain(process.program, 15) + "/" + std::to_string(process.process),
            plain(socket.label, 24),
            std::string(stats::name_of(numbers.type)),
            short_number(static_cast<double>(stats::peers_of(numbers))),
            short_number(rates.messages_in),
            short_number(rates.messages_out),
            megabytes(rates.octets_in),
            megabytes(rates.octets_out),
            short_number(static_cast<double>(numbers.messages.queued_in.messages)),
            short_number(static_cast<double>(numbers.messages.queued_out.messages)),
            short_number(static_cast<double>(stats::dropped_of(numbers)))};
}

std::string peer_line(const zlink::socket::peer_statistics& peer)
{
    const auto count = [](std::uint64_t value) { return short_number(static_cast<double>(value)); };
    std::string text = "    " + plain(peer.address.empty() ? peer.endpoint : peer.address, 60);
    if (!peer.connected) {
        text += " (not connected)";
    }
    if (!peer.routing_id.empty()) {
        text += " id " + shown_octets(peer.routing_id, 16);
    }
    if (!peer.user_id.empty()) {
        text += " user " + plain(peer.user_id, 20);
    }
    text += "  in " + count(peer.messages.received.messages) + "  out " + count(peer.messages.sent.messages) +
            "  queued in " + count(peer.messages.queued_in.messages) + "  out " +
            count(peer.messages.queued_out.messages);
    const auto dropped = peer.messages.no_room + peer.messages.replaced + peer.messages.unwanted;
    return dropped == 0 ? text : text + "  dropped " + count(dropped);
}

}  // namespace

std::vector<table_line> table_of(const std::vector<stats::process_report>& before,
                                 const std::vector<stats::process_report>& now, bool peers)
{
    std::vector<row> rows(1);
    std::copy(columns.begin(), columns.end(), rows[0].begin());
    std::vector<table_line> lines(1);
    lines[0].what = table_line::kind::head;
    std::vector<std::size_t> line_of_row{0};
    for (const auto& process : now) {
        for (const auto& socket : process.sockets) {
            const auto* const earlier = same_socket(before, process.process, socket.numbers.number);
            rows.push_back(row_of(process, socket, earlier));
            line_of_row.push_back(lines.size());
            const bool drops =
                earlier != nullptr && stats::dropped_of(socket.numbers) > stats::dropped_of(earlier->numbers);
            lines.push_back({table_line::kind::socket, "", drops});
            for (const auto& peer : socket.peers) {
                if (peers) {
                    lines.push_back({table_line::kind::peer, peer_line(peer)});
                }
            }
        }
    }
    for (std::size_t column = 0; column < columns.size(); ++column) {
        std::size_t width = 0;
        for (const auto& one : rows) {
            width = std::max(width, one[column].size());
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string& cell = rows[i][column];
            const std::string blanks(width - cell.size(), ' ');
            std::string& text = lines[line_of_row[i]].text;
            text += column == 0 ? "" : "  ";
            text += column < left_columns ? cell + blanks : blanks + cell;
        }
    }
    return lines;
}

std::string cut_to_width(const std::string& line, std::size_t width)
{
    return width == 0 || line.size() <= width ? line : line.substr(0, width);
}

}  // namespace zlink::tool
