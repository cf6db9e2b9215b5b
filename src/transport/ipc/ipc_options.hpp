// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that ipc obeys in addition to those of all transports.
#pragma once

#include "transport/option_rows.hpp"

#include <set>

#include <sys/types.h>

namespace zlink::transport::ipc {

/// Deprecated ZMQ_IPC_FILTER_*: if any is given, a peer must match one.
struct ipc_options {
    std::set<uid_t> filter_uid;
    std::set<gid_t> filter_gid;
    std::set<pid_t> filter_pid;
};

/// Rows for these options.
extern const option_rows own_options;

}  // namespace zlink::transport::ipc
