// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/tcp_options.hpp"

#include "base/option_table.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>

namespace zlink::transport::tcp {

namespace {

using namespace option_table;

using socks = socks_options;

errc set_tcp_keepalive(const option_row&, stream_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (value != -1 && value != 0 && value != 1) {
        return errc::invalid_argument;
    }
    options.change<tcp_options>().keepalive = *value;
    return errc::none;
}

/// Numeric. IPv4: also the forms of inet_aton(3) ("10.1" is 10.0.0.1). IPv6: on sockets that speak it. Returns the
/// number of bits of such an address; 0: `text` is not one. `address` is written as inet_ntop(3) would.
int parse_filter_address(std::string_view text, bool ipv6, std::string& address)
{
    const std::string given{text};
    char written[INET6_ADDRSTRLEN];
    in_addr v4;
    // inet_aton ignores the text behind a space.
    if (given.find_first_of(" \t\n\v\f\r") == std::string::npos && inet_aton(given.c_str(), &v4) == 1) {
        address = inet_ntop(AF_INET, &v4, written, sizeof written);
        return 32;
    }
    in6_addr v6;
    if (!ipv6 || inet_pton(AF_INET6, given.c_str(), &v6) != 1) return 0;
    address = inet_ntop(AF_INET6, &v6, written, sizeof written);
    return 128;
}

/// "address" or "address/bits". Brackets around IPv6 are dropped; bits end where their digits do.
bool parse_accept_filter(std::string_view text, bool ipv6, std::string& filter)
{
    const std::size_t slash = text.find('/');
    std::string_view given = text.substr(0, slash);
    if (given.size() > 2 && given.front() == '[' && given.back() == ']') given = given.substr(1, given.size() - 2);
    std::string address;
    const int longest = parse_filter_address(given, ipv6, address);
    if (longest == 0) return false;
    int bits = longest;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (failure != std::errc{} || bits < 0 || bits > longest || (bits == 0 && digits != "0")) return false;
    }
    filter = address + '/' + std::to_string(bits);
    return true;
}

errc set_tcp_accept_filter(const option_row&, stream_options& options, const option_input& input)
{
    if (input.is_null()) {
        options.change<tcp_options>().accept_filters.clear();
        return errc::none;
    }
    std::string filter;
    // A C string: octets behind its terminating zero are ignored.
    const std::string_view text = input.bytes().substr(0, input.bytes().find('\0'));
    if (input.size() > UINT8_MAX || !parse_accept_filter(text, options.ipv6, filter)) {
        return errc::invalid_argument;
    }
    options.change<tcp_options>().accept_filters.push_back(std::move(filter));
    return errc::none;
}

constexpr part<tcp_options> tcp_part;

constexpr option_row table[] = {
    number<tcp_part, &tcp_options::tos>(ZMQ_TOS, 0),
    number<tcp_part, &tcp_options::priority>(ZMQ_PRIORITY, 0),
    with(ZMQ_TCP_KEEPALIVE, set_tcp_keepalive, get_number<tcp_part, &tcp_options::keepalive>),
    number<tcp_part, &tcp_options::keepalive_cnt>(ZMQ_TCP_KEEPALIVE_CNT, -1),
    number<tcp_part, &tcp_options::keepalive_idle>(ZMQ_TCP_KEEPALIVE_IDLE, -1),
    number<tcp_part, &tcp_options::keepalive_intvl>(ZMQ_TCP_KEEPALIVE_INTVL, -1),
    number<tcp_part, &tcp_options::maxrt>(ZMQ_TCP_MAXRT, 0),
    set_only(number<tcp_part, &tcp_options::busy_poll>(ZMQ_BUSY_POLL, any)),
    setter(ZMQ_TCP_ACCEPT_FILTER, every_type, set_tcp_accept_filter),
    // Null or empty: none. zmq_connect checks the proxy's name and the peer's.
    string<SIZE_MAX, tcp_part, &tcp_options::socks, &socks::proxy>(ZMQ_SOCKS_PROXY),
    // Their lengths go over the wire as one octet.
    string<UINT8_MAX, tcp_part, &tcp_options::socks, &socks::user_name>(ZMQ_SOCKS_USERNAME),
    string<UINT8_MAX, tcp_part, &tcp_options::socks, &socks::password>(ZMQ_SOCKS_PASSWORD),
};

}  // namespace

constinit const option_rows own_options{table};

}  // namespace zlink::transport::tcp
