// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/option_rows.hpp"

#include "transport/registry.hpp"

namespace zlink::transport {

const option_row* find_option(int option) noexcept
{
    for (const transport* const one : transports()) {
        for (const option_rows some : {one->options(), one->shared_options()}) {
            if (const option_row* const row = find_row(some, option)) return row;
        }
    }
    return nullptr;
}

}  // namespace zlink::transport
