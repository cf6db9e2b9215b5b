// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a connected, non-blocking descriptor: a system call for each read and write.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/stream.hpp"

#include <sys/types.h>

#include <cstddef>

namespace zlink::transport {

/// What a call for `wanted` octets comes to that has returned `n`; of a failed one, errno tells why.
[[nodiscard]] io_outcome outcome_of(ssize_t n, std::size_t wanted) noexcept;
[[nodiscard]] std::size_t size_of(const iovec* pieces, int count) noexcept;

class descriptor_stream : public stream {
public:
    explicit descriptor_stream(unique_fd fd) noexcept : fd_(std::move(fd)) {}

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override;
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept final;
    [[nodiscard]] bool has_unread_octets() const noexcept override;
    [[nodiscard]] int descriptor() const noexcept final { return fd_.get(); }
    [[nodiscard]] bool supports_inline_io() const noexcept final { return true; }

protected:
    /// Octets that one write hands to the kernel, at most.
    void limit_writes(std::size_t most) noexcept { most_per_write_ = most; }

private:
    [[nodiscard]] io_outcome write_all(const iovec* from, int count, std::size_t size) noexcept;
    [[nodiscard]] io_outcome write_part(const iovec* from) noexcept;

    unique_fd fd_;
    std::size_t most_per_write_ = std::size_t(-1);
};

}  // namespace zlink::transport
