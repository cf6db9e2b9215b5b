// The one loop behind pub, sub, push, pull, req, rep, dealer, router and pair.
#pragma once

#include "cli/input_source.hpp"
#include "cli/output_sink.hpp"
#include "cli/rate_meter.hpp"
#include "cli/traffic_options.hpp"

#include "support/failure.hpp"

#include <chrono>

namespace zlink::tool {

// Moves messages between the input, the socket and the output until the count is reached, the input has ended, time is
// over or a stop is asked for. Everything happens on the calling thread; it sleeps in zmq_poll alone.
class traffic_loop {
public:
    traffic_loop(const traffic_options& options, socket& peer);

    // Returns the exit status; throws a failure for what can't go on.
    exit_status run();

private:
    using clock = std::chrono::steady_clock;
    enum class turn { moved, blocked };

    bool finished() const;
    bool wants_input() const;
    bool may_send() const;
    bool may_receive() const;
    void fetch_input();
    turn send_some();
    turn receive_some();
    void answer(message frames);
    void sleep_until_something();
    int sleep_milliseconds() const;
    exit_status timed_out() const;

    const traffic_options& options_;
    socket& peer_;
    input_source input_;
    output_sink output_;
    rate_meter meter_;
    bool sends_;
    bool receives_;
    bool answers_;  // REP, and ROUTER with --echo or --reply
    bool input_ended_ = false;
    bool input_waits_ = false;
    bool pending_ = false;
    bool pending_is_answer_ = false;
    message outgoing_;
    message incoming_;
    clock::time_point next_send_;
};

}  // namespace zlink::tool
