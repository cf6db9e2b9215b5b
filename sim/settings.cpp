// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/settings.hpp"

#include <algorithm>

namespace zlink::sim {

namespace {

constexpr std::string_view names[] = {
    // the circumstances
    "points_per_switch", "switch_at_call", "stall", "delay", "least_delay", "clogged", "short_read", "short_write",
    "blocked_write", "reset", "refused", "no_files", "interrupted", "spurious", "no_memory", "partition",
    // `random`, `faults` and `shortage`
    "senders", "receivers", "messages", "largest", "send_mark", "receive_mark", "send_bytes", "io_threads", "heartbeat",
    "immediate", "curve", "named", "churn", "monitors", "compared", "pauses"};

}  // namespace

bool is_setting(std::string_view name) noexcept
{
    return std::ranges::find(names, name) != std::ranges::end(names);
}

std::string names_of_settings()
{
    constexpr std::size_t width = 100;
    std::string all;
    std::size_t column = width;
    for (const std::string_view name : names) {
        if (column + 1 + name.size() > width) {
            all += all.empty() ? " " : "\n ";
            column = 1;
        }
        (all += ' ') += name;
        column += 1 + name.size();
    }
    return all + '\n';
}

void require_known(std::string_view name)
{
    if (!is_setting(name)) world::get().fail("the setting '" + std::string(name) + "' is in no list");
}

settings& the_settings()
{
    static settings all;
    return all;
}

void use_settings(circumstances& how)
{
    use_setting("points_per_switch", how.points_per_switch);
    use_setting("switch_at_call", how.switch_at_call);
    use_setting("stall", how.stall);
    use_setting("delay", how.delay);
    use_setting("least_delay", how.least_delay);
    use_setting("clogged", how.clogged);
    use_setting("short_read", how.short_read);
    use_setting("short_write", how.short_write);
    use_setting("blocked_write", how.blocked_write);
    use_setting("reset", how.reset);
    use_setting("refused", how.refused);
    use_setting("no_files", how.no_files);
    use_setting("interrupted", how.interrupted);
    use_setting("spurious", how.spurious);
    use_setting("no_memory", how.no_memory);
    use_setting("partition", how.partition);
}

}  // namespace zlink::sim
