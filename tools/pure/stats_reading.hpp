// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The statistics that a process serves, read back: its report, and how fast its numbers grow.
#pragma once

#include "stats/report.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// The content of /stats.json. Nothing when it isn't one.
std::optional<stats::process_report> read_report(std::string_view json);

// The content of an answer of HTTP/1.1 that has come whole, up to the end of the connection.
struct http_content {
    int status = 0;  // 0: it isn't HTTP, or not whole
    std::string_view content;
};
http_content read_answer(std::string_view octets);

// Between two reports on a socket.
struct socket_rates {
    double messages_in = 0;  // all per second
    double messages_out = 0;
    double octets_in = 0;
    double octets_out = 0;
};

// Zeros when no time is between them.
socket_rates rates_between(const zlink::socket::socket_statistics& before,
                           const zlink::socket::socket_statistics& after);

}  // namespace zlink::tool
