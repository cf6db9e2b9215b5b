// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/body_sharing.hpp"

#include "base/invariant.hpp"
#include "zmtp/metadata.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace zlink::engine {

namespace {

// Memory that no body was put into for one to two such times is given back.
constexpr std::chrono::seconds look_for_unused_each{2};

// What subscribers send is read by the socket itself, which does not rely on memory that changes.
shm::incoming_bodies incoming(const session_options& options) noexcept
{
    return publishes(options.type) ? shm::incoming_bodies::declined : options.incoming_bodies;
}

// The subscribers of a publisher get the same bodies.
shm::sending_memory::readers readers(const session_options& options) noexcept
{
    return publishes(options.type) ? shm::sending_memory::readers::many : shm::sending_memory::readers::one;
}

}  // namespace

bool offers_shared_bodies(const session_options& options, const transport::stream& stream) noexcept
{
    const bool seals = options.security && options.security->mechanism == zmtp::mechanism_kind::curve;
    return options.shared_bodies && !options.raw && !seals && stream.passes_descriptors();
}

bool agrees_on_shared_bodies(const session_options& options, const transport::stream& stream,
                             const zmtp::remote_peer& peer) noexcept
{
    if (peer.version < zmtp::protocol_version::zmtp_3_0) return false;
    const zmtp::property* const said = zmtp::find_property(peer.properties, shared_bodies_property);
    return said && said->second == shared_bodies_version && offers_shared_bodies(options, stream);
}

body_sharing::body_sharing(traffic_context& at, command_path& commands, connection_writer& writer,
                           connection_reader& reader)
    : at_(at),
      commands_(commands),
      exchange_(at.options.shared_bodies, *this, incoming(at.options), readers(at.options)),
      making_timer_(at.worker.loop()),
      unused_timer_(at.worker.loop())
{
    wire::segment_maker& maker = *this;
    writer.share_bodies(exchange_.out(), maker, queue_);
    reader.share_bodies(exchange_.in());
}

void body_sharing::make_segment() noexcept
{
    invariant([this] { return at_.on_worker(); });
    // One step is done. Others of the worker have their turn before the next.
    if (exchange_.offer_segment() && making_timer_.start_after(std::chrono::seconds(0), [this] { make_segment(); })) {
        return;
    }
    if (!looks_) look_later();
}

bool body_sharing::send_exchange(const shm::command& what, unique_fd descriptor) noexcept
{
    invariant([this] { return at_.on_worker(); });
    try {
        std::vector<std::byte> frame;
        shm::append_command(frame, what);
        if (!queue_.put(frame, std::move(descriptor))) return false;
        commands_.note_exchange();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void body_sharing::look_later() noexcept
{
    // If memory is short, the segments stay.
    looks_ = exchange_.out().has_segments() && unused_timer_.start_after(look_for_unused_each, [this] {
        exchange_.retire_unused();
        look_later();
    });
}

}  // namespace zlink::engine
