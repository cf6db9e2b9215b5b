// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink dump: what goes over a connection, decoded, from a relay in between or from a capture.
#include "cli/command.hpp"
#include "cli/command_socket.hpp"

#include "dump/octet_relay.hpp"
#include "pure/capture_dialogs.hpp"
#include "support/failure.hpp"
#include "support/recording_file.hpp"
#include "support/status_line.hpp"
#include "support/text.hpp"

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

struct dump_options {
    std::string file;
    std::string bind;
    std::string to;
    std::optional<std::uint16_t> port;
    std::uint64_t connections = 0;
    std::string shown = "64";
    bool quiet = false;
};

void print_line(double seconds, std::uint64_t connection, int side, const std::string& sentence)
{
    fmt::print("[{:.6f} s] #{} {} {}\n", seconds, connection, side == 0 ? "->" : "<-", without_controls(sentence, ""));
    std::fflush(stdout);
}

exit_status dump_file(const dump_options& options, std::size_t shown)
{
    octet_file file(options.file);
    capture_reader reader([&](char* to, std::size_t size) { return file.read(to, size); });
    std::optional<std::uint64_t> start;
    capture_dialogs dialogs(
        [&](std::uint64_t at, std::uint64_t connection, int side, const std::string& sentence) {
            start = start.value_or(at);
            print_line(double(std::int64_t(at - *start)) / 1e9, connection, side, sentence);
        },
        {options.port, shown});
    captured_packet packet;
    while (reader.next(packet)) {
        dialogs.take(packet);
    }
    dialogs.end();
    if (!reader.error().empty()) {
        throw failure(fmt::format("{}: {}{}", options.file, reader.error(),
                                  dialogs.packets() > 0 ? "; the packets before it were read" : ""));
    }
    if (dialogs.unknown_links() > 0) {
        say("zlink: {} packets are of a kind of network that is not known here; Ethernet, loopback and Linux's 'any' "
            "are\n",
            grouped(dialogs.unknown_links()));
    }
    if (dialogs.connections() == 0) {
        throw failure(fmt::format("{}: no connection of TCP{} in {} packets; check the filter of the capture",
                                  options.file, options.port ? fmt::format(" with port {}", *options.port) : "",
                                  grouped(dialogs.packets())));
    }
    return exit_status::success;
}

exit_status dump_live(const dump_options& options, std::size_t shown)
{
    const auto start = std::chrono::steady_clock::now();
    std::map<std::uint64_t, connection_dialog> dialogs;
    std::map<std::uint64_t, int> over;
    const auto print = [start](std::uint64_t connection, int side, const std::string& sentence) {
        print_line(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), connection, side,
                   sentence);
    };
    octet_relay::hearing told;
    told.opened = [&](std::uint64_t connection, const std::string& from) {
        print(connection, 0, fmt::format("{} connects to {}", from, options.to));
        dialogs.try_emplace(
            connection, [print, connection](int side, const std::string& text) { print(connection, side, text); },
            shown);
    };
    told.octets = [&](std::uint64_t connection, int side, std::string_view octets) {
        if (const auto found = dialogs.find(connection); found != dialogs.end()) {
            found->second.take(side, octets);
        }
    };
    told.ended = [&](std::uint64_t connection, int side, const std::string& how) {
        if (const auto found = dialogs.find(connection); found != dialogs.end()) {
            found->second.end(side);
            if (++over[connection] == 2) {
                dialogs.erase(found);
                over.erase(connection);
            }
        }
        print(connection, side, how);
    };
    octet_relay relay(options.bind, options.to, std::move(told));
    if (!options.quiet) {
        say("listening on {}\n", relay.endpoint());
    }
    relay.run(options.connections);
    return exit_status::success;
}

exit_status run_dump(const dump_options& options)
{
    const bool live = !options.bind.empty() || !options.to.empty();
    if (live == !options.file.empty()) {
        throw usage_failure(live ? "give a file or --bind and --to, not both"
                                 : "dump needs a capture FILE, or --bind ENDPOINT and --to ENDPOINT to be in between");
    }
    if (live && (options.bind.empty() || options.to.empty())) {
        throw usage_failure("dump needs both --bind, where one peer connects to, and --to, where the other listens");
    }
    if (live && options.port) {
        throw usage_failure("--port chooses among the connections of a file; leave it out");
    }
    const auto shown = options.shown == "0" ? std::optional<std::size_t>(0) : parse_size(options.shown);
    if (!shown || *shown > 64 * 1024) {
        throw usage_failure(fmt::format("--show takes a size of up to 64k, not '{}'", options.shown));
    }
    return live ? dump_live(options, *shown) : dump_file(options, *shown);
}

}  // namespace

void add_dump_command(command_line& line)
{
    auto* command = add_command(line, "dump", "Decode what goes over a connection, live or from a pcap file");
    auto options = std::make_shared<dump_options>();
    command
        ->add_option("FILE", options->file, "A capture of tcpdump or Wireshark (pcap, pcapng); '-' is standard input")
        ->type_name("");
    command->add_option("-b,--bind", options->bind, "Listen here, in place of the peer (tcp, ws, ipc)")
        ->type_name("ENDPOINT");
    command->add_option("--to", options->to, "Pass everything on to the peer that listens there")
        ->type_name("ENDPOINT");
    command->add_option("-p,--port", options->port, "Of a file: only connections from or to this port")
        ->type_name("PORT");
    command->add_option("-n,--count", options->connections, "End after so many connections (default: at Ctrl-C)")
        ->check(whole_number())
        ->type_name("N");
    command->add_option("--show", options->shown, "Octets to show of each frame")
        ->type_name("SIZE")
        ->capture_default_str();
    command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on stderr");
    command->footer("Examples:\n"
                    "  zlink dump --bind tcp://*:5555 --to tcp://server:5556      and let the client connect to 5555\n"
                    "  tcpdump -i lo -w some.pcap tcp port 5556; zlink dump some.pcap --port 5556\n"
                    "  tcpdump -i any -U -w - tcp port 5556 | zlink dump -\n"
                    "'->' is what the side that connected says, '<-' what the other one says. Of CURVE the sizes are\n"
                    "shown, of TLS the records and what is in clear. Passwords of PLAIN are left out.");
    command->callback([options, &line] { line.chosen = [options] { return run_dump(*options); }; });
}

}  // namespace zlink::tool
