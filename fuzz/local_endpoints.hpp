// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints for targets that open sockets: of this machine alone. Nothing else is bound to, connected to or looked up.
#pragma once

#include "fuzz_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

namespace zlink::fuzz {

/// For ipc; removed at the end of the process.
inline const std::string& own_directory()
{
    static const struct directory {
        directory()
        {
            char name[] = "/tmp/zlink-fuzz-XXXXXX";
            require(::mkdtemp(name) != nullptr);
            path = name;
        }
        ~directory()
        {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        std::string path;
    } own;
    return own.path;
}

inline bool any_of_a_name(std::string_view text)
{
    return std::any_of(text.begin(), text.end(), [](char c) { return c == '.' || std::isalnum(int(std::uint8_t(c))); });
}

/// host:port. A port of two to five digits may be another program's.
inline bool is_local(std::string_view address)
{
    if (!any_of_a_name(address)) return address.find('*') == address.npos;
    for (const std::string_view host : {"127.0.0.1:", "[::1]:", "localhost:", "lo:"}) {
        if (!address.starts_with(host)) continue;
        const std::string_view port = address.substr(host.size());
        const bool number = port.find_first_not_of("0123456789") == port.npos;
        return !number || port.size() < 2 || (port.size() > 5 && port.front() != '0');
    }
    return false;
}

/// Both sides of a ';', if there is one.
inline bool are_local(std::string_view addresses)
{
    const std::size_t cut = addresses.find(';');
    if (cut == addresses.npos) return is_local(addresses);
    return is_local(addresses.substr(0, cut)) && are_local(addresses.substr(cut + 1));
}

inline bool stays_here(std::string_view endpoint)
{
    const std::size_t end = endpoint.find("://");
    if (end == endpoint.npos) return true;
    const std::string_view scheme = endpoint.substr(0, end);
    std::string_view rest = endpoint.substr(end + 3);
    if (scheme == "ipc")
        return rest.empty() || rest == "*" || rest[0] == '@' || rest.starts_with(own_directory() + "/");
    if (scheme == "ws" || scheme == "wss") rest = rest.substr(0, rest.find('/'));
    const std::string_view over_ip[] = {"tcp", "tls", "ws", "wss", "udp"};
    return std::find(std::begin(over_ip), std::end(over_ip), scheme) == std::end(over_ip) || are_local(rest);
}

/// One of a list, altered or not, or any text.
inline std::string local_endpoint(input& in)
{
    static const std::string some[] = {
        "tcp://127.0.0.1:*",
        "inproc://a",
        "inproc://b",
        "inproc://zeromq.zap.01",
        "ipc://*",
        "ipc://@zlink-fuzz-" + std::to_string(::getpid()),
        "ipc://" + own_directory() + "/a",
        "ipc://" + own_directory() + "/missing/a",
        "ipc://" + own_directory() + "/" + std::string(120, 'a'),
        "ws://127.0.0.1:*/path",
        "ws://127.0.0.1:*",
        "tls://127.0.0.1:*",
        "wss://127.0.0.1:*/",
        "udp://127.0.0.1:*",
        "udp://127.0.0.1:0",
        "tcp://127.0.0.1:1",
        "tcp://[::1]:*",
        "tcp://localhost:1",
        "tcp://lo:*",
        "tcp://127.0.0.1:0;127.0.0.1:1",
        "tcp://127.0.0.1:70000000",
        "tcp://127.0.0.1:1x",
        "tcp://",
        "inproc://",
        "ipc://",
        "pgm://a;b:1",
        "tipc://{1,2}",
        "none",
        "",
    };
    const std::uint8_t which = in.choice();
    std::string text = some[which % std::size(some)];
    if (which >= 250) {
        const auto any = in.take(in.choice());
        text.assign(reinterpret_cast<const char*>(any.data()), any.size());
    } else if (which >= 4 * std::size(some) && !text.empty()) {
        text[in.choice() % text.size()] = char(in.choice());
    }
    text.resize(std::min(text.size(), text.find('\0')));
    return stays_here(text) ? text : "elsewhere://" + text;
}

}  // namespace zlink::fuzz
