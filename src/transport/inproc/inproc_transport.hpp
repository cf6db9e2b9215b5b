// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// inproc://name: sockets of one context, joined by pipes. There is nothing to read or write here; the context keeps the
// names (socket/inproc_registry.hpp).
#pragma once

#include "transport/transport.hpp"

#include <string>

namespace zlink::transport::inproc {

class inproc_address final : public address {
public:
    explicit inproc_address(std::string_view text) : name(text) {}
    std::string name;
};

[[nodiscard]] const transport& the_transport() noexcept;

/// The name in an endpoint of this transport.
[[nodiscard]] inline const std::string& name_of(const address& where) noexcept
{
    return static_cast<const inproc_address&>(where).name;
}

}  // namespace zlink::transport::inproc
