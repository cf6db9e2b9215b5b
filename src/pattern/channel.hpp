// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CHANNEL (RFC 52): one peer, messages of one frame both ways.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/sole_peer.hpp"

namespace zlink::pattern {

class channel final : public pattern_defaults {
public:
    explicit channel(pattern_host& host) noexcept : peer_(host) {}

    errc send(const pipe::outgoing& frame) override { return frame.more ? errc::invalid_argument : peer_.send(frame); }
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return peer_.can_send(); }
    bool can_receive() override;
    pipe::pipe_end* sole_target() noexcept override { return peer_.target(); }
    pipe::pipe_end* sole_source() noexcept override { return peer_.source(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return peer_.attach(end, how); }
    void on_peer_closed(pipe::pipe_end& end) override { peer_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { peer_.detach(end); }

    bool announce_sleep() override { return peer_.announce_sleep(); }
    bool confirm_sleep() override { return peer_.confirm_sleep(); }

private:
    bool next(pipe::incoming& f);
    void skip(pipe::incoming f);

    routing::sole_peer peer_;
};

}  // namespace zlink::pattern
