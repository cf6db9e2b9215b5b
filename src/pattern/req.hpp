// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// REQ (RFC 28): a request to the next peer, then its reply, in strict turns. A request is the user's frames after an
// empty delimiter. With ZMQ_REQ_CORRELATE a number precedes them that the reply has to have, too.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/load_balancer.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace zlink::pattern {

class req final : public pattern_defaults, private routing::fair_queue::owner {
public:
    req(pattern_host& host, const pattern_options& options) noexcept;

    errc send(const pipe::outgoing& frame) override;
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return (may_send() || relaxed_) && balancer_.ready(); }
    bool can_receive() override;

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_data(pipe::pipe_end& end) override { queue_.activate(end); }
    void on_credit(pipe::pipe_end& end) override { balancer_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override { return queue_.announce_sleep(); }
    bool confirm_sleep() override { return queue_.confirm_sleep() && !may_send(); }

    void options_changed(const pattern_options& options) override;

private:
    enum class state : std::uint8_t {
        idle,       ///< a request may begin
        sending,    ///< frames of the request follow
        awaiting,   ///< the request is out
        receiving,  ///< the envelope of the reply was taken, frames follow
    };

    void on_drained(pipe::pipe_end& end) override;

    [[nodiscard]] bool may_send() const noexcept { return state_ == state::idle || state_ == state::sending; }
    errc begin_request();
    void forget_replies();
    bool find_reply();
    bool take_envelope(pipe::pipe_end& end, pipe::incoming& f);
    void forget(pipe::pipe_end& end) noexcept;

    pattern_host& host_;
    routing::fair_queue queue_;
    routing::load_balancer balancer_;
    pipe::pipe_end* asked_ = nullptr;  ///< the peer with the reply that counts; null: it is gone, or no peer was asked
    state state_ = state::idle;
    std::optional<std::uint32_t> expected_;  ///< the number of the request under way, if it has one
    std::uint32_t number_;                   ///< the last one
    bool relaxed_ = false;
    bool correlate_ = false;
    bool probe_router_ = false;
};

}  // namespace zlink::pattern
