// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of transports for targets with whole sockets: each scheme of streams goes over streams in memory. In place
// of src/transport/registry.cpp.
#include "support/memory_transport/memory_transport.hpp"
#include "transport/inproc/inproc_transport.hpp"
#include "transport/registry.hpp"
#ifdef ZLINK_TLS
#include "transport/tls/tls_transport.hpp"
#include "transport/wss/wss_options.hpp"
#endif
#include "transport/ws/ws_options.hpp"
#include "transport/ws/ws_transport.hpp"

namespace zlink::transport {

std::span<const transport* const> transports() noexcept
{
    static const ws::ws_transport over_memory("ws", ws::own_options, memory::the_transport());
#ifdef ZLINK_TLS
    static const tls::tls_transport zmtp("tls", {"zmtp/3.1", "mem"}, memory::the_transport());
    static const tls::tls_transport https("wss", {"http/1.1", "ws"}, memory::the_transport());
    static const ws::ws_transport over_tls("wss", wss::own_options, https);
#endif
    static const transport* const rows[] = {
        &inproc::the_transport(),
        &memory::the_transport(),
#ifdef ZLINK_TLS
        &zmtp,
        &over_tls,
#endif
        &over_memory,
    };
    return rows;
}

}  // namespace zlink::transport
