// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ROUTER (RFC 28): messages go to the peer that their first frame names, and come with a frame that names the sender.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/named_peers.hpp"

namespace zlink::pattern {

class router final : public pattern_defaults, private routing::named_peers::owner {
public:
    router(pattern_host& host, const pattern_options& options) : host_(host), peers_(*this), options_(options) {}

    errc send(const pipe::outgoing& frame) override;
    // A raw peer gets octets: there is one frame of them after its routing id.
    bool may_end_after(std::size_t frames) const noexcept override
    {
        return !options_.router_raw || frames == (addressed_ ? 1 : 2);
    }
    errc receive(pipe::delivery& to) override { return peers_.receive(to); }
    bool can_send() override { return !waits_when_full() || peers_.any_has_room(); }
    bool can_receive() override { return peers_.can_receive(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void identified(pipe::pipe_end& end, const std::string& routing_id) override;
    void on_data(pipe::pipe_end& end) override { peers_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;
    void on_disconnected(pipe::pipe_end& end) override;

    bool announce_sleep() override { return peers_.announce_sleep(); }
    bool confirm_sleep() override { return peers_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override;
    result<peer_state> state_of(std::string_view routing_id) override;

private:
    void on_peer_drained(pipe::pipe_end& end) override;

    [[nodiscard]] bool waits_when_full() const noexcept { return options_.waits_when_full(options_.router_mandatory); }
    errc address(const pipe::outgoing& frame);
    bool add(pipe::pipe_end& end, const std::string& routing_id) noexcept;
    bool name(pipe::pipe_end& end, const std::string& routing_id, std::uint64_t came_at);
    void tell_connected(pipe::pipe_end& end);
    void tell_disconnected(pipe::pipe_end& end);
    void stop_sending(const pipe::pipe_end& end) noexcept;

    pattern_host& host_;
    routing::named_peers peers_;
    pattern_options options_;
    bool addressed_ = false;         ///< the naming frame was taken, the message follows
    pipe::pipe_end* out_ = nullptr;  ///< where it goes; null: it is dropped
};

}  // namespace zlink::pattern
