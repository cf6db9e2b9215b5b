// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink proxy: its options, and the sockets for proxy_loop.
#include "cli/command.hpp"
#include "cli/endpoint_check.hpp"
#include "cli/proxy_loop.hpp"
#include "cli/security_options.hpp"
#include "cli/security_use.hpp"
#include "cli/socket_defaults.hpp"
#include "cli/takeover.hpp"
#include "cli/traffic_options.hpp"

#include "support/option_table.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

struct side {
    std::string type;
    std::vector<std::string> bind;
    std::vector<std::string> connect;

    bool used() const { return !bind.empty() || !connect.empty(); }
};

struct proxy_options {
    std::string kind = "queue";
    side frontend;
    side backend;
    side capture;
    std::vector<std::string> typed_settings;
    std::vector<option_setting> settings;
    bool force = false;
    bool quiet = false;
    bool verbose = false;
    security_options security;
    std::vector<std::string> clear;  // sides without security
};

// Of the draft API those whose messages have no address: a SERVER's answer could not find its way back.
bool can_be_proxied(int type)
{
    return !sends_one_frame(type) || type == ZMQ_GATHER || type == ZMQ_SCATTER || type == ZMQ_CHANNEL;
}

int checked_type(const char* name, const side& wanted)
{
    const auto type = socket_type(wanted.type);
    if (!type || !can_be_proxied(*type)) {
        std::vector<std::string> usable = socket_type_names();
        std::erase_if(usable, [](const std::string& each) { return !can_be_proxied(*socket_type(each)); });
        throw usage_failure(fmt::format("--{}-type '{}' is not a socket type{}; use one of {}", name, wanted.type,
                                        type ? " that a proxy can serve" : "",
                                        lower(fmt::format("{}", fmt::join(usable, ", ")))));
    }
    if (!wanted.used()) {
        throw usage_failure(fmt::format("proxy needs --{} ENDPOINT (listens) or --{}-connect ENDPOINT", name, name));
    }
    check_endpoints(wanted.bind);
    check_endpoints(wanted.connect);
    return *type;
}

void check_endpoint_types(const proxy_options& options)
{
    const int front = checked_type("frontend", options.frontend);
    const int back = checked_type("backend", options.backend);
    if (sends_one_frame(front) != sends_one_frame(back)) {
        throw usage_failure(
            "gather, scatter and channel pass messages of one frame: both sides have to be of these types");
    }
    if (options.capture.used()) checked_type("capture", options.capture);
}

bool is_cleared(const proxy_options& options, const char* name)
{
    return std::ranges::find(options.clear, name) != options.clear.end();
}

// Security that no side uses: those that are cleared use none, and roles and --auth need a side to play them.
void check_security(const proxy_options& options)
{
    endpoint_lists all;
    endpoint_lists secured;
    const auto add = [](endpoint_lists& to, const side& from) {
        to.bind.insert(to.bind.end(), from.bind.begin(), from.bind.end());
        to.connect.insert(to.connect.end(), from.connect.begin(), from.connect.end());
    };
    for (const auto& [name, each] :
         {std::pair{"frontend", &options.frontend}, {"backend", &options.backend}, {"capture", &options.capture}}) {
        add(all, *each);
        if (!is_cleared(options, name)) {
            add(secured, *each);
        }
    }
    check_security_is_used(options.security, secured);
    check_settings_are_used(options.settings, all, false);
    const auto need = [](const char* option, bool given, const std::vector<std::string>& users, const char* what) {
        if (given && users.empty()) {
            throw usage_failure(fmt::format("{} is for a side that {}, and there is none; leave it out", option, what));
        }
    };
    const auto& typed = options.security;
    need("--curve-server", typed.curve_server, secured.bind, "listens");
    need("--plain-server", typed.plain_server, secured.bind, "listens");
    need("--auth", !typed.auth.empty(), secured.bind, "listens");
    need("--curve-server-key", !typed.curve_server_key.empty(), secured.connect, "connects");
    need("--plain-user", !typed.plain_user.empty(), secured.connect, "connects");
}

// A side that listens is a server, one that connects is a client. None goes without security by an oversight.
void secure(socket& target, const char* name, const side& wanted, const proxy_options& options, const credentials& keys,
            const std::optional<auth_handler>& handler)
{
    using enum credentials::mechanism;
    const bool lists_peers = !options.security.auth.empty();
    const bool has_mechanism = keys.of_server() != null || keys.of_client() != null;
    const bool asked = has_mechanism || (lists_peers && !wanted.bind.empty());
    if (is_cleared(options, name)) {
        return;
    }
    if (asked && socket_type(wanted.type) == ZMQ_STREAM) {
        throw usage_failure(
            fmt::format("the {} is a stream, which has no handshake for {}; give --clear {} to leave that side without",
                        name, handshake_option(options.security), name));
    }
    if (asked && !wanted.bind.empty() && !wanted.connect.empty()) {
        throw usage_failure(
            fmt::format("--{} and --{}-connect: a side with security listens or connects, not both", name, name));
    }
    if (has_mechanism && (wanted.connect.empty() ? keys.of_server() : keys.of_client()) == null) {
        throw usage_failure(fmt::format(
            "the {} {}; give {}, or --clear {} to leave that side without", name,
            wanted.connect.empty() ? "listens, and has no security" : "connects, and has no security",
            wanted.connect.empty() ? "--curve-server or --plain-server" : "--curve-server-key or --plain-user", name));
    }
    wanted.connect.empty() ? keys.make_server(target, handler, {wanted.bind, wanted.connect})
                           : keys.make_client(target);
}

