// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counts what a command sent and received; shows rates on stderr during long work and the sum at the end.
#pragma once

#include "support/socket.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zlink::tool {

class rate_meter {
public:
    using clock = std::chrono::steady_clock;

    // Rates are shown only when stderr is a terminal, standard output isn't busy on it, and not quiet. `goal`: messages
    // until the end, if that is known.
    rate_meter(bool quiet, bool prints_messages, std::optional<std::uint64_t> goal);

    void sent(const message& frames) { add(sent_, frames); }
    void received(const message& frames) { add(received_, frames); }

    std::uint64_t messages_sent() const noexcept { return sent_.messages; }
    std::uint64_t messages_received() const noexcept { return received_.messages; }
    clock::time_point last_progress() const noexcept { return last_; }

    // Rates are shown: tick() wants to be called every second.
    bool live() const noexcept { return live_; }

    // Shows the rates once a second; cheap to call often.
    void tick(clock::time_point now);

    // The sum, on stderr. Said after Ctrl-C and on a terminal.
    void summary(bool interrupted) const;

private:
    struct counter {
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };
    void add(counter& to, const message& frames);

    bool quiet_;
    bool live_;
    std::optional<std::uint64_t> goal_;
    counter sent_;
    counter received_;
    std::uint64_t shown_messages_ = 0;
    std::uint64_t shown_bytes_ = 0;
    clock::time_point start_ = clock::now();
    clock::time_point last_ = start_;
    clock::time_point shown_ = start_;
};

}  // namespace zlink::tool
