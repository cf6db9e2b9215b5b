// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/session_pipe.hpp"

#include "base/invariant.hpp"
#include "engine/peer_properties.hpp"

#include <string>
#include <utility>

namespace zlink::engine {

namespace {

std::string routing_id_of(const zmtp::remote_peer& peer)
{
    return {reinterpret_cast<const char*>(peer.routing_id.data()), peer.routing_id.size()};
}

const char* mechanism_of(const session_options& options) noexcept
{
    if (options.raw) return "";
    switch (options.security ? options.security->mechanism : zmtp::mechanism_kind::null) {
    case zmtp::mechanism_kind::null: return "NULL";
    case zmtp::mechanism_kind::plain: return "PLAIN";
    case zmtp::mechanism_kind::curve: return "CURVE";
    }
    return "";
}

// May throw std::bad_alloc.
peer_attachment attachment_of(const zmtp::remote_peer& peer, const session_options& options,
                              const std::string& other_endpoint)
{
    return {routing_id_of(peer), other_endpoint, std::string(user_id_of(peer)), mechanism_of(options)};
}

}  // namespace

result<pipe::pipe_end*> session_pipe::serve(const zmtp::remote_peer& peer, const transport::stream& from,
                                            const endpoint_pair& endpoints) noexcept
{
    try {
        if (!end_) {
            auto made = make(peer, from, endpoints);
            if (!made) return made;
            end_ = *made;
        } else {
            // Otherwise its messages would carry the properties of the peer before.
            if (!describe(peer, from, endpoints, *end_)) return errc::out_of_memory;
            end_->parent().untaken.store(false, std::memory_order_relaxed);  // before this socket is told
            if (!host_.identified(end_->peer(), attachment_of(peer, options_, endpoints.local), had_connection_))
                return errc::out_of_memory;
        }
    } catch (...) {
        return errc::out_of_memory;
    }
    had_connection_ = true;
    return end_;
}

bool session_pipe::describe(const zmtp::remote_peer& peer, const transport::stream& from,
                            const endpoint_pair& endpoints, pipe::pipe_end& to) noexcept
{
    message::metadata* const properties = properties_of(peer, from);
    if (!properties) return false;
    host_.report_peer(*properties, endpoints);
    return to.writer.set_metadata(properties);
}

result<pipe::pipe_end*> session_pipe::make(const zmtp::remote_peer& peer, const transport::stream& from,
                                           const endpoint_pair& endpoints)
{
    peer_attachment how = attachment_of(peer, options_, endpoints.remote);
    pipe::pipe* p = pipe::pipe::create(options_.limits_of_pipe());
    if (!p) return errc::out_of_memory;
    pipe::pipe_end& mine = p->second();
    attach(mine);
    const errc failure = describe(peer, from, endpoints, mine)
                             ? host_.attach(p->first(), std::move(how), options_.endpoint_id)
                             : errc::out_of_memory;
    if (failure == errc::none) return &mine;
    p->first().close();
    mine.close();
    return failure;
}

void session_pipe::write_hiccup() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    const std::string& text = options_.connection.hiccup_message;
    if (!end_ || text.empty() || !traits(options_.type).tells_hiccup) return;
    if (end_->writer.write({reinterpret_cast<const std::byte*>(text.data()), text.size(), false})) end_->publish();
}

bool session_pipe::has_messages() noexcept
{
    if (!end_) return false;
    // The end of the lane alone does not count.
    iovec piece;
    return end_->reader.gather(&piece, 1, 1, 0).count != 0;
}

session_pipe::count session_pipe::unwritten(bool served) const noexcept
{
    if (!end_) return {0, false};
    if (!served) return {end_->reader.messages_waiting(), false};
    if (!end_->peer_has_left()) return {0, true};
    const pipe::pipe_end& source = end_->peer();
    return {source.has_relay() ? source.messages_queued() : source.writer.uncredited(), true};
}

void session_pipe::close() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (!end_) return;
    worker_.forget(*end_);
    // Otherwise the socket counts them when it closes its end.
    if (end_->peer_has_left()) host_.count(session_count::unsent, end_->reader.messages_waiting());
    end_->close();
    end_ = nullptr;
}

}  // namespace zlink::engine
