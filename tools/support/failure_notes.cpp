// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// "ENDPOINT: words", "ENDPOINT by way of the SOCKS proxy HOST:PORT: words", "SCHEME: words" where the peer isn't known.
#include "support/failure_notes.hpp"

#include "support/loaded_library.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace zlink::tool {
namespace {

constexpr std::size_t most_kept = 100;  // texts that no event asks about: peers that came and went

struct option_name {
    std::string_view program;
    std::string_view tool;
};

constexpr std::array option_names{
    option_name{"ZMQ_TLS_CA_FILE", "--tls-ca"},
    option_name{"ZMQ_TLS_CERT_FILE", "--tls-cert"},
    option_name{"ZMQ_TLS_KEY_FILE", "--tls-key"},
    option_name{"ZMQ_TLS_KEY_PASSWORD", "--tls-key-password"},
    option_name{"ZMQ_TLS_HOSTNAME", "--tls-host"},
    option_name{"ZMQ_TLS_TRUST_SYSTEM", "--opt TLS_TRUST_SYSTEM=1"},
    option_name{"ZMQ_TLS_REQUIRE_CLIENT_CERT", "--opt TLS_REQUIRE_CLIENT_CERT=1"},
    option_name{"ZMQ_SOCKS_PROXY", "--socks-proxy"},
    option_name{"ZMQ_SOCKS_USERNAME", "--socks-user"},
    option_name{"ZMQ_SOCKS_PASSWORD", "--socks-password"},
};

std::string name_in_tool(std::string_view option)
{
    const auto* const known = std::ranges::find(option_names, option, &option_name::program);
    return known != option_names.end() ? std::string(known->tool)
                                       : "--opt " + std::string(option.substr(std::string_view("ZMQ_").size()));
}

std::string_view scheme_of(std::string_view text)
{
    return text.substr(0, text.find(':'));
}

}  // namespace

failure_notes& failure_notes::of_process()
{
    static failure_notes notes;
    return notes;
}

void failure_notes::gather()
{
    for (std::string text = next_connection_failure(); !text.empty(); text = next_connection_failure()) {
        if (texts_.size() == most_kept) {
            texts_.pop_front();
        }
        texts_.push_back(in_options_of_tool(text));
    }
}

template <class Fits>
std::string failure_notes::take_if(Fits fits)
{
    gather();
    const auto newest = std::find_if(texts_.rbegin(), texts_.rend(), fits);
    if (newest == texts_.rend()) {
        return "";
    }
    const std::string found = *newest;
    std::erase_if(texts_, fits);
    return found;
}

std::string failure_notes::take(std::string_view endpoint)
{
    return take_if([&](std::string_view text) {
        if (endpoint.empty() || !text.starts_with(endpoint)) {
            return false;
        }
        text.remove_prefix(endpoint.size());
        return text.starts_with(": ") || text.starts_with(" by way of ");
    });
}

std::string failure_notes::take_of_handshake(std::string_view endpoint)
{
    if (std::string text = take(endpoint); !text.empty()) {
        return text;
    }
    return take_if([&](std::string_view text) { return scheme_of(text) == scheme_of(endpoint); });
}

std::string_view words_of(std::string_view note)
{
    const auto colon = note.find(": ");
    return colon == std::string_view::npos ? note : note.substr(colon + 2);
}

std::string in_options_of_tool(std::string_view text)
{
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    std::string result;
    for (auto at = text.find("ZMQ_"); at != std::string_view::npos; at = text.find("ZMQ_")) {
        const auto end = std::min(text.find_first_not_of(letters, at), text.size());
        result += text.substr(0, at);
        result += name_in_tool(text.substr(at, end - at));
        text.remove_prefix(end);
    }
    return result.append(text);
}

}  // namespace zlink::tool
