// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/security_use.hpp"

#include "support/failure.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

enum class user { any_tls, connecting_tls, connecting, binding_ws };

bool has_scheme(std::string_view endpoint, std::initializer_list<std::string_view> schemes)
{
    return std::ranges::any_of(schemes, [&](const std::string_view scheme) {
        return endpoint.starts_with(scheme) && endpoint.substr(scheme.size()).starts_with("://");
    });
}

bool any_has_scheme(const std::vector<std::string>& list, std::initializer_list<std::string_view> schemes)
{
    return std::ranges::any_of(list, [&](const std::string& endpoint) { return has_scheme(endpoint, schemes); });
}

bool is_used(user who, const endpoint_lists& endpoints)
{
    switch (who) {
    case user::any_tls:
        return any_has_scheme(endpoints.bind, {"tls", "wss"}) || any_has_scheme(endpoints.connect, {"tls", "wss"});
    case user::connecting_tls: return any_has_scheme(endpoints.connect, {"tls", "wss"});
    case user::connecting: return any_has_scheme(endpoints.connect, {"tcp", "tls", "ws", "wss"});
    case user::binding_ws: return any_has_scheme(endpoints.bind, {"ws", "wss"});
    }
    return true;
}

const char* name_of(user who)
{
    switch (who) {
    case user::any_tls: return "tls:// and wss:// endpoints";
    case user::connecting_tls: return "connecting to tls:// and wss:// endpoints";
    case user::connecting: return "connecting to tcp://, tls://, ws:// and wss:// endpoints";
    case user::binding_ws: return "listening at ws:// and wss:// endpoints";
    }
    return "";
}

// The endpoint that was meant: the same with encryption.
std::string encrypted(const std::string& endpoint)
{
    return has_scheme(endpoint, {"tcp"})  ? "tls" + endpoint.substr(3)
           : has_scheme(endpoint, {"ws"}) ? "wss" + endpoint.substr(2)
                                          : "";
}

void need(std::string_view option, user who, const endpoint_lists& endpoints)
{
    if (is_used(who, endpoints)) return;
    const bool tls = who == user::any_tls || who == user::connecting_tls;
    const auto& list = endpoints.connect.empty() ? endpoints.bind : endpoints.connect;
    const std::string first = list.empty() ? "" : list.front();
    const std::string meant = tls ? encrypted(first) : "";
    throw usage_failure(fmt::format("{} is for {}, and there is none{}; {}leave {} out", option, name_of(who),
                                    meant.empty() ? "" : fmt::format(": {} isn't encrypted by it", first),
                                    meant.empty() ? "" : fmt::format("write {}, or ", meant), option));
}

// The users of a socket option; nothing for those that every endpoint uses.
std::optional<user> user_of(std::string_view setting)
{
    if (setting == "TLS_HOSTNAME" || setting == "TLS_VERIFY") return user::connecting_tls;
    if (setting.starts_with("TLS_")) return user::any_tls;
    if (setting.starts_with("SOCKS_")) return user::connecting;
    if (setting == "WS_ORIGIN") return user::binding_ws;
    return std::nullopt;
}

}  // namespace

std::string handshake_option(const security_options& typed)
{
    const std::array<std::pair<const char*, bool>, 8> options{{
        {"--curve-server-key", !typed.curve_server_key.empty()},
        {"--curve-server", typed.curve_server},
        {"--curve-secret", !typed.curve_secret.empty()},
        {"--curve-public", !typed.curve_public.empty()},
        {"--plain-user", !typed.plain_user.empty()},
        {"--plain-password", !typed.plain_password.empty()},
        {"--plain-server", typed.plain_server},
        {"--auth", !typed.auth.empty()},
    }};
    const auto given = std::ranges::find_if(options, [](const auto& option) { return option.second; });
    return given == options.end() ? "" : given->first;
}

void check_security_is_used(const security_options& typed, const endpoint_lists& endpoints)
{
    const std::array<std::pair<const char*, const std::string*>, 4> of_both{{
        {"--tls-ca", &typed.tls_ca},
        {"--tls-cert", &typed.tls_cert},
        {"--tls-key", &typed.tls_key},
        {"--tls-key-password", &typed.tls_key_password},
    }};
    for (const auto& [option, value] : of_both) {
        if (!value->empty()) need(option, user::any_tls, endpoints);
    }
    if (!typed.tls_host.empty()) need("--tls-host", user::connecting_tls, endpoints);
    if (typed.insecure) need("--insecure", user::connecting_tls, endpoints);
    if (!typed.socks_proxy.empty()) need("--socks-proxy", user::connecting, endpoints);
    const std::string option = handshake_option(typed);
    if (endpoints.empty() && !option.empty()) {
        throw usage_failure(fmt::format("{} is for endpoints, and there is none; give --bind or --connect, or leave {} "
                                        "out",
                                        option, option));
    }
}

void check_settings_are_used(std::span<const option_setting> settings, const endpoint_lists& endpoints, bool raw)
{
    for (const auto& setting : settings) {
        const std::string_view name = setting.entry->name;
        if (const auto who = user_of(name)) need(fmt::format("--opt {}", name), *who, endpoints);
        if (raw && (name.starts_with("CURVE_") || name.starts_with("PLAIN_") || name.starts_with("ZAP_"))) {
            throw usage_failure(
                fmt::format("--opt {} is for the handshake of ZMTP, which raw octets don't have; leave it out", name));
        }
    }
}

}  // namespace zlink::tool
