// What the user asked of a command that sends or receives.
#pragma once

#include "support/option_table.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zlink::tool {

struct traffic_options {
    int type = 0;  // ZMQ_PUB and so on
    std::vector<std::string> bind;
    std::vector<std::string> connect;

    // Where messages come from: these, else the file, else standard input.
    std::vector<std::string> messages;
    std::string file;
    bool whole = false;

    bool hex = false;
    std::string separator;         // between frames of the input; empty: each message is one frame
    std::string output_separator;  // between frames of the output

    std::optional<std::uint64_t> count;
    double rate = 0;  // messages a second, 0: no limit
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> delay;
    std::optional<std::chrono::milliseconds> linger;

    std::vector<std::string> topics;
    std::string identity;
    std::optional<std::string> reply;
    bool echo = false;
    bool quiet = false;
    std::vector<option_setting> settings;
};

// What a socket type can do in the tool.
bool can_send(int type);
bool can_receive(int type);

}  // namespace zlink::tool
