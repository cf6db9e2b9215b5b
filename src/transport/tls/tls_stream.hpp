// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// TLS over another stream. The handshake happens inside of reading and writing: until it is done, no octet of the
// caller's goes either way.
//
// An idle stream keeps its machine and nothing else. The buffers of a read or a write lie in memory of its thread. Only
// left-over octets are the stream's own: a part of a record that has come, and records that the stream below has not
// taken.
#pragma once

#include "transport/stream_wrapping.hpp"
#include "transport/tls/tls_machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::transport::tls {

/// Records that a peer causes as answers (alerts, new keys) and does not read, at most: beyond it the connection is
/// over.
constexpr std::size_t most_unasked_octets = 64 * 1024;

class destination;

class tls_stream final : public wrapping_stream {
public:
    tls_stream(std::unique_ptr<stream> below, std::shared_ptr<context> with, tls::role role, std::string_view scheme);
    /// Tells the peer that no more octets come, unless a child of this process destroys the stream.
    ~tls_stream() override;

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override;
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept override;
    [[nodiscard]] bool write_waits_for_input() const noexcept override;
    [[nodiscard]] bool has_pending_output() const noexcept override;
    [[nodiscard]] bool pending() const noexcept override;
    [[nodiscard]] bool handshake_in_progress() const noexcept override { return phase_ == phase::handshake; }
    [[nodiscard]] bool has_unread_octets() const noexcept override;
    [[nodiscard]] std::optional<shown_certificate> client_certificate() const override;
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override;

private:
    enum class phase : std::uint8_t { handshake, traffic, ended, failed };
    using status = io_outcome::status;

    void take_steps(exchange& through, destination& to) noexcept;
    void shake_hands(exchange& through) noexcept;
    void open_one(exchange& through, destination& to) noexcept;
    [[nodiscard]] bool has_work() const noexcept;
    [[nodiscard]] bool starts() const noexcept { return !machine_ && role_ == tls::role::client; }

    [[nodiscard]] status receive(std::size_t most) noexcept;
    void keep_unread() noexcept;
    [[nodiscard]] status flush(const exchange& through) noexcept;
    [[nodiscard]] status flush(const exchange& through, std::size_t& went) noexcept;
    [[nodiscard]] status flush_kept() noexcept;
    [[nodiscard]] io_outcome failed_behind(std::size_t taken) noexcept;

    void fail(const machine& which) noexcept;
    void fail(errc why, std::string_view words) noexcept;
    [[nodiscard]] io_outcome outcome(status otherwise, std::size_t octets) const noexcept;

    std::shared_ptr<context> with_;
    std::unique_ptr<machine> machine_;  ///< from the first record on
    const tls::role role_;
    phase phase_ = phase::handshake;
    errc error_ = errc::none;
    errc write_error_ = errc::none;  ///< a record has gone out in part: none may follow
    const std::uint64_t generation_;

    std::span<const std::byte>
        unread_;  ///< has come and is not opened: in in_, or in the thread's memory during a read
    std::vector<std::byte> in_;
    std::vector<std::byte> out_;  ///< records that the stream below has not taken, from sent_ on
    std::size_t sent_ = 0;
    std::size_t unasked_ = 0;            ///< the part of those that reading put there
    mutable std::size_t part_seen_ = 0;  ///< size of in_ when has_unread_octets() was asked last
    bool reads_first_ = false;  ///< half of a handshake message has come, and nothing is sealed before the rest
};

}  // namespace zlink::transport::tls
