// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sees to it that connections which fall idle keep next to nothing of a burst: looks some times a second at those whose outbound
// lane rests in a large chunk, and lets the ones that stood still between two looks leave it (pipe/leaving.cpp). Then the
// blocks that the process keeps for large bodies go, if nobody took one for as long. With nothing to look at it does nothing.
//
// Everything on the worker's thread.
#pragma once

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
    static constexpr std::chrono::milliseconds between_looks{400};
    /// So many connections are looked at in one go, lest others wait for long; the next ones in a moment.
    static constexpr std::size_t most_at_once = 256;
    static constexpr std::chrono::milliseconds between_pieces{1};
    /// One that stood still so often and could not leave (no memory barriers from this kernel) keeps its chunk.
    static constexpr unsigned most_looks = 8;

    explicit idle_trimmer(runtime::event_loop& loop) : timer_(loop) {}

    /// Whoever holds the write token: whether add() is to be called for `end`. True once until it was dropped.
    [[nodiscard]] static bool wants(pipe::pipe_end& end) noexcept
    {
        if (end.watched_idle.load(std::memory_order_relaxed) || end.reader.chunk_size() <= small_chunk) [[likely]]
            return false;
        end.watched_idle.store(true, std::memory_order_relaxed);
        return true;
    }

    /// `end` is served by this worker, until forget().
    void add(pipe::pipe_end& end) noexcept;
    /// As add(), told by an application's thread: `end` may be known or forgotten meanwhile.
    void add_if_unknown(pipe::pipe_end& end) noexcept;
    /// Both tokens are the I/O thread's.
    void forget(pipe::pipe_end& end) noexcept;
    /// Something was read or written: if the pool of bodies is used, see that what it keeps goes.
    void note_pool() noexcept
    {
        if (pool_needs_watch()) [[unlikely]]
            start(between_looks);
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
            stays,    ///< it is looked at again
            leaving,  ///< at this look, with its write token held
            done,     ///< it is not watched any more
        } now = state::stays;
    };

    void start(std::chrono::milliseconds after) noexcept;
    void remove(std::size_t place) noexcept;
    static void drop_if_done(watched& w) noexcept;
    void look() noexcept;
    [[nodiscard]] bool begin_leaving(watched& w) noexcept;

    std::vector<watched> watched_;
    std::size_t next_ = 0;  ///< the one to look at next
    runtime::deadline_timer timer_;
    std::atomic<bool> runs_{false};  ///< no partner: who finds it out of date looks again with the next message
    bool trims_ = false;             ///< at this look
    std::uint64_t pool_seen_ = 0;    ///< see body_pool::trim()
};

}  // namespace zlink::engine
