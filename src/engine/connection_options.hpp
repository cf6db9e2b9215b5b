// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The options of one connection: handshake, heartbeats, retry. Durations of zero mean "off" unless said otherwise.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zlink::engine {

struct connection_options {
    std::chrono::milliseconds handshake_ivl{30000};
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds reconnect_ivl{100};    ///< -1: never reconnect
    std::chrono::milliseconds reconnect_ivl_max{0};  ///< 0: no exponential back-off
    int reconnect_stop = 0;                          ///< ZMQ_RECONNECT_STOP_* bits
    std::chrono::milliseconds heartbeat_ivl{0};
    std::chrono::milliseconds heartbeat_ttl{0};                 ///< announced to the peer, multiples of 100 ms
    std::chrono::milliseconds heartbeat_timeout{-1};            ///< -1: heartbeat_ivl
    std::int64_t max_msg_size = -1;                             ///< -1: no limit
    bool immediate = false;                                     ///< ZMQ_IMMEDIATE
    std::size_t in_batch_size = 0;                              ///< explicit ZMQ_IN_BATCH_SIZE; 0: not set
    std::size_t out_batch_size = 0;                             ///< explicit ZMQ_OUT_BATCH_SIZE; 0: not set
    std::vector<std::pair<std::string, std::string>> metadata;  ///< ZMQ_METADATA application properties ("X-name")
    std::string hello_message;   ///< goes out with each connection, before everything else; empty: none
    std::string hiccup_message;  ///< given to the socket itself when a connection is lost; empty: none
};

}  // namespace zlink::engine
