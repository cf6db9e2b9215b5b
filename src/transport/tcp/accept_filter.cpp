// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/accept_filter.hpp"

#include <charconv>

namespace zlink::transport::tcp {

result<accept_filter> accept_filter::parse(std::string_view text)
{
    const std::size_t slash = text.rfind('/');
    const auto written = ip_address::from_literal(std::string(text.substr(0, slash)), 0);
    if (!written) {
        return errc::invalid_argument;
    }
    const auto bits = [](const ip_address& address) {
        return static_cast<unsigned>(address.address_bytes().size() * 8);
    };
    unsigned prefix = bits(*written);
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const char* end = digits.data() + digits.size();
        const auto [rest, error] = std::from_chars(digits.data(), end, prefix);
        if (error != std::errc{} || rest != end || prefix > bits(*written)) {
            return errc::invalid_argument;
        }
    }
    // The first 96 bits of a mapped network are the mapping's; a shorter prefix spans more than IPv4 and stays IPv6.
    if (written->is_v4_mapped() && prefix >= 96) {
        return accept_filter{written->to_unmapped(), prefix - 96};
    }
    return accept_filter{*written, prefix};
}

bool accept_filter::admits(const ip_address& peer) const noexcept
{
    const ip_address address = peer.to_unmapped();
    if (address.family() != network_.family()) {
        return false;
    }
    const auto wanted = network_.address_bytes();
    const auto given = address.address_bytes();
    const std::size_t whole = prefix_ / 8;
    for (std::size_t i = 0; i < whole; ++i) {
        if (wanted[i] != given[i]) {
            return false;
        }
    }
    const unsigned rest = prefix_ % 8;
    return rest == 0 || ((wanted[whole] ^ given[whole]) >> (8 - rest)) == 0;
}

}  // namespace zlink::transport::tcp
