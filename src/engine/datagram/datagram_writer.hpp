// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of a lane on their way to a port of datagrams, a batch at a time. A message of the lane is two frames, the
// head and the body. It is taken from the lane once the port is done with it, so it counts for the high-water mark
// until then.
//
// The worker's thread. The lane is in octet mode.
#pragma once

#include "pipe/lane_reader.hpp"
#include "pipe/owed_credit.hpp"
#include "transport/datagram_port.hpp"

#include <cstddef>

namespace zlink::engine {

class datagram_writer {
public:
    /// Messages of one batch, at most.
    static constexpr std::size_t most = 128;

    explicit datagram_writer(transport::datagram_port& port) noexcept : port_(port) {}

    enum class outcome {
        idle,     ///< the lane was empty
        more,     ///< there may be more in the lane
        blocked,  ///< the port has no room
    };
    /// Hands one batch to the port. If the port does not send, the messages are dropped.
    outcome write_once(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept;

private:
    [[nodiscard]] outcome send(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept;
    [[nodiscard]] static outcome drop(pipe::lane_reader& lane, pipe::owed_credit& credit) noexcept;

    transport::datagram_port& port_;
};

}  // namespace zlink::engine
