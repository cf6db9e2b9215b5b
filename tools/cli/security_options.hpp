// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// --curve-..., --plain-..., --tls-..., --socks-... and --auth, the same on every command that opens sockets.
#pragma once

#include "cli/auth_service.hpp"

#include "support/secret.hpp"
#include "support/socket.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

// CLI/CLI.hpp takes six seconds to compile; only files that define commands need it.
namespace CLI {
class App;
}  // namespace CLI

namespace zlink::tool {

// As typed.
struct security_options {
    std::string curve_server_key;  // KEY or @FILE
    std::string curve_secret;      // @FILE or env:NAME
    std::string curve_public;      // KEY or @FILE
    bool curve_server = false;
    std::string plain_user;
    std::string plain_password;  // @FILE or env:NAME
    bool plain_server = false;
    std::string auth;  // file of allowed peers
    std::string tls_ca;
    std::string tls_cert;
    std::string tls_key;
    std::string tls_key_password;  // @FILE or env:NAME
    std::string tls_host;
    bool insecure = false;
    std::string socks_proxy;
    std::string socks_user;
    std::string socks_password;  // @FILE or env:NAME
};

struct endpoint_lists {
    std::vector<std::string> bind;
    std::vector<std::string> connect;

    bool empty() const noexcept { return bind.empty() && connect.empty(); }
};

// Adds them to a command, under a heading of their own.
void add_security_options(CLI::App& command, security_options& typed);
// Of these, --tls-... and --socks-... alone: for raw octets, which have no handshake of ZMTP.
void add_stream_security_options(CLI::App& command, security_options& typed);

// The keys and passwords behind the options, for as long as sockets are being opened.
class credentials {
public:
    enum class mechanism { null, plain, curve };

    // Reads files and variables. Throws a failure that names the option, what is wrong with it and the cure.
    explicit credentials(const security_options& typed);

    // What a socket uses that has this role; null when no option speaks of it.
    mechanism of_server() const noexcept { return server_; }
    mechanism of_client() const noexcept { return client_; }

    // At most one role is spoken of; throws a usage_failure otherwise. True when it is the server's.
    bool the_role_is_server() const;

    // `handler` is of start_handler(). Throws a failure when that could not let in anybody at these endpoints.
    void make_server(socket& target, const std::optional<auth_handler>& handler, const endpoint_lists& endpoints) const;
    void make_client(socket& target) const;

    // The handler of this context, if there is a file of allowed peers: made before sockets bind or connect.
    void start_handler(std::optional<auth_handler>& handler, const context& owner, bool quiet, bool verbose) const;

private:
    void read_curve(const security_options& typed);
    void read_plain(const security_options& typed);
    void read_tls(const security_options& typed);
    void read_socks(const security_options& typed);
    void ask_about_peers(socket& target, const auth_handler& handler, const endpoint_lists& endpoints) const;
    void set_keys(socket& target) const;
    void set_tls(socket& target) const;
    void set_socks(socket& target) const;

    mechanism server_ = mechanism::null;
    mechanism client_ = mechanism::null;
    std::string server_key_;
    std::string public_key_;
    secret secret_key_;
    std::string user_;
    secret password_;
    std::string auth_;
    std::vector<std::pair<int, std::string>> tls_;  // options and values
    secret key_password_;
    bool insecure_ = false;
    std::string proxy_;
    std::string proxy_user_;
    secret proxy_password_;
};

}  // namespace zlink::tool
