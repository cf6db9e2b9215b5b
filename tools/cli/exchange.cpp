// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket's options in order: the tool's own, then the user's, then what counting losses needs (message_sender).
#include "cli/exchange.hpp"

#include "cli/connection_watch.hpp"
#include "cli/farewell.hpp"
#include "cli/security_options.hpp"
#include "cli/socket_defaults.hpp"
#include "cli/takeover.hpp"
#include "cli/traffic_loop.hpp"

#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds publisher_delay{200};
constexpr milliseconds last_moment{250};  // what was queued just now still gets out to a peer that is there

void configure(socket& peer, const traffic_options& options)
{
    if (!options.identity.empty()) {
        peer.set(ZMQ_ROUTING_ID, options.identity);
    }
    if (options.type == ZMQ_REP) {
        peer.set(ZMQ_SNDHWM, 0);  // at the mark REP drops replies, and nobody could tell
    }
    for (const auto& setting : options.settings) {
        if (!setting.of_context) {
            apply(setting, peer);
        }
    }
    if (options.type == ZMQ_SUB) {
        for (const auto& topic : options.topics) {
            peer.set(ZMQ_SUBSCRIBE, std::string_view(topic));
        }
    }
    if (options.type == ZMQ_DISH) {
        for (const auto& group : options.groups) {
            peer.join(group);
        }
    }
}

void open_endpoints(socket& peer, const traffic_options& options, traffic_loop& loop)
{
    for (const auto& endpoint : options.bind) {
        takeover{options.force, options.quiet}.look_at(endpoint);
        peer.bind(endpoint);
        if (!options.quiet && (options.verbose || endpoint.find('*') != std::string::npos)) {
            say("listening on {}\n", peer.last_endpoint());
        }
    }
    for (const auto& endpoint : options.connect) {
        if (options.type == ZMQ_PEER) {
            loop.dialled(peer.connect_to_peer(endpoint));
        } else {
            peer.connect(endpoint);
        }
    }
    if (options.type == ZMQ_XSUB) {
        for (const auto& topic : options.topics) {
            peer.send({"\1" + topic}, 0);
        }
    }
}

// Until the time is over, or a stop is asked for; what stands in the way is said meanwhile.
void await_peers(connection_watch& watch, milliseconds delay)
{
    const auto end = std::chrono::steady_clock::now() + delay;
    while (!stop_signal::requested() && !watch.hopeless()) {
        watch.read();
        const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return;
        }
        std::array<zmq_pollitem_t, 2> items{
            {{nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}, {watch.handle(), 0, ZMQ_POLLIN, 0}}};
        zmq_poll(items.data(), static_cast<int>(items.size()), left.count());
    }
}

// Whether messages wait in the socket until a peer takes them; otherwise nobody's absence keeps them.
bool queues(int type)
{
    return can_send(type) && !publishes(type);
}

// What the end of the queues means: how many messages didn't get out, as far as can be known. Empty: all did.
std::string unsent(const traffic_loop& loop, const connection_watch& watch, const farewell& end, int type)
{
    std::uint64_t count = loop.stuck() ? 1 : 0;
    if (watch.hopeless() && !watch.ever_connected()) {
        return count + loop.meter().messages_sent() == 0 ? ""
                                                         : messages(count + loop.meter().messages_sent()) + " unsent";
    }
    if (watch.hopeless() && queues(type) && loop.meter().messages_sent() > 0) {
        return "messages that were queued for it may be lost";
    }
    // A stream's connection takes messages before the handshake of TLS is through.
    if (watch.broke_streams() && loop.meter().messages_sent() > 0 && loop.meter().messages_received() == 0) {
        return "what was sent may be lost";
    }
    if (end.how == farewell::end::sent) {
        return count == 0 ? "" : messages(count) + " unsent";
    }
    count += end.queued;
    if (count == 0) {
        return watch.ends_when_sent() || !can_send(type) ? "" : "messages unsent";  // how many isn't known there
    }
    return fmt::format("{}{} unsent", watch.ever_connected() ? "up to " : "", messages(count));
}

// The line about it, with cause and cure.
std::string complaint(const std::string& left, const traffic_options& options, farewell::end how)
{
    constexpr const char* cure = "start the peer or check the endpoint";
    if (stop_signal::requested()) {
        return fmt::format("stopped: {}, no peer took what was left; {}", left, cure);
    }
    if (how == farewell::end::sent) {
        return fmt::format("the peer closed the connection: {}; {}", left, cure);
    }
    if (options.linger) {
        return fmt::format("--linger is over: {}, no peer took what was left within {} ms; {}, or give it longer", left,
                           options.linger->count(), cure);
    }
    return fmt::format("timed out: {}, no peer took what was left within {} ms; {}", left,
                       options.timeout.value_or(milliseconds{0}).count(), cure);
}

