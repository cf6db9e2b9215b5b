// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: bind, connect, unbind, disconnect.
#include "socket/socket.hpp"

#include "base/last_error.hpp"
#include "engine/listener.hpp"
#include "engine/session.hpp"
#include "pattern/routing/whole_message.hpp"
#include "socket/context.hpp"
#include "socket/descriptor_signal.hpp"
#include "socket/knobs.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace zlink::socket {

namespace {

bool conflates(const socket_options& o) noexcept
{
    return o.conflate && traits(o.type).conflates;
}

std::uint64_t hwm_of(int value) noexcept
{
    return value <= 0 ? 0 : std::uint64_t(value);
}

shm::incoming_bodies incoming_bodies(const socket_options& options, const shm::budget* of) noexcept
{
    using enum shm::incoming_bodies;
    if (options.shm_borrow >= 0) return options.shm_borrow == 1 ? borrowed : copied;
    return of ? of->limits().incoming : copied;
}

}  // namespace

std::shared_ptr<engine::session_options> socket::session_settings(const transport::transport& over,
                                                                  std::uint64_t endpoint_id) const
{
    auto s = std::make_shared<engine::session_options>();
    s->connection = options_.connection;
    if (!traits(options_.type).greets) s->connection.hello_message.clear();
    s->stream = options_.stream;
    s->stream.protocols = engine::negotiated_protocols(options_.security);
    s->data_path = settings_for(over, options_.connection);
    s->security = std::make_shared<const engine::security_settings>(options_.security);
    s->shared_bodies = host_.account().shared_bodies();
    s->incoming_bodies = incoming_bodies(options_, s->shared_bodies.get());
    s->inline_io = process_knobs().inline_io();
    s->type = options_.type;
    s->raw = traits(options_.type).wire_name.empty() || options_.pattern.router_raw;
    s->conflate = conflates(options_);
    s->routing_id = options_.routing_id;
    s->sndhwm = hwm_of(options_.sndhwm);
    s->rcvhwm = hwm_of(options_.rcvhwm);
    s->sndhwm_bytes = std::uint64_t(options_.sndhwm_bytes);
    s->rcvhwm_bytes = std::uint64_t(options_.rcvhwm_bytes);
    s->drops_sent = pipe::joint_rule(options_.drops_sent(), pipe::when_full::block);
    s->drops_received = pipe::joint_rule(pipe::when_full::block, options_.drops_received());
    s->cap = host_.in().cap_of_pipes();
    s->endpoint_id = endpoint_id;
    return s;
}

pattern::attachment socket::local_attachment(bool peer_is_socket)
{
    pattern::attachment how;
    how.locally_connected = true;
    how.peer_is_socket = peer_is_socket;
    how.connect_routing_id = std::exchange(options_.connect_routing_id, {});
    return how;
}

