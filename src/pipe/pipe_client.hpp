// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A party attaches two things to its pipe end: the object that is told of the end's events, and its record about the
// pipe.
#pragma once

#include <cstdint>

namespace zlink::pipe {

/// The I/O side's object behind an end.
class pipe_client {
public:
    /// Called by the thread that drains the end's queue, or finds something in its lane. `events`: see pipe_event.
    virtual void on_pipe_events(std::uint32_t events) noexcept = 0;

protected:
    ~pipe_client() = default;
};

/// The socket side's data about a pipe: the socket derives its own type. Destroyed with the pipe, on any thread.
struct end_record {
    end_record() = default;
    end_record(const end_record&) = delete;
    end_record& operator=(const end_record&) = delete;
    virtual ~end_record() = default;
};

}  // namespace zlink::pipe
