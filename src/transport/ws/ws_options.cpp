// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ws/ws_options.hpp"

#include "base/option_table.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zlink.h>

namespace zlink::transport::ws {

namespace {

using namespace option_table;

// One more; null: none again.
errc set_ws_origin(const option_row&, stream_options& options, const option_input& input)
{
    auto& origins = options.change<ws_options>().origins;
    if (input.is_null()) {
        origins.clear();
        return errc::none;
    }
    if (input.text().empty()) return errc::invalid_argument;
    origins.emplace_back(input.text());
    return errc::none;
}

constexpr option_row table[] = {
    setter(ZMQ_WS_ORIGIN, every_type, set_ws_origin),
};

}  // namespace

constinit const option_rows own_options{table};

}  // namespace zlink::transport::ws
