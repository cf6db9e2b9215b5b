// What a transport needs to know of a socket's options to open, bind and tune file descriptors.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace zlink::transport {

/// Values as documented for zmq_setsockopt; -1 and 0 mean "leave the system's default" where the man page says so.
struct stream_options {
    bool ipv6 = false;
    int backlog = 100;
    int sndbuf = -1;
    int rcvbuf = -1;
    int tos = 0;
    int priority = 0;
    int tcp_keepalive = -1;
    int tcp_keepalive_cnt = -1;
    int tcp_keepalive_idle = -1;
    int tcp_keepalive_intvl = -1;
    std::chrono::milliseconds tcp_maxrt{0};
    int busy_poll = 0;
    std::string bind_to_device;
    int use_fd = -1;
    std::vector<std::string> tcp_accept_filters;  ///< "address/prefix", deprecated ZMQ_TCP_ACCEPT_FILTER
    std::set<uid_t> ipc_filter_uid;  ///< deprecated ZMQ_IPC_FILTER_*: if any is given, an ipc peer must match one
    std::set<gid_t> ipc_filter_gid;
    std::set<pid_t> ipc_filter_pid;
};

}  // namespace zlink::transport
