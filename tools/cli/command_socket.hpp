// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket of a command that is not one of the traffic commands: its options, its context, its watch.
#pragma once

#include "cli/connection_watch.hpp"
#include "cli/security_options.hpp"

#include "support/option_table.hpp"
#include "support/socket.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

// As typed.
struct socket_wishes {
    std::vector<std::string> bind;
    std::vector<std::string> connect;
    std::vector<std::string> settings;  // of --opt
    bool force = false;                 // see takeover
    bool quiet = false;
    bool verbose = false;
    security_options security;
};

// --opt, --quiet, --verbose and security, without endpoints.
void add_socket_options(CLI::App& command, socket_wishes& typed);
// --connect, --bind and --force.
void add_endpoint_options(CLI::App& command, socket_wishes& typed);

// "500ms" of an option; throws a usage_failure that names the option.
std::chrono::milliseconds duration_of(const char* option, std::string_view text);

// Context, socket and watch, in the order in which they have to begin and end. For one thread.
class command_socket {
public:
    // Checks the wishes. The socket has its options and security, no endpoint and a linger of 0.
    // `told` hears of connections; without it, the watch says what goes wrong.
    command_socket(const socket_wishes& wishes, int type, connection_watch::listener told = {});

    socket& own() noexcept { return *socket_; }
    connection_watch& watch() noexcept { return *watch_; }
    const context& owner() const noexcept { return context_; }

    // Binds and connects; says where it listens if the endpoint has a wildcard.
    void open();

    // Until some peer is there, or the time is over (false). Throws a failure if no peer is to be hoped for.
    bool await_peer(std::chrono::milliseconds limit);

    // Throws the verdict of the watch if no peer is to be hoped for.
    void check_hope();

    // Closes the socket and waits until what was sent is with the peer; false if that takes longer.
    bool finish(std::chrono::milliseconds limit);

private:
    const socket_wishes& wishes_;
    context context_;
    std::optional<auth_handler> handler_;
    std::optional<socket> socket_;
    std::optional<connection_watch> watch_;
};

}  // namespace zlink::tool
