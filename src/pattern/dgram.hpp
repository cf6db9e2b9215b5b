// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DGRAM: datagrams to and from any address. A message is two frames: the address of the peer, and the body. There is
// one pipe, to a port of datagrams; a second one is given up.
#pragma once

#include "pattern/pattern_defaults.hpp"

namespace zlink::pattern {

class dgram final : public pattern_defaults {
public:
    explicit dgram(pattern_host& host) noexcept : host_(host) {}

    errc send(const pipe::outgoing& frame) override;
    bool may_end_after(std::size_t frames) const noexcept override { return frames == (addressed() ? 1 : 2); }
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return port_ && port_->writer.has_room_or_wait(); }
    bool can_receive() override;

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override { return !port_ || port_->reader.go_dormant(); }
    bool confirm_sleep() override;

private:
    // The lane knows whether the address has been written, and the body is to follow.
    [[nodiscard]] bool addressed() const noexcept { return port_ && port_->writer.in_message(); }

    pattern_host& host_;
    pipe::pipe_end* port_ = nullptr;
};

}  // namespace zlink::pattern
