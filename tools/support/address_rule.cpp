// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/address_rule.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace zlink::tool {
namespace {

using octets = std::array<std::uint8_t, 16>;

constexpr unsigned mapped_bits = 96;  // in front of an IPv4 address in IPv6

struct parsed_address {
    octets value{};
    bool is_v4 = false;
};

std::optional<parsed_address> parse_address(std::string_view text)
{
    const std::string copy(text.substr(0, text.find('%')));  // the interface says nothing about the peer's identity
    parsed_address result;
    if (inet_pton(AF_INET6, copy.c_str(), result.value.data()) == 1) {
        return result;
    }
    result.value = {};
    result.value[10] = result.value[11] = 0xff;
    result.is_v4 = true;
    return inet_pton(AF_INET, copy.c_str(), result.value.data() + 12) == 1 ? std::optional(result) : std::nullopt;
}

std::optional<unsigned> parse_number(std::string_view text)
{
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool same_front(const octets& one, const octets& other, unsigned bits)
{
    const unsigned whole = bits / 8;
    if (!std::equal(one.begin(), one.begin() + whole, other.begin())) {
        return false;
    }
    const unsigned rest = bits % 8;
    return rest == 0 || ((one[whole] ^ other[whole]) >> (8 - rest)) == 0;
}

}  // namespace

std::optional<local_peer> parse_local_peer(std::string_view address)
{
    const auto parts = split(address, ":");
    if (parts.size() != 4 || parse_address(address)) {
        return std::nullopt;
    }
    const auto user = parse_number(parts[1]);
    const auto group = parse_number(parts[2]);
    const auto process = parse_number(parts[3]);
    return user && group && process ? std::optional(local_peer{*user, *group, *process}) : std::nullopt;
}

std::optional<address_rule> address_rule::parse(std::string_view text)
{
    address_rule rule;
    if (text == "ipc") {
        return rule;
    }
    if (text.starts_with("uid:") || text.starts_with("gid:")) {
        rule.kind_ = text.starts_with("uid:") ? kind::user : kind::group;
        const auto id = parse_number(text.substr(4));
        rule.id_ = id.value_or(0);
        return id ? std::optional(rule) : std::nullopt;
    }
    const auto slash = text.find('/');
    const auto address = parse_address(text.substr(0, slash));
    if (!address || text.find('%') != std::string_view::npos) {
        return std::nullopt;
    }
    const unsigned most = address->is_v4 ? 32 : 128;
    const auto bits = slash == std::string_view::npos ? std::optional(most) : parse_number(text.substr(slash + 1));
    if (!bits || *bits > most) {
        return std::nullopt;
    }
    rule.kind_ = kind::network;
    rule.network_ = address->value;
    rule.bits_ = *bits + (address->is_v4 ? mapped_bits : 0);
    return rule;
}

bool address_rule::matches(std::string_view address) const
{
    if (kind_ == kind::network) {
        const auto peer = parse_address(address);
        return peer && same_front(peer->value, network_, bits_);
    }
    const auto peer = parse_local_peer(address);
    switch (kind_) {
    case kind::user: return peer && peer->user == id_;
    case kind::group: return peer && peer->group == id_;
    default: return peer.has_value();
    }
}

}  // namespace zlink::tool
