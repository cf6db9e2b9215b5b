// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink version: what runs here, down to the file of the library.
#include "cli/command.hpp"

#include "support/loaded_library.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

exit_status print_version()
{
    const auto own = zlink_library_version();
    fmt::print("zlink {}\n", own.value_or("(the library in use isn't zlink)"));
    fmt::print("libzmq API {}\n", api_version());
    fmt::print("library {}\n", library_path());
    std::string list;
    for (const char* capability :
         {"ipc", "draft", "curve", "tls", "ws", "wss", "tipc", "vmci", "pgm", "norm", "gssapi"}) {
        if (zmq_has(capability) != 0) {
            list += std::string(" ") + capability;
        }
    }
    fmt::print("capabilities{}\n", list.empty() ? " none" : list);
    return exit_status::success;
}

}  // namespace

void add_version_command(command_line& line)
{
    auto* command = add_command(line, "version", "Show versions, the library in use and its capabilities");
    command->footer(
        "Examples:\n  zlink version\n  LD_LIBRARY_PATH=/opt/zmq/lib zlink version     which library would run?");
    command->callback([&line] { line.chosen = print_version; });
}

}  // namespace zlink::tool
