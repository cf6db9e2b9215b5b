// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of tls endpoints share: sockets with certificates, of an authority that clients trust.
#pragma once

#include "support/raw_peer.hpp"
#include "support/tls_command.hpp"
#include "support/zmq_fixture.hpp"

#include <string>
#include <string_view>

namespace zlink::test {

inline constexpr const char* anywhere = "tls://127.0.0.1:*";

inline std::string free_endpoint()
{
    return "tls://127.0.0.1:" + std::to_string(tcp_peer::port_of(tcp_peer::listen().endpoint()));
}

inline std::string property(socket& from, const char* name)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    EXPECT_NE(-1, zmq_msg_recv(&message, from, 0)) << zmq_strerror(zmq_errno());
    const char* const value = zmq_msg_gets(&message, name);
    std::string text = value == nullptr ? "(none)" : value;
    zmq_msg_close(&message);
    return text;
}

class tls_test : public zmq_test {
protected:
    socket server(int type = ZMQ_PULL) { return server(type, authority::shared_certificate()); }
    socket server(int type, const certificate& own)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_TLS_CERT_FILE, own.file);
        s.set(ZMQ_TLS_KEY_FILE, own.key);
        return s;
    }
    socket client(int type = ZMQ_PUSH)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_TLS_CA_FILE, ca_.file());
        s.set(ZMQ_RECONNECT_IVL, 10);
        return s;
    }

    /// No other peer's handshake: a message of a peer that is welcome.
    void expect_others_to_be_served(socket& pull, const std::string& endpoint)
    {
        socket push = client();
        push.connect(endpoint);
        push.send("welcome");
        EXPECT_EQ("welcome", pull.recv());
    }

    const authority& ca_ = authority::of_this_process();
};

}  // namespace zlink::test
