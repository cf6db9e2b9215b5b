// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink, the command-line tool: parses the arguments, runs the chosen command, turns failures into a line and a status.
#include "cli/command.hpp"
#include "demo/peer.hpp"

#include "support/security.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

// A descriptor opened later must not become standard input, output or error because the caller closed that one. The
// lowest three are always taken. A descriptor that ends at once and refuses every write takes the place of each that
// was closed.
void occupy_standard_descriptors() noexcept
{
    int opened = 0;
    do {
        opened = ::open("/dev/null", O_RDONLY);
    } while (opened >= 0 && opened <= STDERR_FILENO);
    if (opened >= 0) {
        ::close(opened);
    }
}

int complain(const char* line, exit_status status)
{
    say("zlink: {}\n", line);
    return static_cast<int>(status);
}

// CLI11's exceptions are help texts and usage errors alike.
int report(const command_line& line, const CLI::ParseError& error, const char* const* begin, const char* const* end)
{
    if (error.get_exit_code() == 0) {
        return line.app.exit(error);
    }
    std::string command;
    for (const auto* chosen : line.app.get_subcommands()) {
        command = chosen->get_name();
    }
    std::string cause = error.what();
    const bool stray = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    for (const char* const* argument = begin; stray && argument != end; ++argument) {
        if (const auto security = refuse_security(option_word(*argument), *argument)) {
            return complain(security->c_str(), exit_status::usage);
        }
    }
    std::replace(cause.begin(), cause.end(), '\n', ' ');
    return complain(fmt::format("{}{}{}; 'zlink {}{}--help' shows the usage", command, command.empty() ? "" : ": ",
                                cause, command, command.empty() ? "" : " ")
                        .c_str(),
                    exit_status::usage);
}

std::string nearest_command(const command_line& line, const std::string& mistyped)
{
    const auto commands = line.app.get_subcommands([](const CLI::App*) { return true; });
    const auto nearest =
        std::min_element(commands.begin(), commands.end(), [&](const CLI::App* one, const CLI::App* other) {
            return edit_distance(mistyped, one->get_name()) < edit_distance(mistyped, other->get_name());
        });
    return (*nearest)->get_name();
}

// Turns `help` and `help COMMAND` into `--help` and `COMMAND --help`, and `--version` and `-V` into the command.
void use_common_words(std::ptrdiff_t count, char** arguments)
{
    static char flag[] = "--help";
    static char version[] = "version";
    if (std::strcmp(arguments[1], "--version") == 0 || std::strcmp(arguments[1], "-V") == 0) {
        arguments[1] = version;
    }
    if (std::strcmp(arguments[1], "help") == 0) {
        arguments[1] = count > 2 ? arguments[2] : flag;
        if (count > 2) {
            arguments[2] = flag;
        }
    }
}

int run(int count, char** arguments)
{
    command_line line;
    add_traffic_commands(line);
    add_proxy_command(line);
    add_keygen_command(line);
    add_auth_command(line);
    add_bench_command(line);
    add_ping_command(line);
    add_monitor_command(line);
    add_record_command(line);
    add_replay_command(line);
    add_dump_command(line);
    add_demo_command(line);
    add_stats_command(line);
    add_exporter_command(line);
    add_env_command(line);
    add_version_command(line);
    char** const end = arguments + count;
    char** const dashes = std::find_if(arguments, end, [](const char* text) { return std::strcmp(text, "--") == 0; });
    if (dashes != end) {
        line.verbatim.assign(dashes + 1, end);
    }
    if (count < 2 || dashes == arguments + 1) {
        return complain("no command given; 'zlink --help' lists them", exit_status::usage);
    }
    use_common_words(dashes - arguments, arguments);
    const std::string command = arguments[1];
    if (!command.starts_with('-') && nearest_command(line, command) != command) {
        const std::string nearest = nearest_command(line, command);
        return complain(
            fmt::format("unknown command '{}'{}'zlink --help' lists them", command,
                        may_be_meant(command, nearest) ? fmt::format(", did you mean '{}'? ", nearest) : "; ")
                .c_str(),
            exit_status::usage);
    }
    try {
        line.app.parse(static_cast<int>(dashes - arguments), arguments);
    } catch (const CLI::ParseError& error) {
        return report(line, error, arguments, dashes);
    }
    return static_cast<int>(line.chosen());
}

}  // namespace
}  // namespace zlink::tool

int main(int count, char** arguments)
{
    using namespace zlink::tool;
    occupy_standard_descriptors();
    stop_signal::install();
    try {
        if (count > 1 && std::strcmp(arguments[1], "demo-peer") == 0) {
            return demo::run_peer(count - 1, arguments + 1);
        }
        return run(count, arguments);
    } catch (const failure& problem) {
        return complain(problem.what(), problem.status());
    } catch (const std::exception& problem) {
        return complain(problem.what(), exit_status::failed);
    }
}
