// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A client's dialog with a SOCKS5 proxy (RFC 1928; user name and password: RFC 1929) that ends with a way to a peer.
// Bytes in, bytes out; no I/O, no clock. Of the proxy's octets it keeps one answer, of 262 octets at most.
#pragma once

#include "base/errc.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::socks {

/// The length of a name, a user name and a password goes over the wire as one octet.
inline constexpr std::size_t longest_text = 255;

/// The peer that the proxy has to connect to.
struct destination {
    std::string name;                   ///< for the proxy to look up, 1 to 255 octets; empty: `address` is used
    std::vector<std::uint8_t> address;  ///< 4 octets of IPv4 or 16 of IPv6, in network order
    std::uint16_t port = 0;
};

/// If there is a user name, only that method is offered, and not "no authentication" too. Both have 255 octets at most.
struct credentials {
    std::string user_name;
    std::string password;
};

/// Loop: write output() and report the octets that were written by consume_output(). Once all are written, read up to
/// wanted() octets and feed them to advance(). The octets behind the last of them are the peer's: a caller that reads
/// no more than wanted() leaves them alone.
class dialog {
public:
    enum class state : std::uint8_t { in_progress, done, failed };

    /// May throw std::bad_alloc.
    dialog(destination to, credentials as);

    [[nodiscard]] std::span<const std::byte> output() const noexcept
    {
        return std::as_bytes(std::span(out_)).subspan(sent_);
    }
    void consume_output(std::size_t n) noexcept { sent_ += n; }

    /// Number of octets of the answer in progress that are known to be missing; 0 at the end.
    [[nodiscard]] std::size_t wanted() const noexcept { return state_ == state::in_progress ? needed_ - received_ : 0; }
    /// Takes octets up to the end of the dialog, or until output() has to be written first; returns how many. May throw
    /// std::bad_alloc.
    std::size_t advance(std::span<const std::byte> in);

    [[nodiscard]] state current() const noexcept { return state_; }
    /// After failed: one English line, and the error code.
    [[nodiscard]] std::string_view reason() const noexcept { return reason_; }
    [[nodiscard]] errc error() const noexcept { return error_; }

private:
    enum class step : std::uint8_t { method, login, reply };

    void take_answer();
    void take_method();
    void take_login();
    void take_reply();
    void begin(step next, std::size_t answer) noexcept;
    void put_greeting();
    void put_login();
    void put_request();
    void put(std::size_t octet) { out_.push_back(char(octet)); }
    void put_text(const std::string& text);
    void fail(errc error, std::string_view reason) noexcept;
    [[nodiscard]] std::uint8_t at(std::size_t i) const noexcept { return std::uint8_t(answer_[i]); }

    destination to_;
    credentials as_;
    std::string out_;
    std::size_t sent_ = 0;
    std::array<std::byte, 4 + 1 + longest_text + 2> answer_{};
    std::size_t received_ = 0;
    std::size_t needed_ = 0;
    step step_ = step::method;
    state state_ = state::in_progress;
    errc error_ = errc::none;
    std::string_view reason_;
};

}  // namespace zlink::socks
