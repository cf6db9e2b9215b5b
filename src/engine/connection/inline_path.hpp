// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reading and writing by an application's thread, for as long as it holds a token of the pipe (pipe/io_token.hpp).
//
// Threads: an application's that holds the matching token; begin() and end() are the worker's.
#pragma once

#include "base/process_generation.hpp"
#include "engine/connection/connection_heartbeat.hpp"
#include "engine/connection/connection_reader.hpp"
#include "engine/connection/connection_writer.hpp"
#include "engine/connection/traffic_context.hpp"
#include "load/own_writes.hpp"
#include "runtime/yield_spin.hpp"

#include <cstdint>

namespace zlink::engine {

class inline_path final : public pipe::inline_io {
public:
    /// All arguments outlive the path. `heartbeat` gets the notes of a thread that reads.
    inline_path(traffic_context& at, connection_writer& writer, connection_reader& reader,
                connection_heartbeat& heartbeat);

    /// Offers the tokens of the pipe to applications, if this connection can be read and written by them. The worker
    /// writes and reads once afterwards.
    void begin() noexcept;
    /// The worker holds both tokens: applications get them no more.
    void end() noexcept;

    // pipe::inline_io
    [[nodiscard]] write_outcome write_inline(bool held) noexcept override;
    [[nodiscard]] write_outcome write_large(bool may_wait) noexcept override;
    [[nodiscard]] read_outcome read_inline() noexcept override;
    [[nodiscard]] bool waits_for_io() const noexcept override { return reader_.has_unread(); }
    [[nodiscard]] bool has_more() const noexcept override { return reader_.has_more(); }
    void pause_reading() noexcept override;
    void resume_reading() noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return at_.stream.descriptor(); }
    [[nodiscard]] unsigned neighbours() const noexcept override
    {
        return unsigned(at_.worker.load.load(std::memory_order_relaxed));
    }

private:
    [[nodiscard]] bool offers() const noexcept;
    void note_pool() noexcept;

    traffic_context& at_;
    connection_writer& writer_;
    connection_reader& reader_;
    connection_heartbeat& heartbeat_;
    const std::uint64_t generation_ = process_generation();
    load::own_writes own_writes_;
    runtime::yield_spin wait_for_room_;  ///< for room in the kernel, for the rest of a large message
};

}  // namespace zlink::engine
