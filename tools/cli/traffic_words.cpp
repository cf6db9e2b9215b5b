// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/traffic_words.hpp"

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {

std::string endpoints_of(const traffic_options& options)
{
    std::string text;
    for (const auto* list : {&options.bind, &options.connect}) {
        for (const auto& endpoint : *list) {
            text += (text.empty() ? "" : ", ") + endpoint;
        }
    }
    return text;
}

std::string explain_time_out(const traffic_options& options, std::uint64_t received, bool awaits)
{
    const auto waited = options.timeout->count();
    const auto where = endpoints_of(options);
    if (!awaits) {
        return fmt::format("no peer at {} took the message within {} ms; start one or check the endpoint", where,
                           waited);
    }
    if (options.type == ZMQ_REQ) {
        return fmt::format("no reply from {} within {} ms; is a 'zlink rep' or another REP there?", where, waited);
    }
    if (options.count) {
        return fmt::format("{} of {} messages received at {}, then none for {} ms; is the sender running?", received,
                           *options.count, where, waited);
    }
    return fmt::format("nothing received at {} within {} ms; is the sender running?", where, waited);
}

}  // namespace zlink::tool
