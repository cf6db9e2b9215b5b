// The program's frame: its name, its help, and the free arguments of the commands that send.
#include "cli/command.hpp"

#include <memory>

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
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.footer("Examples:\n"
               "  zlink pull --bind tcp://127.0.0.1:5555           print what arrives\n"
               "  zlink push --connect tcp://127.0.0.1:5555 hello  send one message there\n"
               "  zlink demo                                       exchange and verify messages with libzmq\n"
               "'zlink COMMAND --help' has the options and examples of each.\n"
               "Exit status: 0 done, 1 failed, 2 wrong arguments.");
}

CLI::Validator unnamed(const CLI::Validator& check)
{
    return CLI::Validator(check).description("");
}

CLI::App* add_command(command_line& line, const char* name, const char* purpose)
{
    return line.app.add_subcommand(name, purpose)->group("Commands");
}

void accept_messages(CLI::App& command)
{
    command.allow_extras();
}

std::vector<std::string> free_arguments(const CLI::App& command, const command_line& line)
{
    std::vector<std::string> messages = command.remaining();
    for (const auto& argument : messages) {
        if (argument.size() > 1 && argument[0] == '-') {
            throw usage_failure(fmt::format("{} has no option {}; a message that begins with - goes after --",
                                            command.get_name(), argument));
        }
    }
    messages.insert(messages.end(), line.verbatim.begin(), line.verbatim.end());
    return messages;
}

}  // namespace zlink::tool
