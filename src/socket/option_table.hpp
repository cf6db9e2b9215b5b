// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The parts of a row of the sockets' option table, besides those of base/option_table.hpp. The rows are in options.cpp,
// options_connection.cpp, options_pattern.cpp, options_security.cpp and options_curve.cpp. Options that single
// transports have of their own are in the transports' folders (transport/option_rows.hpp).
#pragma once

#include "base/option_table.hpp"
#include "socket/options.hpp"

#include <climits>
#include <span>

namespace zlink::socket::option_table {

using namespace zlink::option_table;

using row = option_row<socket_options>;
using rows = std::span<const row>;

extern const rows connection_rows;
extern const rows pattern_rows;
extern const rows security_rows;
extern const rows curve_rows;  ///< with ZLINK_CURVE

inline void choose_mechanism(socket_options& options, engine::mechanism_kind mechanism, bool as_server)
{
    options.security.mechanism = mechanism;
    options.security.as_server = as_server;
}

/// 1: the server of that mechanism; 0: no mechanism.
template <engine::mechanism_kind Mechanism>
errc set_server(const row&, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (value != 0 && value != 1) {
        return errc::invalid_argument;
    }
    choose_mechanism(options, *value ? Mechanism : engine::mechanism_kind::null, *value != 0);
    return errc::none;
}

template <engine::mechanism_kind Mechanism>
errc get_server(const socket_options& options, const option_output& output)
{
    return output.put(int(options.security.mechanism == Mechanism && options.security.as_server));
}

/// Options that one pattern looks at: changed at once, and cannot be read back.
template <auto... Path>
constexpr row pattern_number(int option, socket_types accepted_by, int highest = INT_MAX)
{
    return {option, accepted_by, 0, highest, set_number<Path...>, nullptr, true};
}

}  // namespace zlink::socket::option_table
