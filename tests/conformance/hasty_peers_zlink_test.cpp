// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers that do not wait. A ZAP handler is told the address of peers, too, that reset their connection before it is
// asked. So rules about addresses hold for them. What comes before its answer is not lost.
#include "ws_fixture.hpp"
#include "zap_fixture.hpp"

#include <set>
#include <thread>

namespace zlink::test {
namespace {

// So many, as a question about a connection that has ended is withdrawn if the handler is not quick.
constexpr int many = 300;

class hasty_peers_test : public zmq_test {
protected:
    /// The addresses that a handler is told of peers that say this and reset, and of one more that waits for the
    /// answer.
    std::set<std::string> addresses_of(socket& server, const std::string& greeting, const std::string& rest)
    {
        server.set(ZMQ_BACKLOG, many + 1);
        const std::string endpoint = server.bind("tcp://127.0.0.1:*");
        std::set<std::string> told;
        std::thread handling([&] {
            zap_handler handler(ctx_);
            handler_is_there_.send("");
            while (true) {
                const zap_request asked = handler.answer("400");
                if (asked.version.empty()) return;  // nothing came, and that is said
                told.insert(asked.address);
                if (asked.identity == "last") return;
            }
        });
        (void)ready_.recv();
        for (int i = 0; i < many; ++i) {
            raw_peer peer = raw_peer::connect_to(endpoint);
            (void)peer.try_send_bytes(greeting + rest);
            peer.reset();
        }
        // The request has the server's own routing id.
        socket last = ctx_.open(ZMQ_ROUTER);
        copy_security(server, last);
        last.set(ZMQ_ROUTING_ID, "last");
        raw_peer patient = raw_peer::connect_to(last.bind("tcp://127.0.0.1:*"));
        patient.send_bytes(greeting + rest);
        handling.join();
        return told;
    }

private:
    static void copy_security(socket& from, socket& to)
    {
        if (from.get_int(ZMQ_PLAIN_SERVER)) to.set(ZMQ_PLAIN_SERVER, 1);
        to.set(ZMQ_ZAP_DOMAIN, "test");
    }

    socket ready_ = ctx_.open(ZMQ_PAIR), handler_is_there_ = ctx_.open(ZMQ_PAIR);

protected:
    hasty_peers_test() { handler_is_there_.connect(ready_.bind(unique_inproc())); }
};

TEST_F(hasty_peers_test, have_an_address)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ZAP_DOMAIN, "test");
    EXPECT_EQ(std::set<std::string>{"127.0.0.1"},
              addresses_of(router, zmtp3_greeting(), zmtp_ready("DEALER", "honest")));
}

TEST_F(hasty_peers_test, with_a_password_have_an_address_too)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_PLAIN_SERVER, 1);
    EXPECT_EQ(std::set<std::string>{"127.0.0.1"},
              addresses_of(router, zmtp3_greeting(1, "PLAIN"), zmtp_command("HELLO", "\3joe\6secret")));
}

// Of a peer that does not wait for READY.
TEST_F(hasty_peers_test, a_frame_in_two_halves_is_whole_though_the_handlers_answer_comes_between_them)
{
    const std::string frame = zmtp_frame("message");
    for (std::size_t half = 1; half < frame.size(); ++half) {
        zap_handler handler(ctx_);
        socket server = ctx_.open(ZMQ_PULL);
        server.set(ZMQ_ZAP_DOMAIN, "test");
        raw_peer peer = raw_peer::connect_to(server.bind("tcp://127.0.0.1:*"));
        peer.send_bytes(zmtp3_greeting() + zmtp_ready("PUSH") + frame.substr(0, half));
        (void)handler.answer("200");
        (void)peer.read_bytes(64);
        EXPECT_EQ("READY", peer.read_frame().name());
        peer.send_bytes(frame.substr(half));
        EXPECT_EQ("message", server.recv()) << half;
    }
}

// Over ws: in as many fragments, of which some have come as frames of their own.
TEST_F(hasty_peers_test, a_message_in_fragments_is_whole_though_the_handlers_answer_comes_between_them)
{
    constexpr int unfinished = 0x02, continued = 0x00, last = 0x80, ping = 0x89;
    const std::string text = std::string(1, '\0') + "message";
    const std::string ready = frame("\2" + zmtp_command_body("READY", zmtp_property("Socket-Type", "PUSH")));
    for (std::size_t half = 0; half <= text.size(); ++half) {
        zap_handler handler(ctx_);
        socket server = ctx_.open(ZMQ_PULL);
        server.set(ZMQ_ZAP_DOMAIN, "test");
        raw_peer peer = raw_peer::connect_to(tcp_of(server.bind("ws://127.0.0.1:*/zmq")));
        const std::string rest = frame("ping", ping) + frame(text.substr(half), last);
        peer.send_bytes(upgrade_request("ZWS2.0/NULL") + ready + frame(text.substr(0, half / 2), unfinished) +
                        frame(text.substr(half / 2, half - half / 2), continued) + rest.substr(0, half));
        (void)handler.answer("200");
        EXPECT_TRUE(head_of(peer).starts_with("HTTP/1.1 101 "));
        (void)peer.read_bytes(std::size_t(peer.read_bytes(2)[1]));  // READY
        peer.send_bytes(rest.substr(half));
        EXPECT_EQ(own("ping", 0x8a), peer.read_bytes(6)) << half;
        EXPECT_EQ("message", server.recv()) << half;
    }
}

}  // namespace
}  // namespace zlink::test
