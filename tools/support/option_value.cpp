// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Setting and reading the options of option_table.hpp: text on one side, the C API's types on the other.
#include "support/option_table.hpp"

#include "support/failure.hpp"
#include "support/key_file.hpp"
#include "support/security.hpp"
#include "support/text.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

template <class Number>
Number to_number(const option_setting& setting)
{
    const std::string_view text = setting.value;
    const bool hex = text.starts_with("0x");
    const char* const begin = text.data() + (hex ? 2 : 0);
    Number number{};
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        throw usage_failure(
            fmt::format("option {} takes a number ({}), not '{}'", setting.entry->name, setting.entry->unit, text));
    }
    return number;
}

[[noreturn]] void refuse(const option_setting& setting, int error)
{
    throw usage_failure(fmt::format("option {}={} was refused: {}; its values: {}", setting.entry->name, setting.value,
                                    zmq_strerror(error), setting.entry->unit));
}

template <class Number>
std::optional<std::string> read_number(int option, void* source)
{
    Number number{};
    std::size_t size = sizeof number;
    if (zmq_getsockopt(source, option, &number, &size) != 0) {
        return std::nullopt;
    }
    return std::to_string(number);
}

}  // namespace

option_setting parse_setting(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw usage_failure(fmt::format("--opt takes NAME=VALUE, for example --opt SNDHWM=10, not '{}'", text));
    }
    const auto name = text.substr(0, equals);
    option_setting setting{find_option(socket_options(), name), false, std::string(text.substr(equals + 1))};
    if (setting.entry == nullptr) {
        setting.entry = find_option(context_options(), name);
        setting.of_context = true;
    }
    if (setting.entry == nullptr) {
        if (const auto security = refuse_security(name, fmt::format("option {}", name))) {
            throw usage_failure(*security);
        }
        const std::string nearest = nearest_option(name);
        throw usage_failure(fmt::format("unknown option '{}'{}'zlink env' lists them all", name,
                                        nearest.empty() ? "; " : fmt::format(", did you mean {}? ", nearest)));
    }
    if (setting.entry->access == option_access::secret) {
        throw usage_failure(fmt::format("option {} is a secret, which doesn't belong on a command line: give it {}",
                                        setting.entry->name, setting.entry->unit));
    }
    if (setting.entry->access == option_access::read) {
        throw usage_failure(fmt::format("option {} can only be read", setting.entry->name));
    }
    return setting;
}

std::optional<std::string> setting_of(std::span<const option_setting> settings, int number)
{
    std::optional<std::string> value;
    for (const auto& setting : settings) {
        if (!setting.of_context && setting.entry->number == number) {
            value = setting.value;
        }
    }
    return value;
}

void apply(const option_setting& setting, const context& target)
{
    if (zmq_ctx_set(target.handle(), setting.entry->number, to_number<int>(setting)) != 0) {
        refuse(setting, zmq_errno());
    }
}

void apply(const option_setting& setting, socket& target)
{
    const auto set = [&](const void* value, std::size_t size) {
        if (zmq_setsockopt(target.handle(), setting.entry->number, value, size) != 0) {
            refuse(setting, zmq_errno());
        }
    };
    switch (setting.entry->kind) {
    case option_kind::integer: {
        const auto number = to_number<int>(setting);
        set(&number, sizeof number);
        break;
    }
    case option_kind::int64: {
        const auto number = to_number<std::int64_t>(setting);
        set(&number, sizeof number);
        break;
    }
    case option_kind::uint64: {
        const auto number = to_number<std::uint64_t>(setting);
        set(&number, sizeof number);
        break;
    }
    case option_kind::key:
    case option_kind::text: set(setting.value.data(), setting.value.size()); break;
    case option_kind::binary: {
        const auto bytes = setting.value.starts_with("0x") ? from_hex(setting.value) : std::optional(setting.value);
        if (!bytes) {
            throw usage_failure(fmt::format("option {}: '{}' isn't hex", setting.entry->name, setting.value));
        }
        set(bytes->data(), bytes->size());
        break;
    }
    }
}

std::optional<std::string> read_option(const option_entry& entry, const socket& source)
{
    switch (entry.kind) {
    case option_kind::integer: return read_number<int>(entry.number, source.handle());
    case option_kind::int64: return read_number<std::int64_t>(entry.number, source.handle());
    case option_kind::uint64: return read_number<std::uint64_t>(entry.number, source.handle());
    case option_kind::text:
    case option_kind::binary:
    case option_kind::key: break;
    }
    std::array<char, 1024> bytes{};
    std::size_t size = entry.kind == option_kind::key ? key_length + 1 : bytes.size();  // asks for Z85, not for octets
    if (zmq_getsockopt(source.handle(), entry.number, bytes.data(), &size) != 0) {
        return std::nullopt;
    }
    std::string_view value(bytes.data(), size);
    if (entry.kind != option_kind::binary && value.ends_with('\0')) {
        value.remove_suffix(1);
    }
    if (entry.kind == option_kind::key && value.find_first_not_of('0') == std::string_view::npos) {
        value = {};  // all zeros: none was set
    }
    return "\"" + printable(value) + "\"";
}

std::optional<std::string> read_option(const option_entry& entry, const context& source)
{
    errno = 0;
    const int value = zmq_ctx_get(source.handle(), entry.number);
    // Some options have -1 as a value: only errno tells it from a failure.
    if (value == -1 && zmq_errno() == EINVAL) {
        return std::nullopt;
    }
    return std::to_string(value);
}

}  // namespace zlink::tool
