#include "transport/endpoint.hpp"

#include "transport/scheme_table.hpp"

#include <charconv>

#include <sys/un.h>

namespace zlink::transport {

namespace {

enum class side { local, peer };

bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// What names, literal addresses, ports and their delimiters are made of.
bool is_address_character(char c)
{
    return is_alphanumeric(c) || std::string_view(".-_:%;[]*").find(c) != std::string_view::npos;
}

bool starts_like_peer(std::string_view text)
{
    return !text.empty() && (is_alphanumeric(text.front()) || text.front() == '[' || text.front() == ':');
}

std::optional<std::uint16_t> parse_port(std::string_view text, side where)
{
    if (text == "*" && where == side::local) {
        return std::uint16_t{0};
    }
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return port;
}

/// host[%zone]:port. The last colon counts, so that IPv6 addresses do without brackets too.
result<host_port> parse_host_port(std::string_view text, side where)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return errc::invalid_argument;
    }
    const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1), where);
    if (!port) {
        return errc::invalid_argument;
    }
    std::string_view host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    std::string_view zone;
    if (const std::size_t percent = host.rfind('%'); percent != std::string_view::npos) {
        zone = host.substr(percent + 1);
        host = host.substr(0, percent);
        if (zone.empty()) {
            return errc::invalid_argument;
        }
    }
    return host_port{std::string(host), std::string(zone), *port};
}

result<tcp_endpoint> parse_tcp_bind(std::string_view address)
{
    if (address.find(';') != std::string_view::npos) {
        return errc::invalid_argument;
    }
    result<host_port> host = parse_host_port(address, side::local);
    if (!host) {
        return host.error();
    }
    return tcp_endpoint{std::move(*host), std::nullopt};
}

result<tcp_endpoint> parse_tcp_connect(std::string_view address)
{
    for (const char c : address) {
        if (!is_address_character(c)) {
            return errc::invalid_argument;
        }
    }
    tcp_endpoint parsed;
    if (const std::size_t semicolon = address.rfind(';'); semicolon != std::string_view::npos) {
        result<host_port> source = parse_host_port(address.substr(0, semicolon), side::local);
        if (!source || source->host.empty() || source->host.find_first_of(";[]") != std::string::npos) {
            return errc::invalid_argument;
        }
        parsed.source = std::move(*source);
        address.remove_prefix(semicolon + 1);
    }
    if (!starts_like_peer(address)) {
        return errc::invalid_argument;
    }
    result<host_port> host = parse_host_port(address, side::peer);
    if (!host || host->host.empty() || host->host.find_first_of("*[]") != std::string::npos) {
        return errc::invalid_argument;
    }
    parsed.host = std::move(*host);
    return parsed;
}

result<ipc_endpoint> parse_ipc(std::string_view address, side where)
{
    // The final NUL counts for paths; abstract names spend that byte on the leading one.
    if (address.size() >= sizeof(sockaddr_un::sun_path)) {
        return errc::name_too_long;
    }
    if (where == side::local && address == "*") {
        return ipc_endpoint{ipc_endpoint::kind::any, {}};
    }
    if (address.front() == '@') {
        if (address.size() == 1) {
            return errc::invalid_argument;
        }
        return ipc_endpoint{ipc_endpoint::kind::abstract, std::string(address.substr(1))};
    }
    return ipc_endpoint{ipc_endpoint::kind::path, std::string(address)};
}

struct split_endpoint {
    const scheme_entry* scheme;
    std::string_view address;
};

result<split_endpoint> split(std::string_view text)
{
    constexpr std::string_view delimiter = "://";
    const std::size_t position = text.find(delimiter);
    if (position == std::string_view::npos || position == 0 || text.find('\0') != std::string_view::npos) {
        return errc::invalid_argument;
    }
    const std::string_view address = text.substr(position + delimiter.size());
    if (address.empty()) {
        return errc::invalid_argument;
    }
    const std::string_view name = text.substr(0, position);
    const scheme_entry* entry = find_scheme(name);
    if (entry == nullptr) {
        // Known to libzmq, for socket types that are not here.
        return name == "udp" ? errc::incompatible_protocol : errc::protocol_not_supported;
    }
    return split_endpoint{entry, address};
}

result<endpoint> parse(std::string_view text, side where)
{
    const result<split_endpoint> parts = split(text);
    if (!parts) {
        return parts.error();
    }
    const std::string_view address = parts->address;
    endpoint parsed;
    parsed.text = text;
    switch (parts->scheme->scheme) {
    case scheme::tcp: {
        result<tcp_endpoint> tcp = where == side::local ? parse_tcp_bind(address) : parse_tcp_connect(address);
        if (!tcp) {
            return tcp.error();
        }
        parsed.address = std::move(*tcp);
        break;
    }
    case scheme::ipc: {
        result<ipc_endpoint> ipc = parse_ipc(address, where);
        if (!ipc) {
            return ipc.error();
        }
        parsed.address = std::move(*ipc);
        break;
    }
    case scheme::inproc: parsed.address = inproc_endpoint{std::string(address)}; break;
    }
    return parsed;
}

}  // namespace

result<endpoint> parse_bind_endpoint(std::string_view text)
{
    return parse(text, side::local);
}

result<endpoint> parse_connect_endpoint(std::string_view text)
{
    return parse(text, side::peer);
}

result<void> check_scheme(std::string_view text)
{
    const result<split_endpoint> parts = split(text);
    return parts ? result<void>{} : result<void>{parts.error()};
}

std::string to_text(const ipc_endpoint& address)
{
    switch (address.type) {
    case ipc_endpoint::kind::abstract: return "ipc://@" + address.name;
    case ipc_endpoint::kind::any: return "ipc://*";
    case ipc_endpoint::kind::path: break;
    }
    return "ipc://" + address.name;
}

std::string to_text(const inproc_endpoint& address)
{
    return "inproc://" + address.name;
}

}  // namespace zlink::transport
