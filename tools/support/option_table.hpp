// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every socket and context option by name, so that the tool can set one from text and print its value.
#pragma once

#include "support/socket.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zlink::tool {

enum class option_kind { integer, int64, uint64, text, binary, key };  // key: of CURVE, 40 characters of Z85
enum class option_access { read, write, read_write, secret };          // secret: set by an option of the tool alone

struct option_entry {
    const char* name;  // without ZMQ_ or ZLINK_
    int number;
    option_kind kind;
    option_access access;
    const char* unit;  // or what the values mean
};

std::span<const option_entry> socket_options();
std::span<const option_entry> context_options();

// Finds by name in any case, with or without ZMQ_ or ZLINK_; nothing when unknown.
const option_entry* find_option(std::span<const option_entry> table, std::string_view name);

// The known name nearest to a mistyped one; empty: none is near.
std::string nearest_option(std::string_view name);

// NAME=VALUE cut and looked up; throws a usage_failure that says what is wrong. Values of binary options may be 0xHEX.
struct option_setting {
    const option_entry* entry;
    bool of_context;
    std::string value;
};
option_setting parse_setting(std::string_view text);

// The value given to a socket option, the last one if there are several; nothing when there is none.
std::optional<std::string> setting_of(std::span<const option_setting> settings, int number);

// Sets it; a value out of range is a usage_failure.
void apply(const option_setting& setting, const context& target);
void apply(const option_setting& setting, socket& target);

// The value in force as text; nothing when this library or socket type has no such option to read.
std::optional<std::string> read_option(const option_entry& entry, const socket& source);
std::optional<std::string> read_option(const option_entry& entry, const context& source);

}  // namespace zlink::tool
