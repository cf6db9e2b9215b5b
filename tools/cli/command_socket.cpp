// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/command_socket.hpp"

#include "cli/command.hpp"
#include "cli/endpoint_check.hpp"
#include "cli/farewell.hpp"
#include "cli/security_use.hpp"
#include "cli/socket_defaults.hpp"
#include "cli/takeover.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <array>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {

void add_socket_options(CLI::App& command, socket_wishes& typed)
{
    command
        .add_option("-o,--opt", typed.settings,
                    "Set a socket or context option, for example SNDHWM=10 (repeatable; names: zlink env)")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE");
    command.add_flag("-q,--quiet", typed.quiet, "Say nothing but errors on stderr");
    command.add_flag("-v,--verbose", typed.verbose, "Say on stderr what happens to connections");
    add_security_options(command, typed.security);
}

void add_endpoint_options(CLI::App& command, socket_wishes& typed)
{
    command.add_option("-c,--connect", typed.connect, "Connect to this endpoint (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_option("-b,--bind", typed.bind, "Listen on this endpoint (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_flag("--force", typed.force, "Take over an ipc:// path that another socket listens on");
}

std::chrono::milliseconds duration_of(const char* option, std::string_view text)
{
    const auto value = parse_duration(text);
    if (!value) {
        throw usage_failure(fmt::format("{} takes a time like 500, 500ms, 2s or 1m, not '{}'", option, text));
    }
    return *value;
}

command_socket::command_socket(const socket_wishes& wishes, int type, connection_watch::listener told) : wishes_(wishes)
{
    if (wishes.quiet && wishes.verbose) {
        throw usage_failure("give --quiet or --verbose, not both");
    }
    check_endpoints(wishes.bind);
    check_endpoints(wishes.connect);
    std::vector<option_setting> settings;
    for (const auto& setting : wishes.settings) {
        settings.push_back(parse_setting(setting));
    }
    const endpoint_lists endpoints{wishes.bind, wishes.connect};
    check_security_is_used(wishes.security, endpoints);
    check_settings_are_used(settings, endpoints, false);
    const credentials keys(wishes.security);
    const bool is_server = keys.the_role_is_server();
    for (const auto& setting : settings) {
        if (setting.of_context) {
            apply(setting, context_);
        }
    }
    keys.start_handler(handler_, context_, wishes.quiet, wishes.verbose);
    socket_.emplace(context_, type);
    socket_->set(ZMQ_LINGER, 0);
    set_defaults(*socket_, {wishes.bind, wishes.connect, {wishes.security.socks_proxy}});
    is_server ? keys.make_server(*socket_, handler_, endpoints) : keys.make_client(*socket_);
    for (const auto& setting : settings) {
        if (!setting.of_context) {
            apply(setting, *socket_);
        }
    }
    watch_.emplace(context_, *socket_,
                   connection_watch::settings{wishes.connect, !wishes.bind.empty(), wishes.verbose && !told, told});
    watch_->configured();
}

void command_socket::open()
{
    for (const auto& endpoint : wishes_.bind) {
        takeover{wishes_.force, wishes_.quiet}.look_at(endpoint);
        socket_->bind(endpoint);
        if (!wishes_.quiet && (wishes_.verbose || endpoint.find('*') != std::string::npos)) {
            say("listening on {}\n", socket_->last_endpoint());
        }
    }
    for (const auto& endpoint : wishes_.connect) {
        socket_->connect(endpoint);
    }
}

void command_socket::check_hope()
{
    if (watch_->hopeless()) {
        throw failure(watch_->verdict());
    }
}

bool command_socket::await_peer(std::chrono::milliseconds limit)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + limit;
    while (!stop_signal::requested()) {
        watch_->read();
        check_hope();
        if (watch_->ever_connected()) {
            return true;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
        if (left.count() <= 0) {
            return false;
        }
        std::array<zmq_pollitem_t, 2> items{
            {{nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}, {watch_->handle(), 0, ZMQ_POLLIN, 0}}};
        zmq_poll(items.data(), static_cast<int>(items.size()), left.count());
    }
    return watch_->ever_connected();
}

bool command_socket::finish(std::chrono::milliseconds limit)
{
    const leaving_socket leaving{&*socket_, &*watch_, true};
    if (say_farewell({&leaving, 1}, limit, wishes_.quiet).how == farewell::end::sent) {
        return true;
    }
    (void)context_.release();  // it could not be ended
    return false;
}

}  // namespace zlink::tool
