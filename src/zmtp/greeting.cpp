// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Greeting octets, and the detection of a peer's version from them.
#include "zmtp/greeting.hpp"

#include "base/byte_order.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::zmtp {

namespace {

constexpr std::byte signature_first{0xff};
constexpr std::byte signature_last{0x7f};
/// Set in the last signature octet of versioned peers. In a 1.0 peer's long frame header it is the MORE bit, which a
/// routing-id frame never has.
constexpr std::byte versioned_bit{0x01};

constexpr std::size_t revision_at = signature_size;
constexpr std::size_t minor_at = 11;
constexpr std::size_t mechanism_at = 12;

}  // namespace

std::array<std::byte, signature_size> encode_signature(std::size_t routing_id_size) noexcept
{
    std::array<std::byte, signature_size> out;
    out[0] = signature_first;
    store_be64(&out[1], std::uint64_t(routing_id_size) + 1);
    out[9] = signature_last;
    return out;
}

std::array<std::byte, greeting_size - signature_size - 1> encode_greeting_rest(std::string_view mechanism,
                                                                               bool as_server) noexcept
{
    std::array<std::byte, greeting_size - signature_size - 1> out{};
    out[0] = std::byte{own_minor_version};
    std::memcpy(&out[1], mechanism.data(), std::min(mechanism.size(), mechanism_field_size));
    out[1 + mechanism_field_size] = std::byte{as_server};
    return out;
}

std::size_t greeting_reader::advance(std::span<const std::byte> in) noexcept
{
    std::size_t taken = 0;
    while (taken < in.size() && stage_ != stage::complete && stage_ != stage::unversioned) {
        octets_[size_++] = in[taken++];
        if (stage_ == stage::signature) {
            if (octets_[0] != signature_first) {
                stage_ = stage::unversioned;
            } else if (size_ == signature_size) {
                const bool versioned = (octets_[signature_size - 1] & versioned_bit) != std::byte{0};
                stage_ = versioned ? stage::version : stage::unversioned;
            }
        } else {
            const std::size_t whole = revision() < 3 ? v2_greeting_size : greeting_size;
            stage_ = size_ == whole ? stage::complete : stage::rest;
        }
    }
    return taken;
}

protocol_version greeting_reader::version() const noexcept
{
    if (stage_ == stage::unversioned) return protocol_version::zmtp_1_0;
    switch (std::uint8_t(octets_[revision_at])) {
    case 0: return protocol_version::zmtp_1_0;
    case 1:
    case 2: return protocol_version::zmtp_2_0;
    case 3: return octets_[minor_at] == std::byte{0} ? protocol_version::zmtp_3_0 : protocol_version::zmtp_3_1;
    default: return protocol_version::zmtp_3_1;
    }
}

bool greeting_reader::mechanism_is(std::string_view name) const noexcept
{
    if (name.size() > mechanism_field_size) return false;
    std::array<std::byte, mechanism_field_size> field{};
    std::memcpy(field.data(), name.data(), name.size());
    return std::memcmp(field.data(), &octets_[mechanism_at], field.size()) == 0;
}

}  // namespace zlink::zmtp
