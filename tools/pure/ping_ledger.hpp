// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The round trips of zlink ping: which are under way, which were answered, which are lost.
#pragma once

#include "pure/latency_histogram.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// Times are nanoseconds of any clock that doesn't jump. Bytes from the peer are not trusted.
class ping_ledger {
public:
    static constexpr std::size_t smallest = 24;  // a payload has room for its mark

    // Of payloads of so many octets, at least `smallest`. `run` differs from run to run.
    ping_ledger(std::size_t size, std::uint64_t run) : size_(size), run_(run) {}

    // The payload of the next ping.
    std::string send(std::uint64_t now);

    struct answer {
        std::uint64_t number = 0;
        std::uint64_t took = 0;  // ns
        bool same = true;        // as was sent
    };
    // What an answer belongs to. An answer that doesn't have the mark belongs to the oldest ping; nothing: to none.
    std::optional<answer> receive(std::string_view payload, std::uint64_t now);

    // The number of a ping that was sent before this time and has no answer; it is lost from now on. Nothing: none.
    std::optional<std::uint64_t> lose_before(std::uint64_t time);

    std::uint64_t sent() const noexcept { return sent_; }
    std::uint64_t lost() const noexcept { return lost_; }
    std::uint64_t under_way() const noexcept { return under_way_.size(); }
    const latency_histogram& times() const noexcept { return times_; }

private:
    std::size_t size_;
    std::uint64_t run_;
    std::uint64_t sent_ = 0;
    std::uint64_t lost_ = 0;
    std::map<std::uint64_t, std::uint64_t> under_way_;  // number and time
    latency_histogram times_;
};

}  // namespace zlink::tool
