// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The destination of one received frame: the caller's memory (zmq_recv) or a frame (zmq_msg_recv). Patterns hand it a
// frame that they found in a lane, or octets of their own (a routing id, a delimiter).
#pragma once

#include "base/invariant.hpp"
#include "base/small_octets.hpp"
#include "message/frame.hpp"
#include "pipe/lane_reader.hpp"

#include <algorithm>
#include <cstddef>

namespace zlink::pipe {

class delivery {
public:
    /// Copies up to `capacity` octets; size() tells the full size all the same.
    delivery(void* memory, std::size_t capacity) noexcept : memory_(memory), capacity_(capacity) {}

    /// Replaces the content of `f`, which is initialised.
    explicit delivery(message::frame& f) noexcept : frame_(&f) {}

    /// The former for a message of one frame within a lane. Bodies by reference, and frames with more behind them, go
    /// to `rest` as in the latter: it is initialised and empty, and frame() is not null after that.
    delivery(void* memory, std::size_t capacity, message::frame& rest) noexcept
        : frame_(&rest),
          memory_(memory),
          capacity_(capacity)
    {}

    /// False when memory is short; nothing is taken then.
    [[nodiscard]] bool deliver(const incoming& f) noexcept
    {
        size_ = f.size;
        more_ = f.more;
        if (!frame_) [[likely]] {
            copy_octets(memory_, f.data, std::min(f.size, capacity_));
            return true;
        }
        return deliver_frame(f);
    }

    /// deliver() of a message's last frame; quicker if it is to be copied to the caller's memory.
    [[nodiscard]] [[gnu::always_inline]] bool deliver_last(const incoming& f) noexcept
    {
        if (!memory_ || f.by_reference) return deliver(f);
        frame_ = nullptr;
        size_ = f.size;
        more_ = false;
        copy_octets(memory_, f.data, std::min(f.size, capacity_));
        return true;
    }

    [[nodiscard]] bool deliver(const void* data, std::size_t size, bool more, message::metadata* properties) noexcept
    {
        size_ = size;
        more_ = more;
        if (!frame_) {
            copy_octets(memory_, data, std::min(size, capacity_));
            return true;
        }
        if (!frame_->replace_with_copy(data, size)) return false;
        describe(more, properties);
        return true;
    }

    /// Moves a whole frame out; `f` is left empty.
    [[nodiscard]] bool deliver(message::frame& f, bool more) noexcept
    {
        if (!frame_) return deliver(f.data(), f.size(), more, nullptr);
        size_ = f.size();
        more_ = more;
        frame_->close();
        frame_->init_move(f);
        frame_->set_more(more);
        return true;
    }

    /// After a delivery: the frame, for what it has besides its content. Null: the caller took octets alone.
    [[nodiscard]] message::frame* frame() const noexcept { return frame_; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool more() const noexcept { return more_; }

private:
    // From this size on a frame inside a chunk is handed out as a reference to the chunk. Below it a copy is cheaper
    // than two atomic operations, and does not pin the chunk.
    static constexpr std::size_t share_from = 4096;

    bool deliver_frame(const incoming& f) noexcept
    {
        invariant([&] { return f.owner != nullptr; });
        if (memory_ && !f.by_reference && !f.more) {
            frame_ = nullptr;
            copy_octets(memory_, f.data, std::min(f.size, capacity_));
            return true;
        }
        if (f.by_reference && f.owner->lent()) {
            if (!frame_->replace_with_copy(f.data, f.size)) return false;
        } else if (f.by_reference || (f.size >= share_from && f.size * 8 >= f.owner->capacity())) {
            f.owner->add_ref();
            frame_->close();
            frame_->init_buffer(f.owner, f.data, f.size);
            if (f.shared) frame_->set_shared();
        } else if (!frame_->replace_with_copy(f.data, f.size)) {
            return false;
        }
        describe(f.more, f.metadata);
        return true;
    }

    // For a frame without properties.
    void describe(bool more, message::metadata* properties) noexcept
    {
        frame_->set_more(more);
        if (!frame_->set_properties_at_once(properties)) [[unlikely]]
            frame_->set_properties(properties);
    }

    message::frame* frame_ = nullptr;
    void* memory_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
    bool more_ = false;
};

}  // namespace zlink::pipe
