// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the roles share: opening the socket and the timetable of a run.
#include "demo/role.hpp"

#include <thread>

#include <zmq.h>

namespace zlink::tool::demo {
namespace {

constexpr std::int64_t paced_interval_ns = 500'000;

}  // namespace

tally run_role(const role_options& options, const context& owner, const corpus& source, control& line)
{
    const bool stream = options.pattern == pattern::stream;
    if (options.sender) {
        return !stream       ? run_sender(options, owner, source, line)
               : options.raw ? run_raw_sender(options, source, line)
                             : run_stream_sender(options, owner, source, line);
    }
    return stream ? run_stream_receiver(options, owner, line) : run_receiver(options, owner, line);
}

void open_role(socket& own, const role_options& options, control& line)
{
    own.set(ZMQ_SNDTIMEO, options.stall_ms);
    own.set(ZMQ_RCVTIMEO, options.stall_ms);
    // A subscriber has nothing to say at the end that would be worth waiting for.
    own.set(ZMQ_LINGER, options.sender || traits_of(options.pattern).echoes ? options.stall_ms : 0);
    if (options.binds) {
        own.bind(options.endpoint);
        line.say("listening", own.last_endpoint());
    } else {
        own.connect(options.endpoint);
    }
}

record_kind schedule::next(std::uint64_t sequence)
{
    if (sequence < options_.paced) {
        const std::int64_t now = now_ns();
        if (now < next_paced_) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(next_paced_ - now));
        }
        next_paced_ = (now < next_paced_ ? next_paced_ : now) + paced_interval_ns;
        return record_kind::paced;
    }
    if (options_.burst > 0) {
        return sequence < options_.paced + options_.burst ? record_kind::burst : record_kind::end;
    }
    const std::int64_t now = now_ns();
    burst_begin_ = burst_begin_ == 0 ? now : burst_begin_;
    const bool over = static_cast<double>(now - burst_begin_) / 1e9 >= options_.burst_seconds;
    return over ? record_kind::end : record_kind::burst;
}

}  // namespace zlink::tool::demo
