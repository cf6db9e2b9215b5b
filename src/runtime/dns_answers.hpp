// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers to DNS look-ups. While one is owed, the loop sleeps by way of the look-up service, which watches the loop's
// set of descriptors as well. Otherwise the service has no part in the loop's work.
//
// The loop's thread.
#pragma once

#include "base/invariant.hpp"
#include "base/result.hpp"
#include "runtime/lookup_service.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace zlink::runtime {

class dns_answers {
public:
    dns_answers();
    dns_answers(const dns_answers&) = delete;
    dns_answers& operator=(const dns_answers&) = delete;
    ~dns_answers();

    /// `set` ends a sleep once it is readable. It stays open for as long as this lives. To be called once.
    [[nodiscard]] result<void> open(int set);

    /// As lookup_service::ask().
    [[nodiscard]] std::unique_ptr<lookup_service::request> ask(const std::string& host, lookup_service::handler tell);
    [[nodiscard]] bool owed() const noexcept { return owed_ != 0; }

    /// Passes on the answers that have come. A system call.
    void poll() noexcept;
    /// The same, after a sleep of about `at_most` until one comes, or the set is readable.
    void sleep(std::chrono::nanoseconds at_most) noexcept;

private:
    std::unique_ptr<lookup_service> service_;
    int owed_ = 0;
};

}  // namespace zlink::runtime
