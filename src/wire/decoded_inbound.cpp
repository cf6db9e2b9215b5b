// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/decoded_inbound.hpp"

#include "pipe/receive_count.hpp"

#include <algorithm>

namespace zlink::wire {

bool decoded_inbound::feed(std::span<const std::byte> octets) noexcept
{
    try {
        fed_.assign(octets.begin(), octets.end());
        return true;
    } catch (...) {
        return false;
    }
}

bool decoded_inbound::prepare(receive_arena&, pipe::lane_writer&, scratch& spare, room& to) noexcept
{
    if (has_unread()) return true;
    const std::size_t wanted = max_transfer_ ? std::min(spare.size(), max_transfer_) : spare.size();
    to = {{{spare.data(), wanted}, {}}, 1, wanted};
    return true;
}

inbound::outcome decoded_inbound::accept(std::size_t got, bool, receive_arena&, pipe::lane_writer& lane,
                                         const scratch& spare, command_handler*) noexcept
{
    std::span<const std::byte> octets(spare.data(), got);
    std::vector<std::byte> fed;
    if (has_unread()) {
        fed.swap(fed_);
        octets = fed;
    }
    pipe::count_receive();
    const errc taken = decoder_->accept(octets, lane);
    return taken == errc::none ? outcome::done : fail(taken);
}

}  // namespace zlink::wire
