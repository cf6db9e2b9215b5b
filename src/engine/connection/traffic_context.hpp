// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The state that the paths of a connection's traffic share, and their interface to the phase that runs them.
#pragma once

#include "engine/connection/descriptor_interest.hpp"
#include "engine/connection/framing.hpp"
#include "engine/ending.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "transport/stream.hpp"
#include "zmtp/peer.hpp"

#include <cstdint>

namespace zlink::engine {

/// The course of a connection's traffic. It only moves downwards in this list.
enum class traffic_life : std::uint8_t {
    running,
    draining,      ///< ends once the outbound lane is empty
    peer_closing,  ///< the peer has said that it closes, and waits for the answer
    stopped,       ///< nothing is read or written, unless an application holds a token
};

/// Outlives the paths. Everything belongs to the worker, except while an application's thread holds a token. Such a
/// thread reads `stream`, `end`, `worker` and `options`, which do not change while tokens are offered.
struct traffic_context {
    io_worker& worker;
    const host_ref& host;
    const endpoint_pair& endpoints;
    const session_options& options;
    transport::stream& stream;
    const framing& frames;
    descriptor_interest& interest;
    const zmtp::protocol_version version;
    const bool wraps;               ///< the stream may have octets of its own on either side of the descriptor
    pipe::pipe_end* end = nullptr;  ///< the pipe served, from traffic_phase::begin() on
    traffic_life life = traffic_life::running;

    // For invariants
    [[nodiscard]] bool on_worker() const noexcept { return worker.loop().on_loop_thread(); }
    /// The worker's thread, which holds the token for writing, or needs none.
    [[nodiscard]] bool worker_writes() const noexcept
    {
        return on_worker() && end->parent().io.write_token.with_io_thread();
    }
    [[nodiscard]] bool worker_reads() const noexcept
    {
        return on_worker() && end->parent().io.read_token.with_io_thread();
    }

    [[nodiscard]] bool stopped() const noexcept { return life == traffic_life::stopped; }
    void advance(traffic_life to) noexcept
    {
        if (life < to) life = to;
    }
    /// No message follows those that are in the outbound lane.
    [[nodiscard]] bool ends_when_drained() const noexcept
    {
        return life == traffic_life::draining || end->reader.closed();
    }
};

/// The traffic phase, as its paths see it. Worker's thread.
class path_owner {
public:
    /// The outbound lane, or commands, have something to write.
    virtual void on_output() noexcept = 0;
    /// The peer kept silent for too long.
    virtual void on_silence() noexcept = 0;
    /// Reading goes on after a rest.
    virtual void on_pause_over() noexcept = 0;
    /// Messages that an application has held back now have to be written by the worker. False: the connection is over.
    [[nodiscard]] virtual bool write_held() noexcept = 0;
    /// An application does not come back: the worker now has to read the input that it has parked. False: the
    /// connection is over.
    [[nodiscard]] virtual bool read_parked() noexcept = 0;

protected:
    ~path_owner() = default;
};

}  // namespace zlink::engine
