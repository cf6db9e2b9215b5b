// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of ZAP and of the mechanisms share.
#pragma once

#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace zlink::test {

/// Over a transport: the endpoint to bind to is the parameter.
class zap_fixture : public zmq_test, public ::testing::WithParamInterface<const char*> {
protected:
    /// What a ZAP request says of peers of this process over that transport.
    static std::string own_address()
    {
        if (std::string_view(GetParam()).starts_with("tcp")) return "127.0.0.1";
        return "localhost:" + std::to_string(::getuid()) + ":" + std::to_string(::getgid()) + ":" +
               std::to_string(::getpid());
    }

    std::string bind(socket& s) { return s.bind(GetParam()); }
};

/// Gone for good: a PUSH without a pipe has no room.
inline bool has_given_up(socket& push)
{
    return eventually([&] { return !push.writable(); });
}

}  // namespace zlink::test
