// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the help says about each command that sends or receives.
#pragma once

#include <span>

namespace zlink::tool {

struct command_text {
    const char* name;
    int type;  // ZMQ_PUB and so on
    const char* purpose;
    const char* count;  // of --count
    const char* examples;
};

std::span<const command_text> traffic_texts();

}  // namespace zlink::tool
