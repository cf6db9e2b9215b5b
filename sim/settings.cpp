// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/settings.hpp"

namespace zlink::sim {

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
