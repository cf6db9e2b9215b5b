// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A SOCKS5 proxy that is not ours: microsocks, of the distribution.
#pragma once

#include "support/tcp_peer.hpp"
#include "support/tls_command.hpp"

#include <optional>
#include <string>

namespace zlink::test {

class socks_proxy {
public:
    /// `login`: "-u NAME -P PASSWORD"; empty: open to all.
    explicit socks_proxy(std::string login = {}) : login_(std::move(login)) { start(); }

    /// "127.0.0.1:1080", also while it does not run.
    [[nodiscard]] std::string address() const { return host_and_port(port_.endpoint()); }

    /// Its connections end with it.
    void stop() { process_.reset(); }
    void start() { process_.emplace("microsocks -i 127.0.0.1 -p " + port() + " " + login_); }

private:
    [[nodiscard]] std::string port() const { return std::to_string(tcp_peer::port_of(port_.endpoint())); }

    std::string login_;
    // It listens on a port that is given to it: one that is bound here as well, without listening, so that nobody else
    // gets it.
    tcp_peer port_ = tcp_peer::reserve();
    std::optional<piped_process> process_;
};

}  // namespace zlink::test
