// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the user asked of a command that sends or receives.
#pragma once

#include "cli/security_options.hpp"

#include "support/option_table.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <zmq.h>

namespace zlink::tool {

struct traffic_options {
    int type = 0;  // ZMQ_PUB and so on
    std::vector<std::string> bind;
    std::vector<std::string> connect;

    // Where messages come from: these, else the file, else standard input.
    std::vector<std::string> messages;
    std::string file;
    bool whole = false;     // the file is one message
    std::size_t chunk = 0;  // or one for each so many octets of it; 0: one for each line

    // What is done with those received.
    std::string to;                     // this file, else standard output
    bool raw = false;                   // nothing is printed between messages
    std::optional<std::string> format;  // see message_format

    bool null = false;  // messages end in a NUL instead of a newline, in and out
    bool hex = false;
    std::string separator;         // between frames of the input; empty: each message is one frame
    std::string output_separator;  // between frames of the output

    std::optional<std::uint64_t> count;
    double rate = 0;  // messages a second, 0: no limit
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> delay;
    std::optional<std::chrono::milliseconds> linger;

    std::vector<std::string> topics;
    std::vector<std::string> groups;  // a DISH joins them; a RADIO sends to the one
    std::string identity;
    std::optional<std::string> reply;
    bool echo = false;
    bool force = false;  // see takeover
    bool quiet = false;
    bool verbose = false;
    std::vector<option_setting> settings;
    security_options security;
};

// What a socket type can do in the tool.
inline bool can_send(int type)
{
    return type != ZMQ_SUB && type != ZMQ_PULL && type != ZMQ_DISH && type != ZMQ_GATHER;
}
inline bool can_receive(int type)
{
    return type != ZMQ_PUB && type != ZMQ_PUSH && type != ZMQ_RADIO && type != ZMQ_SCATTER;
}
inline bool publishes(int type)
{
    return type == ZMQ_PUB || type == ZMQ_XPUB || type == ZMQ_RADIO;
}
// Received messages begin with the sender's routing id, number or address, sent ones with the receiver's.
inline bool addresses(int type)
{
    return type == ZMQ_ROUTER || type == ZMQ_STREAM || type == ZMQ_SERVER || type == ZMQ_PEER || type == ZMQ_DGRAM;
}
// A connection of theirs is to one peer, which needs no address.
inline bool dials(const traffic_options& options)
{
    return (options.type == ZMQ_STREAM || options.type == ZMQ_PEER) && !options.connect.empty();
}
// Messages have one frame, next to the address or the group if the type has such.
inline bool sends_one_frame(int type)
{
    return type > ZMQ_STREAM;  // the types of the draft API
}
// --count counts what is sent; otherwise what is received.
inline bool counts_sent(int type)
{
    return !can_receive(type) || type == ZMQ_REQ || type == ZMQ_XPUB;
}

}  // namespace zlink::tool
