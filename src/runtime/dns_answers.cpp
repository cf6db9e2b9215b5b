// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/dns_answers.hpp"

#include "runtime/asio_driver.hpp"

#include <algorithm>

namespace zlink::runtime {

namespace {

// How long a sleep lasts if Asio cannot watch the set, for lack of memory.
constexpr std::chrono::milliseconds without_watching{10};

}  // namespace

dns_answers::dns_answers() : asio_(std::make_unique<asio_driver>()) {}

dns_answers::~dns_answers() = default;

result<void> dns_answers::open(int set)
{
    if (const auto error = asio_->open(set)) return from_errno(error.value());
    return {};
}

void dns_answers::poll() noexcept
{
    asio_->poll();
}

void dns_answers::sleep(std::chrono::nanoseconds at_most) noexcept
{
    asio_->sleep(std::min<std::chrono::nanoseconds>(at_most, without_watching));
}

}  // namespace zlink::runtime
