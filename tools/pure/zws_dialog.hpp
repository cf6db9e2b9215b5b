// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP over WebSocket as sentences (RFC 45 over RFC 6455): both directions of one connection, from its first octet on.
#pragma once

#include "pure/dialog_listener.hpp"
#include "pure/frame_words.hpp"

#include "zws/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::tool {

// It begins with a head of HTTP from each side. Other HTTP than an upgrade to WebSocket is named, and not decoded. Of a
// long frame its beginning alone is held. Peers' octets are never trusted.
class zws_dialog {
public:
    // Of each frame, at most `shown` octets are shown.
    explicit zws_dialog(dialog_listener told, std::size_t shown) : told_(std::move(told)), shown_(shown) {}

    // The octets may be the beginning of a head.
    static bool begins_as_http(std::string_view octets);

    void take(int side, std::string_view octets);
    void end(int side);
    void lose(int side, const std::string& why);

private:
    enum class stage { head, frames, ignored };
    enum class upgrade { none, asked, agreed };

    // A message of WebSocket, perhaps in several frames.
    struct carried {
        zws::opcode what = zws::opcode::binary;
        bool begun = false;  // its last frame has not come
        std::uint64_t size = 0;
        std::string beginning;
    };

    struct direction {
        stage now = stage::head;
        std::string held;     // not decoded yet
        bool inside = false;  // a data frame has begun
        zws::frame_header frame{};
        std::uint64_t left = 0;  // of it to come
        carried message;
        frame_words words;
    };

    bool advance(int side);
    bool read_head(int side);
    void read_request(int side, std::string_view head);
    void read_answer(int side, std::string_view head);
    bool read_frame(int side);
    bool begin_frame(int side);
    void tell_control(int side);
    void tell_message(int side);
    void give_up(int side, const std::string& why);

    dialog_listener told_;
    std::size_t shown_;
    upgrade upgrade_ = upgrade::none;
    int asking_ = 0;          // the side that asked
    bool of_zeromq_ = false;  // the sub-protocol is one of ZeroMQ's
    std::array<direction, 2> sides_;
};

}  // namespace zlink::tool
