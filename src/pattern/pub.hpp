// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB (RFC 29): messages go to all peers with a matching subscription.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/publisher.hpp"

namespace zlink::pattern {

class pub final : public pattern_defaults {
public:
    pub(pattern_host& host, const pattern_options& options) : publisher_(host, options, nullptr) {}

    errc send(const pipe::outgoing& frame) override { return publisher_.send(frame); }
    errc receive(pipe::delivery&) override { return errc::not_supported; }
    bool can_send() override
    {
        publisher_.listen();
        return true;
    }
    bool can_receive() override { return false; }

    pipe::pipe_end* sole_target() noexcept override { return publisher_.sole_target(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return publisher_.attach(end, how); }
    void on_data(pipe::pipe_end& end) override { publisher_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { publisher_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { publisher_.detach(end); }
    void on_reconnected(pipe::pipe_end& end) override { publisher_.on_reconnected(end); }

    bool announce_sleep() override { return publisher_.announce_sleep(); }
    bool confirm_sleep() override
    {
        (void)publisher_.confirm_sleep();  // subscriptions are read before the next message
        return false;
    }

    void options_changed(const pattern_options& options) override { publisher_.options_changed(options); }
    int topics_count() override
    {
        publisher_.listen();
        return publisher_.topics_count();
    }
    result<std::size_t> subscribers(const std::optional<topic_text>& topic) override
    {
        return publisher_.subscribers(topic);
    }

private:
    routing::publisher publisher_;
};

}  // namespace zlink::pattern
