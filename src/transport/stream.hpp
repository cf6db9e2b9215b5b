// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The octets that a connection reads and writes: in order, both ways, without blocking. A stream belongs to a
// descriptor, or wraps another stream and changes the octets on their way. The engine reaches a peer only through a
// stream.
//
// Threads: one at a time, except for streams that lend their descriptor. Those may be read by one thread and written by
// another at the same time (see pipe/io_token.hpp).
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/negotiation.hpp"
#include "transport/stream_options.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::transport {

/// The outcome of one read or write.
struct io_outcome {
    enum class status : std::uint8_t {
        more,     ///< done, and the next call may do more at once
        blocked,  ///< done as far as possible now: the rest waits, see stream::write_waits_for_input()
        closed,   ///< reading: the peer has ended the stream
        failed,   ///< `error` says why; nothing was read or written
    };

    status state = status::more;
    std::size_t octets = 0;  ///< read or accepted, also if the call blocked after that
    errc error = errc::none;
};

/// A certificate that a peer has shown to a stream.
struct shown_certificate {
    std::string_view mechanism;  ///< the stream's name in questions to a ZAP handler; lives for ever
    std::vector<std::byte> der;  ///< empty: the peer has shown none
};

class stream {
public:
    stream() = default;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    /// Closes the stream.
    virtual ~stream() = default;

    // One call for a batch, never one for a message

    /// Fills the pieces in order. The state says whether there is more, not the number of octets: a stream that wraps
    /// another may have few at a time.
    [[nodiscard]] virtual io_outcome read(const iovec* to, int count) noexcept = 0;
    /// Takes octets from the front of the pieces. Accepted octets are never offered again. Without pieces: writes
    /// octets of its own, if has_pending_output().
    [[nodiscard]] virtual io_outcome write(const iovec* from, int count) noexcept = 0;

    /// A blocked write goes on after a read that took something in (though maybe no octet of the caller's). It does not
    /// go on when there is room for output. If reading is paused because the receive queue is full, such a write stays
    /// blocked too.
    [[nodiscard]] virtual bool write_waits_for_input() const noexcept { return false; }
    /// Octets wait to be written, whether or not there are messages: the stream's own (a handshake's, an alert), or
    /// some that it has accepted.
    [[nodiscard]] virtual bool has_pending_output() const noexcept { return false; }
    /// A read may yield octets, though the descriptor will not become ready for that.
    [[nodiscard]] virtual bool pending() const noexcept { return false; }
    /// The stream's own handshake is not done: until then no octet of the caller's goes either way.
    [[nodiscard]] virtual bool handshake_in_progress() const noexcept { return false; }
    /// Octets have come that have not been read.
    [[nodiscard]] virtual bool has_unread_octets() const noexcept = 0;

    /// The descriptor that reports readiness; its number names the connection in events.
    [[nodiscard]] virtual int descriptor() const noexcept = 0;
    /// A read that takes less than there is room for has taken all that had come; what comes later is reported. Not of
    /// streams whose reads also end elsewhere: behind a packet, or behind octets that a descriptor came with.
    [[nodiscard]] virtual bool short_read_takes_all() const noexcept { return false; }
    /// Application threads may wait for the descriptor themselves, and read and write, without the loop.
    [[nodiscard]] virtual bool supports_inline_io() const noexcept { return false; }

    // Descriptors that go with the octets, between processes of one host

    /// The peer is a process of the same user on this host, and descriptors can be passed to it.
    [[nodiscard]] virtual bool passes_descriptors() const noexcept { return false; }
    /// As write(), of octets that a descriptor goes with: with the first of them.
    [[nodiscard]] virtual io_outcome write_with_descriptor(std::span<const std::byte> /*octets*/,
                                                           int /*descriptor*/) noexcept
    {
        return {io_outcome::status::failed, 0, errc::not_supported};
    }
    /// Whether descriptors that come are kept, a few at most; otherwise they are lost. If there are too many, reading
    /// fails. For the thread that reads.
    virtual void keep_descriptors(bool /*keeps*/) noexcept {}
    /// The first that was kept. Empty: none has come.
    [[nodiscard]] virtual unique_fd take_descriptor() noexcept { return {}; }

    /// Null: nothing is negotiated, the octets begin with a greeting, or are raw. Otherwise no octet of the caller's
    /// goes either way until the terms are agreed. It is the same object for the life of the stream.
    [[nodiscard]] virtual const negotiation* negotiates() const noexcept { return nullptr; }
    /// This side closes the connection, with these octets behind those that have been written: one write, which waits
    /// for nothing. If all of them are accepted, some input is discarded: a close with unread octets could take them
    /// from the peer. Nothing is written afterwards.
    virtual void end_with(std::span<const std::byte> last) noexcept;

    // Once in a connection's life; they may throw std::bad_alloc

    /// After a connect in progress, once there is room for output: its outcome. Error `again`: there is more to agree
    /// on (with a proxy). It is asked again once there is room for output, or input if it waits for that.
    [[nodiscard]] virtual result<void> finish_connect() noexcept { return {}; }
    [[nodiscard]] virtual bool connect_waits_for_input() const noexcept { return false; }
    /// After another error: the stream has told the reason itself, in words.
    [[nodiscard]] virtual bool tells_failed_connect() const noexcept { return false; }
    /// The reason that the stream has told, in words, for a connect or a handshake of its own that has failed. Empty:
    /// it has told none. Valid until the next call.
    [[nodiscard]] virtual std::string_view failure_words() const noexcept { return {}; }
    /// After `again`: the words for a connect that takes too long. Empty: those of the error.
    [[nodiscard]] virtual std::string_view words_if_overdue() const noexcept { return {}; }
    /// Buffers, keep-alive and the like. Best effort: if an option cannot be set, the connection still works.
    virtual void tune(const stream_options&) noexcept {}
    /// The stream's ends as endpoints ("tcp://127.0.0.1:5555"), empty when unknown: for monitor events.
    [[nodiscard]] virtual std::string local_endpoint() const = 0;
    [[nodiscard]] virtual std::string peer_endpoint() const = 0;
    /// The verified certificate that a connecting peer has shown to the stream itself. None: that is not known yet, or
    /// never will be.
    [[nodiscard]] virtual std::optional<shown_certificate> client_certificate() const { return {}; }
    /// The properties of the peer that messages carry: names and values ("Peer-Address").
    virtual void add_properties(std::vector<std::pair<std::string, std::string>>& to) const = 0;
};

/// Reads at most 32 KB of unread octets of the peer, without waiting. They are not needed any more.
void discard_input(stream& from) noexcept;

}  // namespace zlink::transport
