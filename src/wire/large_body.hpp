// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A large frame while its body arrives. Up to a limit, the whole body is allocated at once. Beyond it, the buffer
// doubles as octets come, so that an announced length alone costs nothing.
#pragma once

#include "base/invariant.hpp"
#include "base/many_octets.hpp"
#include "message/buffer.hpp"
#include "message/frame_header.hpp"

#include <algorithm>
#include <cstddef>

namespace zlink::wire {

class large_body {
public:
    static constexpr std::size_t allocated_at_once = 1024 * 1024;

    large_body() = default;
    large_body(const large_body&) = delete;
    large_body& operator=(const large_body&) = delete;
    ~large_body() { drop(); }

    /// False: memory is short.
    [[nodiscard]] bool begin(const message::frame_header& h) noexcept
    {
        header_ = h;
        arrived_ = 0;
        buffer_ = message::buffer::allocate(std::min<std::size_t>(h.body_size, allocated_at_once));
        return buffer_ != nullptr;
    }

    [[nodiscard]] bool active() const noexcept { return buffer_ != nullptr; }
    [[nodiscard]] bool complete() const noexcept { return arrived_ == header_.body_size; }
    [[nodiscard]] const message::frame_header& header() const noexcept { return header_; }

    /// Where the next octets go. Makes room if the buffer is full; `size` 0: memory is short.
    [[nodiscard]] std::byte* space(std::size_t& size) noexcept
    {
        if (arrived_ == buffer_->capacity() && !grow()) {
            size = 0;
            return nullptr;
        }
        size = buffer_->capacity() - arrived_;
        return buffer_->data() + arrived_;
    }
    /// Whether the current buffer holds the whole body.
    [[nodiscard]] bool last_space() const noexcept { return buffer_->capacity() == header_.body_size; }

    void arrived(std::size_t n) noexcept
    {
        invariant([&] { return active() && n <= buffer_->capacity() - arrived_; });
        arrived_ += n;
    }

    /// Copies from octets that came with the header; returns how many it took. They are less than `n` only at the end
    /// of the body or (error) when memory is short.
    [[nodiscard]] std::size_t take(const std::byte* from, std::size_t n) noexcept
    {
        std::size_t taken = 0;
        while (taken < n && !complete()) {
            std::size_t room = 0;
            std::byte* to = space(room);
            if (!room) break;
            room = std::min(room, n - taken);
            copy_many_octets(to, from + taken, room);
            taken += room;
            arrived_ += room;
        }
        return taken;
    }

    /// The complete body; the caller takes over the reference.
    [[nodiscard]] message::buffer* release() noexcept
    {
        invariant([this] { return active() && complete(); });
        message::buffer* b = buffer_;
        buffer_ = nullptr;
        return b;
    }

    void drop() noexcept
    {
        if (buffer_) buffer_->release();
        buffer_ = nullptr;
    }

private:
    bool grow() noexcept
    {
        const auto size = std::size_t(std::min<std::uint64_t>(header_.body_size, buffer_->capacity() * 2));
        message::buffer* larger = message::buffer::enlarge(buffer_, arrived_, size);
        if (!larger) return false;
        buffer_ = larger;
        return true;
    }

    message::frame_header header_{};
    message::buffer* buffer_ = nullptr;
    std::size_t arrived_ = 0;
};

}  // namespace zlink::wire
