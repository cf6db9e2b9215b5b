// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The two roles of a cell. Each runs on a thread of its own, in a process of its own unless the transport is inproc.
#pragma once

#include "demo/cell.hpp"
#include "demo/control.hpp"
#include "demo/corpus.hpp"
#include "demo/tally.hpp"

#include "support/socket.hpp"

#include <cstdint>
#include <string>

namespace zlink::tool::demo {

struct role_options {
    demo::pattern pattern = pattern::pair;
    bool sender = false;
    bool binds = false;
    bool raw = false;  // STREAM's sender as a plain tcp socket
    std::string endpoint;
    std::uint64_t paced = 0;
    std::uint64_t burst = 0;  // messages; 0: as many as fit in burst_seconds
    double burst_seconds = 1;
    int stall_ms = 5000;  // no message moved for so long is a failure
};

// Runs the role to its end; throws a failure that says what went wrong.
tally run_role(const role_options& options, const context& owner, const corpus& source, control& line);

// The roles behind it, and STREAM's, which sees bytes instead of messages.
tally run_sender(const role_options& options, const context& owner, const corpus& source, control& line);
tally run_receiver(const role_options& options, const context& owner, control& line);
tally run_stream_sender(const role_options& options, const context& owner, const corpus& source, control& line);
tally run_raw_sender(const role_options& options, const corpus& source, control& line);
tally run_stream_receiver(const role_options& options, const context& owner, control& line);

// Binds or connects as the options say and tells the demo where; sets what all roles need.
void open_role(socket& own, const role_options& options, control& line);

// Which record comes next: first the paced ones, then the burst until its number or time is reached, then the end.
class schedule {
public:
    explicit schedule(const role_options& options) : options_(options) {}

    // Kind of the record with this number; waits for its moment if it is a paced one.
    record_kind next(std::uint64_t sequence);

private:
    const role_options& options_;
    std::int64_t burst_begin_ = 0;
    std::int64_t next_paced_ = 0;
};

}  // namespace zlink::tool::demo
