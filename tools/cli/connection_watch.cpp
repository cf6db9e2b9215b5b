// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A connecting socket of zlink gives up a peer that broke the protocol and tries the others for ever. The tool gives up
// those, too, that break off every handshake, so that a wrong port doesn't look like a slow start.
#include "cli/connection_watch.hpp"

#include "support/failure_notes.hpp"
#include "support/status_line.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

// A server that is just starting or ending may break off one or two handshakes. At the default interval of
// reconnecting so many take one to two seconds.
constexpr int most_breaks = 10;

// What certificates of visitors say is theirs to choose: so many lines about it.
constexpr std::size_t most_unfit = 100;

// Events of connects that have failed; the library has told why before.
bool tells_of_connect(const connection_event& event)
{
    return event.kind == ZMQ_EVENT_CLOSED || event.kind == ZMQ_EVENT_CONNECT_RETRIED;
}

// What the library has told of it, with the peer before it; empty: nothing. Raw sockets have no event for a handshake
// of TLS that failed: their peer goes.
std::string note_about(const connection_event& event, bool named, bool raw)
{
    switch (event.kind) {
    case ZMQ_EVENT_DISCONNECTED: return raw ? failure_notes::of_process().take(event.remote) : "";
    case ZMQ_EVENT_CLOSED:
    case ZMQ_EVENT_CONNECT_RETRIED: return named ? failure_notes::of_process().take(event.remote) : "";
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        if (event.value == EAGAIN) return "";  // ZMQ_HANDSHAKE_IVL is over
        break;
    default: return "";
    }
    return failure_notes::of_process().take_of_handshake(event.remote.empty() ? event.local : event.remote);
}

std::string mechanism_name(int mechanism)
{
    switch (mechanism) {
    case ZMQ_NULL: return "NULL";
    case ZMQ_PLAIN: return "PLAIN";
    case ZMQ_CURVE: return "CURVE";
    default: return "";
    }
}

}  // namespace

connection_watch::connection_watch(const context& owner, socket& watched, settings wanted)
    : settings_(std::move(wanted)),
      watched_(watched),
      self_{watched.get(ZMQ_TYPE)},
      handshakes_(self_.type != ZMQ_STREAM),
      monitor_(owner, watched)
{
    for (const auto& endpoint : settings_.connect) {
        peers_.try_emplace(endpoint);
    }
}

void connection_watch::configured()
{
    self_.mechanism = watched_.get(ZMQ_MECHANISM);
    tries_again_ = watched_.get(ZMQ_RECONNECT_IVL) >= 0;
}

void connection_watch::read()
{
    while (const auto event = monitor_.next()) {
        take(*event);
    }
}

void connection_watch::take(const connection_event& event)
{
    const auto known = peers_.find(event.remote);
    peer* const named = known == peers_.end() ? nullptr : &known->second;
    const peer_kind kind = named == nullptr     ? peer_kind::visitor
                           : named->established ? peer_kind::acquainted
                                                : peer_kind::unknown;
    const std::string note = note_about(event, named != nullptr, !handshakes_);
    if (settings_.verbose) {
        say_verbosely(event, note);
    }
    if (settings_.told) {
        settings_.told(event, kind, self_, note);
    }
    const bool ready = event.kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED ||
                       (!handshakes_ && (event.kind == ZMQ_EVENT_CONNECTED || event.kind == ZMQ_EVENT_ACCEPTED));
    ever_connected_ = ever_connected_ || ready;
    if (is_refusal(event, kind)) {
        take_refusal(event, kind, note);
    } else if (named == nullptr) {
        take_visitor(event, note);
    } else if (handshakes_) {
        take_news(event, *named, note);
    } else {
        take_news_of_stream(event, *named, note);
    }
}

void connection_watch::take_news(const connection_event& event, peer& named, const std::string& note)
{
    switch (event.kind) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        named = {};
        named.established = true;
        return;
    case ZMQ_EVENT_CONNECTED:
        named.handshake_in_progress = true;
        named.obstacle.clear();
        return;
    case ZMQ_EVENT_PEER_PROPERTIES: return;
    case ZMQ_EVENT_CLOSED:
    case ZMQ_EVENT_CONNECT_RETRIED: meet_obstacle(named, note); break;
    default: break;
    }
    named.handshake_in_progress = false;
}

