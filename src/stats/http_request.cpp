// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/http_request.hpp"

#include <algorithm>
#include <span>

namespace zlink::stats {

namespace {

struct reason {
    int status;
    std::string_view phrase, sentence;
};

constexpr reason reasons[] = {
    {200, "OK", ""},
    {400, "Bad Request", "This is not a request of HTTP/1.1."},
    {403, "Forbidden", "The Host of the request is not this machine; ask for localhost, 127.0.0.1 or [::1]."},
    {404, "Not Found", "There is no such page; there are /metrics, /stats.json and /."},
    {405, "Method Not Allowed", "The statistics can only be read; use GET."},
    {431, "Request Header Fields Too Large", "The request is longer than 8192 octets."},
    {503, "Service Unavailable", "The statistics are too large, or memory is short; ask without peers."},
    {505, "HTTP Version Not Supported", "Use HTTP/1.1."},
};

const reason& reason_of(int status) noexcept
{
    const auto* const found = std::ranges::find(reasons, status, &reason::status);
    return found == std::end(reasons) ? reasons[1] : *found;
}

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

bool is_version(std::string_view text) noexcept
{
    return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' && is_digit(text[7]);
}

bool is_method(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

}  // namespace

bool http_request::advance(std::string_view octets)
{
    if (status_ != 0) return true;
    const std::size_t taken = head_.advance(std::as_bytes(std::span(octets)));
    switch (head_.current()) {
    case zws::http_head::state::in_progress: return false;
    case zws::http_head::state::complete:
        status_ = judge();
        is_sole_ = taken == octets.size();
        break;
    case zws::http_head::state::too_long: status_ = 431; break;
    case zws::http_head::state::malformed: status_ = 400; break;
    }
    head_.clear();
    return true;
}

int http_request::judge()
{
    const std::string_view line = head_.start_line();
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return 400;
    const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    if (!is_method(method) || !is_version(version) || target.empty() || target.find(' ') != std::string_view::npos)
        return 400;
    if (version[5] != '1') return 505;
    const std::size_t hosts = head_.count("host");
    if (hosts > 1 || (hosts == 0 && version != "HTTP/1.0")) return 400;
    if (check_ && (hosts == 0 || !check_(*head_.field("host")))) return 403;
    if (method != "GET") return 405;
    // Content would be taken for the next request.
    if (head_.count("transfer-encoding") != 0 || head_.field("content-length").value_or("0") != "0") return 400;
    return judge_target(target);
}

int http_request::judge_target(std::string_view target)
{
    if (target.front() != '/') return 400;
    const std::size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    if (path == "/") {
        asked_.what = page::words;
    } else if (path == "/metrics") {
        asked_.what = page::metrics;
    } else if (path == "/stats.json") {
        asked_.what = page::numbers;
    } else {
        return 404;
    }
    std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    while (!query.empty()) {  // what is not known has no effect
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view one = query.substr(0, end);
        if (one == "peers=1") asked_.peers = true;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return 200;
}

std::string http_answer(int status, std::string_view type, std::string_view content)
{
    std::string text = "HTTP/1.1 " + std::to_string(status) + " ";
    text += reason_of(status).phrase;
    text += "\r\nContent-Type: ";
    text += type;
    text += "\r\nContent-Length: " + std::to_string(content.size());
    if (status == 405) text += "\r\nAllow: GET";
    text += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    text += content;
    return text;
}

std::string http_refusal(int status)
{
    return http_answer(status, "text/plain; charset=utf-8", std::string(reason_of(status).sentence) + "\n");
}

}  // namespace zlink::stats
