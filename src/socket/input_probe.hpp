// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whether publishers' connections have anything to be read, asked of all I/O threads with one system call.
#pragma once

#include "engine/io_worker.hpp"
#include "runtime/readiness.hpp"

#include <memory>
#include <span>

namespace zlink::socket {

class input_probe {
public:
    using workers = std::span<const std::unique_ptr<engine::io_worker>>;

    /// Before the first nothing_ready(). If no descriptors can be had, nothing_ready() is always false.
    void open(workers all) noexcept;
    [[nodiscard]] bool opened() const noexcept { return bool(set_); }

    /// Any thread: there was a moment in which there was nothing to read, and no I/O thread was reading.
    [[nodiscard]] bool nothing_ready(workers all) const noexcept;

private:
    runtime::readiness_set set_;  ///< of the sets that event_loop::awaited_descriptor() names
};

}  // namespace zlink::socket
