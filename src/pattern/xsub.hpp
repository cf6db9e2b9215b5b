// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// XSUB (RFC 29): as SUB, but the application sends its subscriptions as messages, and may send other messages. Nothing
// is filtered.
#pragma once

#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/subscriber.hpp"

namespace zlink::pattern {

class xsub final : public pattern_defaults {
public:
    xsub(pattern_host& host, const pattern_options& options)
        : subscriber_(host),
          only_first_subscribe_(options.only_first_subscribe),
          verbose_unsubscribe_(options.xsub_verbose_unsubscribe)
    {}

    errc send(const pipe::outgoing& frame) override
    {
        return subscriber_.send_upstream(frame, only_first_subscribe_, verbose_unsubscribe_);
    }
    errc receive(pipe::delivery& to) override;
    bool can_send() override { return true; }
    bool can_receive() override;
    pipe::pipe_end* sole_source() noexcept override { return subscriber_.sole_source(); }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return subscriber_.attach(end, how); }
    void on_data(pipe::pipe_end& end) override { subscriber_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { subscriber_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { subscriber_.detach(end); }
    void on_reconnected(pipe::pipe_end& end) override { subscriber_.on_reconnected(end); }

    bool announce_sleep() override { return subscriber_.announce_sleep(); }
    bool confirm_sleep() override { return subscriber_.confirm_sleep(); }

    void options_changed(const pattern_options& options) override
    {
        only_first_subscribe_ = options.only_first_subscribe;
        verbose_unsubscribe_ = options.xsub_verbose_unsubscribe;
    }
    int topics_count() override { return subscriber_.topics_count(); }

private:
    routing::subscriber subscriber_;
    bool only_first_subscribe_;
    bool verbose_unsubscribe_;
};

}  // namespace zlink::pattern
