// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ipc/ipc_options.hpp"

#include "base/option_table.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>
#include <zmq.h>

namespace zlink::transport::ipc {

namespace {

using namespace option_table;

constexpr part<ipc_options> ipc_part;

constexpr option_row table[] = {
    setter(ZMQ_IPC_FILTER_UID, every_type, set_filter<ipc_part, &ipc_options::filter_uid>),
    setter(ZMQ_IPC_FILTER_GID, every_type, set_filter<ipc_part, &ipc_options::filter_gid>),
    setter(ZMQ_IPC_FILTER_PID, every_type, set_filter<ipc_part, &ipc_options::filter_pid>),
    number<ipc_part, &ipc_options::mode>(ZLINK_IPC_MODE, -1, 0777),
};

}  // namespace

constinit const option_rows own_options{table};

}  // namespace zlink::transport::ipc
