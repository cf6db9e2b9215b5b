// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The upgrade of a connection to WebSocket (RFC 6455 section 4): the client's request, the server's answer. Bytes in,
// bytes out; no I/O, no clock. Extensions are declined: permessage-deflate is mentioned in neither direction.
#pragma once

#include "zws/agreement.hpp"
#include "zws/http_head.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zlink::zws {

/// Loop: write output(), report the octets that were written by consume_output(), feed the octets that were read to
/// advance(). After `failed` output() of a server has the reason, worth one attempt to write before closing.
class upgrade {
public:
    enum class state : std::uint8_t { in_progress, done, failed };

    struct client_side {
        std::string host;  ///< of the request: "example.com:80"
        std::string path;  ///< begins with a slash
        std::vector<std::string> protocols;
        std::string key;  ///< new_key()
    };
    struct server_side {
        std::string path;  ///< the only path that is served; empty, "/" or "/*": any
        std::vector<std::string> protocols;
        /// of web pages that are admitted; empty: of all. A client that names no origin is not a web page.
        std::vector<std::string> origins;
    };

    /// All of them may throw std::bad_alloc.
    explicit upgrade(client_side options);
    explicit upgrade(server_side options);

    /// Takes octets up to the end of the upgrade, and returns how many: those behind it are frames. May throw
    /// std::bad_alloc.
    std::size_t advance(std::span<const std::byte> in);

    [[nodiscard]] std::span<const std::byte> output() const noexcept
    {
        return std::as_bytes(std::span(out_)).subspan(sent_);
    }
    void consume_output(std::size_t n) noexcept { sent_ += n; }

    [[nodiscard]] state current() const noexcept { return state_; }
    /// After done.
    [[nodiscard]] const agreement& agreed() const noexcept { return agreed_; }
    /// After failed: one English line; its quotes of the peer's octets are cut short, and visible ASCII.
    [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

private:
    void answer();
    void check_answer();
    void agree(std::string_view protocol);
    void fail(std::string reason);
    /// A server's answer: with a status line and fields. `reason`: the client is told it, too; `detail`: it is not.
    void refuse(std::string_view status, std::string_view reason, std::string_view fields = {},
                const std::string& detail = {});

    agreement agreed_;
    std::variant<client_side, server_side> side_;
    http_head head_;
    std::string out_;
    std::size_t sent_ = 0;
    state state_ = state::in_progress;
    std::string reason_;
};

}  // namespace zlink::zws
