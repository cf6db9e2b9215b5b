// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/command.hpp"

#include "base/byte_order.hpp"
#include "message/frame_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace zlink::shm {

namespace {

constexpr std::size_t id_size = 4;
constexpr std::size_t layout_size = id_size + 4 + 8;

struct named {
    std::string_view name;
    std::size_t size;  // of the data
};

// In the order of command_kind.
constexpr std::array<named, 6> names{{{"X-SHM-OFFER", layout_size},
                                      {"X-SHM-ACCEPT", id_size},
                                      {"X-SHM-DECLINE", id_size},
                                      {"X-SHM-ARENA", id_size},
                                      {"X-SHM-RETURNS", id_size},
                                      {"X-SHM-RETIRE", id_size}}};

}  // namespace

result<command> parse_command(std::string_view name, std::span<const std::byte> data) noexcept
{
    const auto found = std::ranges::find(names, name, &named::name);
    if (found == names.end() || data.size() != found->size) return errc::protocol_error;
    command c;
    c.kind = command_kind(found - names.begin());
    c.segment.id = load_be32(data.data());
    if (c.kind == command_kind::offer) {
        c.segment.slots = load_be32(data.data() + id_size);
        c.segment.slot_size = load_be64(data.data() + id_size + 4);
    }
    return c;
}

void append_command(std::vector<std::byte>& to, const command& c)
{
    const named& what = names[std::size_t(c.kind)];
    const std::size_t body = 1 + what.name.size() + what.size;
    const std::size_t before = to.size();
    to.resize(before + message::short_header_size + body);
    std::byte* at = to.data() + before;
    at += message::encode_header(at, message::flag_command, body);
    *at++ = std::byte(what.name.size());
    std::memcpy(at, what.name.data(), what.name.size());
    at += what.name.size();
    store_be32(at, c.segment.id);
    if (c.kind != command_kind::offer) return;
    store_be32(at + id_size, c.segment.slots);
    store_be64(at + id_size + 4, c.segment.slot_size);
}

}  // namespace zlink::shm
