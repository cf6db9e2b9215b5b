// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A format is cut into pieces once; each message then appends its fields.
#include "cli/message_format.hpp"

#include "support/failure.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

// A subscription as XPUB receives it: one octet, 1 or 0, and the topic.
bool is_subscription(const message& frames)
{
    return frames.size() == 1 && !frames[0].empty() && (frames[0][0] == '\0' || frames[0][0] == '\1');
}

std::string topic_of(const message& frames, int type)
{
    if (frames.empty()) {
        return "";
    }
    if (type == ZMQ_XPUB && is_subscription(frames)) {
        return frames[0].substr(1);
    }
    return frames.size() > 1 ? frames[0] : frames[0].substr(0, frames[0].find(' '));
}

}  // namespace

struct message_format::known_field {
    const char* name;
    field what;
    const char* meaning;
};

const std::vector<message_format::known_field>& message_format::fields()
{
    static const std::vector<known_field> list{
        {"text", field::text, "the message as it is printed otherwise"},
        {"hex", field::hex, "its octets as hex digits"},
        {"topic", field::topic, "its first frame; of a single frame what stands before the first blank"},
        {"size", field::size, "octets in all its frames"},
        {"frames", field::frames, "number of frames"},
        {"id", field::id, "routing id, number or address of the sender (router, server, dgram, ...)"},
        {"n", field::number, "1 for the first message, and so on"},
        {"time", field::time, "when it was received, UTC: 2026-01-31T23:59:59.123456Z"},
        {"unix", field::unix_time, "the same in seconds since 1970"},
    };
    return list;
}

std::string message_format::field_list()
{
    std::string text;
    for (const auto& entry : fields()) {
        text += fmt::format("  {{{}}}{:{}}{}\n", entry.name, "", 8 - std::string(entry.name).size(), entry.meaning);
    }
    return text;
}

message_format::message_format(const traffic_options& options, bool to_terminal)
    : type_(options.type),
      raw_(options.raw),
      hex_(options.hex),
      escapes_(to_terminal && !options.raw),
      shows_ids_(addresses(options.type) && !dials(options)),
      separator_(options.raw ? options.separator : options.output_separator),
      end_(options.raw    ? ""
           : options.null ? std::string(1, '\0')
                          : "\n")
{
    if (options.format) {
        formats_ = true;
        parse(*options.format);
    }
}

void message_format::parse(const std::string& format)
{
    const auto text = unescape(format);
    if (!text) {
        throw usage_failure(
            fmt::format("--format '{}': only \\t \\n \\r \\0 \\\\ and \\xHH are known escapes", format));
    }
    std::string literal;
    for (std::size_t at = 0; at < text->size(); ++at) {
        const char c = (*text)[at];
        const bool doubled = at + 1 < text->size() && (*text)[at + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            literal += c;
            ++at;
            continue;
        }
        if (c != '{') {
            literal += c;
            continue;
        }
        const auto end = text->find('}', at);
        const std::string name = text->substr(at + 1, end == std::string::npos ? end : end - at - 1);
        const auto found = std::ranges::find_if(fields(), [&](const known_field& entry) { return name == entry.name; });
        if (end == std::string::npos || found == fields().end()) {
            std::string known;
            for (const auto& entry : fields()) {
                known += fmt::format("{}{{{}}}", known.empty() ? "" : " ", entry.name);
            }
            throw usage_failure(
                fmt::format("--format has no field '{{{}}}'; there are {}, and {{{{ for a brace", name, known));
        }
        pieces_.push_back({field::literal, literal});
        literal.clear();
        pieces_.push_back({found->what, ""});
        at = end;
    }
    pieces_.push_back({field::literal, literal});
}

void message_format::append(std::string& to, const message& frames, std::uint64_t number) const
{
    // At once, or a large message is held twice while the buffer grows.
    to.reserve(
        std::accumulate(frames.begin(), frames.end(), to.size() + end_.size(),
                        [&](std::size_t sum, const std::string& f) { return sum + f.size() + separator_.size(); }));
    if (formats_) {
        for (const auto& part : pieces_) {
            append_field(to, part, frames, number);
        }
    } else {
        append_text(to, frames);
    }
    to += end_;
}

void message_format::append_field(std::string& to, const piece& part, const message& frames, std::uint64_t number) const
{
    const bool addressed = addresses(type_) && !frames.empty();
    const auto body = [&] { return addressed ? message(frames.begin() + 1, frames.end()) : frames; };
    switch (part.what) {
    case field::literal: to += part.literal; break;
    case field::text: append_text(to, body()); break;
    case field::hex: append_frames(to, body(), true); break;
    case field::topic: append_octets(to, topic_of(body(), type_)); break;
    case field::size:
        to += std::to_string(
            std::accumulate(frames.begin() + (addressed ? 1 : 0), frames.end(), std::size_t{0},
                            [](std::size_t sum, const std::string& frame) { return sum + frame.size(); }));
        break;
    case field::frames: to += std::to_string(frames.size() - (addressed ? 1 : 0)); break;
    case field::id: to += addressed ? printable(frames[0]) : ""; break;
    case field::number: to += std::to_string(number); break;
    case field::time: to += utc_time_now(); break;
    case field::unix_time: to += unix_time_now(); break;
    }
}

void message_format::append_text(std::string& to, const message& frames) const
{
    if (formats_ || !addresses(type_)) {
        if (type_ == ZMQ_XPUB && !raw_ && !hex_ && is_subscription(frames)) {
            to += frames[0][0] == '\1' ? "subscribe " : "unsubscribe ";
            append_octets(to, frames[0].substr(1));
        } else {
            append_frames(to, frames, hex_);
        }
        return;
    }
    if (!frames.empty() && shows_ids_ && !raw_) {
        to += hex_ ? to_hex(frames[0]) : printable(frames[0]);  // ids that were made up are not text
        to += frames.size() > 1 ? separator_ : "";
    }
    append_frames(to, {frames.begin() + (frames.empty() ? 0 : 1), frames.end()}, hex_);
}

void message_format::append_octets(std::string& to, const std::string& octets) const
{
    if (escapes_) {
        to += without_controls(octets, "\n\t");
    } else {
        to += octets;
    }
}

void message_format::append_frames(std::string& to, const message& frames, bool hex) const
{
    for (std::size_t at = 0; at < frames.size(); ++at) {
        if (at > 0) {
            to += separator_;
        }
        if (hex) {
            to += to_hex(frames[at]);
        } else {
            append_octets(to, frames[at]);
        }
    }
}

}  // namespace zlink::tool
