// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PAIR (RFC 31): one peer, messages both ways.
#pragma once

#include "pattern/pattern_defaults.hpp"

namespace zlink::pattern {

class pair final : public pattern_defaults {
public:
    explicit pair(pattern_host& host) noexcept : host_(host) {}

    errc send(const pipe::outgoing& frame) override;
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return out_ && out_->writer.has_room_or_wait(); }
    bool can_receive() override;
    pipe::pipe_end* sole_target() noexcept override { return swallowing_ ? nullptr : out_; }
    pipe::pipe_end* sole_source() noexcept override { return in_; }

    bool attach(pipe::pipe_end& end, const attachment& how) override;
    void on_peer_closed(pipe::pipe_end& end) override;
    void detach(pipe::pipe_end& end) override;

    bool announce_sleep() override;
    bool confirm_sleep() override;

private:
    void close_outbound() noexcept;
    bool look(pipe::incoming& f);

    pattern_host& host_;
    pipe::pipe_end* in_ = nullptr;    ///< the pipe, until all of it has been read
    pipe::pipe_end* out_ = nullptr;   ///< the pipe, while its other party is there
    pipe::pipe_end* next_ = nullptr;  ///< a new peer's, while the messages of the one before are being read
    bool swallowing_ = false;         ///< the pipe was lost in the middle of a message
};

}  // namespace zlink::pattern
