// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP as sentences (RFC 13, 15, 23 and 37): both directions of one connection, from its first octet on.
#pragma once

#include "pure/dialog_listener.hpp"
#include "pure/frame_words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// Takes octets in pieces of any size, and holds few of them: of a long frame its beginning alone. Peers' octets are
// never trusted.
class zmtp_dialog {
public:
    // Of each frame, at most `shown` octets are shown.
    explicit zmtp_dialog(dialog_listener told, std::size_t shown = 64) : told_(std::move(told)), shown_(shown) {}

    void take(int side, std::string_view octets);

    // No more octets come from this side: says what is incomplete.
    void end(int side);

    // From here on octets are missing.
    void lose(int side, const std::string& why);

private:
    enum class stage { signature, version, greeting, frames, ignored };

    struct direction {
        stage now = stage::signature;
        std::string held;             // not decoded yet
        std::optional<int> revision;  // from its greeting; 0: none, ZMTP 1.0
        frame_words words;
        bool inside = false;  // a frame has begun
        std::uint8_t flags = 0;
        std::uint64_t size = 0;  // of the frame
        std::uint64_t left = 0;  // of it to come
        std::string body;        // its beginning
    };

    bool advance(int side);
    bool read_signature(int side);
    bool read_version(int side);
    bool read_greeting(int side);
    bool read_frame(int side);
    bool begin_frame(direction& one, int side);
    bool begin_old_frame(direction& one);
    void give_up(int side, const std::string& why);
    int framing(int side) const;

    dialog_listener told_;
    std::size_t shown_;
    std::array<direction, 2> sides_;
};

}  // namespace zlink::tool
