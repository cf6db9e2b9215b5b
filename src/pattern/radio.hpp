// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO (RFC 48): messages of one frame go to all peers that have joined the message's group. In the lane a message is
// two frames: the group, and the body.
#pragma once

#include "message/group_key.hpp"
#include "pattern/pattern_defaults.hpp"
#include "pattern/routing/publisher.hpp"

namespace zlink::pattern {

class radio final : public pattern_defaults {
public:
    radio(pattern_host& host, const pattern_options& options)
        : publisher_(host, own(options), nullptr, routing::publisher::topics::groups)
    {}

    errc send(const pipe::outgoing& frame) override;
    errc receive(pipe::delivery&) override { return errc::not_supported; }
    bool can_send() override
    {
        publisher_.listen();
        return true;
    }
    bool can_receive() override { return false; }

    bool attach(pipe::pipe_end& end, const attachment& how) override { return publisher_.attach(end, how); }
    void on_data(pipe::pipe_end& end) override { publisher_.on_data(end); }
    void on_peer_closed(pipe::pipe_end& end) override { publisher_.on_peer_closed(end); }
    void detach(pipe::pipe_end& end) override { publisher_.detach(end); }
    void on_reconnected(pipe::pipe_end& end) override { publisher_.on_reconnected(end); }

    bool announce_sleep() override { return publisher_.announce_sleep(); }
    bool confirm_sleep() override
    {
        (void)publisher_.confirm_sleep();  // groups are read before the next message
        return false;
    }

    void options_changed(const pattern_options& options) override { publisher_.options_changed(own(options)); }
    /// A topic is a group, as a whole.
    result<std::size_t> subscribers(const std::optional<topic_text>& group) override
    {
        if (!group) return publisher_.subscribers(group);
        if (group->size() > message::max_group_size) return errc::invalid_argument;
        return publisher_.subscribers(message::group_key(*group).octets());
    }

private:
    // The options that RADIO has.
    static pattern_options own(const pattern_options& all)
    {
        pattern_options some;
        some.xpub_nodrop = all.xpub_nodrop;
        some.on_full = all.on_full;
        return some;
    }

    routing::publisher publisher_;
    message::group_key key_;  ///< of the last message
};

}  // namespace zlink::pattern
