// The transports of this build: scheme names and what zmq_has says of them.
#pragma once

#include "transport/endpoint.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace zlink::transport {

struct scheme_entry {
    transport::scheme scheme;
    std::string_view name;  ///< before "://"
    bool has_descriptor;    ///< connections of this scheme are file descriptors driven by an I/O thread
};

/// All schemes carry every socket type: none answers ENOCOMPATPROTO.
inline constexpr std::array<scheme_entry, 3> schemes{{
    {scheme::tcp, "tcp", true},
    {scheme::ipc, "ipc", true},
    {scheme::inproc, "inproc", false},
}};

[[nodiscard]] constexpr const scheme_entry* find_scheme(std::string_view name) noexcept
{
    for (const scheme_entry& entry : schemes) {
        if (entry.name == name) {
            return &entry;
        }
    }
    return nullptr;
}

[[nodiscard]] constexpr std::string_view scheme_name(transport::scheme value) noexcept
{
    return schemes[static_cast<std::size_t>(value)].name;
}

/// Answer of zmq_has for a transport. It knows "ipc" alone of ours: tcp and inproc are part of every build and libzmq
/// does not list them as capabilities.
[[nodiscard]] constexpr bool has_capability(std::string_view name) noexcept
{
    return name == "ipc";
}

}  // namespace zlink::transport
