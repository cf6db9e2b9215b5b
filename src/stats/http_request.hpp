// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a reader of the statistics asks for: a request of HTTP/1.1 (RFC 9112), with GET and without content. Octets in,
// the page or a refusal out; a reader's octets never cause an exception but std::bad_alloc.
#pragma once

#include "zws/http_head.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::stats {

enum class page : std::uint8_t { words, metrics, numbers };  ///< "/", "/metrics", "/stats.json"

struct page_request {
    page what = page::words;
    bool peers = false;  ///< "?peers=1"
};

class http_request {
public:
    /// Whether the Host is this machine. Over tcp a reader may be a page of a browser, which is asked for elsewhere. Null:
    /// any Host, as over a socket file.
    using host_check = bool (*)(std::string_view host) noexcept;
    explicit http_request(host_check check = nullptr) noexcept : check_(check) {}

    /// Takes octets. True: the request is there, or is refused.
    [[nodiscard]] bool advance(std::string_view octets);

    // After that

    /// 200, or the reason why it is refused: 400, 403, 404, 405, 431, 505.
    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const page_request& asked() const noexcept { return asked_; }
    /// Nothing came behind the request.
    [[nodiscard]] bool is_sole() const noexcept { return is_sole_; }

private:
    [[nodiscard]] int judge();
    [[nodiscard]] int judge_target(std::string_view target);

    host_check check_;
    zws::http_head head_;
    int status_ = 0;
    page_request asked_;
    bool is_sole_ = false;
};

/// A whole answer. `status`: one of the above, or 503.
[[nodiscard]] std::string http_answer(int status, std::string_view type, std::string_view content);
/// One with a sentence about the status as its content.
[[nodiscard]] std::string http_refusal(int status);

}  // namespace zlink::stats
