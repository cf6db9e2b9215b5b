// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The one loop behind all commands that send or receive with one socket.
#pragma once

#include "cli/connection_watch.hpp"
#include "cli/input_source.hpp"
#include "cli/message_sender.hpp"
#include "cli/output_sink.hpp"
#include "cli/pacer.hpp"
#include "cli/rate_meter.hpp"
#include "cli/traffic_options.hpp"

#include "support/failure.hpp"

#include <chrono>

namespace zlink::tool {

// Moves messages between the input, the socket and the output. It ends when the count is reached, the input has ended,
// or time is over. It also ends when no peer is left to hope for, or a stop is asked for. Everything happens on the
// calling thread. It sleeps in zmq_poll, and in message_sender, and nowhere else.
class traffic_loop {
public:
    traffic_loop(const traffic_options& options, socket& peer, connection_watch& watch);

    // Throws a failure for what can't go on. What became of the messages is told by the rest.
    void run();

    const rate_meter& meter() const noexcept { return meter_; }
    const losses& lost() const noexcept { return sender_.lost(); }

    // Of a PEER that connects: the number of its one peer.
    void dialled(const std::string& number) { dialled_ = number; }

    // There is a message that the socket didn't take.
    bool stuck() const noexcept { return pending_ && (refused_ || hung_up_ || (dials_ && dialled_.empty())); }

private:
    using clock = std::chrono::steady_clock;
    enum class turn { moved, blocked };

    bool finished() const;
    bool wants_input() const;
    bool may_send(clock::time_point now) const;
    bool may_receive() const;
    void fetch_input();
    void address();
    void make_one_frame();
    void check_one_frame(bool addressed) const;
    message_sender::result send_pending();
    turn send_some();
    turn receive_some();
    bool take_notice();
    void answer(message frames);
    void complain_now_and_then(clock::time_point now);
    void sleep(clock::time_point now);
    int sleep_milliseconds(clock::time_point now) const;
    void timed_out() const;

    const traffic_options& options_;
    socket& peer_;
    connection_watch& watch_;
    input_source input_;
    output_sink output_;
    rate_meter meter_;
    message_sender sender_;
    pacer pace_;
    bool sends_;
    bool receives_;
    bool answers_;  // REP, and ROUTER and its like with --echo or --reply
    bool dials_;    // STREAM or PEER that connects: its one peer needs no address
    std::string dialled_;
    bool hung_up_ = false;
    bool input_ended_ = false;
    bool input_waits_ = false;
    bool pending_ = false;
    bool pending_is_answer_ = false;
    bool refused_ = false;  // the socket had no room for it
    message outgoing_;
    message incoming_;
    bool told_to_wait_ = false;
    std::uint64_t told_drops_ = 0;
    clock::time_point told_drops_at_;
};

}  // namespace zlink::tool
