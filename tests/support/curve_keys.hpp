// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keys of CURVE for tests, and which side of it a socket plays.
#pragma once

#include "support/zmq_socket.hpp"

#include <string>

namespace zlink::test {

/// A pair in Z85, new each time.
struct curve_keys {
    std::string open;
    std::string secret;

    curve_keys()
    {
        char texts[2][41];
        if (zmq_curve_keypair(texts[0], texts[1]) != 0) {
            fail_at(place::current(), "zmq_curve_keypair");
            return;
        }
        open = texts[0];
        secret = texts[1];
    }
};

inline void be_curve_server(socket& s, const curve_keys& own)
{
    s.set(ZMQ_CURVE_SERVER, 1);
    s.set(ZMQ_CURVE_SECRETKEY, own.secret);
}

inline void be_curve_client(socket& s, const curve_keys& own, const std::string& server)
{
    s.set(ZMQ_CURVE_PUBLICKEY, own.open);
    s.set(ZMQ_CURVE_SECRETKEY, own.secret);
    s.set(ZMQ_CURVE_SERVERKEY, server);
}

}  // namespace zlink::test
