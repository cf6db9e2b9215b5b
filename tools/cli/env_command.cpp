// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink env: everything that can be tuned and the value in force, read from the library itself.
#include "cli/command.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"
#include "support/option_table.hpp"
#include "support/security.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

struct env_options {
    std::string type;
    std::string filter;
};

bool selected(const env_options& options, std::string_view name)
{
    return options.filter.empty() || upper(name).find(upper(options.filter)) != std::string::npos;
}

bool any_selected(const env_options& options, const auto& entries)
{
    return std::ranges::any_of(entries, [&](const auto& entry) { return selected(options, entry.name); });
}

// Those that the library says it knows: _TCP and so on, one for each transport.
std::string suffixes_of(const std::vector<knob>& knobs)
{
    constexpr std::string_view plain = "ZMQ_ASIO_IN_BATCH_SIZE";
    std::vector<std::string> suffixes;
    for (const auto& entry : knobs) {
        if (entry.name.starts_with(plain) && entry.name.size() > plain.size()) {
            suffixes.push_back(entry.name.substr(plain.size()));
        }
    }
    return suffixes.empty() ? "" : fmt::format(" (a suffix of {} beats the plain name)", fmt::join(suffixes, ", "));
}

void print_knobs(const env_options& options)
{
    const auto knobs = library_knobs();
    if (!options.filter.empty() && !any_selected(options, knobs)) {
        return;
    }
    fmt::print("Environment{}\n", suffixes_of(knobs));
    if (knobs.empty()) {
        fmt::print("  none: {} isn't zlink\n", library_path());
    }
    for (const auto& entry : knobs) {
        if (!selected(options, entry.name)) {
            continue;
        }
        const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
        fmt::print("  {:<40} {:<10} default {:<10} from {:<12} {}\n", entry.name, or_dash(entry.value),
                   or_dash(entry.default_value), or_dash(entry.source), entry.description);
    }
}

std::string unreadable(const option_entry& entry)
{
    return entry.access == option_access::write    ? "(set only)"
           : entry.access == option_access::secret ? "(a secret)"
                                                   : "(unsupported)";
}

void print_row(const option_entry& entry, const std::string& value, const std::string& exceptions)
{
    fmt::print("  {:<26} {:<20} {}{}\n", entry.name, value, entry.unit, exceptions);
}

void print_context_options(const env_options& options)
{
    if (!any_selected(options, context_options())) {
        return;
    }
    fmt::print("\nContext options (--opt NAME=VALUE)\n");
    const context fresh;
    for (const auto& entry : context_options()) {
        if (selected(options, entry.name)) {
            const auto value = entry.access == option_access::write ? std::nullopt : read_option(entry, fresh);
            print_row(entry, value.value_or(unreadable(entry)), "");
        }
    }
}

// The value of most types, and the types that have another one.
void print_socket_option(const option_entry& entry, const std::vector<std::unique_ptr<socket>>& sockets)
{
    std::map<std::string, std::vector<std::string>> types_by_value;
    for (const auto& fresh : sockets) {
        const bool hidden = entry.access == option_access::write || entry.access == option_access::secret;
        auto value = hidden ? std::nullopt : read_option(entry, *fresh);
        if (value && entry.number == ZMQ_FD) {
            value = "a descriptor";  // its number says nothing
        }
        if (value && (entry.number == ZMQ_IN_BATCH_SIZE || entry.number == ZMQ_OUT_BATCH_SIZE)) {
            value = "(the knobs')";  // what a socket says before it is set is not what is in force
        }
        types_by_value[value.value_or(unreadable(entry))].push_back(socket_type_name(fresh->get(ZMQ_TYPE)));
    }
    const std::string* usual = nullptr;
    for (const auto& [value, types] : types_by_value) {
        if (usual == nullptr || types.size() > types_by_value[*usual].size()) {
            usual = &value;
        }
    }
    std::string exceptions;
    for (const auto& [value, types] : types_by_value) {
        if (&value != usual) {
            exceptions += fmt::format("; {} in {}", value, fmt::join(types, ", "));
        }
    }
    print_row(entry, *usual, exceptions);
}

void print_socket_options(const env_options& options)
{
    if (!any_selected(options, socket_options())) {
        return;
    }
    fmt::print("\nSocket options of a fresh socket{} (--opt NAME=VALUE)\n",
               options.type.empty() ? "" : " of type " + upper(options.type));
    const context fresh;
    std::vector<std::unique_ptr<socket>> sockets;
    for (const auto& name : socket_type_names()) {
        if (options.type.empty() || name == upper(options.type)) {
            sockets.push_back(std::make_unique<socket>(fresh, *socket_type(name)));
        }
    }
    for (const auto& entry : socket_options()) {
        if (selected(options, entry.name)) {
            print_socket_option(entry, sockets);
        }
    }
}

exit_status print_environment(const env_options& options)
{
    if (!options.type.empty() && !socket_type(options.type)) {
        throw usage_failure(fmt::format("--type '{}' is not a socket type; use one of {}", options.type,
                                        lower(fmt::format("{}", fmt::join(socket_type_names(), ", ")))));
    }
    if (!any_selected(options, library_knobs()) && !any_selected(options, context_options()) &&
        !any_selected(options, socket_options())) {
        if (const auto security = refuse_security(options.filter, options.filter)) {
            throw failure(*security);
        }
        throw failure(
            fmt::format("no knob or option has '{}' in its name; 'zlink env' lists them all", options.filter));
    }
    print_knobs(options);
    print_context_options(options);
    print_socket_options(options);
    return exit_status::success;
}

}  // namespace

void add_env_command(command_line& line)
{
    auto* command = add_command(line, "env", "Show every knob and option with the value in force");
    auto options = std::make_shared<env_options>();
    command->add_option("-t,--type", options->type, "Only what a socket of this type has")->type_name("TYPE");
    command->add_option("NAME", options->filter, "Only names that contain this");
    command->footer("Examples:\n  zlink env\n  zlink env hwm\n  zlink env --type router\n"
                    "  ZMQ_ASIO_OUT_BATCH_SIZE_TCP=65536 zlink env batch");
    command->callback([options, &line] { line.chosen = [options] { return print_environment(*options); }; });
}

}  // namespace zlink::tool
