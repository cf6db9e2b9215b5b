// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ws/ws_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace zlink::transport::ws {

namespace {

using status = io_outcome::status;

// Octets read at a time while the upgrade lasts.
constexpr std::size_t read_size = 2 * 1024;

}  // namespace

io_outcome ws_stream::read(const iovec* to, int count) noexcept
{
    if (agreed()) [[likely]]
        return early_.empty() ? below().read(to, count) : read_early(to, count);
    return read_head();
}

io_outcome ws_stream::write(const iovec* from, int count) noexcept
{
    if (upgrade_) [[unlikely]] {
        const io_outcome written = write_output();
        if (written.state != status::more) return written;
        // A handshake below may have been written in part: the peer waits for the rest.
        if (!agreed() && below().has_pending_output()) {
            const io_outcome rest = below().write(nullptr, 0);
            if (rest.state != status::more) return rest;
        }
        if (!agreed()) return {status::blocked};
        upgrade_.reset();
    }
    return count != 0 || below().has_pending_output() ? below().write(from, count) : io_outcome{};
}

bool ws_stream::write_waits_for_input() const noexcept
{
    return (!agreed() && !has_pending_output()) || below().write_waits_for_input();
}

io_outcome ws_stream::read_head() noexcept
{
    std::array<std::byte, read_size> head;
    const iovec piece{head.data(), head.size()};
    // A handshake below has words of its own for its end.
    const bool is_ours = !below().handshake_in_progress();
    const io_outcome come = below().read(&piece, 1);
    if (is_ours && come.state == status::closed)
        tell_failure("the peer has ended the connection during the upgrade to WebSocket");
    if (is_ours && come.state == status::failed) tell_failure("the connection broke during the upgrade to WebSocket");
    if (come.state == status::closed || come.state == status::failed) return come;
    const io_outcome taken = take_head({head.data(), come.octets});
    // Octets that came behind the upgrade are there at once.
    return taken.state == status::more && early_.empty() ? io_outcome{come.state} : taken;
}

io_outcome ws_stream::take_head(std::span<const std::byte> come) noexcept
{
    try {
        const std::size_t taken = upgrade_->advance(come);
        switch (upgrade_->current()) {
        case zws::upgrade::state::in_progress: return {};
        case zws::upgrade::state::done:
            early_.assign(come.begin() + std::ptrdiff_t(taken), come.end());
            negotiation_ = {negotiation::state::agreed, upgrade_->agreed().client, upgrade_->agreed().mechanism};
            return {};
        case zws::upgrade::state::failed: break;
        }
    } catch (...) {
        return {status::failed, 0, errc::out_of_memory};
    }
    negotiation_.now = negotiation::state::failed;
    tell_failure(upgrade_->reason());
    say_why_not();
    return {status::failed, 0, errc::protocol_error};
}

void ws_stream::say_why_not() noexcept
{
    if (!has_output()) return;
    (void)write_output();
    discard_input(below());
}

void ws_stream::end_with(std::span<const std::byte> last) noexcept
{
    if (agreed() && !has_output() && process_generation() == generation_) below().end_with(last);
}

io_outcome ws_stream::read_early(const iovec* to, int count) noexcept
{
    std::size_t given = 0;
    for (int i = 0; i < count && given != early_.size(); ++i) {
        const std::size_t n = std::min(to[i].iov_len, early_.size() - given);
        std::memcpy(to[i].iov_base, early_.data() + given, n);
        given += n;
    }
    early_.erase(early_.begin(), early_.begin() + std::ptrdiff_t(given));
    if (early_.empty()) std::vector<std::byte>().swap(early_);
    return {status::more, given};
}

// more: all of it is written.
io_outcome ws_stream::write_output() noexcept
{
    while (has_output()) {
        const auto out = upgrade_->output();
        const iovec piece{const_cast<std::byte*>(out.data()), out.size()};
        const io_outcome written = below().write(&piece, 1);
        upgrade_->consume_output(written.octets);
        if (written.state == status::more) continue;
        return {has_output() ? written.state : status::more, 0, written.error};
    }
    return {};
}

}  // namespace zlink::transport::ws