// Whether a handshake of TLS follows isn't told: it failed if there are words about it when the connection is gone. A
// closed socket doesn't try again: no other event follows then.
void connection_watch::take_news_of_stream(const connection_event& event, peer& named, const std::string& note)
{
    if (event.kind == ZMQ_EVENT_CONNECTED) {
        named.handshake_in_progress = true;
        named.obstacle.clear();
    } else if (!note.empty() && std::exchange(named.handshake_in_progress, false)) {
        count_break(event.remote, fmt::format("{} refused the handshake: {}", event.remote, words_of(note)), false);
    } else if (tells_of_connect(event)) {
        named.handshake_in_progress = false;
        meet_obstacle(named, note);
    }
}

void connection_watch::take_visitor(const connection_event& event, const std::string& note)
{
    if (!note.empty() && !handshakes_ && unfit_.size() < most_unfit &&
        unfit_.insert(std::string(words_of(note))).second) {
        say_line(fmt::format("refused a peer that came to {} from {}: {}", event.local, event.remote, words_of(note)));
    }
}

void connection_watch::meet_obstacle(peer& named, const std::string& note)
{
    if (note.empty()) {
        return;
    }
    named.obstacle = note;
    if (!settings_.verbose) {  // which has said it
        say_once(note);
    }
}

// What stands in the way is said when it is first met.
void connection_watch::say_once(const std::string& obstacle)
{
    if (obstacles_.insert(obstacle).second) {
        say_line(obstacle + (tries_again_ ? "; trying again" : ""));
    }
}

void connection_watch::say_line(const std::string& line) const
{
    if (!settings_.told) {
        say("zlink: {}\n", line);
    }
}

void connection_watch::take_refusal(const connection_event& event, peer_kind kind, const std::string& note)
{
    const std::string line = explain_refusal(event, kind, self_, std::string(words_of(note)));
    if (kind == peer_kind::visitor) {
        if (visitors_.insert(event.value).second) {
            say_line(line);
        }
        return;
    }
    count_break(event.remote, line, is_final(event, kind));
}

void connection_watch::count_break(const std::string& endpoint, const std::string& line, bool final)
{
    peer& named = peers_.at(endpoint);
    named.handshake_in_progress = false;
    named.trouble = line;
    ++named.breaks;
    const bool given_up = final || (!named.established && named.breaks >= most_breaks);
    if (!given_up) {
        say_once(line);
        return;
    }
    if (!refused_.insert(endpoint).second) {
        return;
    }
    if (!settings_.listens && refused_.size() == peers_.size()) {
        verdict_ = line;
    } else {
        say_line(line);
    }
}

bool connection_watch::broke_streams() const noexcept
{
    return !handshakes_ && !peers_.empty() && !settings_.listens &&
           std::all_of(peers_.begin(), peers_.end(), [](const auto& p) { return p.second.breaks > 0; });
}

std::string connection_watch::hint() const
{
    for (const auto& [endpoint, known] : peers_) {
        const std::string& trouble = known.obstacle.empty() ? known.trouble : known.obstacle;
        if (!trouble.empty() && refused_.count(endpoint) == 0) {
            return "; " + trouble;
        }
        if (known.handshake_in_progress && handshakes_) {
            return fmt::format("; {} takes connections but doesn't answer the handshake: is a ZeroMQ socket there?",
                               endpoint);
        }
    }
    return "";
}

void connection_watch::say_verbosely(const connection_event& event, const std::string& note) const
{
    if (event.kind == ZMQ_EVENT_LISTENING) {
        return;  // said by the side that binds
    }
    const std::string text = event.kind == ZMQ_EVENT_PEER_PROPERTIES
                                 ? describe_peer(event, handshakes_ ? mechanism_name(self_.mechanism) : "")
                                 : describe(event);
    if (!text.empty()) {
        const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
        say("[{:.3f} s] {}{}{}\n", since.count(), text, note.empty() ? "" : "; ", note);
    }
}

}  // namespace zlink::tool
