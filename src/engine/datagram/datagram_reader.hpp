// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Datagrams of a port on their way into a lane, as messages of two frames, the head and the body. No more are taken
// from the port than the lane has room for. The rest waits in the system, which drops what it cannot keep.
//
// The worker's thread.
#pragma once

#include "pipe/lane_writer.hpp"
#include "transport/datagram_port.hpp"

#include <cstddef>

namespace zlink::engine {

class datagram_reader {
public:
    /// Datagrams of one batch, at most.
    static constexpr std::size_t most = 128;

    explicit datagram_reader(transport::datagram_port& port) noexcept : port_(port) {}

    enum class outcome {
        drained,    ///< the descriptor tells when there are more
        more,       ///< there may be more
        lane_full,  ///< the lane's writer is told of credit
    };
    /// Moves one batch. The lane's reader is not told.
    outcome read_once(pipe::lane_writer& lane) noexcept;

private:
    transport::datagram_port& port_;
};

}  // namespace zlink::engine
