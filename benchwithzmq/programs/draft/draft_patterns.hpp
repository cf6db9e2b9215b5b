// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The patterns of the draft API's socket types. The programs here measure each, with one and with four sending threads.
#pragma once

#include "draft_ends.hpp"
#include "harness/meeting.hpp"

namespace bench {

// CLIENT to SERVER, which answers with the same.
struct client_server : pattern_defaults {
    static constexpr const char* name = "CLIENT_SERVER";
    using context = zmq_context;
    using sender = socket_end<ZMQ_CLIENT>;
    using receiver = server_end;
};

struct scatter_gather : pattern_defaults {
    static constexpr const char* name = "SCATTER_GATHER";
    static constexpr bool two_way = false;
    using context = zmq_context;
    using sender = socket_end<ZMQ_SCATTER>;
    using receiver = socket_end<ZMQ_GATHER>;
};

struct channel : pattern_defaults {
    static constexpr const char* name = "CHANNEL";
    using context = zmq_context;
    using sender = socket_end<ZMQ_CHANNEL>;
    using receiver = socket_end<ZMQ_CHANNEL>;
};

struct radio_dish : pattern_defaults {
    static constexpr const char* name = "RADIO_DISH";
    static constexpr bool two_way = false;
    static constexpr bool repeats_hello = true;
    using context = zmq_context;
    using sender = radio_end;
    using receiver = dish_end;
};

}  // namespace bench
