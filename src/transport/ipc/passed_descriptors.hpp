// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Descriptors that go with the octets of a Unix domain socket (unix(7), SCM_RIGHTS). None of these calls blocks.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/stream.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace zlink::transport::ipc {

/// The peer of the socket runs under this process's effective user id, in a process that this one can see (not in
/// another pid namespace).
[[nodiscard]] bool is_of_same_user(int socket) noexcept;

/// As stream::write_with_descriptor().
[[nodiscard]] io_outcome send(int socket, std::span<const std::byte> octets, int passed) noexcept;

/// Descriptors in the order in which they came.
class kept_descriptors {
public:
    /// Of a segment and of a page of returns, which may follow each other.
    static constexpr std::size_t most = 2;

    /// False: there is no room; it is closed.
    [[nodiscard]] bool put(unique_fd fd) noexcept
    {
        if (count_ == most) return false;
        all_[count_++] = std::move(fd);
        return true;
    }
    /// Empty: there is none.
    [[nodiscard]] unique_fd take() noexcept
    {
        if (count_ == 0) return {};
        unique_fd first = std::move(all_[0]);
        all_[0] = std::move(all_[1]);
        --count_;
        return first;
    }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    void clear() noexcept
    {
        while (count_ != 0) all_[--count_].reset();
    }

private:
    unique_fd all_[most];
    std::size_t count_ = 0;
};

/// As stream::read(). A descriptor that comes goes to `kept`. Errors: protocol_error if several have come at once, or
/// too many are there; all of them are closed. too_many_files: this process could not take one that was passed.
[[nodiscard]] io_outcome receive(int socket, const iovec* to, int count, kept_descriptors& kept) noexcept;

}  // namespace zlink::transport::ipc
