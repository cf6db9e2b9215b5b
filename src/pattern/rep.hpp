// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// REP (RFC 28): requests of all peers in turn, and a reply to each. The frames up to the empty delimiter are kept, and
// precede the reply.
#pragma once

#include "message/frame.hpp"
#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/fair_queue.hpp"

#include <vector>

namespace zlink::pattern {

class rep final : public pattern_defaults, private routing::fair_queue::owner {
public:
    explicit rep(pattern_host& host) noexcept : host_(host), queue_(*this) {}

    errc send(const pipe::outgoing& frame) override;
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return state_ == state::replying || state_ == state::sending; }
    bool can_receive() override;

    bool attach(pipe::pipe_end& end, const attachment&) override { return queue_.attach(end); }
    void on_data(pipe::pipe_end& end) override { queue_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override { return queue_.announce_sleep(); }
    bool confirm_sleep() override { return queue_.confirm_sleep() && !can_send(); }

private:
    enum class state : std::uint8_t {
        idle,       ///< a request may come
        receiving,  ///< the envelope of a request was taken, frames follow
        replying,   ///< all of the request was received
        sending,    ///< frames of the reply follow
    };

    void on_drained(pipe::pipe_end& end) override;

    errc find_request();
    errc begin_reply();
    void end_turn() noexcept;
    void stop_sending(const pipe::pipe_end& end) noexcept;

    pattern_host& host_;
    routing::fair_queue queue_;
    std::vector<message::owned_frame> envelope_;
    pipe::pipe_end* from_ = nullptr;      ///< the peer that sends the current request
    pipe::pipe_end* reply_to_ = nullptr;  ///< null: the peer cannot be reached any more
    state state_ = state::idle;
};

}  // namespace zlink::pattern
