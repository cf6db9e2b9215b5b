// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CLIENT (RFC 41): messages of one frame go to the servers and come from them in turn.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/load_balancer.hpp"
#include "pattern/routing/single_frames.hpp"

namespace zlink::pattern {

class client final : public pattern_defaults, private routing::fair_queue::owner {
public:
    explicit client(pattern_host& host) noexcept : host_(host), queue_(*this) {}

    errc send(const pipe::outgoing& frame) override
    {
        return frame.more ? errc::invalid_argument : balancer_.send(frame);
    }
    errc receive(pipe::delivery& to) override { return routing::receive_single(queue_, to); }
    bool can_send() override { return balancer_.ready(); }
    bool can_receive() override { return routing::has_single(queue_); }
    pipe::pipe_end* sole_target() noexcept override { return balancer_.sole(); }
    pipe::pipe_end* sole_source() noexcept override { return queue_.sole(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_data(pipe::pipe_end& end) override { queue_.activate(end); }
    void on_credit(pipe::pipe_end& end) override { balancer_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override { return queue_.announce_sleep(); }
    bool confirm_sleep() override { return queue_.confirm_sleep(); }

private:
    void on_drained(pipe::pipe_end& end) override;

    pattern_host& host_;
    routing::fair_queue queue_;
    routing::load_balancer balancer_;
};

}  // namespace zlink::pattern
