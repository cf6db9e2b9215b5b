// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The program's frame: its name, its help, and the free arguments of the commands that send.
#include "cli/command.hpp"

#include "support/security.hpp"

#include <charconv>
#include <cstdint>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

// CLI11's own, with the messages in the usage line of the commands that take them.
class help_formatter : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string name) const override
    {
        std::string usage = CLI::Formatter::make_usage(app, std::move(name));
        const auto end = usage.find_last_not_of('\n');
        if (app->get_allow_extras() && end != std::string::npos) {
            usage.insert(end + 1, " [MESSAGE...]");
        }
        return usage;
    }

    // Examples keep their own line breaks and stand apart.
    std::string make_footer(const CLI::App* app) const override
    {
        const std::string footer = app->get_footer();
        return footer.empty() ? "" : footer + "\n";
    }
};

}  // namespace

command_line::command_line() : app("zlink: send, receive, route and examine ZeroMQ messages", "zlink")
{
    auto formatter = std::make_shared<help_formatter>();
    formatter->column_width(34);
    app.formatter(formatter);
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "Show this help");
    app.set_version_flag("-V,--version")->description("Show versions, as 'zlink version' does");
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.footer("Examples:\n"
               "  zlink pull --bind tcp://127.0.0.1:5555           print what arrives\n"
               "  zlink push --connect tcp://127.0.0.1:5555 hello  send one message there\n"
               "  zlink demo                                       exchange and verify messages with libzmq\n"
               "'zlink COMMAND --help' has the options and examples of each.\n"
               "Exit status: 0 done, 1 failed or something was lost or refused, 2 wrong arguments.");
}

CLI::Validator unnamed(const CLI::Validator& check)
{
    return CLI::Validator(check).description("");
}

CLI::Validator whole_number(std::uint64_t least)
{
    return CLI::Validator(
        [least](const std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [parsed, error] = std::from_chars(text.data(), end, value);
            const bool is_one = error == std::errc{} && parsed == end && value >= least;
            return is_one ? std::string() : fmt::format("'{}' is not a whole number from {} on", text, least);
        },
        "");
}

CLI::App* add_command(command_line& line, const char* name, const char* purpose)
{
    return line.app.add_subcommand(name, purpose)->group("Commands");
}

void accept_messages(CLI::App& command)
{
    command.allow_extras();
}

std::string option_word(const std::string& argument)
{
    const auto begin = argument.find_first_not_of('-');
    return begin == 0 || begin == std::string::npos ? "" : argument.substr(begin, argument.find('=') - begin);
}

std::vector<std::string> free_arguments(const CLI::App& command, const command_line& line)
{
    std::vector<std::string> messages = command.remaining();
    for (const auto& argument : messages) {
        if (argument.size() > 1 && argument[0] == '-') {
            if (const auto security = refuse_security(option_word(argument), argument)) {
                throw usage_failure(*security);
            }
            throw usage_failure(fmt::format("{} has no option {}; a message that begins with - goes after --",
                                            command.get_name(), argument));
        }
    }
    messages.insert(messages.end(), line.verbatim.begin(), line.verbatim.end());
    return messages;
}

}  // namespace zlink::tool
