// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink auth: looks at a file of allowed peers, or serves it to handlers' forwarders in other programs.
#include "cli/auth_service.hpp"
#include "cli/command.hpp"
#include "cli/connection_watch.hpp"
#include "cli/endpoint_check.hpp"
#include "cli/security_options.hpp"
#include "cli/security_use.hpp"
#include "cli/socket_defaults.hpp"
#include "cli/takeover.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

struct auth_options {
    std::string file;
    std::vector<std::string> bind;
    std::vector<std::string> connect;
    bool force = false;
    bool quiet = false;
    bool verbose = false;
    security_options security;
};

exit_status check(const auth_options& options)
{
    check_security_is_used(options.security, {});
    auth_file file(options.file, true);
    fmt::print("{} lets in {}\n", options.file, file.rules().summary());
    return std::fflush(stdout) == 0 ? exit_status::success : exit_status::failed;
}

void open_endpoints(socket& asked, const auth_options& options)
{
    for (const auto& endpoint : options.bind) {
        takeover{options.force, options.quiet}.look_at(endpoint);
        asked.bind(endpoint);
        if (!options.quiet) {
            say("listening on {}\n", asked.last_endpoint());
        }
    }
    for (const auto& endpoint : options.connect) {
        asked.connect(endpoint);
    }
}

// Questions hold passwords as they were typed.
void warn_of_clear_text(const auth_options& options, const credentials& keys, bool has_users)
{
    const auto over_tcp = [](const std::string& endpoint) { return endpoint.starts_with("tcp://"); };
    const bool curve =
        keys.of_server() == credentials::mechanism::curve || keys.of_client() == credentials::mechanism::curve;
    if (has_users && !curve &&
        (std::ranges::any_of(options.bind, over_tcp) || std::ranges::any_of(options.connect, over_tcp))) {
        say("zlink: questions with passwords go over tcp:// unencrypted; use ipc://, or --curve-server\n");
    }
}

exit_status serve(const auth_options& options)
{
    check_endpoints(options.bind);
    check_endpoints(options.connect);
    check_security_is_used(options.security, {options.bind, options.connect});
    const credentials keys(options.security);
    const bool is_server = keys.the_role_is_server();
    auth_service service(options.file, options.quiet, options.verbose);
    warn_of_clear_text(options, keys, service.rules().has_users());

    context owner;
    std::optional<auth_handler> handler;
    keys.start_handler(handler, owner, options.quiet, options.verbose);
    socket asked(owner, ZMQ_REP);
    asked.set(ZMQ_LINGER, 0);
    set_defaults(asked, {options.bind, options.connect, {options.security.socks_proxy}});
    is_server ? keys.make_server(asked, handler, {options.bind, options.connect}) : keys.make_client(asked);
    connection_watch watch(owner, asked, {options.connect, !options.bind.empty(), false});
    watch.configured();
    open_endpoints(asked, options);
    if (!options.quiet) {
        say("{} lets in {}\n", options.file, service.rules().summary());
    }
    std::array<zmq_pollitem_t, 3> items{{
        {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0},
        {watch.handle(), 0, ZMQ_POLLIN, 0},
        {asked.handle(), 0, ZMQ_POLLIN, 0},
    }};
    while (!stop_signal::requested() && !watch.hopeless()) {
        service.answer_all(asked);
        watch.read();
        zmq_poll(items.data(), static_cast<int>(items.size()), -1);
    }
    if (watch.hopeless()) {
        throw failure(watch.verdict());
    }
    return watch.refused() ? exit_status::failed : exit_status::success;
}

}  // namespace

void add_auth_command(command_line& line)
{
    auto* command = add_command(line, "auth", "Say who may connect, from a file of allowed keys, users and addresses");
    auto options = std::make_shared<auth_options>();
    command->add_option("FILE", options->file, "The allowed peers; read again when it changes")->required();
    command->add_option("-b,--bind", options->bind, "Answer the questions (ZAP) that come here (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command->add_option("-c,--connect", options->connect, "Answer those of the program that listens here (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command->add_flag("--force", options->force, "Take over an ipc:// path that another socket listens on");
    command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on stderr");
    command->add_flag("-v,--verbose", options->verbose, "Say on stderr who is let in, too");
    add_security_options(*command, options->security);
    command->footer(
        "A rule a line:\n"
        "  curve KEY|@FILE [NAME]   a client with this public key\n"
        "  curve any                any client that has a key\n"
        "  plain USER PASSWORD      a user; or @FILE with the password in its first line\n"
        "  tls @FILE [NAME]         a client with this certificate, at tls:// and wss://\n"
        "  tls CN=NAME,...          a client whose certificate has this subject\n"
        "  tls any                  any client whose certificate --tls-ca vouches for\n"
        "  null                     peers that show no credentials\n"
        "  allow ADDRESS            only from there: 192.0.2.0/24, 2001:db8::1, ipc, uid:1000, gid:100\n"
        "  deny ADDRESS             not from there\n"
        "  # a comment\n"
        "Examples:\n"
        "  zlink auth allowed.txt                                say what the file allows, or what is wrong with it\n"
        "  zlink auth allowed.txt --bind ipc:///run/app/zap      serve programs that forward inproc://zeromq.zap.01\n"
        "  zlink pull --bind tcp://*:5555 --curve-server --curve-secret @server_secret --auth allowed.txt\n"
        "Without --bind and --connect it only looks at the file. 'zlink proxy --auth' puts it before other programs.");
    command->callback([options, &line] {
        line.chosen = [options] {
            return options->bind.empty() && options->connect.empty() ? check(*options) : serve(*options);
        };
    });
}

}  // namespace zlink::tool