// True when something was lost.
bool say_what_was_lost(const traffic_options& options, const traffic_loop& loop, const connection_watch& watch,
                       const farewell& end)
{
    const std::string left = unsent(loop, watch, end, options.type);
    if (watch.hopeless()) {
        say("zlink: {}{}{}\n", watch.verdict(), left.empty() ? "" : "; ", left);
    } else if (!left.empty()) {
        say("zlink: {}{}\n", complaint(left, options, end.how), watch.hint());
    }
    say_losses(loop.lost(), loop.meter().messages_sent(), publishes(options.type));
    return watch.refused() || !left.empty() || loop.lost().all() > 0;
}

// Over udp no sender knows the listeners.
bool has_connections(const traffic_options& options)
{
    return std::ranges::none_of(options.connect, [](const auto& endpoint) { return endpoint.starts_with("udp://"); });
}

void say_what_was_missed(const traffic_options& options, const traffic_loop& loop, const connection_watch& watch,
                         const farewell& end)
{
    if (options.quiet) {
        return;
    }
    if (publishes(options.type) && has_connections(options) && !watch.ever_connected() && !watch.hopeless() &&
        loop.meter().messages_sent() > 0) {
        say("no subscriber was connected: {} went to nobody; --delay gives subscribers more time\n",
            messages(loop.meter().messages_sent()));
    }
    const bool takes_from_others =
        options.type != ZMQ_SUB && options.type != ZMQ_XSUB && options.type != ZMQ_XPUB && options.type != ZMQ_DISH;
    if (takes_from_others && end.unread > 0 && options.count) {
        say("when --count was reached, {} had arrived already and are lost; --opt RCVHWM=1 takes fewer ahead\n",
            messages(end.unread));
    }
}

std::optional<milliseconds> time_to_leave(const traffic_options& options, bool in_a_hurry)
{
    return in_a_hurry ? last_moment : options.linger ? options.linger : options.timeout;
}

}  // namespace

exit_status exchange(const traffic_options& options)
{
    const credentials keys(options.security);
    const bool is_server = keys.the_role_is_server();
    context owner;
    for (const auto& setting : options.settings) {
        if (setting.of_context) {
            apply(setting, owner);
        }
    }
    std::optional<auth_handler> handler;
    keys.start_handler(handler, owner, options.quiet, options.verbose);
    socket peer(owner, options.type);
    peer.set(ZMQ_LINGER, 0);  // farewell sets it; a failure before has nothing to send
    set_defaults(peer, {options.bind, options.connect, {options.security.socks_proxy}});
    is_server ? keys.make_server(peer, handler, {options.bind, options.connect}) : keys.make_client(peer);
    configure(peer, options);
    connection_watch watch(owner, peer, {options.connect, !options.bind.empty(), options.verbose});
    watch.configured();
    traffic_loop loop(options, peer, watch);
    open_endpoints(peer, options, loop);
    const auto delay = options.delay.value_or(publishes(options.type) ? publisher_delay : milliseconds{0});
    await_peers(watch, delay);

    std::optional<failure> problem;
    try {
        loop.run();
    } catch (const failure& thrown) {
        problem = thrown;
    }
    // An XSUB's subscriptions are messages to it, too, but nobody has to wait for them.
    const bool sends = can_send(options.type) && (options.type != ZMQ_XSUB || loop.meter().messages_sent() > 0);
    const leaving_socket leaving{&peer, &watch, sends};
    const bool in_a_hurry = problem || stop_signal::requested();
    const farewell end = say_farewell({&leaving, 1}, time_to_leave(options, in_a_hurry), options.quiet);
    if (problem) {
        const std::string left = unsent(loop, watch, end, options.type);
        say("zlink: {}{}{}\n", problem->what(), left.empty() ? "" : "; ", left);
        say_losses(loop.lost(), loop.meter().messages_sent(), publishes(options.type));
    } else {
        loop.meter().summary(stop_signal::requested());
        say_what_was_missed(options, loop, watch, end);
    }
    const bool lost = !problem && say_what_was_lost(options, loop, watch, end);
    const exit_status status = problem ? problem->status() : lost ? exit_status::failed : exit_status::success;
    if (end.how != farewell::end::sent) {
        leave(static_cast<int>(status));
    }
    return status;
}

}  // namespace zlink::tool
