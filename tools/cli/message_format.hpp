// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a received message looks: as it is, as hex digits, or as --format says.
#pragma once

#include "cli/traffic_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace zlink::tool {

class message_format {
public:
    // Throws a usage_failure that names a field which doesn't exist.
    // Without --raw, control characters in messages to a terminal are shown as \xHH.
    message_format(const traffic_options& options, bool to_terminal);

    // Appends the message and what ends it. `number` counts from 1.
    void append(std::string& to, const message& frames, std::uint64_t number) const;

    // The fields of --format with their meaning, for the help.
    static std::string field_list();

private:
    enum class field { text, hex, topic, size, frames, id, number, time, unix_time, literal };
    struct piece {
        field what;
        std::string literal;
    };
    struct known_field;
    static const std::vector<known_field>& fields();

    void parse(const std::string& format);
    void append_field(std::string& to, const piece& part, const message& frames, std::uint64_t number) const;
    void append_text(std::string& to, const message& frames) const;
    void append_octets(std::string& to, const std::string& octets) const;
    void append_frames(std::string& to, const message& frames, bool hex) const;

    int type_;
    bool raw_;
    bool hex_;
    bool escapes_;
    bool formats_ = false;
    bool shows_ids_;
    std::string separator_;
    std::string end_;
    std::vector<piece> pieces_;
};

}  // namespace zlink::tool
