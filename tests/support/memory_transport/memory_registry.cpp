// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of transports with one row more, in place of src/transport/registry.cpp.
#include "support/memory_transport/memory_transport.hpp"
#include "transport/inproc/inproc_transport.hpp"
#include "transport/ipc/ipc_transport.hpp"
#include "transport/registry.hpp"
#include "transport/tcp/tcp_transport.hpp"
#ifdef ZLINK_TLS
#include "transport/tls/tls_transport.hpp"
#include "transport/wss/wss_options.hpp"
#endif
#include "transport/udp/udp_transport.hpp"
#include "transport/vsock/vsock_transport.hpp"
#include "transport/ws/ws_options.hpp"
#include "transport/ws/ws_transport.hpp"

namespace zlink::transport {

std::span<const transport* const> transports() noexcept
{
    static const ws::ws_transport over_tcp("ws", ws::own_options, tcp::the_transport());
#ifdef ZLINK_TLS
    static const tls::tls_transport zmtp("tls", {"zmtp/3.1", "tcp"}, tcp::the_transport());
    static const tls::tls_transport https("wss", {"http/1.1", "ws"}, tcp::the_transport());  // below wss alone
    static const ws::ws_transport over_tls("wss", wss::own_options, https);
#endif
    static const transport* const rows[] = {
        &tcp::the_transport(),
        &ipc::the_transport(),
        &inproc::the_transport(),
#ifdef ZLINK_TLS
        &zmtp,
        &over_tls,
#endif
        &over_tcp,
        &udp::the_transport(),
        &vsock::the_transport(),
        &memory::the_transport(),
    };
    return rows;
}

}  // namespace zlink::transport
