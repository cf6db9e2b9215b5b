// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PULL (RFC 30): messages come from all peers in turn.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/message_forms.hpp"

namespace zlink::pattern {

template <class Form>
class pull_of final : public pattern_defaults, private routing::fair_queue::owner {
public:
    explicit pull_of(pattern_host& host) noexcept : host_(host), queue_(*this) {}

    errc send(const pipe::outgoing&) override { return errc::not_supported; }
    errc receive(pipe::delivery& to) override { return routing::receive_next<Form>(queue_, to); }
    bool can_send() override { return false; }
    bool can_receive() override { return routing::has_next<Form>(queue_); }
    pipe::pipe_end* sole_source() noexcept override { return queue_.sole(); }

    bool attach(pipe::pipe_end& end, const attachment&) override { return queue_.attach(end); }
    void on_data(pipe::pipe_end& end) override { queue_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end) override { queue_.peer_closed(end); }
    void detach(pipe::pipe_end& end) override { queue_.remove(end); }

    bool announce_sleep() override { return queue_.announce_sleep(); }
    bool confirm_sleep() override { return queue_.confirm_sleep(); }

private:
    void on_drained(pipe::pipe_end& end) override { host_.give_up(end); }

    pattern_host& host_;
    routing::fair_queue queue_;
};

using pull = pull_of<routing::any_frames>;

}  // namespace zlink::pattern
