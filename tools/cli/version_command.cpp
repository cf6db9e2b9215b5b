// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink version: what runs here, down to the file of the library.
#include "cli/command.hpp"

#include "support/loaded_library.hpp"
#include "support/socket.hpp"

#include <cerrno>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

// The library has tls in a module that may be missing, which it learns with the first endpoint. This one has no
// certificate: nothing is ever bound. Empty: the module is there, or the library has no tls at all.
std::string why_no_tls()
{
    if (zmq_has("tls") == 0) return "";
    const context owner;
    const socket trial(owner, ZMQ_PULL);
    if (zmq_bind(trial.handle(), "tls://127.0.0.1:*") == 0 || zmq_errno() != EPROTONOSUPPORT) return "";
    const std::string words = last_failure();
    return words.empty() ? zmq_strerror(EPROTONOSUPPORT) : words;
}

exit_status print_version()
{
    const auto own = zlink_library_version();
    fmt::print("zlink {}\n", own.value_or("(the library in use isn't zlink)"));
    fmt::print("libzmq API {}\n", api_version());
    fmt::print("library {}\n", library_path());
    std::string list;
    const std::string no_tls = why_no_tls();
    for (const char* capability :
         {"ipc", "draft", "curve", "tls", "ws", "wss", "vsock", "tipc", "vmci", "pgm", "norm", "gssapi"}) {
        const bool of_module = std::string_view(capability) == "tls" || std::string_view(capability) == "wss";
        if (zmq_has(capability) != 0 && !(of_module && !no_tls.empty())) {
            list += std::string(" ") + capability;
        }
    }
    fmt::print("capabilities{}\n", list.empty() ? " none" : list);
    if (!no_tls.empty()) {
        fmt::print("no tls:// and wss://: {}\n", no_tls);
    }
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
