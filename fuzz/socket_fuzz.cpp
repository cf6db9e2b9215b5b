// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A whole socket and its peer, with NULL, PLAIN and CURVE: see whole_socket.hpp.
#include "whole_socket.hpp"

using namespace zlink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using kind = zmtp::mechanism_kind;
    static constexpr fuzz::way ways[] = {
        {"mem", kind::null},
        {"mem", kind::plain},
#ifdef ZLINK_CURVE
        {"mem", kind::curve},
#endif
    };
    static const fuzz::stream_needs nothing;
    fuzz::whole_socket(fuzz::input(data, size), ways, nothing).run();
    return 0;
}
