// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/subscriber.hpp"

#include <exception>
#include <new>
#include <span>
#include <string>

namespace zlink::pattern::routing {

errc subscriber::subscribe(topic_octets topic, bool on) noexcept
{
    try {
        std::string notice;
        notice.reserve(1 + topic.size());
        notice.push_back(on ? '\1' : '\0');
        notice.append(reinterpret_cast<const char*>(topic.data()), topic.size());
        return send_upstream({reinterpret_cast<const std::byte*>(notice.data()), notice.size(), false}, false);
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
}

errc subscriber::send_upstream(const pipe::outgoing& f, bool only_first, bool every_cancellation) noexcept
{
    const bool first = !outbound_.in_message();
    const bool looks_so = f.size != 0 && (f.data[0] == std::byte{0} || f.data[0] == std::byte{1});
    const bool counts = looks_so && (first || may_subscribe_);
    const topic_octets topic = counts ? topic_octets(f.data + 1, f.size - 1) : topic_octets();
    const bool added = counts && f.data[0] == std::byte{1};
    bool changed = added;
    bool tells = added;  // publishers are told of it
    pipe::outgoing told = f;
    if (added) {
        if (!topics_.add(topic)) return give_up_message(errc::out_of_memory);
    } else if (counts) {
        const auto removed = topics_.remove(topic);
        changed = removed != topic_set::removed::unknown;
        tells = removed == topic_set::removed::last || every_cancellation;
        if (!tells && first) return errc::none;
        if (!tells) told = {f.data, 0, f.more};  // other subscriptions to the topic remain; a message keeps its frames
    }
    const bool alone = first && !f.more;
    if (changed && !alone && !remember(topic, added)) {
        count_back(topic, added);
        return give_up_message(errc::out_of_memory);
    }
    if (first) {
        may_subscribe_ = counts || !only_first;
        past_hwm_ = counts;
        outbound_.select_all();
    }
    errc error = tells && !first ? outbound_.send_to_others(f) : errc::none;
    if (error == errc::none) error = outbound_.send(told, past_hwm_);
    if (error != errc::none) {
        if (changed && alone) count_back(topic, added);
        return give_up_message(error);
    }
    if (!f.more && !first) under_way_.clear();
    return errc::none;
}

bool subscriber::remember(topic_octets topic, bool added) noexcept
{
    try {
        under_way_.push_back({{reinterpret_cast<const char*>(topic.data()), topic.size()}, added});
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void subscriber::count_back(topic_octets topic, bool added) noexcept
{
    if (added) {
        topics_.remove(topic);
    } else {
        (void)topics_.add(topic);
    }
}

// Nothing of the message under way remains: neither at the publishers, nor in the counts.
errc subscriber::give_up_message(errc why) noexcept
{
    for (; !under_way_.empty(); under_way_.pop_back()) {
        const counted& last = under_way_.back();
        count_back(std::as_bytes(std::span(last.topic)), last.added);
    }
    outbound_.abandon();
    return why;
}

// Tells every topic once, as a new publisher knows none. False when memory is short.
bool subscriber::tell_all_topics(pipe::pipe_end& end) noexcept
{
    bool complete = true;
    bool any = false;
    try {
        std::string notice;
        topics_.for_each([&](const std::string& topic) {
            if (!complete) return;
            notice.assign(1, '\1').append(topic);
            complete = end.writer.write({reinterpret_cast<const std::byte*>(notice.data()), notice.size(), false});
            if (!complete) return;
            end.writer.publish();
            any = true;
        });
    } catch (const std::bad_alloc&) {
        complete = false;
    }
    if (any) end.tell_reader();
    return complete;
}

bool subscriber::attach(pipe::pipe_end& end, bool peer_is_socket) noexcept
{
    if (!inbound_.attach(end)) return false;
    if (outbound_.attach(end, peer_is_socket) && tell_all_topics(end)) return true;
    detach(end);
    return false;
}

void subscriber::on_reconnected(pipe::pipe_end& end) noexcept
{
    outbound_.leave_message(end);
    if (outbound_.contains(end)) (void)tell_all_topics(end);
}

void subscriber::on_peer_closed(pipe::pipe_end& end)
{
    outbound_.remove(end);
    inbound_.peer_closed(end);
}

void subscriber::on_drained(pipe::pipe_end& end)
{
    outbound_.remove(end);
    host_.give_up(end);
}

void subscriber::detach(pipe::pipe_end& end) noexcept
{
    outbound_.remove(end);
    inbound_.remove(end);
}

}  // namespace zlink::pattern::routing
