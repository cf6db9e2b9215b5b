// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/exchange.hpp"

#include <new>
#include <utility>

namespace zlink::shm {

bool exchange::offer_segment() noexcept
{
    const auto made = out_.make_segment();
    if (!made) return false;
    const std::optional<segment_layout>& l = *made;
    if (l && !owner_.send_exchange({command_kind::offer, *l}, {})) (void)out_.refused(l->id);
    return !l;
}

bool exchange::on_command(std::string_view name, std::span<const std::byte> data) noexcept
{
    const auto c = parse_command(name, data);
    if (!c) return false;
    const std::uint32_t id = c->segment.id;
    switch (c->kind) {
    case command_kind::offer: return on_offer(c->segment);
    case command_kind::accept: return on_accept(id);
    case command_kind::decline:
        awaits_returns_ = false;
        expect();
        return out_.refused(id);
    case command_kind::arena: return on_arena(id);
    case command_kind::returns: return on_returns(id);
    case command_kind::retire: return in_.retire(id);
    }
    return false;
}

bool exchange::on_offer(const segment_layout& l) noexcept
{
    if (expected_ || !l.in_bounds()) return false;
    if (incoming_ == incoming_bodies::declined || !in_.has_room_for(l)) return send(command_kind::decline, l.id);
    expected_ = l;
    expect();
    return send(command_kind::accept, l.id);
}

bool exchange::on_accept(std::uint32_t id) noexcept
{
    result<unique_fd> descriptor = out_.accepted(id);
    if (!descriptor && descriptor.error() == errc::protocol_error) return false;
    awaits_returns_ = true;
    expect();
    // Without a descriptor, as where none is left, the peer declines.
    return send(command_kind::arena, id, descriptor ? std::move(*descriptor) : unique_fd());
}

// Without a descriptor, something between the peers passes octets on and nothing else.
bool exchange::on_arena(std::uint32_t id) noexcept
{
    if (!expected_ || expected_->id != id) return false;
    const segment_layout l = *std::exchange(expected_, std::nullopt);
    unique_fd descriptor = owner_.take_descriptor();
    expect();
    if (!descriptor) return send(command_kind::decline, id);
    result<unique_fd> returns = in_.take_segment(l, descriptor.get());
    if (!returns) return returns.error() != errc::protocol_error && send(command_kind::decline, id);
    return send(command_kind::returns, id, std::move(*returns));
}

bool exchange::on_returns(std::uint32_t id) noexcept
{
    if (!awaits_returns_) return false;
    awaits_returns_ = false;
    const unique_fd descriptor = owner_.take_descriptor();
    expect();
    const result<void> mapped = descriptor ? out_.returned(id, descriptor.get()) : errc::no_entry;
    if (mapped || mapped.error() == errc::protocol_error) return bool(mapped);
    return out_.refused(id) && send(command_kind::retire, id);
}

void exchange::retire_unused() noexcept
{
    try {
        std::vector<std::uint32_t> retired;
        out_.retire_unused(retired);
        for (const std::uint32_t id : retired) {
            if (!send(command_kind::retire, id)) return;
        }
    } catch (const std::bad_alloc&) {  // the peer keeps some memory until the connection ends
    }
}

}  // namespace zlink::shm
