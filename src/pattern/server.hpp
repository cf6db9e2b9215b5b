// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SERVER (RFC 41) and PEER (RFC 51): each message goes to the peer whose number it carries, and comes with the number
// of its sender. The two differ in the types of their peers, and in zmq_connect_peer.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/numbered_peers.hpp"

#include <string>

namespace zlink::pattern {

class server final : public pattern_defaults, private routing::numbered_peers::owner {
public:
    server(pattern_host& host, const pattern_options& options)
        : host_(host),
          peers_(*this),
          disconnect_message_(options.disconnect_message)
    {}

    errc send(const pipe::outgoing& frame) override;
    errc receive(pipe::delivery& to) override { return peers_.receive(to); }
    // Only a peer without room has send() say `again`.
    bool drop(const pipe::outgoing&) noexcept override { return true; }
    bool may_drop() const noexcept override { return true; }
    bool can_send() override { return true; }  // whether a message is taken is known once its peer is
    bool can_receive() override { return peers_.can_receive(); }
    pipe::pipe_end* sole_source() noexcept override { return peers_.sole_source(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_data(pipe::pipe_end& end) override { peers_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { peers_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { peers_.remove(end); }

    bool announce_sleep() override { return peers_.announce_sleep(); }
    bool confirm_sleep() override { return peers_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override;
    std::uint32_t last_connected() const noexcept override { return last_connected_; }
    errc disconnect_peer(std::uint32_t number) override;

private:
    void on_peer_drained(pipe::pipe_end& end) override;

    pattern_host& host_;
    routing::numbered_peers peers_;
    std::string disconnect_message_;
    std::uint32_t last_connected_ = 0;
};

}  // namespace zlink::pattern
