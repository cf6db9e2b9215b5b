// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The form of whole frames on a stream: that of the lane, or one that a framing brings along. The classes that stage
// and seal frames ask here, and know no form.
#pragma once

#include "message/frame_header.hpp"
#include "wire/frame_encoder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace zlink::wire {

/// A form that is not the lane's. Objects have no state of their own, live for ever, and are used by any thread.
class foreign_form {
public:
    /// Octets before a body of that size.
    [[nodiscard]] virtual std::size_t header_size(std::uint64_t body) const noexcept = 0;
    /// Writes the octets before the body of a frame without flags; returns the place of the body.
    [[nodiscard]] virtual std::byte* begin_frame(std::byte* at, std::uint64_t body) const noexcept = 0;
    /// Called once the body is there.
    virtual void finish_frame(std::byte* body, std::size_t size) const noexcept = 0;

    /// May throw std::bad_alloc.
    [[nodiscard]] virtual std::unique_ptr<frame_encoder> make_encoder() const = 0;
    /// Commands, which are whole frames in lane form, are changed to this form, in place. May throw std::bad_alloc:
    /// nothing has changed then.
    virtual void encode_commands(std::vector<std::byte>& frames) const = 0;

protected:
    ~foreign_form() = default;
};

/// Null: frames go out as they lie in the lane.
using frame_form = const foreign_form*;
inline constexpr frame_form lane_form = nullptr;

[[nodiscard]] inline std::size_t header_size(frame_form form, std::uint64_t body) noexcept
{
    return form ? form->header_size(body) : message::header_size(body);
}

[[nodiscard]] inline std::byte* begin_frame(std::byte* at, frame_form form, std::uint64_t body) noexcept
{
    return form ? form->begin_frame(at, body) : at + message::encode_header(at, 0, body);
}

}  // namespace zlink::wire
