// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a party that holds an end of a pipe hangs there: whom its thread tells of the end's events, and what it keeps about it.
#pragma once

#include <cstdint>

namespace zlink::pipe {

/// The I/O side's object behind an end.
class pipe_client {
public:
    /// The thread that drains the end's queue, or finds something in its lane. `events`: see pipe_event.
    virtual void on_pipe_events(std::uint32_t events) noexcept = 0;

protected:
    ~pipe_client() = default;
};

/// What the socket's side keeps about a pipe: it derives its own type. Goes with the pipe, on whatever thread that is.
struct end_record {
    end_record() = default;
    end_record(const end_record&) = delete;
    end_record& operator=(const end_record&) = delete;
    virtual ~end_record() = default;
};

}  // namespace zlink::pipe
