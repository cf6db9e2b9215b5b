// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One workload of the explorer, as its arguments describe it: name=value, one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace explore {

enum class load_kind { flood, window, open };
enum class api_kind { buffer, message, data };
enum class wait_kind { receive, poll, descriptor, poller };
enum class guest_kind { none, descriptor, socket };
enum class proxy_kind { none, queue, streamer, forwarder };
enum class core_kind { any, one, apart };

struct workload {
    // Topology. `front` sends or asks, `back` takes or answers; with a proxy between them both connect to it.
    int front = -1;  // ZMQ_*
    int back = -1;   // ZMQ_*
    unsigned fronts = 1;
    unsigned backs = 1;
    bool echo = false;
    proxy_kind proxy = proxy_kind::none;
    bool spokes_bind = false;    // the many sockets bind and the one connects to each
    unsigned front_threads = 1;  // 1, or one for each socket
    unsigned back_threads = 1;
    unsigned topics = 0;   // of PUB and XPUB; 0: subscribers take everything
    bool no_drop = false;  // ZMQ_XPUB_NODROP

    std::string transport = "tcp";
    unsigned processes = 1;
    unsigned io_threads = 1;
    core_kind cores = core_kind::any;
    bool stranger = false;  // a busy process on the same cores

    // Messages: a size of the list, or any in the range if there is one.
    std::vector<std::size_t> sizes{64};
    std::size_t range_from = 0;
    std::size_t range_to = 0;
    unsigned parts = 1;

    // Load.
    load_kind load = load_kind::flood;
    unsigned window = 1;     // in flight for each socket (ROUTER: each peer) that asks
    double rate = 0;         // messages a second, of all senders together
    unsigned burst = 1;      // due at the same time
    unsigned think_us = 0;   // computing for each message that is sent
    unsigned work_us = 0;    // computing for each message that is taken in
    unsigned nap_every = 0;  // a receiver sleeps after so many messages
    unsigned nap_us = 0;
    bool slow_first = false;  // work and naps are the first receiver's alone
    unsigned take = 64;       // messages taken from a socket in a turn, at most

    // Options and calls. -1: the library's own.
    int send_mark = -1;
    int receive_mark = -1;
    int send_buffer = -1;
    int receive_buffer = -1;
    api_kind api = api_kind::buffer;
    wait_kind wait = wait_kind::receive;
    guest_kind guest = guest_kind::none;  // something else in the poll that never becomes ready

    unsigned warm_ms = 100;
    unsigned measure_ms = 300;
    unsigned limit_s = 10;
    std::uint64_t seed = 1;

    [[nodiscard]] std::size_t largest() const;
    [[nodiscard]] std::size_t smallest() const;
    [[nodiscard]] bool publishes() const;                 // PUB or XPUB
    [[nodiscard]] bool loses() const;                     // messages may be dropped
    [[nodiscard]] bool addressed() const;                 // the front is a ROUTER
    [[nodiscard]] bool delimits() const;                  // DEALER that talks to REP
    [[nodiscard]] bool may_be_multipart() const;          // more than one frame on some socket
    [[nodiscard]] unsigned copies(unsigned topic) const;  // deliveries of a message
};

// Ends the program with status 2 and a line on stderr if an argument is bad.
[[nodiscard]] workload parse_workload(int argc, char** argv);

}  // namespace explore
