// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The records of TLS as sentences (RFC 8446 and 5246): their kinds and sizes, and what the handshake says in clear.
#pragma once

#include "pure/dialog_listener.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace zlink::tool {

// Both directions of one connection. What is encrypted stays so: there are no keys here. Peers' octets are never
// trusted.
class tls_dialog {
public:
    explicit tls_dialog(dialog_listener told) : told_(std::move(told)) {}

    // The octets are the beginning of a handshake, or of an alert that refuses one.
    static bool begins_as_tls(std::string_view octets);

    void take(int side, std::string_view octets);
    void end(int side);
    void lose(int side, const std::string& why);

private:
    struct direction {
        std::string held;
        bool encrypted = false;  // it has changed to its keys
        bool ignored = false;
    };

    bool read_record(int side);
    void give_up(int side, const std::string& why);

    dialog_listener told_;
    std::array<direction, 2> sides_;
};

}  // namespace zlink::tool
