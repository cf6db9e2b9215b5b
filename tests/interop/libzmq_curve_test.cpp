// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CURVE with the distribution's libzmq at the other end: either side is the server, either side binds, over tcp and
// ipc.
#include "interop_fixture.hpp"

#include "support/curve_keys.hpp"
#include "support/zap_handler.hpp"

#include <tuple>

namespace zlink::test {
namespace {

class curve_interop_test : public interop_test, public ::testing::WithParamInterface<std::tuple<transport, bool>> {
protected:
    transport kind() const { return std::get<0>(GetParam()); }
    bool we_bind() const { return std::get<1>(GetParam()); }

    void be_server(peer_process& peer) const
    {
        peer.set(ZMQ_CURVE_SERVER, 1);
        peer.text(ZMQ_CURVE_SECRETKEY, server_keys_.secret);
    }
    void be_client(peer_process& peer) const
    {
        peer.text(ZMQ_CURVE_PUBLICKEY, client_keys_.open);
        peer.text(ZMQ_CURVE_SECRETKEY, client_keys_.secret);
        peer.text(ZMQ_CURVE_SERVERKEY, server_keys_.open);
    }

    static void expect_traffic_both_ways(socket& ours, peer_process& theirs)
    {
        for (const frame_sizes& sizes :
             {frame_sizes{16}, frame_sizes{16, 0, 255, 256, 70000}, frame_sizes{16, 16000000}}) {
            const std::uint64_t count = sizes.size() == 2 ? 3 : 200;
            theirs.tell("recv " + seeded_arguments(1, 0, count, sizes));
            for (std::uint64_t number = 0; number < count; ++number) ours.send_parts(seeded_message(1, number, sizes));
            theirs.reply();
            theirs.tell("send " + seeded_arguments(2, 0, count, sizes));
            for (std::uint64_t number = 0; number < count; ++number) {
                ASSERT_TRUE(recv_exactly(ours, seeded_message(2, number, sizes)));
            }
            theirs.reply();
        }
    }

    const curve_keys server_keys_;
    const curve_keys client_keys_;
};

TEST_P(curve_interop_test, their_client_talks_to_our_server)
{
    socket ours = ctx_.open(ZMQ_DEALER);
    be_curve_server(ours, server_keys_);
    peer_process theirs("DEALER");
    be_client(theirs);
    join(ours, theirs, kind(), we_bind());
    expect_traffic_both_ways(ours, theirs);
}

TEST_P(curve_interop_test, our_client_talks_to_their_server)
{
    socket ours = ctx_.open(ZMQ_DEALER);
    be_curve_client(ours, client_keys_, server_keys_.open);
    peer_process theirs("DEALER");
    be_server(theirs);
    join(ours, theirs, kind(), we_bind());
    expect_traffic_both_ways(ours, theirs);
}

TEST_P(curve_interop_test, their_client_is_admitted_by_our_handler)
{
    zap_handler handler(ctx_);
    socket ours = ctx_.open(ZMQ_DEALER);
    be_curve_server(ours, server_keys_);
    peer_process theirs("DEALER");
    be_client(theirs);
    join(ours, theirs, kind(), we_bind());
    EXPECT_EQ("CURVE", handler.answer(zap_reply("200", "joe")).mechanism);
    theirs.ask("post hello");
    EXPECT_EQ("joe", received(ours).property("User-Id"));
}

TEST_P(curve_interop_test, our_client_hears_of_a_refusal)
{
    socket ours = ctx_.open(ZMQ_PUSH);
    be_curve_client(ours, client_keys_, server_keys_.open);
    monitor events(ctx_, ours, any_handshake);
    peer_process theirs("PULL");
    theirs.ask("zap 400 joe");
    be_server(theirs);
    join(ours, theirs, kind(), we_bind());
    const auto refused = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
    EXPECT_EQ(400, static_cast<int>(refused.value));
}

TEST_P(curve_interop_test, their_client_with_another_servers_key_stays_outside)
{
    socket ours = ctx_.open(ZMQ_PULL);
    be_curve_server(ours, curve_keys());
    monitor events(ctx_, ours, any_handshake);
    peer_process theirs("PUSH");
    be_client(theirs);
    join(ours, theirs, kind(), we_bind());
    const auto refused = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, refused.event);
    EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC), refused.value);
}

TEST_P(curve_interop_test, subscriptions_and_heartbeats_come_through)
{
    socket ours = ctx_.open(ZMQ_XPUB);
    be_curve_server(ours, server_keys_);
    constexpr int answered_within_ms = 300;  // on a busy machine a program may be without a core for long
    ours.set(ZMQ_HEARTBEAT_IVL, 10);
    ours.set(ZMQ_HEARTBEAT_TIMEOUT, answered_within_ms);
    peer_process theirs("SUB");
    be_client(theirs);
    theirs.set(ZMQ_HEARTBEAT_IVL, 10);
    theirs.set(ZMQ_HEARTBEAT_TIMEOUT, answered_within_ms);
    theirs.text(ZMQ_SUBSCRIBE, "a");
    join(ours, theirs, kind(), we_bind());
    // A libzmq that has bound subscribes once it is called.
    theirs.tell("until a b");
    EXPECT_EQ("\1a", ours.recv());
    monitor events(ctx_, ours, ZMQ_EVENT_DISCONNECTED);
    EXPECT_FALSE(events.next(2 * answered_within_ms));
    ours.send("b");
    ours.send("a");
    theirs.reply();
}

std::string name_of(const ::testing::TestParamInfo<curve_interop_test::ParamType>& meeting)
{
    const std::string over = std::get<0>(meeting.param) == transport::tcp ? "Tcp" : "Ipc";
    return over + (std::get<1>(meeting.param) ? "WeBind" : "TheyBind");
}

INSTANTIATE_TEST_SUITE_P(meetings, curve_interop_test,
                         ::testing::Combine(::testing::Values(transport::tcp, transport::ipc), ::testing::Bool()),
                         name_of);

}  // namespace
}  // namespace zlink::test
