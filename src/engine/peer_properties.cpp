// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/peer_properties.hpp"

#include "zmtp/metadata.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine {

message::metadata* properties_of(const zmtp::remote_peer& peer, const transport::stream& from) noexcept
{
    try {
        std::vector<message::metadata::property> properties;
        from.add_properties(properties);
        properties.emplace_back("__fd", std::to_string(from.descriptor()));
        const std::string id(reinterpret_cast<const char*>(peer.routing_id.data()), peer.routing_id.size());
        if (!id.empty() && peer.version >= zmtp::protocol_version::zmtp_3_0) properties.emplace_back("Routing-Id", id);
        properties.insert(properties.end(), peer.properties.begin(), peer.properties.end());
        return message::metadata::create(std::move(properties));
    } catch (...) {
        return nullptr;
    }
}

std::string_view user_id_of(const zmtp::remote_peer& peer) noexcept
{
    const auto found = std::ranges::find(peer.properties, zmtp::user_id_property, &zmtp::property::first);
    return found == peer.properties.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace zlink::engine
