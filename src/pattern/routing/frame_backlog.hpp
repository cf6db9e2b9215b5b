// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Whole messages that wait for the application outside of any pipe: subscriptions that XPUB reports, arrivals and
// departures of peers. Each may remember the pipe that it came from.
#pragma once

#include "base/errc.hpp"
#include "base/invariant.hpp"
#include "message/frame.hpp"
#include "pipe/delivery.hpp"
#include "pipe/pipe.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace zlink::pattern::routing {

class frame_backlog {
public:
    /// Adds a frame; of a message of several frames the last has `more` false. False when memory is short: the frames
    /// added for this message are taken back.
    [[nodiscard]] bool push(std::string_view octets, bool more, message::metadata* properties,
                            pipe::pipe_end* from = nullptr) noexcept;
    [[nodiscard]] bool push(const pipe::incoming& f, pipe::pipe_end* from = nullptr) noexcept;
    [[nodiscard]] bool push(message::owned_frame frame, bool more, pipe::pipe_end* from = nullptr) noexcept;

    /// So that the next push() of a frame needs no memory. False: memory is short.
    [[nodiscard]] bool make_room() noexcept;

    [[nodiscard]] bool empty() const noexcept { return first_ == items_.size(); }

    /// Takes the first frame; there is one.
    [[nodiscard]] errc deliver(pipe::delivery& to) noexcept;

    /// Where the first frame came from, or null; there is one.
    [[nodiscard]] pipe::pipe_end* source() const noexcept
    {
        invariant([this] { return !empty(); });
        return items_[first_].from;
    }

    /// This pipe goes away: its messages stay, their source is null from now on.
    void forget(const pipe::pipe_end& end) noexcept;

    /// Takes back the frames of the last message if its last frame is not there.
    void drop_unfinished() noexcept;

    /// Puts all frames of `earlier` before those here. False when memory is short; nothing is changed then.
    [[nodiscard]] bool prepend(frame_backlog& earlier) noexcept;

private:
    struct item {
        message::owned_frame frame;
        pipe::pipe_end* from;
    };

    void drop_delivered() noexcept;

    std::vector<item> items_;
    std::size_t first_ = 0;  ///< those before it were delivered
};

}  // namespace zlink::pattern::routing
