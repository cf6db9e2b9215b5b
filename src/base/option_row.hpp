// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A row of a table of socket options: what zmq_setsockopt and zmq_getsockopt do with one of them.
#pragma once

#include "base/errc.hpp"
#include "base/option_values.hpp"
#include "base/socket_types.hpp"

#include <span>

namespace zlink {

/// `Options`: the struct that the options of the table are kept in.
template <class Options>
struct option_row {
    int option;
    socket_types accepted_by;
    int lowest;
    int highest;
    errc (*set)(const option_row&, Options&, const option_input&);  ///< null: read only
    errc (*get)(const Options&, const option_output&);              ///< null: can only be set
    bool at_once;                                                   ///< a change reaches open endpoints and pipes
};

/// Null: the table has no such option.
template <class Options>
[[nodiscard]] const option_row<Options>* find_row(std::span<const option_row<Options>> table, int option) noexcept
{
    for (const option_row<Options>& row : table) {
        if (row.option == option) return &row;
    }
    return nullptr;
}

}  // namespace zlink
