// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/publisher.hpp"

#include "base/probes.hpp"
#include "message/group_key.hpp"
#include "pattern/routing/whole_message.hpp"

#include <algorithm>
#include <new>
#include <vector>

namespace zlink::pattern::routing {

namespace {

// After so many messages without news the subscribers' lanes are not looked at until their writers tell. Looking costs
// a few nanoseconds a lane, the fence that ends it up to some microseconds.
constexpr int most_checks_in_vain = 32;

// If at most this many peers are selected, a message may go to peers that have left: the next calls take these in.
constexpr std::size_t few = 64;

}  // namespace

publisher::publisher(pattern_host& host, const pattern_options& options, frame_backlog* upstream, topics accepted)
    : host_(host),
      options_(options),
      inbound_(*this, most_put_off_at_once),
      upstream_(upstream),
      accepted_(accepted)
{
    options_.xpub_nodrop = options.waits_when_full(options.xpub_nodrop);
}

void publisher::select(topic_octets topic) noexcept
{
    outbound_.select_none();
    if (options_.xpub_manual_last_value && manual() && heard_) {
        subscriptions_.match(topic, [this](pipe::pipe_end& end) {
            if (&end == heard_) outbound_.select(end);
        });
    } else {
        subscriptions_.match(topic, [this](pipe::pipe_end& end) { outbound_.select(end); });
    }
    if (options_.invert_matching) outbound_.invert_selection();
}

// Selects the peers of a message. errc::again: one of them has no room, and none may lose it.
errc publisher::begin_message(topic_octets topic)
{
    listen();
    select(topic);
    probes::publish(outbound_.selected(), topic.size());
    if (outbound_.selected() > few && host_.peers_are_leaving()) [[unlikely]]
        outbound_.pass_over_those_who_left();
    if (outbound_.selected() == 0) [[unlikely]]
        host_.on_dropped(outbound_.empty() ? drop_reason::no_peer : drop_reason::no_match);
    return options_.xpub_nodrop && !outbound_.selected_have_room() ? errc::again : errc::none;
}

errc publisher::send_pair_to_selected(const pipe::outgoing& first, const pipe::outgoing& last, topic_octets topic)
{
    const errc begun = begin_message(topic);
    only_ = outbound_.sole_selected();
    return begun == errc::none ? outbound_.send_pair(first, last, options_.xpub_nodrop) : begun;
}

errc publisher::send(const pipe::outgoing& f, topic_octets topic)
{
    if (outbound_.in_message()) return outbound_.send(f);
    if (const errc begun = begin_message(topic); begun != errc::none) return begun;
    const errc error = outbound_.send(f, options_.xpub_nodrop);  // has looked for room already
    if (error == errc::none && options_.xpub_manual_last_value) heard_ = nullptr;
    return error;
}

pipe::pipe_end* publisher::sole_target() noexcept
{
    if (outbound_.in_message() || inbound_.has_active() || options_.invert_matching ||
        options_.xpub_manual_last_value) {
        return nullptr;
    }
    pipe::pipe_end* only = outbound_.sole();
    bool subscribed_to_all = false;
    subscriptions_.match({}, [&](pipe::pipe_end& end) { subscribed_to_all |= &end == only; });
    return subscribed_to_all ? only : nullptr;
}

void publisher::look()
{
    pipe::incoming f;
    int frames = 0;
    int put_off = 0;
    for (; frames < most_frames_at_once || inbound_from_; ++frames) {
        pipe::pipe_end* end = inbound_.next(f);
        if (!end) break;
        // Thousands of peers may have left with unread frames. on_peer_closed() comes for each of them.
        if (!inbound_from_ && end->peer_has_left() && outbound_.contains(*end)) {
            if (++put_off > most_put_off_at_once) break;
            inbound_.put_off_until_told(*end);
            continue;
        }
        if (!take(*end, f)) break;
        inbound_.pop(*end, f);
    }
    if (frames != 0) {
        checks_in_vain_ = 0;
    } else if (!host_.peers_are_leaving() && ++checks_in_vain_ > most_checks_in_vain) {
        checks_in_vain_ = 0;
        inbound_.make_dormant();
    }
}

// Any message of one frame may be a user's, which looks like a subscription by chance: of groups, only what a DISH
// sends counts.
bool publisher::is_subscription(const pipe::incoming& f) const noexcept
{
    const bool looks_so = f.size != 0 && (f.data[0] == std::byte{0} || f.data[0] == std::byte{1});
    const bool first = !inbound_from_;
    if (!looks_so || accepted_ == topics::any) return looks_so && (first || may_subscribe_);
    return first && !f.more && message::group_of_key({f.data + 1, f.size - 1}).has_value();
}

// Takes one frame of a subscriber. False when memory is short: the frame has to be shown again. The application gets
// only whole messages: if a message for it has begun already, that message is given up instead.
bool publisher::take(pipe::pipe_end& end, const pipe::incoming& f) noexcept
{
    const bool first = !inbound_from_;
    const bool subscribes = is_subscription(f);
    if (subscribes) {
        if (!take_subscription(end, f)) return false;
    } else if (upstream_ && !drops_rest_ && !upstream_->push(f, &end)) {
        if (first) return false;
        drops_rest_ = true;
    }
    if (first) may_subscribe_ = !options_.only_first_subscribe || subscribes;
    inbound_from_ = f.more ? &end : nullptr;
    drops_rest_ = drops_rest_ && f.more;
    return true;
}

// Changes nothing unless there is memory for the notice to the application, which might wait for it.
bool publisher::take_subscription(pipe::pipe_end& end, const pipe::incoming& f) noexcept
{
    const topic_octets topic{f.data + 1, f.size - 1};
    const bool on = f.data[0] == std::byte{1};
    message::owned_frame notice;
    if (upstream_) {
        if (!upstream_->make_room()) return false;
        if (!notice.init_copy_of(f.data, f.size)) {
            notice.init();
            return false;
        }
        notice.set_properties(f.metadata);
    }
    const auto tell = [&] {
        if (upstream_) (void)upstream_->push(std::move(notice), false, &end);
    };
    if (on) routing_of(end).subscribed_at = end.reader.messages_read() + 1;
    if (manual()) {
        if (!on) {
            requested_.remove(topic, end);
        } else if (requested_.add(topic, end) == subscription_table::added::out_of_memory) {
            return false;
        }
        tell();
        return true;
    }
    only_ = nullptr;
    bool news = false;
    if (on) {
        const auto added = subscriptions_.add(topic, end);
        if (added == subscription_table::added::out_of_memory) return false;
        news = added == subscription_table::added::first || options_.xpub_verbose || options_.xpub_verboser;
    } else {
        const auto removed = subscriptions_.remove(topic, end);
        news = removed != subscription_table::removed::others_remain || options_.xpub_verboser;
    }
    if (news) tell();
    return true;
}

// Of a peer that leaves. Without memory the application is not told.
void publisher::tell_unsubscribed(std::string_view topic) noexcept
{
    if (!upstream_) return;
    try {
        std::string notice;
        notice.reserve(1 + topic.size());
        notice.push_back('\0');
        notice.append(topic);
        (void)upstream_->push(notice, false, nullptr);
    } catch (const std::bad_alloc&) {
    }
}

bool publisher::attach(pipe::pipe_end& end, const attachment& how)
{
    only_ = nullptr;
    if (!attach(end, how.peer_is_socket)) return false;
    if (!how.tells_no_topics || subscriptions_.add({}, end) != subscription_table::added::out_of_memory) return true;
    detach(end);
    return false;
}

bool publisher::attach(pipe::pipe_end& end, bool peer_is_socket)
{
    if (!inbound_.attach(end)) return false;
    if (!outbound_.attach(end, peer_is_socket)) {
        detach(end);
        return false;
    }
    if (!options_.xpub_welcome_msg.empty()) write_whole(end, options_.xpub_welcome_msg);
    return true;
}

void publisher::on_reconnected(pipe::pipe_end& end) noexcept
{
    if (!options_.xpub_welcome_msg.empty() && !end.writer.in_message()) write_whole(end, options_.xpub_welcome_msg);
}

std::size_t publisher::subscribers(const std::optional<topic_octets>& topic)
{
    listen();
    std::vector<const pipe::pipe_end*> found;
    const auto add = [&](const pipe::pipe_end& end) {
        if (routing_of(end).has_subscribed_again() && outbound_.contains(end)) found.push_back(&end);
    };
    if (!topic) {
        subscriptions_.for_each_pipe(add);
    } else {
        subscriptions_.match(*topic, add);
    }
    std::sort(found.begin(), found.end());
    return std::size_t(std::unique(found.begin(), found.end()) - found.begin());
}

// Ends the pipe's subscriptions. The application is told of those that no other peer has; in manual mode, of all that
// the peer had asked for.
void publisher::forget(pipe::pipe_end& end) noexcept
{
    outbound_.remove(end);
    only_ = nullptr;
    if (heard_ == &end) heard_ = nullptr;
    if (inbound_from_ == &end) {
        inbound_from_ = nullptr;
        drops_rest_ = false;
        if (upstream_) upstream_->drop_unfinished();
    }
    if (upstream_) upstream_->forget(end);
    requested_.remove_pipe(end, [this](std::string_view topic, bool) { tell_unsubscribed(topic); });
    const bool tells = !manual();
    subscriptions_.remove_pipe(end, [&](std::string_view topic, bool last) {
        if (tells && (last || options_.xpub_verboser)) tell_unsubscribed(topic);
    });
}

void publisher::on_peer_closed(pipe::pipe_end& end)
{
    outbound_.remove(end);
    only_ = nullptr;
    if (host_.peers_are_leaving()) read_out(end);
    inbound_.peer_closed(end);
    if (!host_.peers_are_leaving()) listen();  // in the order of the frames of all peers
}

// Takes in the last frames of a peer that has left: of this peer alone, as thousands may have left. If another peer's
// message is under way, or memory is short, the frames are taken in later, with those of the others.
void publisher::read_out(pipe::pipe_end& end) noexcept
{
    if (!inbound_.contains(end) || (inbound_from_ && inbound_from_ != &end)) return;
    pipe::incoming f;
    for (int frames = 0; (frames < most_frames_at_once || inbound_from_) && end.reader.next(f); ++frames) {
        if (!take(end, f)) return;
        end.pop(f);
    }
}

void publisher::on_drained(pipe::pipe_end& end)
{
    forget(end);
    host_.give_up(end);
}

void publisher::detach(pipe::pipe_end& end) noexcept
{
    inbound_.remove(end);
    forget(end);
}

errc publisher::decide(topic_octets topic, bool on) noexcept
{
    if (!manual()) return errc::invalid_argument;
    if (!heard_) return errc::none;
    if (!on) {
        subscriptions_.remove(topic, *heard_);
    } else if (subscriptions_.add(topic, *heard_) == subscription_table::added::out_of_memory) {
        return errc::out_of_memory;
    }
    return errc::none;
}

void publisher::options_changed(const pattern_options& options) noexcept
{
    try {
        options_ = options;
    } catch (const std::bad_alloc&) {
        // Only the welcome message could not be copied; an old or empty one is sent instead.
    }
    options_.xpub_nodrop = options.waits_when_full(options.xpub_nodrop);
}

}  // namespace zlink::pattern::routing
