// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What one end of a stream in memory does to the octets that pass: cuts, refusals, acknowledgements, an end after so
// many.
//
// Written behind an endpoint's name: "mem://name?read=7&write=5&again=3&seed=1". Each side has that of its own
// endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace zlink::transport::memory {

struct stream_script {
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    std::size_t room = 256 * 1024;  ///< octets on their way, at most
    std::size_t read = never;   ///< octets that a call gives, at most; the rest is pending, or more at once, by turns
    std::size_t write = never;  ///< octets that a call takes, at most
    std::size_t again = 0;      ///< every so many calls there is nothing now; 0: never
    /// Octets accepted that the end keeps until there is room for them, at most. They ask for a write turn, and are
    /// lost with the end. 0: it accepts what there is room for.
    std::size_t hold = 0;
    /// Octets written that the other end has not acknowledged, at most: writing waits for input then, and reading
    /// leaves the other end something to write. 0: none are asked for.
    std::size_t ack = 0;
    std::size_t fail = never;   ///< after so many octets, both ways together, it is reset
    std::size_t close = never;  ///< after so many octets the peer seems to have closed
    std::size_t times = 1;      ///< connections of an endpoint that this happens to, the first ones
    std::uint32_t seed = 1;     ///< for what happens by turns
};

/// "read=7&write=5"; empty: a stream that does nothing to its octets. Nothing if it is malformed.
[[nodiscard]] std::optional<stream_script> parse_script(std::string_view text);

}  // namespace zlink::transport::memory
