// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of both roles of the CURVE mechanism (RFC 25, RFC 26): its commands and their boxes. The keys have
// the names of the RFC. A client has the permanent keys C, c and the transient keys C', c'. A server has S, s and S',
// s'.
#pragma once

#include "crypto/secret_box.hpp"
#include "zmtp/mechanism/mechanism.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp::curve {

inline constexpr std::string_view mechanism_name = "CURVE";

// Commands begin with their names and the length of these.
inline constexpr std::string_view hello_name = "\x05HELLO";
inline constexpr std::string_view welcome_name = "\x07WELCOME";
inline constexpr std::string_view initiate_name = "\x08INITIATE";
inline constexpr std::string_view ready_name = "\x05READY";
inline constexpr std::string_view error_name = "\x05"
                                               "ERROR";
inline constexpr std::string_view message_name = "\x07MESSAGE";

// The beginnings of nonces. Short ones are followed by a number of 8 octets, long ones by 16 random octets.
inline constexpr std::string_view hello_prefix = "CurveZMQHELLO---";
inline constexpr std::string_view initiate_prefix = "CurveZMQINITIATE";
inline constexpr std::string_view ready_prefix = "CurveZMQREADY---";
inline constexpr std::string_view client_message_prefix = "CurveZMQMESSAGEC";
inline constexpr std::string_view server_message_prefix = "CurveZMQMESSAGES";
inline constexpr std::string_view welcome_prefix = "WELCOME-";
inline constexpr std::string_view cookie_prefix = "COOKIE--";
inline constexpr std::string_view vouch_prefix = "VOUCH---";

inline constexpr std::size_t number_size = 8;
inline constexpr std::size_t long_nonce_size = 16;

/// Octets of a box around a text.
constexpr std::size_t boxed(std::size_t text) noexcept
{
    return text + crypto::box_overhead;
}

inline constexpr std::size_t version_size = 2;
inline constexpr std::size_t padding_size = 72;
inline constexpr std::size_t signature_size = 64;
inline constexpr std::size_t cookie_text = 2 * crypto::key_size;  // C', s'
inline constexpr std::size_t cookie_size = long_nonce_size + boxed(cookie_text);
inline constexpr std::size_t welcome_text = crypto::key_size + cookie_size;  // S', cookie
inline constexpr std::size_t vouch_text = 2 * crypto::key_size;              // C', S
inline constexpr std::size_t vouch_size = long_nonce_size + boxed(vouch_text);
inline constexpr std::size_t initiate_text = crypto::key_size + vouch_size;  // C, vouch; metadata follows

inline constexpr std::size_t hello_size =
    hello_name.size() + version_size + padding_size + crypto::key_size + number_size + boxed(signature_size);
inline constexpr std::size_t welcome_size = welcome_name.size() + long_nonce_size + boxed(welcome_text);
inline constexpr std::size_t min_initiate_size =
    initiate_name.size() + cookie_size + number_size + boxed(initiate_text);
inline constexpr std::size_t min_ready_size = ready_name.size() + number_size + boxed(0);
static_assert(hello_size == 200 && welcome_size == 168 && min_initiate_size == 257 && min_ready_size == 30);

[[nodiscard]] bool begins_with(std::span<const std::byte> body, std::string_view name) noexcept;

[[nodiscard]] crypto::nonce short_nonce(std::string_view prefix, std::uint64_t number) noexcept;
[[nodiscard]] crypto::nonce long_nonce(std::string_view prefix, std::span<const std::byte> random) noexcept;
/// Fills `random` first.
[[nodiscard]] crypto::nonce new_long_nonce(std::string_view prefix, crypto::random_source& source,
                                           std::span<std::byte, long_nonce_size> random) noexcept;

/// Takes a command apart, front to back. The caller knows that there are as many octets.
class field_reader {
public:
    explicit field_reader(std::span<const std::byte> octets) noexcept : rest_(octets) {}

    std::span<const std::byte> take(std::size_t size) noexcept
    {
        const auto taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }
    crypto::public_key take_key() noexcept;
    std::uint64_t take_number() noexcept;
    [[nodiscard]] std::span<const std::byte> rest() const noexcept { return rest_; }

private:
    std::span<const std::byte> rest_;
};

/// Puts together a command or a plain text of known size.
class field_writer {
public:
    explicit field_writer(std::byte* to) noexcept : to_(to) {}

    void put(std::span<const std::byte> octets) noexcept;
    void put(std::string_view text) noexcept { put(std::as_bytes(std::span(text))); }
    void put_number(std::uint64_t number) noexcept;
    void put_box(const crypto::secret_key& key, const crypto::nonce& nonce, std::span<const std::byte> text) noexcept;

private:
    std::byte* to_;
};

[[nodiscard]] mechanism_failure failure_of(handshake_error error);

/// The machine of the role that `local` has; `local` has to outlive it. May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<mechanism> make(const local_peer& local);

}  // namespace zlink::zmtp::curve
