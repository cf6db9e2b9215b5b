// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One experiment of the demo: a pattern over a transport between two libraries, and how to name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool::demo {

enum class pattern { pair, pub_sub, xpub_xsub, req_rep, dealer_router, router_router, push_pull, stream };
enum class transport { tcp, ipc, inproc };

// What a peer runs on: this tool's library, the distribution's libzmq, or a plain tcp socket (STREAM only).
enum class library { zlink, libzmq, raw };

struct pattern_traits {
    pattern value;
    const char* name;
    int sender_type;  // ZMQ_PUSH and so on
    int receiver_type;
    bool sender_binds;  // publishers listen, in all other patterns the receiver does
    bool echoes;        // the receiver returns each message and the sender verifies it again
    unsigned window;    // most messages under way when it echoes
};

const pattern_traits& traits_of(pattern value);

struct cell {
    demo::pattern pattern;
    demo::transport transport;
    library sender;
    library receiver;
};

std::string name_of(pattern value);
std::string name_of(transport value);
std::string name_of(library value);
std::optional<pattern> find_pattern(std::string_view name);
std::optional<transport> find_transport(std::string_view name);
const std::vector<pattern>& all_patterns();
const std::vector<transport>& all_transports();

// "PUSH/PULL tcp zlink > libzmq"
std::string title(const cell& experiment);

// Every experiment for these patterns and transports; without libzmq only those of zlink with itself.
std::vector<cell> plan(const std::vector<pattern>& patterns, const std::vector<transport>& transports,
                       bool with_libzmq);

}  // namespace zlink::tool::demo
