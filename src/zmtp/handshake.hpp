// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One connection from its first octet to the end of the handshake, for peers of every version. It handles the greeting,
// then the mechanism (3.x) or the exchange of routing ids (2.0, 1.0). Bytes in, bytes out; no I/O, no clock.
#pragma once

#include "zmtp/foreign_record.hpp"
#include "zmtp/greeting.hpp"
#include "zmtp/handshake_error.hpp"
#include "zmtp/handshake_frame.hpp"
#include "zmtp/http_answer.hpp"
#include "zmtp/mechanism/mechanism.hpp"
#include "zmtp/mechanism/zap_client.hpp"
#include "zmtp/peer.hpp"
#include "zmtp/v1_framing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

/// Owned by the object that drives the connection; not thread-safe; does not move. Loop: write output(), report the
/// octets that were written by consume_output(), feed the octets that were read to advance(). Once there is a
/// question(), have it answered and call resume(). After `done` output may be left: it must be written before any
/// traffic. After `failed` it may hold an ERROR command, worth one attempt to write before closing.
class handshake {
public:
    enum class state : std::uint8_t { in_progress, done, failed };

    struct step {
        std::size_t consumed;  ///< while in_progress always all of the input
        handshake::state state;
    };

    /// The source of the peers' version and mechanism: a greeting, or something that has gone before it (the upgrade of
    /// ZWS).
    enum class beginning : std::uint8_t { greeting, elsewhere };

    explicit handshake(local_peer local, beginning where = beginning::greeting) noexcept;
    handshake(const handshake&) = delete;
    handshake& operator=(const handshake&) = delete;

    /// If it began elsewhere, and before advance(): the mechanism follows, or both sides send their routing id as a
    /// frame of ZMTP 2.0. The version is that of peers that subscribe by messages.
    void begin(bool with_mechanism) noexcept;

    /// Before advance(): the ZAP handler is asked about the certificate (DER; empty: none) that the peer has shown to
    /// the carrier of these octets. It is asked when the mechanism would begin; the mechanism sends nothing before the
    /// answer. Peers from before mechanisms are turned away then. `mechanism`: the carrier's name in the question. May
    /// throw std::bad_alloc.
    void ask_about_certificate(std::string_view mechanism, std::vector<std::byte> certificate);

    /// Takes input. Octets after the handshake stay unconsumed: they are traffic. Keeps incomplete pieces itself; their
    /// size grows with the octets that arrive, and never beyond max_handshake_frame.
    step advance(std::span<const std::byte> in) noexcept;

    /// Octets to send, in order. Valid until the next call of a non-const member.
    [[nodiscard]] std::span<const std::byte> output() const noexcept;
    /// `n` octets of output() have been sent.
    void consume_output(std::size_t n) noexcept;

    /// The question of the mechanism to the ZAP handler before it goes on, or null. It stays until the answer comes;
    /// the peer has to wait.
    [[nodiscard]] const zap_request* question() const noexcept;
    /// The answer. There may be output after it, and the handshake may be over. If it comes too late, it changes
    /// nothing.
    handshake::state resume(const mechanism_event& event) noexcept;

    [[nodiscard]] handshake::state current() const noexcept;
    /// Octets of the body of the frame that is waited for, at most: for a caller that collects it itself. Asked before
    /// each frame.
    [[nodiscard]] std::size_t longest_frame() const noexcept;

    /// After done. Non-const so that its parts can be moved out.
    [[nodiscard]] remote_peer& remote() noexcept { return remote_; }
    [[nodiscard]] const remote_peer& remote() const noexcept { return remote_; }
    /// After resume() has brought done: the octets that advance() took of the beginning of a frame of traffic. (If
    /// whole frames come before the answer, the peer is told that they are too early.) May throw std::bad_alloc.
    [[nodiscard]] std::vector<std::byte> begun_traffic() const
    {
        return mechanism_ ? frame_.octets() : std::vector<std::byte>{};
    }
    /// Once, after done: the mechanism's parts that seal and open the traffic; the output that is left is not sealed.
    [[nodiscard]] sealing take_sealing() { return mechanism_ ? mechanism_->take_sealing() : sealing{}; }

    /// After failed.
    [[nodiscard]] handshake_error error() const noexcept { return error_; }
    [[nodiscard]] std::string_view error_text() const noexcept;
    /// With handshake_error::auth: 300, 400 or 500.
    [[nodiscard]] int auth_status() const noexcept;

private:
    enum class phase : std::uint8_t { greeting, v1_routing_id, v2_routing_id, mechanism, done, failed };

    std::size_t take(std::span<const std::byte> in);
    std::size_t take_greeting(std::span<const std::byte> in);
    std::size_t take_v1_routing_id(std::span<const std::byte> in);
    std::size_t take_v2_routing_id(std::span<const std::byte> in);
    std::size_t take_command(std::span<const std::byte> in);

    void answer_greeting();
    void start_after_greeting();
    bool accept_version();
    void start_mechanism();
    void make_mechanism();
    void start_routing_ids();
    bool accept_socket_type_octet();
    void follow_mechanism();
    [[nodiscard]] bool checks_peers() const noexcept;
    void take_answer_about_certificate(const mechanism_event& event);
    void fail(handshake_error error, std::string_view text = {}) noexcept;

    local_peer local_;
    remote_peer remote_;
    greeting_reader greeting_;
    v1_decoder v1_routing_id_{max_routing_id_size};
    http_answer http_;       ///< instead of that frame
    foreign_record record_;  ///< likewise
    handshake_frame_reader frame_;
    std::unique_ptr<mechanism> mechanism_;  ///< from the end of the greeting on, 3.x only
    zap_client certificate_;                ///< the question about it comes before the mechanism's
    mechanism_failure not_admitted_;        ///< for the certificate

    greeting_writer greeting_out_;
    std::vector<std::byte> out_;  ///< follows the greeting
    std::size_t out_sent_ = 0;

    phase phase_ = phase::greeting;
    handshake_error error_ = handshake_error::none;
    std::string_view error_text_;
};

}  // namespace zlink::zmtp
