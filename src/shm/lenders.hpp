// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory of a socket's connections; those of a publisher have one in common. A program can fill a body where it
// lies if there is one memory alone.
//
// Threads: any.
#pragma once

#include "base/fork_safe_mutex.hpp"

#include <memory>
#include <vector>

namespace zlink::shm {

class budget;
class sending_memory;

class lenders {
public:
    /// For one connection. May throw std::bad_alloc.
    [[nodiscard]] std::shared_ptr<sending_memory> own(const std::shared_ptr<budget>& of);
    /// For all connections of a publisher; it goes with the last of them. May throw std::bad_alloc.
    [[nodiscard]] std::shared_ptr<sending_memory> common(const std::shared_ptr<budget>& of);
    /// The only memory that there is. Null: there is none, or more than one.
    [[nodiscard]] std::shared_ptr<sending_memory> sole() noexcept;

private:
    fork_safe_mutex lock_;
    std::vector<std::weak_ptr<sending_memory>> all_;
};

}  // namespace zlink::shm
