// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A descriptor that the test makes readable, and its handler.
#pragma once

#include "base/unique_fd.hpp"
#include "runtime/descriptor_handler.hpp"

#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>

namespace zlink::runtime::test {

class eventfd_handler final : public descriptor_handler {
public:
    void on_ready(std::uint32_t events) noexcept override
    {
        ++told;
        last_events = events;
        if (action) action();
    }

    [[nodiscard]] int fd() const { return fd_.get(); }
    void raise() const
    {
        const std::uint64_t one = 1;
        ASSERT_EQ(ssize_t(sizeof one), ::write(fd_.get(), &one, sizeof one));
    }

    int told = 0;
    std::uint32_t last_events = 0;
    std::function<void()> action;

private:
    unique_fd fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace zlink::runtime::test
