// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: endpoints of transports of datagrams. There is one pipe for each, from the beginning to the end.
#include "engine/datagram/datagram_session.hpp"
#include "socket/context.hpp"
#include "socket/socket.hpp"
#include "transport/transport.hpp"

#include <new>
#include <utility>

namespace zlink::socket {

bool socket::suits(const transport::transport& over, opening how) const noexcept
{
    const datagram_use use = traits(options_.type).datagrams;
    if (!over.datagrams()) return use != datagram_use::addressed;
    switch (use) {
    case datagram_use::none: return false;
    case datagram_use::sends_groups: return how != opening::bind;
    case datagram_use::takes_groups:
    case datagram_use::addressed: return how != opening::connect;
    }
    return false;
}

errc socket::bind_datagrams(const transport::endpoint& where)
{
    using enum transport::datagram_head;
    const bool addressed = traits(options_.type).datagrams == datagram_use::addressed;
    auto bound = where.over->datagrams()->bind(*where.where, addressed ? address : group, options_.stream);
    if (bound) return add_datagrams(*where.over, std::move(bound->port), std::move(bound->text));
    report_bind_failed(where.text, bound.error());
    return bound.error();
}

errc socket::connect_datagrams(const transport::endpoint& where)
{
    auto port = where.over->datagrams()->connect(*where.where, options_.stream);
    return port ? add_datagrams(*where.over, std::move(*port), where.text) : port.error();
}

errc socket::add_datagrams(const transport::transport& over, std::unique_ptr<transport::datagram_port> port,
                           std::string text)
{
    engine::io_worker* const worker = host_.in().choose_worker(options_.affinity);
    if (!worker) return errc::no_thread;
    const std::uint64_t id = endpoints_.next_id();
    const auto settings = session_settings(over, id);
    pipe::pipe::limits limits = settings->limits_of_pipe();
    limits.conflate = false;
    limits.first_to_second = limits.second_to_first = {};
    pipe::pipe* const p = pipe::pipe::create(limits);
    if (!p) return errc::out_of_memory;
    endpoint_record record;
    record.text = text;
    record.id = id;
    try {
        record.datagrams = std::make_shared<engine::datagram_session>(
            *worker, engine::host_ref(host_), host_.in().alive(), std::move(port), p->second(), id);
        endpoints_.add(record);
    } catch (...) {
        p->second().close();
        p->first().close();
        throw;
    }
    p->first().attach(*mailbox_);
    try {
        pattern::attachment how = local_attachment(false);
        how.tells_no_topics = true;
        add_pipe(p->first(), how, id);
        note_peer(p->first(), true);  // there is no handshake
    } catch (...) {
        p->second().close();
        undo_add_pipe(p->first());
        endpoints_.erase(id);
        throw;
    }
    endpoints_.note_opened(std::move(text));
    record.datagrams->start();
    return errc::none;
}

}  // namespace zlink::socket
