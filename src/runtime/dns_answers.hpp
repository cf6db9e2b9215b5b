// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers to DNS look-ups, which Asio gives. While it owes one, the loop sleeps in Asio's set of descriptors, which
// holds the loop's set. Otherwise Asio has no part in the loop's work.
//
// The loop's thread.
#pragma once

#include "base/invariant.hpp"
#include "base/result.hpp"

#include <chrono>
#include <memory>

namespace zlink::runtime {

class asio_driver;

class dns_answers {
public:
    dns_answers();
    dns_answers(const dns_answers&) = delete;
    dns_answers& operator=(const dns_answers&) = delete;
    ~dns_answers();

    /// `set` ends a sleep once it is readable. It stays open for as long as this lives. To be called once.
    [[nodiscard]] result<void> open(int set);

    [[nodiscard]] bool owed() const noexcept { return owed_ != 0; }
    void note_asked() noexcept { ++owed_; }
    void note_answered() noexcept
    {
        invariant([this] { return owed(); });
        --owed_;
    }

    /// Passes on the answers that have come. A system call.
    void poll() noexcept;
    /// The same, after a sleep of about `at_most` until one comes, or the set is readable.
    void sleep(std::chrono::nanoseconds at_most) noexcept;

    /// For look-ups.
    [[nodiscard]] asio_driver& asio() noexcept { return *asio_; }

private:
    std::unique_ptr<asio_driver> asio_;
    int owed_ = 0;
};

}  // namespace zlink::runtime
