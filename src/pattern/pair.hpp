// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PAIR (RFC 31): one peer, messages both ways.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/message_forms.hpp"
#include "pattern/routing/sole_peer.hpp"

namespace zlink::pattern {

template <class Form>
class pair_of final : public pattern_defaults {
public:
    explicit pair_of(pattern_host& host) noexcept : peer_(host) {}

    errc send(const pipe::outgoing& frame) override
    {
        return Form::allows(frame) ? peer_.send(frame) : errc::invalid_argument;
    }
    errc receive(pipe::delivery& to) override { return routing::receive_next<Form>(peer_, to); }
    bool drop(const pipe::outgoing& frame) noexcept override { return peer_.drop(frame); }
    bool may_drop() const noexcept override { return peer_.has_peer(); }
    bool can_send() override { return peer_.can_send(); }
    bool can_receive() override { return routing::has_next<Form>(peer_); }
    pipe::pipe_end* sole_target() noexcept override { return peer_.target(); }
    pipe::pipe_end* sole_source() noexcept override { return peer_.source(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return peer_.attach(end, how); }
    void on_peer_closed(pipe::pipe_end& end) override { peer_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { peer_.detach(end); }

    bool announce_sleep() override { return peer_.announce_sleep(); }
    bool confirm_sleep() override { return peer_.confirm_sleep(); }

private:
    routing::sole_peer peer_;
};

using pair = pair_of<routing::any_frames>;

}  // namespace zlink::pattern
