// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a connected, non-blocking descriptor: a system call for each read and write.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/stream.hpp"

namespace zlink::transport {

class descriptor_stream : public stream {
public:
    explicit descriptor_stream(unique_fd fd) noexcept : fd_(std::move(fd)) {}

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept final;
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept final;
    [[nodiscard]] bool has_unread_octets() const noexcept final;
    [[nodiscard]] int descriptor() const noexcept final { return fd_.get(); }
    [[nodiscard]] bool lends_descriptor() const noexcept final { return true; }

private:
    unique_fd fd_;
};

}  // namespace zlink::transport
