// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which libzmq this process really runs on: its file, its versions, its knobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace zlink::tool {

// Path of the file that supplies zmq_version(), links resolved.
std::string library_path();

// "4.3.5"
std::string api_version();

// zlink's own version; nothing when the library isn't zlink.
std::optional<std::string> zlink_library_version();

// Why the last call failed that did, in words; empty when none has, or the library isn't zlink.
std::string last_failure();

// The same of connections, one after another, with the endpoint before it; empty: no more for now. For one thread.
std::string next_connection_failure();

// A function of the library that may be missing in others: null then. The caller knows its type.
void* library_function(const char* name);

struct knob {
    std::string name;
    std::string value;
    std::string default_value;
    std::string source;  // where the value comes from
    std::string description;
};

// Every environment knob with its value in force; empty when the library isn't zlink.
std::vector<knob> library_knobs();

}  // namespace zlink::tool