errc socket::bind(std::string_view endpoint)
{
    descriptor_signal signal(*mailbox_);
    signal.changes();
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    try {
        const auto over = transport_for(endpoint, opening::bind);
        // If the address is wrong, that is an event; if the text is not an endpoint, that is not.
        if (!over) return over.error();
        const auto where = transport::parse_bind_endpoint(endpoint);
        if (!where) {
            report_bind_failed(endpoint, where.error());
            return where.error();
        }
        if (where->over->datagrams()) return bind_datagrams(*where);
        return where->over->streams() ? bind_stream(*where) : bind_name(*where);
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc socket::connect(std::string_view endpoint)
{
    descriptor_signal signal(*mailbox_);
    signal.changes();
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    try {
        const auto over = transport_for(endpoint, opening::connect);
        if (!over) return over.error();
        const auto where = transport::parse_connect_endpoint(endpoint);
        if (!where) return where.error();
        if (where->over->datagrams()) return connect_datagrams(*where);
        if (!where->over->streams()) return connect_to_name(*where);
        if (traits(options_.type).connects_once && endpoints_.has(where->text)) return errc::none;
        return connect_stream(*where);
    } catch (...) {
        return errc::out_of_memory;
    }
}

result<const transport::transport*> socket::transport_for(std::string_view endpoint, opening how) const
{
    const auto over = transport::transport_of(endpoint);
    if (over && !suits(**over, how)) return errc::incompatible_protocol;
    return over;
}

// The address comes without the scheme, as in libzmq.
void socket::report_bind_failed(std::string_view endpoint, errc why)
{
    constexpr std::string_view delimiter = "://";
    std::string address(endpoint.substr(endpoint.find(delimiter) + delimiter.size()));
    host_.report(engine::monitor_event::bind_failed, std::uint64_t(to_errno(why)),
                 {std::move(address), "", true, std::string(endpoint)}, std::strerror(to_errno(why)));
}

errc socket::bind_stream(const transport::endpoint& where)
{
    engine::io_worker* worker = host_.in().choose_worker(options_.affinity);
    if (!worker) return errc::no_thread;
    if (publishes(options_.type)) subscriptions_.expect();
    const std::uint64_t id = endpoints_.next_id();
    auto settings = session_settings(*where.over, id);
    settings->endpoint = where.text;
    const transport::stream_transport& over = *where.over->streams();
    if (settings->raw && !over.carries_raw()) return errc::incompatible_protocol;
    if (settings->raw && settings->stream.zap_about_certificate) {
        tell_failure("raw sockets ask no ZAP handler (" + std::string(settings->stream.zap_about_certificate) + ')');
        return errc::invalid_argument;
    }
    int number = -1;
    auto acceptor = over.bind(*where.where, settings->stream, number);
    if (!acceptor) {
        if (number >= 0) {
            const std::string named = over.names_failed_bind() ? where.text : std::string{};
            host_.report(engine::monitor_event::closed, std::uint64_t(number), {named, "", true, where.text},
                         std::strerror(to_errno(acceptor.error())));
        }
        report_bind_failed(where.text, acceptor.error());
        return acceptor.error();
    }
    std::string text = (*acceptor)->endpoint_text();
    // The program's own descriptor is taken over only once.
    options_.stream.use_fd = -1;
    host_.report(engine::monitor_event::listening, std::uint64_t((*acceptor)->descriptor()),
                 {text, "", true, where.text}, "");
    const std::uint64_t affinity = options_.affinity;
    auto choose = [owner = &host_.in(), affinity, worker]() -> engine::io_worker& {
        engine::io_worker* w = owner->choose_worker(affinity);
        return w ? *w : *worker;
    };
    auto l = std::make_shared<engine::listener>(*worker, engine::host_ref(host_), std::move(settings),
                                                host_.in().alive(), std::move(choose), std::move(*acceptor), text);
    endpoints_.add({text, id, true, nullptr, l, {}});
    l->start();
    endpoints_.note_opened(std::move(text));
    return errc::none;
}

errc socket::connect_stream(const transport::endpoint& where)
{
    engine::io_worker* worker = host_.in().choose_worker(options_.affinity);
    if (!worker) return errc::no_thread;
    const auto sound = where.over->streams()->check_peer(*where.where, options_.stream);
    if (!sound) return sound.error();
    if (publishes(options_.type)) subscriptions_.expect();
    const std::uint64_t id = endpoints_.next_id();
    const std::shared_ptr<const engine::session_options> settings = session_settings(*where.over, id);
    if (settings->raw && !where.over->carries_raw()) return errc::incompatible_protocol;
    std::string text = where.text;
    pipe::pipe* p = nullptr;
    const bool at_once = !options_.connection.immediate || settings->raw;
    if (at_once) {
        p = pipe::pipe::create(settings->limits_of_pipe());
        if (!p) return errc::out_of_memory;
    }
    std::shared_ptr<engine::session> s;
    try {
        s = std::make_shared<engine::session>(*worker, engine::host_ref(host_), settings, host_.in().alive(), where,
                                              p ? &p->second() : nullptr);
        endpoints_.add({where.text, id, false, s, nullptr, {}});
    } catch (...) {
        if (p) {
            p->second().close();
            p->first().close();
        }
        throw;
    }
    if (p) {
        p->first().attach(*mailbox_);
        try {
            add_pipe(p->first(), local_attachment(false), id);
        } catch (...) {
            p->second().close();
            undo_add_pipe(p->first());
            endpoints_.erase(id);
            throw;
        }
    }
    endpoints_.note_opened(std::move(text));
    s->start();
    return errc::none;
}

joined_party socket::joined_side(std::uint64_t endpoint_id) const
{
    joined_party me;
    me.box = mailbox_;
    me.sndhwm = hwm_of(options_.sndhwm);
    me.rcvhwm = hwm_of(options_.rcvhwm);
    me.sndhwm_bytes = std::uint64_t(options_.sndhwm_bytes);
    me.rcvhwm_bytes = std::uint64_t(options_.rcvhwm_bytes);
    me.routing_id = options_.routing_id;
    me.conflate = conflates(options_);
    me.drops_sent = options_.drops_sent();
    me.drops_received = options_.drops_received();
    me.endpoint_id = endpoint_id;
    if (traits(options_.type).greets) me.hello_message = options_.connection.hello_message;
    return me;
}

errc socket::bind_name(const transport::endpoint& where)
{
    const std::uint64_t id = endpoints_.next_id();
    const joined_party me = joined_side(id);
    const std::string& name = where.over->names()->name_of(*where.where);
    std::string text = where.text;
    endpoints_.add({where.text, id, true, nullptr, nullptr, name});
    try {
        if (const errc e = host_.in().names().bind(name, me); e != errc::none) {
            endpoints_.erase(id);
            return e;
        }
    } catch (...) {
        endpoints_.erase(id);
        throw;
    }
    endpoints_.note_opened(std::move(text));
    // Sockets that connected before this bind are peers from now on, whatever this program does next.
    return process();
}

errc socket::connect_to_name(const transport::endpoint& where)
{
    const std::uint64_t id = endpoints_.next_id();
    const joined_party me = joined_side(id);
    const std::string& name = where.over->names()->name_of(*where.where);
    std::string text = where.text;
    // The binder's marks are added when it binds. What it wants dropped has to be known now.
    const name_registry::drop_wishes binder = host_.in().names().wishes_of(name);
    const data_path_settings path = settings_for(*where.over);
    pipe::pipe* p = pipe::pipe::create({me.sndhwm, me.rcvhwm, path.writev_threshold, me.conflate, me.sndhwm_bytes,
                                        me.rcvhwm_bytes, pipe::joint_rule(me.drops_sent, binder.received),
                                        pipe::joint_rule(binder.sent, me.drops_received), host_.in().cap_of_pipes()});
    if (!p) return errc::out_of_memory;
    p->first().attach(*mailbox_);
    try {
        if (!me.hello_message.empty() && !pattern::routing::write_whole(p->first(), me.hello_message))
            throw std::bad_alloc();
        endpoints_.add({where.text, id, false, nullptr, nullptr, name});
        add_pipe(p->first(), local_attachment(true), id);
        host_.in().names().connect(name, p->second(), me);
    } catch (...) {
        p->second().close();
        undo_add_pipe(p->first());
        endpoints_.erase(id);
        throw;
    }
    endpoints_.note_opened(std::move(text));
    // If a binder is there, it has already told this socket its routing id.
    return process();
}

// The text of a bound endpoint in the records. The program may give the text it used or the one it read back.
std::string socket::bound_text(std::string_view endpoint) const
{
    const auto where = transport::parse_bind_endpoint(endpoint);
    if (!where) return {};
    if (const auto* const datagrams = where->over->datagrams())
        return datagrams->bound_text(*where->where, options_.stream);
    const auto* const streams = where->over->streams();
    if (streams) return streams->bound_text(*where->where, where->text, options_.stream);
    return where->text;
}

// For both unbind and disconnect: ends the endpoints that are bound or connected there. If the socket has bound a
// name of its context itself, its connections to that name stay.
errc socket::end_endpoints(std::string_view endpoint)
{
    descriptor_signal signal(*mailbox_);
    signal.changes();
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    try {
        if (const auto over = transport_for(endpoint, opening::any); !over) return over.error();
        std::vector<std::uint64_t> ids = endpoints_.with_text(endpoint);
        if (ids.empty()) {  // not earlier: a name may have to be looked up
            ids = endpoints_.with_text(bound_text(endpoint));
            std::erase_if(ids, [this](std::uint64_t id) {
                const endpoint_record& record = *endpoints_.find(id);
                return !record.bound && !record.datagrams;
            });
        }
        const auto binds_name = [this](std::uint64_t id) {
            const endpoint_record& record = *endpoints_.find(id);
            return record.binds_name();
        };
        if (const auto bind = std::find_if(ids.begin(), ids.end(), binds_name); bind != ids.end()) ids = {*bind};
        std::sort(ids.begin(), ids.end(), std::greater<>());
        for (const std::uint64_t id : ids) end_endpoint(*endpoints_.find(id));
        return ids.empty() ? errc::no_entry : errc::none;
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc socket::disconnect_peer(std::string_view routing_id) noexcept
{
    using enum socket_type;
    constexpr socket_types names_peers{router, socket_type::stream, pub, xpub};
    if (!names_peers.contains(options_.type)) return errc::not_supported;
    if (routing_id.empty()) return errc::invalid_argument;
    descriptor_signal signal(*mailbox_);
    signal.changes();
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    const auto has_that = [&](pipe::pipe_end* end) { return record_of(*end).routing_id == routing_id; };
    const auto found = std::ranges::find_if(pipes_.open(), has_that);
    if (found == pipes_.open().end() || (*found)->peer_has_left()) return errc::host_unreachable;
    held_.send();
    remove_pipe(**found);
    return errc::none;
}

// For the pattern it is as if the peers had closed. Received messages stay readable, unless end_endpoint() takes the
// pipes away. Sent messages go out, but no more can be sent.
void socket::stop_reading(const endpoint_record& record)
{
    if (!record.listener && !record.session) return;
    held_.send();
    const auto stop = [this](pipe::pipe_end& end) {
        if (!record_of(end).rejected) stop_reading(end);
    };
    if (record.bound) {
        for (std::size_t i = pipes_.open().size(); i-- > 0;) {
            if (record_of(*pipes_.open()[i]).endpoint_id == record.id) stop(*pipes_.open()[i]);
        }
    } else {
        for (pipe::pipe_end* end = record.first_pipe; end; end = record_of(*end).next_of_endpoint) stop(*end);
    }
    close_given_up();
}

void socket::stop_reading(pipe::pipe_end& end)
{
    inline_reader::leave_for_good(end);
    pattern_->on_peer_closed(end);
}

// Connected: unread messages are dropped, queued ones linger. Bound: no new peers; the engine ends the connections made
// here once their queues are written.
void socket::end_endpoint(endpoint_record& record)
{
    const std::uint64_t id = record.id;
    stop_reading(record);
    if (record.connects_to_name()) {
        remove_pipe(*record.first_pipe);  // and with it the record
        host_.in().names().let_go(mailbox_, id);
        return;
    }
    while (record.first_pipe) remove_pipe(*record.first_pipe);
    if (!record.name.empty()) (void)host_.in().names().unbind(record.name, mailbox_);
    stop_endpoint(record);
    endpoints_.erase(id);
}

// Stops the parts that are on I/O threads.
void socket::stop_endpoint(const endpoint_record& record) noexcept
{
    const std::chrono::milliseconds linger(options_.linger);
    if (record.listener) record.listener->stop(linger);
    if (record.session) record.session->stop(linger);
    if (record.datagrams) record.datagrams->stop(linger);
}

}  // namespace zlink::socket
