// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A connecting socket of zlink gives up a peer that broke the protocol and tries the others for ever. The tool gives up
// those, too, that break off every handshake, so that a wrong port doesn't look like a slow start.
#include "cli/connection_watch.hpp"

#include "support/loaded_library.hpp"
#include "support/status_line.hpp"

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

// A server that is just starting or ending may break off one or two handshakes. At the default interval of
// reconnecting so many take one to two seconds.
constexpr int most_breaks = 10;

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
    by_proxy_ = watched_.has_text(ZMQ_SOCKS_PROXY);
}

void connection_watch::read()
{
    while (const auto event = monitor_.next()) {
        take(*event);
    }
}

void connection_watch::take(const connection_event& event)
{
    if (settings_.verbose) {
        say_verbosely(event);
    }
    const auto known = peers_.find(event.remote);
    peer* const named = known == peers_.end() ? nullptr : &known->second;
    const bool ready = event.kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED ||
                       (!handshakes_ && (event.kind == ZMQ_EVENT_CONNECTED || event.kind == ZMQ_EVENT_ACCEPTED));
    ever_connected_ = ever_connected_ || ready;
    const peer_kind kind = named == nullptr     ? peer_kind::visitor
                           : named->established ? peer_kind::acquainted
                                                : peer_kind::stranger;
    if (is_refusal(event, kind)) {
        take_refusal(event, kind);
    } else if (named != nullptr && ready) {
        *named = {false, true, 0, ""};
    } else if (named != nullptr && by_proxy_ && event.kind == ZMQ_EVENT_CLOSED) {
        named->trouble = last_failure();
    } else if (named != nullptr) {
        named->shakes_hands = event.kind == ZMQ_EVENT_CONNECTED;
    }
}

void connection_watch::take_refusal(const connection_event& event, peer_kind kind)
{
    const std::string line = explain_refusal(event, kind, self_);
    if (kind == peer_kind::visitor) {
        if (visitors_.insert(event.value).second) {
            say("zlink: {}\n", line);
        }
        return;
    }
    peer& named = peers_.at(event.remote);
    named.shakes_hands = false;
    named.trouble = line;
    ++named.breaks;
    const bool given_up = is_final(event, kind) || (kind == peer_kind::stranger && named.breaks >= most_breaks);
    if (!given_up || !refused_.insert(event.remote).second) {
        return;
    }
    if (!settings_.listens && refused_.size() == peers_.size()) {
        verdict_ = line;
    } else {
        say("zlink: {}\n", line);
    }
}

std::string connection_watch::hint() const
{
    for (const auto& [endpoint, known] : peers_) {
        if (!known.trouble.empty() && refused_.count(endpoint) == 0) {
            return "; " + known.trouble;
        }
        if (known.shakes_hands && handshakes_) {
            return fmt::format("; {} takes connections but doesn't answer the handshake: is a ZeroMQ socket there?",
                               endpoint);
        }
    }
    return "";
}

void connection_watch::say_verbosely(const connection_event& event) const
{
    if (event.kind != ZMQ_EVENT_LISTENING) {  // said by whoever binds
        const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
        const bool has_words = event.has_words() || (by_proxy_ && event.kind == ZMQ_EVENT_CLOSED);
        const std::string words = has_words ? last_failure() : std::string();
        say("[{:.3f} s] {}{}{}\n", since.count(), describe(event), words.empty() ? "" : "; ", words);
    }
}

}  // namespace zlink::tool
