// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls with libzmq behind stunnel: TLS first, then the ZMTP that libzmq speaks, either side the server.
#include "support/tls_command.hpp"

#include "interop_fixture.hpp"

#include <fstream>

namespace zlink::test {
namespace {

class tls_stunnel_test : public interop_test {
protected:
    static std::string free_address()
    {
        return "127.0.0.1:" + std::to_string(tcp_peer::port_of(tcp_peer::listen().endpoint()));
    }

    /// "accept" to "connect", of which one side is tls.
    [[nodiscard]] std::string tunnel(const std::string& accept, const std::string& connect, const std::string& more)
    {
        const std::string file = directory_.file("stunnel.conf");
        std::ofstream(file) << "foreground = quiet\npid =\nsyslog = no\n"
                            << "[zmtp]\naccept = " << accept << "\nconnect = " << connect << "\n"
                            << more;
        return "stunnel4 " + file;
    }

    static void expect_traffic_both_ways(socket& ours, peer_process& theirs)
    {
        for (const frame_sizes& sizes :
             {frame_sizes{16}, frame_sizes{16, 0, 255, 256, 70000}, frame_sizes{16, 3000000}}) {
            theirs.tell("recv " + seeded_arguments(1, 0, 50, sizes));
            for (std::uint64_t number = 0; number < 50; ++number) ours.send_parts(seeded_message(1, number, sizes));
            theirs.reply();
            theirs.tell("send " + seeded_arguments(2, 0, 50, sizes));
            for (std::uint64_t number = 0; number < 50; ++number) {
                ASSERT_TRUE(recv_exactly(ours, seeded_message(2, number, sizes)));
            }
            theirs.reply();
        }
    }

    const authority& ca_ = authority::of_this_process();
    const certificate& own_ = authority::shared_certificate();
};

TEST_F(tls_stunnel_test, our_client_talks_to_libzmq_behind_a_tunnel)
{
    peer_process theirs("DEALER");
    const std::string inner = theirs.ask("bind tcp://127.0.0.1:*"), outer = free_address();
    const piped_process process(
        tunnel(outer, host_and_port(inner), "cert = " + own_.file + "\nkey = " + own_.key + "\n"));
    socket ours = ctx_.open(ZMQ_DEALER);
    ours.set(ZMQ_TLS_CA_FILE, ca_.file());
    ours.set(ZMQ_RECONNECT_IVL, 10);
    ours.connect("tls://" + outer);
    expect_traffic_both_ways(ours, theirs);
}

TEST_F(tls_stunnel_test, libzmq_behind_a_tunnel_talks_to_our_server)
{
    socket ours = ctx_.open(ZMQ_DEALER);
    ours.set(ZMQ_TLS_CERT_FILE, own_.file);
    ours.set(ZMQ_TLS_KEY_FILE, own_.key);
    const std::string outer = ours.bind("tls://127.0.0.1:*"), inner = free_address();
    const piped_process process(
        tunnel(inner, host_and_port(outer),
               "client = yes\nverifyChain = yes\ncheckIP = 127.0.0.1\nCAfile = " + ca_.file() + "\n"));
    peer_process theirs("DEALER");
    theirs.ask("connect tcp://" + inner);
    expect_traffic_both_ways(ours, theirs);
}

}  // namespace
}  // namespace zlink::test
