// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealed frames as they go over a stream, one behind the other. Each is in a frame without flags; its body is the
// output of the sealer. One thread at a time.
#pragma once

#include "message/buffer.hpp"
#include "message/frame_header.hpp"
#include "wire/frame_form.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace zlink::wire {

class sealed_octets {
public:
    /// Frames that are sealed in one call. The number is large enough for a sealer that seals several at a time, and
    /// small enough for the stack.
    static constexpr std::size_t most_at_once = 128;

    /// `form`: of the frames that carry the sealed bodies.
    explicit sealed_octets(std::unique_ptr<zmtp::sealer> how, frame_form form = lane_form) noexcept;
    ~sealed_octets() { drop(); }
    sealed_octets(const sealed_octets&) = delete;
    sealed_octets& operator=(const sealed_octets&) = delete;

    /// Octets of a frame with that body, once it is sealed.
    [[nodiscard]] std::size_t size_of(std::size_t body) const noexcept
    {
        const std::size_t sealed = body + overhead_;
        return header_size(form_, sealed) + sealed;
    }

    /// The frame that begins there, among whole frames as frame_encoder and heartbeat make them.
    [[nodiscard]] static zmtp::frame_to_seal frame_at(std::span<const std::byte> frames, std::size_t at) noexcept
    {
        const message::frame_header h = message::decode_header(frames.data() + at);
        return {std::uint8_t(h.flags & ~message::flag_long), frames.subspan(at + h.size, std::size_t(h.body_size)),
                nullptr};
    }

    /// Room for so many octets behind those that are there. May throw std::bad_alloc: nothing has changed then.
    void reserve(std::size_t octets);

    /// Seals them behind the octets that are there, and needs `octets` for that; fills in each frame's place. May throw
    /// std::bad_alloc: nothing has changed then.
    void append(std::span<zmtp::frame_to_seal> frames, std::size_t octets);
    /// Whole frames in lane form are replaced by sealed ones. They go out before anything that is sealed later. May
    /// throw std::bad_alloc: nothing has changed then.
    void seal_in_place(std::vector<std::byte>& frames);

    [[nodiscard]] std::span<const std::byte> octets() const noexcept { return {data(), used_}; }
    void clear() noexcept { used_ = 0; }
    /// clear(), and memory of more than `most` octets is freed.
    void shrink(std::size_t most) noexcept;

private:
    [[nodiscard]] std::byte* data() const noexcept { return memory_ ? memory_->data() : nullptr; }
    void finish(std::span<const zmtp::frame_to_seal> frames) const noexcept;
    void drop() noexcept;

    std::unique_ptr<zmtp::sealer> sealer_;
    const std::size_t overhead_;
    const frame_form form_;
    message::buffer* memory_ = nullptr;
    std::size_t used_ = 0;
};

}  // namespace zlink::wire
