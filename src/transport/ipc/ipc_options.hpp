// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket options that ipc obeys in addition to those of all transports.
#pragma once

#include "transport/option_rows.hpp"

#include <set>

#include <sys/types.h>

namespace zlink::transport::ipc {

struct ipc_options {
    // Deprecated ZMQ_IPC_FILTER_*: if any is given, a peer must match one.
    std::set<uid_t> filter_uid;
    std::set<gid_t> filter_gid;
    std::set<pid_t> filter_pid;
    int mode = -1;  ///< ZLINK_IPC_MODE: permissions of a bind's file; -1: what the umask leaves
};

/// Rows for these options.
extern const option_rows own_options;

}  // namespace zlink::transport::ipc
