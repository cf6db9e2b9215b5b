// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/local_service/service_place.hpp"

#include <charconv>
#include <cstddef>

#include <sys/un.h>
#include <unistd.h>

namespace zlink::transport::local_service {

namespace {

constexpr std::string_view file_scheme = "ipc://";
constexpr std::string_view port_scheme = "tcp://";
constexpr std::string_view cure = "use the path of a file, or tcp://127.0.0.1:PORT";
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

template <class Number>
std::optional<Number> whole_number(std::string_view text, Number most) noexcept
{
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
    return value;
}

/// 127.0.0.0 to 127.255.255.255, as four decimal numbers.
std::optional<std::uint32_t> loopback_of(std::string_view text) noexcept
{
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const std::size_t dot = part < 3 ? text.find('.') : text.size();
        if (dot == std::string_view::npos || dot > 3) return std::nullopt;
        const auto value = whole_number<std::uint32_t>(text.substr(0, dot), 255);
        if (!value) return std::nullopt;
        address = address << 8 | *value;
        text.remove_prefix(part < 3 ? dot + 1 : dot);
    }
    return address >> 24 == 127 ? std::optional(address) : std::nullopt;
}

struct host_and_port {
    std::string_view host, port;
    bool has_port = false;
};

host_and_port divided(std::string_view text) noexcept
{
    const std::size_t colon = text.rfind(':');
    const std::size_t bracket = text.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1), true};
}

char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

bool is_localhost(std::string_view text) noexcept
{
    constexpr std::string_view name = "localhost";
    if (text.size() != name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (lower(text[i]) != name[i]) return false;
    }
    return true;
}

bool fill_address(std::string_view host, service_place& place) noexcept
{
    if (host == "[::1]") {
        place.type = service_place::kind::ip6;
        return true;
    }
    place.type = service_place::kind::ip4;
    if (is_localhost(host)) return true;
    const auto address = loopback_of(host);
    if (address) place.address = *address;
    return address.has_value();
}

std::variant<service_place, std::string> parse_port(std::string_view text)
{
    const auto [host, port, has_port] = divided(text);
    service_place place;
    const auto number = whole_number<std::uint32_t>(port, 65535);
    if (!has_port || !number) return "a port from 1 to 65535 is missing behind the address; " + std::string(cure);
    if (!fill_address(host, place))
        return "'" + std::string(host) + "' is not a loopback address, and others could read; " + std::string(cure);
    place.port = std::uint16_t(*number);
    return place;
}

std::variant<service_place, std::string> parse_file(std::string_view path)
{
    if (path.empty()) return "the path is missing; " + std::string(cure);
    if (path.front() == '@') return "a name without a file has no permissions; " + std::string(cure);
    if (path.front() == '*') return "a wildcard's path would be known to nobody; " + std::string(cure);
    if (path.size() > longest_path)
        return "the path has more than " + std::to_string(longest_path) + " octets; use a shorter one";
    if (path.find('\0') != std::string_view::npos) return "the path has an octet 0; " + std::string(cure);
    service_place place;
    place.path = path;
    return place;
}

bool looks_like_port(std::string_view text) noexcept
{
    const auto [host, port, has_port] = divided(text);
    return has_port && text.find('/') == std::string_view::npos && whole_number<std::uint64_t>(port, ~0ull);
}

}  // namespace

std::variant<service_place, std::string> parse_place(std::string_view text)
{
    if (text.starts_with(file_scheme)) return parse_file(text.substr(file_scheme.size()));
    if (text.starts_with(port_scheme)) return parse_port(text.substr(port_scheme.size()));
    if (text.find("://") != std::string_view::npos)
        return "statistics are not served over '" + std::string(text.substr(0, text.find(':'))) + "'; " +
               std::string(cure);
    return looks_like_port(text) ? parse_port(text) : parse_file(text);
}

std::string to_text(const service_place& place)
{
    switch (place.type) {
    case service_place::kind::file: break;
    case service_place::kind::ip6: return std::string(port_scheme) + "[::1]:" + std::to_string(place.port);
    case service_place::kind::ip4: {
        std::string text(port_scheme);
        for (int shift = 24; shift >= 0; shift -= 8) {
            text += std::to_string(place.address >> shift & 255);
            text += shift != 0 ? '.' : ':';
        }
        return text + std::to_string(place.port);
    }
    }
    return std::string(file_scheme) + place.path;
}

bool is_loopback_host(std::string_view host) noexcept
{
    const auto [name, port, has_port] = divided(host);
    if (has_port && !whole_number<std::uint32_t>(port, 65535)) return false;
    service_place unused;
    return fill_address(name, unused);
}

std::optional<std::string> with_process(std::string_view text, std::int64_t process)
{
    std::string expanded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            expanded += text[i];
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        if (text[i] == '%') {
            expanded += '%';
        } else if (text[i] == 'p') {
            expanded += std::to_string(process);
        } else {
            return std::nullopt;
        }
    }
    return expanded;
}

std::int64_t this_process() noexcept
{
    return ::getpid();
}

}  // namespace zlink::transport::local_service
