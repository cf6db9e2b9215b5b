// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers of the ZAP handler.
#include "zmtp/mechanism/zap_client.hpp"

#include "zmtp/metadata.hpp"

#include <algorithm>
#include <iterator>

namespace zlink::zmtp {

mechanism_failure zap_client::take(const mechanism_event& event, bool unchecked, remote_peer& peer)
{
    question_.reset();
    const auto* const reply = std::get_if<zap_reply>(&event);
    if (!reply) {
        if (unchecked && std::holds_alternative<zap_absent>(event)) return {};
        return {handshake_error::no_zap_handler, std::string(to_text(handshake_error::no_zap_handler)), 0};
    }
    zap_answer answer;
    if (const handshake_error error = parse_zap_reply(*reply, answer); error != handshake_error::none) {
        return {error, std::string(to_text(error)), 0};
    }
    if (answer.status != 200) return {handshake_error::auth, std::to_string(answer.status), answer.status};

    // The handler's properties come first, so that a peer cannot state its identity in place of the handler.
    std::vector<property> properties;
    properties.reserve(1 + answer.metadata.size() + peer.properties.size());
    properties.emplace_back(user_id_property, std::move(answer.user_id));
    std::ranges::move(answer.metadata, std::back_inserter(properties));
    std::ranges::move(peer.properties, std::back_inserter(properties));
    peer.properties = std::move(properties);
    return {};
}

}  // namespace zlink::zmtp
