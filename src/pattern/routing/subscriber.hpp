// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of SUB, XSUB and DISH: the topics asked for, told to all present publishers and to each new one.
#pragma once

#include "pattern/pattern.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/fan_out.hpp"
#include "pattern/routing/topic_set.hpp"

#include <string>
#include <vector>

namespace zlink::pattern::routing {

class subscriber final : private fair_queue::owner {
public:
    explicit subscriber(pattern_host& host) noexcept : host_(host), inbound_(*this) {}

    /// Counts the subscription in or out and tells the publishers. Subscriptions are told every time (a verbose XPUB
    /// counts them), cancellations when the last one is taken back. Both ignore the high-water mark.
    [[nodiscard]] errc subscribe(topic_octets topic, bool on) noexcept;

    /// A frame of a message to all publishers, which may be a subscription: one octet, 1 or 0, and the topic. With
    /// `only_first` the later frames of a message that does not begin with a subscription are not treated as one. With
    /// `every_cancellation`, publishers are told of those, too, after which other subscriptions remain. Subscriptions
    /// in later frames also reach the publishers that do not get the message: those that came after its first frame,
    /// or had no room. out_of_memory: the counts are as before the message.
    [[nodiscard]] errc send_upstream(const pipe::outgoing& f, bool only_first,
                                     bool every_cancellation = false) noexcept;

    /// The next frame and its pipe; null if there is none.
    [[nodiscard]] pipe::pipe_end* next(pipe::incoming& f) { return inbound_.next(f); }
    /// The pipe of the next frame, or null.
    [[nodiscard]] pipe::pipe_end* next_readable() { return inbound_.next_readable(); }
    /// As fair_queue::next_pair().
    [[nodiscard]] pipe::pipe_end* next_pair(std::span<const std::byte>& first, pipe::incoming& last) noexcept
    {
        return inbound_.next_pair(first, last);
    }
    void pop(pipe::pipe_end& end, const pipe::incoming& f) noexcept { inbound_.pop(end, f); }
    void skip(pipe::pipe_end& end, const pipe::incoming& f) noexcept { inbound_.skip(end, f); }

    /// The only publisher there is, or null.
    [[nodiscard]] pipe::pipe_end* sole_source() const noexcept { return inbound_.sole(); }
    [[nodiscard]] bool matches_all() const noexcept { return topics_.matches({}); }
    [[nodiscard]] bool matches(topic_octets octets) const noexcept { return topics_.matches(octets); }
    [[nodiscard]] bool matches(const pipe::incoming& f) const noexcept { return topics_.matches({f.data, f.size}); }

    [[nodiscard]] bool attach(pipe::pipe_end& end, const attachment& how) noexcept
    {
        return attach(end, how.peer_is_socket);
    }
    [[nodiscard]] bool attach(pipe::pipe_end& end, bool peer_is_socket) noexcept;
    void on_data(pipe::pipe_end& end) noexcept { inbound_.activate(end); }
    void on_peer_closed(pipe::pipe_end& end);
    void detach(pipe::pipe_end& end) noexcept;
    void on_reconnected(pipe::pipe_end& end) noexcept;

    bool announce_sleep() noexcept { return inbound_.announce_sleep(); }
    [[nodiscard]] bool confirm_sleep() noexcept { return inbound_.confirm_sleep(); }

    [[nodiscard]] int topics_count() const noexcept { return int(topics_.size()); }

private:
    void on_drained(pipe::pipe_end& end) override;
    bool tell_all_topics(pipe::pipe_end& end) noexcept;
    [[nodiscard]] bool remember(topic_octets topic, bool added) noexcept;
    void count_back(topic_octets topic, bool added) noexcept;
    errc give_up_message(errc why) noexcept;

    /// A change of the counts.
    struct counted {
        std::string topic;
        bool added;
    };

    pattern_host& host_;
    fair_queue inbound_;
    fan_out outbound_;
    topic_set topics_;
    std::vector<counted> under_way_;  ///< changes by the message under way, which has several frames
    bool may_subscribe_ = true;       ///< the later frames of the message under way may be subscriptions
    bool past_hwm_ = false;           ///< the message under way began with a subscription
};

}  // namespace zlink::pattern::routing
