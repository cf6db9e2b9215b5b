// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A descriptor that is readable while any of others is.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace zlink::runtime {

class descriptor_group {
public:
    /// too_many_files and the like.
    [[nodiscard]] result<void> open() noexcept;
    [[nodiscard]] int descriptor() const noexcept { return set_.get(); }

    /// A descriptor that is closed leaves by itself.
    [[nodiscard]] result<void> add(int fd) noexcept;
    /// No-op if it is not here.
    void remove(int fd) noexcept;

private:
    unique_fd set_;
};

}  // namespace zlink::runtime
