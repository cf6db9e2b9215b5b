// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the command line says of a run in place of what was drawn (--set NAME=NUMBER). A failing program is made smaller
// by these.
#pragma once

#include "sim/world.hpp"

#include <map>
#include <string>
#include <string_view>

namespace zlink::sim {

using settings = std::map<std::string, double>;

/// Of this process.
[[nodiscard]] settings& the_settings();

/// Whether some program or the circumstances have a setting with this name.
[[nodiscard]] bool is_setting(std::string_view name) noexcept;
/// All names, in lines.
[[nodiscard]] std::string names_of_settings();

/// Fails the world if it is not among the names.
void require_known(std::string_view name);

/// `drawn` becomes what is set under this name.
template <class T>
void use_setting(const char* name, T& drawn)
{
    require_known(name);
    const auto at = the_settings().find(name);
    if (at != the_settings().end()) drawn = T(at->second);
}

/// The circumstances have names like their members.
void use_settings(circumstances& how);

}  // namespace zlink::sim
