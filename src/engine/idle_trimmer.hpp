// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Makes idle connections keep almost nothing of a burst. Several times a second it looks at connections that have a
// large chunk in their outbound lane. Those that stood still between two looks leave their chunk (pipe/reclaim.cpp).
// Then the blocks that the process keeps for large bodies are freed, if none was taken for as long. If there is nothing
// to look at, it does nothing.
//
// Everything on the worker's thread.
#pragma once

#include "base/invariant.hpp"
#include "message/body_pool.hpp"
#include "pipe/pipe.hpp"
#include "runtime/deadline_timer.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace zlink::engine {

class idle_trimmer {
public:
    /// Chunks up to this size stay.
    static constexpr std::size_t small_chunk = 2 * 1024;
    /// A connection that stood still for two of these is idle.
    static constexpr std::chrono::milliseconds between_checks{400};
    /// So many connections are looked at in one go, so that others do not wait for long; the next ones in a moment.
    static constexpr std::size_t most_at_once = 256;
    static constexpr std::chrono::milliseconds between_pieces{1};
    /// A connection that stood still so often and could not leave (the kernel has no memory barriers) keeps its chunk.
    static constexpr unsigned most_looks = 8;

    explicit idle_trimmer(runtime::event_loop& loop) : timer_(loop) {}

    /// For the thread that holds the write token: whether add() is to be called for `end`. Returns true once, until
    /// `end` was dropped.
    [[nodiscard]] static bool wants(pipe::pipe_end& end) noexcept
    {
        if (end.idle.is_watched() || end.reader.chunk_size() <= small_chunk) [[likely]]
            return false;
        invariant([&] { return !end.parent().io.write_token.available(); });
        end.idle.watch();
        return true;
    }

    /// `end` is served by this worker, until forget().
    void add(pipe::pipe_end& end) noexcept;
    /// As add(), told by an application's thread: `end` may be known or forgotten meanwhile.
    void add_if_unknown(pipe::pipe_end& end) noexcept;
    /// The I/O thread holds both tokens.
    void forget(pipe::pipe_end& end) noexcept;
    /// Something was read or written: if the pool of bodies is used, the blocks that it keeps are watched, to be freed
    /// later.
    void note_pool() noexcept
    {
        if (pool_needs_watch()) [[unlikely]]
            start(between_checks);
    }
    /// Any thread: note_pool() is to be called.
    [[nodiscard]] bool pool_needs_watch() const noexcept
    {
        return !runs_.load(std::memory_order_relaxed) && message::body_pool::is_used();
    }

private:
    struct watched {
        pipe::pipe_end* end;
        const std::byte* position;  ///< at the last look
        unsigned looks;             ///< since it stood elsewhere
        enum class state : std::uint8_t {
            stays,       ///< it is looked at again
            reclaiming,  ///< at this look, with its write token held
            done,        ///< it is not watched any more
        } now = state::stays;
    };

    void start(std::chrono::milliseconds after) noexcept;
    void remove(std::size_t place) noexcept;
    static void drop_if_done(watched& w) noexcept;
    void look() noexcept;
    [[nodiscard]] bool begin_reclaim(watched& w) noexcept;

    std::vector<watched> watched_;
    std::size_t next_ = 0;  ///< the one to look at next
    runtime::deadline_timer timer_;
    std::atomic<bool> runs_{false};  ///< no partner: a thread that reads an old value looks again with the next message
    bool trims_ = false;             ///< at this look
    std::uint64_t pool_seen_ = 0;    ///< see body_pool::trim()
};

}  // namespace zlink::engine
