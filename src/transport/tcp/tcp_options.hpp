// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that tcp obeys in addition to those of all transports over IP; so do transports that go over tcp.
#pragma once

#include "transport/option_rows.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace zlink::transport::tcp {

/// A SOCKS5 proxy for connects.
struct socks_options {
    std::string proxy;      ///< "host:port"; empty: none
    std::string user_name;  ///< empty: without authentication
    std::string password;
};

/// Values as documented for zmq_setsockopt; -1 and 0 mean "leave the system's default" where the man page says so.
struct tcp_options {
    bool ipv6 = false;
    int tos = 0;
    int priority = 0;
    int keepalive = -1;
    int keepalive_cnt = -1;
    int keepalive_idle = -1;
    int keepalive_intvl = -1;
    std::chrono::milliseconds maxrt{0};
    int busy_poll = 0;
    std::vector<std::string> accept_filters;  ///< "address/prefix", deprecated ZMQ_TCP_ACCEPT_FILTER
    socks_options socks;
};

/// Rows for these options.
extern const option_rows own_options;

}  // namespace zlink::transport::tcp
