// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How the commands join the program: each adds its subcommand, and gives what to do when it was chosen.
#pragma once

#include "support/failure.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace zlink::tool {

// The chosen command's work; returns the exit status or throws a failure.
using action = std::function<exit_status()>;

// Filled by the chosen command's callback while arguments are parsed; run by main() afterwards.
struct command_line {
    CLI::App app;
    action chosen;
    std::vector<std::string> verbatim;  // arguments after --: messages, whatever they look like

    command_line();
};

// The subcommand takes messages as free arguments: shown in its usage line, given by free_arguments() after parsing.
// They don't go through CLI11's positionals, which would take "[1,2]" for a list of two.
void accept_messages(CLI::App& command);
std::vector<std::string> free_arguments(const CLI::App& command, const command_line& line);

// "curve-server" of "--curve-server=1"; empty when the argument doesn't look like an option.
std::string option_word(const std::string& argument);

// The check without its name in the option's help.
CLI::Validator unnamed(const CLI::Validator& check);

// Refuses what isn't a whole number from `least` on, "-1" included.
CLI::Validator whole_number(std::uint64_t least = 0);

// A subcommand under the help's heading for commands.
CLI::App* add_command(command_line& line, const char* name, const char* purpose);

void add_traffic_commands(command_line& line);
void add_proxy_command(command_line& line);
void add_bench_command(command_line& line);
void add_monitor_command(command_line& line);
void add_record_command(command_line& line);
void add_replay_command(command_line& line);
void add_dump_command(command_line& line);
void add_ping_command(command_line& line);
void add_demo_command(command_line& line);
void add_keygen_command(command_line& line);
void add_auth_command(command_line& line);
void add_stats_command(command_line& line);
void add_exporter_command(command_line& line);
void add_env_command(command_line& line);
void add_version_command(command_line& line);

}  // namespace zlink::tool
