// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls and wss through a SOCKS5 proxy that is not ours: the name in the certificate is the peer's, not the proxy's.
#include "interop_fixture.hpp"
#include "socks_proxy.hpp"

namespace zlink::test {
namespace {

class tls_socks_test : public interop_test, public testing::WithParamInterface<const char*> {};

TEST_P(tls_socks_test, goes_through_a_proxy)
{
    const socks_proxy proxy("-u joe -P secret");
    socket server = ctx_.open(ZMQ_DEALER), ours = ctx_.open(ZMQ_DEALER);
    know_certificates(server);
    ours.set(ZMQ_TLS_CA_FILE, authority::of_this_process().file());
    ours.set(ZMQ_SOCKS_PROXY, proxy.address());
    ours.set(ZMQ_SOCKS_USERNAME, "joe");
    ours.set(ZMQ_SOCKS_PASSWORD, "secret");
    ours.set(ZMQ_RECONNECT_IVL, 10);
    ours.connect(server.bind(GetParam()));
    for (const std::string& text : {std::string("hello"), std::string(8 << 20, 'x')}) {
        ours.send(text);
        ASSERT_EQ(text, server.recv());
        server.send(text);
        ASSERT_EQ(text, ours.recv());
    }
}

INSTANTIATE_TEST_SUITE_P(over, tls_socks_test, testing::Values("tls://127.0.0.1:*", "wss://127.0.0.1:*/path"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
