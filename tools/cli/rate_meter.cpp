// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The live line belongs to status_line.hpp: whatever is said removes it.
#include "cli/rate_meter.hpp"

#include "support/status_line.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool {

rate_meter::rate_meter(bool quiet, bool prints_messages, std::optional<std::uint64_t> goal)
    : quiet_(quiet),
      live_(!quiet && isatty(STDERR_FILENO) == 1 && !(prints_messages && isatty(STDOUT_FILENO) == 1)),
      goal_(goal)
{}

void rate_meter::add(counter& to, const message& frames)
{
    ++to.messages;
    for (const auto& frame : frames) {
        to.bytes += frame.size();
    }
    last_ = clock::now();
}

void rate_meter::tick(clock::time_point now)
{
    const std::chrono::duration<double> passed = now - shown_;
    if (!live_ || passed.count() < 1) {
        return;
    }
    const auto messages = sent_.messages + received_.messages;
    const auto bytes = sent_.bytes + received_.bytes;
    say_live("{}/s, {}/s, {}{}", short_count(double(messages - shown_messages_) / passed.count()),
             byte_count(double(bytes - shown_bytes_) / passed.count()), grouped(messages),
             goal_ ? " of " + grouped(*goal_) : " in all");
    shown_ = now;
    shown_messages_ = messages;
    shown_bytes_ = bytes;
}

void rate_meter::summary(bool interrupted) const
{
    status_line::clear();
    if (quiet_ || (!interrupted && isatty(STDERR_FILENO) != 1)) {
        return;
    }
    const double seconds = std::chrono::duration<double>(last_ - start_).count();
    std::string text;
    const auto add_part = [&](const char* verb, const counter& part) {
        if (part.messages > 0) {
            text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", verb, messages(part.messages),
                                byte_count(double(part.bytes)));
        }
    };
    add_part("sent", sent_);
    add_part("received", received_);
    if (text.empty()) {
        text = "no messages";
    } else if (seconds > 0.1) {
        text += fmt::format(" in {:.1f} s, {}/s", seconds,
                            short_count(double(sent_.messages + received_.messages) / seconds));
    }
    say("{}{}\n", interrupted ? "stopped: " : "", text);
}

}  // namespace zlink::tool
