// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUSH (RFC 30): messages go to the peers in turn.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/load_balancer.hpp"
#include "pattern/routing/message_forms.hpp"

namespace zlink::pattern {

/// If a peer sends messages against the rules, they stay in its lane, which fills up and stops that peer.
template <class Form>
class push_of final : public pattern_defaults {
public:
    explicit push_of(pattern_host& host) noexcept : host_(host) {}

    errc send(const pipe::outgoing& frame) override
    {
        return Form::allows(frame) ? balancer_.send(frame) : errc::invalid_argument;
    }
    errc receive(pipe::delivery&) override { return errc::not_supported; }
    bool drop(const pipe::outgoing& frame) noexcept override { return balancer_.drop(frame); }
    bool may_drop() const noexcept override { return balancer_.has_peer(); }
    bool can_send() override { return balancer_.ready(); }
    bool can_receive() override { return false; }
    pipe::pipe_end* sole_target() noexcept override { return balancer_.sole(); }

    bool attach(pipe::pipe_end& end, const attachment&) override { return balancer_.attach(end); }
    void on_credit(pipe::pipe_end& end) override { balancer_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override
    {
        balancer_.remove(end);
        host_.give_up(end);
    }
    void detach(pipe::pipe_end& end) override { balancer_.remove(end); }

private:
    pattern_host& host_;
    routing::load_balancer balancer_;
};

using push = push_of<routing::any_frames>;

}  // namespace zlink::pattern
