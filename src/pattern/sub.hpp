// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SUB (RFC 29): messages with a first frame that begins with a topic asked for. Publishers filter. Messages that come
// unasked are filtered here again. (They were in flight when the subscription ended, or another SUB behind the same
// proxy matched them.)
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/subscriber.hpp"

namespace zlink::pattern {

class sub final : public pattern_defaults {
public:
    sub(pattern_host& host, const pattern_options& options) : subscriber_(host), invert_(options.invert_matching) {}

    errc send(const pipe::outgoing&) override { return errc::not_supported; }
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return false; }
    bool can_receive() override;
    pipe::pipe_end* sole_source() noexcept override
    {
        return !sender_ && !invert_ && subscriber_.matches_all() ? subscriber_.sole_source() : nullptr;
    }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return subscriber_.attach(end, how); }
    void on_data(pipe::pipe_end& end) override { subscriber_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { subscriber_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override;
    void on_reconnected(pipe::pipe_end& end) override { subscriber_.on_reconnected(end); }

    bool announce_sleep() override { return subscriber_.announce_sleep(); }
    bool confirm_sleep() override { return subscriber_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override { invert_ = options.invert_matching; }
    errc subscribe(std::span<const std::byte> topic, bool on) override { return subscriber_.subscribe(topic, on); }
    int topics_count() override { return subscriber_.topics_count(); }

private:
    pipe::pipe_end* next(pipe::incoming& f);

    routing::subscriber subscriber_;
    bool invert_;
    pipe::pipe_end* sender_ = nullptr;  ///< the peer with a partly received message
};

}  // namespace zlink::pattern
