// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table for the options of transports. Those that a transport has of its own are in its folder, and
// the transport gives them away (transport::options()). Those of several transports are in the folder of what these
// have in common (transport::shared_options()). Every socket type has these options; a change is for later binds and
// connects.
#pragma once

#include "base/option_row.hpp"
#include "transport/stream_options.hpp"

#include <span>

namespace zlink::transport {

using option_row = zlink::option_row<stream_options>;
using option_rows = std::span<const option_row>;

/// The row of a transport of this build; null: none has such an option.
[[nodiscard]] const option_row* find_option(int option) noexcept;

/// A step of a path that is not a member (base/option_table.hpp): it leads to the options of one transport.
template <class Options>
struct part {};

template <class Options>
stream_options beginning_of(part<Options>);

template <class Options>
const Options& step(const stream_options& from, part<Options>)
{
    return from.of<Options>();
}

/// For access that writes at once.
template <class Options>
Options& step(stream_options& from, part<Options>)
{
    return from.change<Options>();
}

}  // namespace zlink::transport
