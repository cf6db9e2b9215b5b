// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What goes over a connection as sentences, in whichever of the protocols that can carry ZMTP.
#pragma once

#include "pure/dialog_listener.hpp"
#include "pure/tls_dialog.hpp"
#include "pure/zmtp_dialog.hpp"
#include "pure/zws_dialog.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace zlink::tool {

// The first octets of each side decide: ZMTP, WebSocket or other HTTP, TLS. Takes octets in pieces of any size, from the
// connection's first octet on.
class connection_dialog {
public:
    // Of each frame, at most `shown` octets are shown.
    explicit connection_dialog(const dialog_listener& told, std::size_t shown = 64)
        : zmtp_(told, shown),
          zws_(told, shown),
          tls_(told)
    {}

    void take(int side, std::string_view octets);

    // No more octets come from this side: says what is incomplete.
    void end(int side);

    // From here on octets are missing.
    void lose(int side, const std::string& why);

private:
    enum class protocol { unknown, zmtp, zws, tls };

    struct direction {
        protocol what = protocol::unknown;
        std::string first;  // the octets until it is known
    };

    void decide(direction& one, bool ends);
    template <class What>
    void with_dialog(int side, What what);

    zmtp_dialog zmtp_;
    zws_dialog zws_;
    tls_dialog tls_;
    std::array<direction, 2> sides_;
};

}  // namespace zlink::tool
