// All that a session and its connections need to know of their socket; copied when an endpoint is opened.
#pragma once

#include "engine/connection_options.hpp"
#include "transport/endpoint.hpp"
#include "transport/stream_options.hpp"
#include "zmtp/socket_types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::engine {

/// Sizes in bytes; see the knobs in docs/. The socket composes them from environment and options.
struct data_path_options {
    std::size_t in_batch = 512 * 1024;
    std::size_t out_batch = 32 * 1024;
    std::size_t out_batch_small = 4 * 1024;
    std::size_t writev_threshold = 32 * 1024;
    std::size_t max_transfer = 0;  ///< cap per system call; 0: none
    bool inline_io = true;
};

struct session_options {
    connection_options connection;
    transport::stream_options stream;
    data_path_options data_path;
    zmtp::socket_type type = zmtp::socket_type::pair;
    bool raw = false;  ///< STREAM and ROUTER_RAW: no ZMTP at all
    bool conflate = false;
    std::string routing_id;  ///< of this socket
    std::uint64_t sndhwm = 1000;
    std::uint64_t rcvhwm = 1000;
    std::uint64_t endpoint_id = 0;  ///< the socket's number for this bind or connect
    bool recv_routing_id = false;   ///< ROUTER, REP and the like: unused by other types
};

}  // namespace zlink::engine
