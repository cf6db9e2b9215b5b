// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the frames of one side say, in words: its commands and its messages, whatever carries them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::tool {

// Frames are given in their order. A peer's octets are never trusted; of each text at most `shown` octets are shown.
class frame_words {
public:
    // Of the greeting, or of the agreement on a sub-protocol. Without one, the first frame is a routing id.
    void set_mechanism(std::string_view name) { mechanism_ = name; }
    void set_socket_type(std::string_view name) { socket_type_ = name; }

    std::string command(std::string_view body, std::size_t shown);

    // `beginning`: of the frame's octets, which are `size`. `more`: another frame of the message follows.
    std::string message(std::string_view beginning, std::uint64_t size, bool more, std::size_t shown);

private:
    std::string explain_command(std::string_view name, std::string_view rest, std::size_t shown);
    std::string explain_message(std::string_view beginning, std::uint64_t size, std::size_t shown) const;

    std::string mechanism_;
    std::string socket_type_;
    bool any_ = false;  // a frame has been there
};

}  // namespace zlink::tool
