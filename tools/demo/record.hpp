// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A message of the demo: a header with sequence number and checksum, and contents cut from real input. With it a
// receiver knows by itself whether a message is missing, late, doubled or damaged.
#pragma once

#include "demo/corpus.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace zlink::tool::demo {

enum class record_kind : std::uint8_t {
    hello = 1,  // until the subscriber hears the publisher; not counted
    paced,      // small, one at a time: measures latency
    burst,      // all sizes, as fast as they go: measures throughput
    end,        // the last one; its sequence number is the number of messages before it
};

// First bytes of every message, and the topic of published ones.
constexpr std::string_view topic = "zlinkdm1";

struct record_header {
    char magic[8];
    std::uint64_t sequence;
    std::uint64_t checksum;  // over this header with checksum 0, the length of each frame and the contents
    std::int64_t sent_at;    // steady clock in ns: the same for all processes of a machine
    std::uint32_t content_size;
    std::uint16_t frames;  // that carry the content; 0: it follows the header in the same frame
    record_kind kind;
    std::uint8_t unused;
};
static_assert(sizeof(record_header) == 40 && std::is_trivially_copyable_v<record_header>);

// What to send: header() first, joined by the content if there are no frames.
struct record {
    record_header header{};
    std::vector<std::string_view> content;  // one piece when header.frames is 0
};

// Makes the record of a sequence number: size, number of frames and content follow from the number alone.
// in_one_frame is for byte streams.
void make(record& into, const corpus& source, std::uint64_t sequence, record_kind kind, bool in_one_frame);

// The header when the bytes begin with one.
std::optional<record_header> read_header(std::string_view bytes);

// Whether the frames that arrived, header frame first, are exactly what was sent.
bool intact(const record_header& header, std::span<const std::string_view> frames);

std::int64_t now_ns();

}  // namespace zlink::tool::demo