std::unique_ptr<proxy_side> open_side(const context& owner, const char* name, const side& wanted,
                                      const proxy_options& options, const credentials& keys,
                                      const std::optional<auth_handler>& handler)
{
    auto result =
        std::make_unique<proxy_side>(owner, checked_type(name, wanted),
                                     connection_watch::settings{wanted.connect, !wanted.bind.empty(), options.verbose});
    set_defaults(result->own, {wanted.bind, wanted.connect, {options.security.socks_proxy}});
    secure(result->own, name, wanted, options, keys, handler);
    for (const auto& setting : options.settings) {
        if (!setting.of_context) {
            apply(setting, result->own);
        }
    }
    result->watch.configured();
    for (const auto& endpoint : wanted.bind) {
        takeover{options.force, options.quiet}.look_at(endpoint);
        result->own.bind(endpoint);
    }
    for (const auto& endpoint : wanted.connect) {
        result->own.connect(endpoint);
    }
    return result;
}

exit_status run_proxy(proxy_options& options)
{
    static const std::array<std::array<const char*, 3>, 3> kinds{
        {{"queue", "router", "dealer"}, {"forwarder", "xsub", "xpub"}, {"streamer", "pull", "push"}}};
    for (const auto& [kind, frontend, backend] : kinds) {
        if (options.kind == kind) {
            options.frontend.type = options.frontend.type.empty() ? frontend : options.frontend.type;
            options.backend.type = options.backend.type.empty() ? backend : options.backend.type;
        }
    }
    if (options.quiet && options.verbose) {
        throw usage_failure("give --quiet or --verbose, not both");
    }
    for (const auto& setting : options.typed_settings) {
        options.settings.push_back(parse_setting(setting));
    }
    check_endpoint_types(options);
    check_security(options);
    const credentials keys(options.security);
    context owner;
    for (const auto& setting : options.settings) {
        if (setting.of_context) {
            apply(setting, owner);
        }
    }
    std::optional<auth_handler> handler;
    keys.start_handler(handler, owner, options.quiet, options.verbose);
    auto frontend = open_side(owner, "frontend", options.frontend, options, keys, handler);
    auto backend = open_side(owner, "backend", options.backend, options, keys, handler);
    auto capture =
        options.capture.used() ? open_side(owner, "capture", options.capture, options, keys, handler) : nullptr;
    return proxy_loop(*frontend, *backend, capture.get(), options.quiet).run();
}

void add_side(CLI::App& command, const std::string& name, side& target, const char* types)
{
    command.add_option("--" + name, target.bind, "Listen here (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_option("--" + name + "-connect", target.connect, "Connect there (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_option("--" + name + "-type", target.type, types)->type_name("TYPE");
}

}  // namespace

void add_proxy_command(command_line& line)
{
    auto* command = add_command(line, "proxy", "Forward messages between two sets of peers");
    auto options = std::make_shared<proxy_options>();
    command
        ->add_option("-k,--kind", options->kind,
                     "queue (router, dealer), forwarder (xsub, xpub) or streamer (pull, push)")
        ->check(unnamed(CLI::IsMember({"queue", "forwarder", "streamer"})))
        ->type_name("KIND")
        ->capture_default_str();
    add_side(*command, "frontend", options->frontend, "Socket type instead of the kind's: where requests come from");
    add_side(*command, "backend", options->backend, "Socket type instead of the kind's: where they go to");
    options->capture.type = "pub";
    add_side(*command, "capture", options->capture, "Socket type that gets a copy of everything (default: pub)");
    command
        ->add_option("-o,--opt", options->typed_settings,
                     "Set an option of all its sockets or of the context, for example SNDHWM=10 (repeatable; "
                     "names: zlink env)")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE");
    command->add_flag("--force", options->force, "Take over an ipc:// path that another socket listens on");
    command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on stderr");
    command->add_flag("-v,--verbose", options->verbose, "Say on stderr what happens to connections");
    command
        ->add_option("--clear", options->clear,
                     "Leave this side without security (repeatable): frontend, backend or capture")
        ->check(unnamed(CLI::IsMember({"frontend", "backend", "capture"})))
        ->allow_extra_args(false)
        ->type_name("SIDE")
        ->group("Security");
    add_security_options(*command, options->security);
    command->footer(
        "Examples:\n"
        "  zlink proxy --frontend tcp://*:5559 --backend tcp://*:5560\n"
        "  zlink proxy --kind forwarder --frontend tcp://*:5561 --backend tcp://*:5562\n"
        "  zlink proxy --kind streamer --frontend tcp://*:5563 --backend-connect tcp://sink:5564 "
        "--capture ipc:///tmp/tap\n"
        "  zlink proxy --frontend tcp://*:5565 --frontend-type pull --backend tcp://*:5566 --backend-type pub\n"
        "  zlink proxy --frontend tcp://*:5567 --curve-server --curve-secret @broker_secret --auth allowed.txt "
        "--backend ipc:///tmp/workers --clear backend\n"
        "Sides that listen are servers, sides that connect are clients.\n"
        "Ctrl-C ends it.");
    command->callback([options, &line] { line.chosen = [options] { return run_proxy(*options); }; });
}

}  // namespace zlink::tool
