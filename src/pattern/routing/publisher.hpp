// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of PUB, XPUB and RADIO: the subscriptions of the peers, and messages that go to peers with a matching
// subscription. Subscriptions come in-band. They are read before each message, so that a subscription that has arrived
// counts.
#pragma once

#include "pattern/pattern.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/fan_out.hpp"
#include "pattern/routing/frame_backlog.hpp"
#include "pattern/routing/subscription_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace zlink::pattern::routing {

class publisher final : private fair_queue::owner {
public:
    /// What a peer may subscribe to.
    enum class topics : std::uint8_t {
        any,
        groups,  ///< keys of groups (message/group_key.hpp), in messages of one frame
    };

    /// `upstream` (may be null) gets the messages that the application may receive: subscriptions as one octet and the
    /// topic, and the messages of subscribers.
    publisher(pattern_host& host, const pattern_options& options, frame_backlog* upstream,
              topics accepted = topics::any);

    [[nodiscard]] errc send(const pipe::outgoing& f) { return send(f, {f.data, f.size}); }
    /// With a topic that is not the frame itself; it counts for the first frame of a message.
    [[nodiscard]] errc send(const pipe::outgoing& f, topic_octets topic);

    /// A whole message of two frames: `first`, of message::max_short_body octets at most, and `last`. `again`: the
    /// topic is that of the message before.
    [[nodiscard]] [[gnu::always_inline]] errc send_pair(const pipe::outgoing& first, const pipe::outgoing& last,
                                                        topic_octets topic, bool again)
    {
        if (again && only_ && !inbound_.has_active()) [[likely]]
            return send_pair_to_only(first, last);
        return send_pair_to_selected(first, last, topic);
    }

    /// Takes in the frames that subscribers have sent.
    void listen()
    {
        if (inbound_.has_active()) look();
    }

    /// The only subscriber there is, if it gets everything and has no unread frames at present; else null.
    [[nodiscard]] pipe::pipe_end* sole_target() noexcept;

    [[nodiscard]] bool attach(pipe::pipe_end& end, const attachment& how);
    [[nodiscard]] bool attach(pipe::pipe_end& end, bool peer_is_socket);
    void on_data(pipe::pipe_end& end) noexcept { inbound_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end);
    void detach(pipe::pipe_end& end) noexcept;
    void on_reconnected(pipe::pipe_end& end) noexcept;

    bool announce_sleep() noexcept { return inbound_.announce_sleep(); }
    [[nodiscard]] bool confirm_sleep() noexcept { return inbound_.confirm_sleep(); }

    void options_changed(const pattern_options& options) noexcept;

    /// Subscriptions wait for the application's decision (XPUB only).
    [[nodiscard]] bool manual() const noexcept
    {
        return upstream_ && (options_.xpub_manual || options_.xpub_manual_last_value);
    }
    /// Manual mode: the peer of the last message that the application received; its decisions concern this peer. Null:
    /// no peer.
    void heard(pipe::pipe_end* end) noexcept { heard_ = end; }
    /// Manual mode: decides for the peer that was heard last.
    [[nodiscard]] errc decide(topic_octets topic, bool on) noexcept;

    [[nodiscard]] int topics_count() const noexcept { return int(subscriptions_.size()); }
    /// As pattern::subscribers().
    [[nodiscard]] std::size_t subscribers(const std::optional<topic_octets>& topic);

private:
    // The limit for a subscriber that floods the publisher.
    static constexpr int most_frames_at_once = 10000;
    // Machine: 0.2 us each, and a call looks twice. Above: peers that have left, and that on_peer_closed() has not told
    // of. A subscription behind more of them than this counts with the next call.
    static constexpr int most_put_off_at_once = 1000;

    void on_drained(pipe::pipe_end& end) override;

    [[nodiscard]] errc begin_message(topic_octets topic);
    [[nodiscard]] [[gnu::always_inline]] errc send_pair_to_only(const pipe::outgoing& first, const pipe::outgoing& last)
    {
        pipe::lane_writer& lane = only_->writer;
        if (!lane.has_room()) [[unlikely]] {
            if (!options_.xpub_nodrop) return errc::none;
            if (!lane.has_room_or_wait()) return errc::again;
        }
        if (!lane.write_pair(first, last)) [[unlikely]] {
            lane.rollback();
            return errc::out_of_memory;
        }
        only_->publish();
        return errc::none;
    }
    [[nodiscard]] errc send_pair_to_selected(const pipe::outgoing& first, const pipe::outgoing& last,
                                             topic_octets topic);
    void look();
    void read_out(pipe::pipe_end& end) noexcept;
    void select(topic_octets topic) noexcept;
    bool take(pipe::pipe_end& end, const pipe::incoming& f) noexcept;
    [[nodiscard]] bool is_subscription(const pipe::incoming& f) const noexcept;
    bool take_subscription(pipe::pipe_end& end, const pipe::incoming& f) noexcept;
    void tell_unsubscribed(std::string_view topic) noexcept;
    void forget(pipe::pipe_end& end) noexcept;

    pattern_host& host_;
    pattern_options options_;
    fair_queue inbound_;
    fan_out outbound_;
    subscription_table subscriptions_;
    /// manual mode: subscriptions that peers asked for, to be taken back when they leave
    subscription_table requested_;
    frame_backlog* upstream_;
    const topics accepted_;
    pipe::pipe_end* heard_ = nullptr;
    /// The only peer that the last pair was for, as long as nothing has changed. Null: look.
    pipe::pipe_end* only_ = nullptr;
    pipe::pipe_end* inbound_from_ = nullptr;  ///< the peer with a message under way; null: none
    bool may_subscribe_ = true;               ///< its frames may be subscriptions
    bool drops_rest_ = false;                 ///< memory was short for a frame of it
    int checks_in_vain_ = 0;
};

}  // namespace zlink::pattern::routing
