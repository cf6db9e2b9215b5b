// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_has(): which optional transports, mechanisms and parts of the API this build provides.
#include "base/cancellation.hpp"
#include "transport/registry.hpp"
#include "zmq.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace {

// The other capabilities that libzmq programs ask for (gssapi, pgm, ..), transports excepted, are not there.
#ifdef ZLINK_CURVE
constexpr std::array<std::string_view, 2> capabilities{"draft", "curve"};
#else
constexpr std::array<std::string_view, 1> capabilities{"draft"};
#endif

}  // namespace

int zmq_has(const char* capability)
{
    if (capability == nullptr) {
        return 0;
    }
    const zlink::cancellation_held_off hold;
    const std::string_view name = capability;
    const auto is_it = [name](const auto* each) { return each->is_capability() && each->is_called(name); };
    return std::ranges::any_of(zlink::transport::transports(), is_it) ||
           std::ranges::find(capabilities, name) != capabilities.end();
}
