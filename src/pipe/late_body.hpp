// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The body of a message's last frame whose octets are still in the caller's memory (outgoing::stays). They are copied
// when the message is published, or not at all: the reader may take them from where they are.
#pragma once

#include "base/invariant.hpp"
#include "base/many_octets.hpp"
#include "pipe/span_body.hpp"

#include <cstddef>
#include <utility>

namespace zlink::pipe {

/// The writer's thread. The body has memory of its own, which holds nothing until copy().
class late_body {
public:
    late_body() = default;
    late_body(const std::byte* from, span_body& to) noexcept : from_(from), to_(&to) {}

    /// There is such a body.
    explicit operator bool() const noexcept { return from_ != nullptr; }

    /// Copies the octets into the body's own memory. That is the end of this.
    void copy() noexcept
    {
        invariant([this] { return from_ && to_->owner; });
        to_->data = to_->owner->data();
        copy_many_octets(to_->data, std::exchange(from_, nullptr), to_->size);
    }
    /// The reader finds the octets in the caller's memory. Once published, copy() has to follow before that memory
    /// goes, unless the reader is done with the body.
    void lend() noexcept
    {
        invariant([this] { return from_ && to_->owner; });
        to_->data = const_cast<std::byte*>(from_);
    }

private:
    const std::byte* from_ = nullptr;
    span_body* to_ = nullptr;
};

}  // namespace zlink::pipe
