// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DISH (RFC 48): messages of the groups that it has joined. RADIO peers select them; messages of other groups that come
// all the same are dropped here (they were in flight when the group was left). So are messages that are not a group and
// one body.
#pragma once

#include "message/group_key.hpp"
#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/subscriber.hpp"

#include <optional>

namespace zlink::pattern {

class dish final : public pattern_defaults {
public:
    explicit dish(pattern_host& host) noexcept : subscriber_(host) {}

    errc send(const pipe::outgoing&) override { return errc::not_supported; }
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return true; }  // as libzmq: a group can be joined at any time
    bool can_receive() override;

    bool attach(pipe::pipe_end& end, const attachment& how) override { return subscriber_.attach(end, how); }
    void on_data(pipe::pipe_end& end) override { subscriber_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { subscriber_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override;
    void on_reconnected(pipe::pipe_end& end) override { subscriber_.on_reconnected(end); }

    bool announce_sleep() override { return subscriber_.announce_sleep(); }
    bool confirm_sleep() override { return subscriber_.confirm_sleep(); }

    /// Joins or leaves a group. invalid_argument: it is too long, or this changes nothing.
    errc subscribe(std::span<const std::byte> group, bool on) override;

private:
    [[nodiscard]] [[gnu::always_inline]] errc receive_pair(pipe::delivery& to);
    [[nodiscard]] [[gnu::noinline]] errc receive_in_pieces(pipe::delivery& to);
    [[nodiscard]] [[gnu::always_inline]] bool joined(std::span<const std::byte> group) noexcept;
    bool take_group(pipe::pipe_end& end, const pipe::incoming& f);
    pipe::pipe_end* next(pipe::incoming& body);

    routing::subscriber subscriber_;
    pipe::pipe_end* sender_ = nullptr;               ///< its group was taken, the body follows; null: nobody's
    std::optional<message::group_key> group_of_;     ///< of that message
    std::optional<message::group_key> last_joined_;  ///< a group that was joined: most messages are of the last one's
};

}  // namespace zlink::pattern
