// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// STREAM: octets to and from peers that do not speak ZMTP. A message is a routing id and one frame. A received empty
// frame tells that the peer came or left. An empty frame that is sent to a peer closes its connection.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/named_peers.hpp"

namespace zlink::pattern {

class stream final : public pattern_defaults, private routing::named_peers::owner {
public:
    stream(pattern_host& host, const pattern_options& options)
        : host_(host),
          peers_(*this),
          notify_(options.stream_notify)
    {}

    errc send(const pipe::outgoing& frame) override;
    bool may_end_after(std::size_t frames) const noexcept override { return frames == (addressed_ ? 1 : 2); }
    errc receive(pipe::delivery& to) override { return peers_.receive(to); }
    bool can_send() override { return true; }
    bool can_receive() override { return peers_.can_receive(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void identified(pipe::pipe_end& end, const std::string& routing_id) override;
    void on_data(pipe::pipe_end& end) override { peers_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;
    void on_disconnected(pipe::pipe_end& end) override;

    bool announce_sleep() override { return peers_.announce_sleep(); }
    bool confirm_sleep() override { return peers_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override { notify_ = options.stream_notify; }

private:
    void on_peer_drained(pipe::pipe_end& end) override;
    void tell(pipe::pipe_end& end)
    {
        if (notify_) peers_.tell(end, {});
    }

    pattern_host& host_;
    routing::named_peers peers_;
    bool notify_;
    bool addressed_ = false;         ///< the routing id was taken, the octets follow
    pipe::pipe_end* out_ = nullptr;  ///< where they go; null: they are dropped
};

}  // namespace zlink::pattern
