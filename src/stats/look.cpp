// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/look.hpp"

#include "socket/live_sockets.hpp"
#include "transport/local_service/service_place.hpp"

#include <zlink.h>

#include <cerrno>
#include <utility>

namespace zlink::stats {

namespace {

std::string version_of_zlink()
{
    return std::to_string(ZLINK_VERSION_MAJOR) + "." + std::to_string(ZLINK_VERSION_MINOR) + "." +
           std::to_string(ZLINK_VERSION_PATCH);
}

std::string name_of_program()
{
    return program_invocation_short_name ? program_invocation_short_name : "";
}

}  // namespace

std::optional<process_report> look_at_process(bool with_peers, std::size_t most_peers, const std::atomic<bool>& ends)
{
    process_report report{
        version_of_zlink(), transport::local_service::this_process(), name_of_program(), with_peers, {}};
    std::size_t peers = 0;
    for (const auto& account : socket::live_sockets::all()) {
        // Relaxed: the look ends a moment later otherwise.
        if (ends.load(std::memory_order_relaxed)) return std::nullopt;
        socket_report one;
        if (!account->look(one.numbers)) continue;
        if (with_peers) {
            const auto keep = [&](const socket::peer_statistics& peer) {
                if (++peers <= most_peers) one.peers.push_back(peer);
            };
            if (!account->look_at_peers(keep)) continue;
            if (peers > most_peers) return std::nullopt;
        }
        report.sockets.push_back(std::move(one));
    }
    return report;
}

}  // namespace zlink::stats
