// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One stream to a peer on its I/O thread: handshake, then traffic between it and a pipe, until it is closed. Composes
// the phases; owns no policy (retry, linger: session).
//
// Threads: everything runs on the worker's thread; see traffic_phase for the actions of applications. The stream is
// closed, and this object destroyed, only when the worker holds both I/O tokens of the pipe.
#pragma once

#include "engine/connection/descriptor_interest.hpp"
#include "engine/connection/framing.hpp"
#include "engine/connection/handshake_phase.hpp"
#include "engine/connection/traffic_phase.hpp"
#include "engine/connection/zap_dialog.hpp"
#include "engine/ending.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "runtime/deadline_timer.hpp"
#include "transport/stream.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::engine {

/// The session, as its connection sees it. Worker's thread.
class connection_owner {
public:
    /// The handshake is done. Returns the I/O end of the pipe to serve, or null to give the connection up.
    [[nodiscard]] virtual pipe::pipe_end* on_established(zmtp::remote_peer& peer) noexcept = 0;
    /// The stream is closed; the connection may be destroyed (not inside the call: the owner posts that).
    virtual void on_ended(ending why) noexcept = 0;

protected:
    ~connection_owner() = default;
};

class connection final : private runtime::descriptor_handler, private traffic_owner, private zap_dialog_owner {
public:
    connection(io_worker& worker, connection_owner& owner, host_ref host, const session_options& options,
               std::unique_ptr<transport::stream> stream, endpoint_pair endpoints);
    ~connection();

    /// Begins the handshake (raw: traffic).
    void start() noexcept;

    /// Ends once everything in the outbound lane is written.
    void finish() noexcept;
    /// Ends now.
    void abort(ending why) noexcept;

    /// Has ended, or will end once applications let go of it.
    [[nodiscard]] bool closing() const noexcept { return phase_ == phase::closing || phase_ == phase::closed; }
    /// Why it has ended, in words; empty: this side has ended it.
    [[nodiscard]] std::string_view reason() const noexcept { return reason_; }
    /// May be called until the connection has ended.
    [[nodiscard]] const transport::stream& stream() const noexcept { return *stream_; }

private:
    enum class phase : std::uint8_t { handshake, traffic, closing, closed };

    // descriptor_handler
    void on_ready(std::uint32_t events) noexcept override;
    // traffic_owner
    void on_traffic_over(ending why, std::string_view reason) noexcept override { fail(why, reason); }
    void on_token_back() noexcept override;

    // zap_dialog_owner
    void on_zap_answer(const zmtp::mechanism_event& answer) noexcept override;

    void fail(ending why, std::string_view reason) noexcept;
    void start_handshake() noexcept;
    void start_raw() noexcept;
    void time_out() noexcept;
    void after(handshake_phase::outcome what) noexcept;
    void ask_zap_handler() noexcept;
    void note_words(const zmtp::remote_peer& of);
    void establish() noexcept;
    void try_close() noexcept;

    io_worker& worker_;
    connection_owner& owner_;
    host_ref host_;
    const session_options& options_;
    std::unique_ptr<transport::stream> stream_;
    endpoint_pair endpoints_;
    descriptor_interest interest_;
    const framing& frames_;
    phase phase_ = phase::handshake;
    ending ending_ = ending::lost;
    bool finishing_ = false;
    std::string reason_;
    std::unique_ptr<handshake_phase> handshake_;
    std::unique_ptr<runtime::deadline_timer> raw_limit_;  ///< raw: for a handshake of the stream's own
    std::unique_ptr<zap_dialog> zap_;                     ///< while the handshake waits for an answer
    std::optional<traffic_phase> traffic_;
};

}  // namespace zlink::engine
