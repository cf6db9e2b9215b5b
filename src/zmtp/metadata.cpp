// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Metadata properties: parsing and writing.
#include "zmtp/metadata.hpp"

#include "base/byte_order.hpp"
#include "base/grow.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace zlink::zmtp {

namespace {

constexpr std::size_t value_length_size = 4;

constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

struct without_case {
    bool operator()(std::string_view a, std::string_view b) const noexcept
    {
        return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
    }
};

}  // namespace

bool same_property_name(std::string_view one, std::string_view other) noexcept
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

const property* find_property(std::span<const property> properties, std::string_view name) noexcept
{
    for (const property& p : properties) {
        if (same_property_name(p.first, name)) return &p;
    }
    return nullptr;
}

bool is_reserved_property(std::string_view name) noexcept
{
    constexpr std::string_view reserved[] = {"Peer-Address", user_id_property, "Routing-Id", "__fd"};
    constexpr std::string_view reserved_prefix = "Tls-";
    return same_property_name(name.substr(0, reserved_prefix.size()), reserved_prefix) ||
           std::ranges::any_of(reserved, [&](std::string_view r) { return same_property_name(name, r); });
}

void remove_forged_and_repeated(std::vector<property>& of_peer)
{
    // Sorted: a peer may send thousands.
    std::set<std::string, without_case> known;
    std::vector<property> kept;
    for (property& p : of_peer) {
        if (!is_reserved_property(p.first) && known.insert(p.first).second) kept.push_back(std::move(p));
    }
    of_peer = std::move(kept);
}

bool metadata_reader::next(property_view& out) noexcept
{
    if (rest_.empty()) return false;
    malformed_ = true;  // until proven well-formed below

    const auto name_size = std::size_t(rest_[0]);
    if (name_size == 0 || rest_.size() < 1 + name_size + value_length_size) return false;
    const std::uint32_t value_size = load_be32(&rest_[1 + name_size]);
    const auto value = rest_.subspan(1 + name_size + value_length_size);
    if (value_size > max_property_value || value_size > value.size()) return false;

    out.name = {reinterpret_cast<const char*>(&rest_[1]), name_size};
    out.value = value.first(value_size);
    rest_ = value.subspan(value_size);
    malformed_ = false;
    return true;
}

result<std::vector<property>> parse_metadata(std::span<const std::byte> metadata)
{
    std::vector<property> properties;
    metadata_reader reader(metadata);
    property_view p;
    while (reader.next(p)) {
        properties.emplace_back(std::string(p.name),
                                std::string(reinterpret_cast<const char*>(p.value.data()), p.value.size()));
    }
    if (reader.malformed()) return errc::protocol_error;
    return properties;
}

result<void> append_property(std::vector<std::byte>& out, std::string_view name, std::span<const std::byte> value)
{
    if (name.empty() || name.size() > max_property_name || value.size() > max_property_value) {
        return errc::invalid_argument;
    }
    const auto name_octets = std::as_bytes(std::span(name));
    std::byte length[value_length_size];
    store_be32(length, std::uint32_t(value.size()));

    grow_for(out, 1 + name.size() + value_length_size + value.size());
    out.push_back(std::byte(name.size()));
    out.insert(out.end(), name_octets.begin(), name_octets.end());
    out.insert(out.end(), length, length + value_length_size);
    out.insert(out.end(), value.begin(), value.end());
    return {};
}

result<void> append_property(std::vector<std::byte>& out, std::string_view name, std::string_view value)
{
    return append_property(out, name, std::as_bytes(std::span(value)));
}

}  // namespace zlink::zmtp
