// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What stays in memory of a client's key when its socket has gone.
#include "allocations.hpp"
#include "secrets.hpp"
#include "support/tls_certificates.hpp"
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <string>

namespace zlink::test {
namespace {

using tls_secrets_test = zmq_test;

// Certificate and key may be one text, which is given as the certificate's.
TEST_F(tls_secrets_test, of_a_key_in_the_certificates_text_nothing_stays_when_its_socket_has_gone)
{
    wipe_what_is_freed();
    const authority& ca = authority::of_this_process();
    const certificate& of_server = authority::shared_certificate();
    const certificate own = ca.issue();
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_TLS_CERT_FILE, of_server.file);
    pull.set(ZMQ_TLS_KEY_FILE, of_server.key);
    const std::string endpoint = pull.bind("tls://127.0.0.1:*");
    std::string front, back;
    {
        const std::string text = content_of(own.key);
        const std::size_t second = text.find('\n', text.find('\n') + 1);  // OpenSSL reads by lines
        front = text.substr(second - 20, 20);
        back = text.substr(second, 20);
    }
    {
        context other;
        socket push = other.open(ZMQ_PUSH);
        push.set(ZMQ_TLS_CA_FILE, ca.file());
        push.set(ZMQ_WSS_CERT_PEM, content_of(own.file) + content_of(own.key));
        push.connect(endpoint);
        push.send("hello");
        EXPECT_EQ("hello", pull.recv());
        EXPECT_LT(0, copies_of(front, back)) << "the search finds nothing";
    }
    EXPECT_EQ(0, copies_of(front, back));
}

}  // namespace
}  // namespace zlink::test
