// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/shortcuts.hpp"

namespace zlink::socket {

void shortcuts::find(pattern::pattern& asked) noexcept
{
    asked_ = 0;
    target_ = asked.sole_target();
    source_ = asked.sole_source();
}

}  // namespace zlink::socket
