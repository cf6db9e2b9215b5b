// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// I/O of a connection by an application thread: what the connection has to offer for it.
#pragma once

namespace zlink::pipe {

/// The actions that an application thread may take for a connection while it holds the matching token of the pipe.
/// Implemented by engine/; see io_token.hpp.
class inline_io {
public:
    enum class write_outcome { done, hand_over };
    /// Sends the content of the outbound lane with one system call. hand_over: the I/O thread has to go on. (Reasons:
    /// the kernel is full, an error, or sending inline is not worth it now.) `held`: the messages were held back for
    /// this call, so the call is worth it.
    [[nodiscard]] virtual write_outcome write_inline(bool held) noexcept = 0;

    /// As write_inline(), with as many system calls as the kernel accepts. For messages that are always worth them: one
    /// with a large body, or those that may not stay in the lane. If it `may_wait`, it waits for a moment for a peer
    /// that makes room.
    [[nodiscard]] virtual write_outcome write_large(bool may_wait) noexcept = 0;

    enum class read_outcome { messages, nothing, hand_over };
    /// Reads once and publishes whole messages into the inbound lane. hand_over: the I/O thread has to go on.
    [[nodiscard]] virtual read_outcome read_inline() noexcept = 0;

    /// Octets have been read that only the I/O thread can handle. Until it has, no more may be read: read_inline()
    /// hands over.
    [[nodiscard]] virtual bool waits_for_io() const noexcept = 0;

    /// The last read took all it could: the kernel is likely to have more.
    [[nodiscard]] virtual bool has_more() const noexcept = 0;

    /// Switches the I/O thread's interest in the descriptor off and on, around an application's reading.
    virtual void pause_reading() noexcept = 0;
    virtual void resume_reading() noexcept = 0;

    [[nodiscard]] virtual int descriptor() const noexcept = 0;

    /// Number of connections of the same I/O thread, this one included: a hint; it costs one load.
    [[nodiscard]] virtual unsigned neighbours() const noexcept = 0;

protected:
    ~inline_io() = default;
};

}  // namespace zlink::pipe
