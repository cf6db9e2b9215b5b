// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DEALER (RFC 28): messages go to the peers and come from them in turn; nothing is added or removed.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/load_balancer.hpp"
#include "pattern/routing/message_forms.hpp"

namespace zlink::pattern {

template <class Form>
class dealer_of final : public pattern_defaults, private routing::fair_queue::owner {
public:
    dealer_of(pattern_host& host, const pattern_options& options)
        : host_(host),
          queue_(*this),
          probe_router_(options.probe_router)
    {}

    errc send(const pipe::outgoing& frame) override
    {
        return Form::allows(frame) ? balancer_.send(frame) : errc::invalid_argument;
    }
    errc receive(pipe::delivery& to) override { return routing::receive_next<Form>(queue_, to); }
    bool drop(const pipe::outgoing& frame) noexcept override { return balancer_.drop(frame); }
    bool may_drop() const noexcept override { return balancer_.has_peer(); }
    bool can_send() override { return balancer_.ready(); }
    bool can_receive() override { return routing::has_next<Form>(queue_); }
    pipe::pipe_end* sole_target() noexcept override { return balancer_.sole(); }
    pipe::pipe_end* sole_source() noexcept override { return queue_.sole(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_data(pipe::pipe_end& end) override { queue_.activate(end); }
    void on_credit(pipe::pipe_end& end) override { balancer_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override { return queue_.announce_sleep(); }
    bool confirm_sleep() override { return queue_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override { probe_router_ = options.probe_router; }

private:
    void on_drained(pipe::pipe_end& end) override;

    pattern_host& host_;
    routing::fair_queue queue_;
    routing::load_balancer balancer_;
    bool probe_router_;
};

extern template class dealer_of<routing::any_frames>;
extern template class dealer_of<routing::single_frames>;

using dealer = dealer_of<routing::any_frames>;

}  // namespace zlink::pattern
