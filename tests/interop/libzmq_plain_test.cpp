// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PLAIN and ZAP with the distribution's libzmq at the other end. Either side is the server and asks its own handler,
// either side binds, over tcp and ipc.
#include "interop_fixture.hpp"

#include "support/zap_handler.hpp"

#include <tuple>

namespace zlink::test {
namespace {

class plain_interop_test : public interop_test, public ::testing::WithParamInterface<std::tuple<transport, bool>> {
protected:
    transport kind() const { return std::get<0>(GetParam()); }
    bool we_bind() const { return std::get<1>(GetParam()); }

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

    static void be_client(socket& s, const std::string& password)
    {
        s.set(ZMQ_PLAIN_USERNAME, "joe");
        s.set(ZMQ_PLAIN_PASSWORD, password);
    }
    static void be_client(peer_process& peer, const std::string& password)
    {
        peer.text(ZMQ_PLAIN_USERNAME, "joe");
        peer.text(ZMQ_PLAIN_PASSWORD, password);
    }
};

TEST_P(plain_interop_test, their_client_is_admitted_by_our_handler)
{
    zap_handler handler(ctx_);
    socket ours = ctx_.open(ZMQ_DEALER);
    ours.set(ZMQ_PLAIN_SERVER, 1);
    peer_process theirs("DEALER");
    be_client(theirs, "secret");
    join(ours, theirs, kind(), we_bind());
    const zap_request asked = handler.answer(zap_reply("200", "joe"));
    EXPECT_EQ("PLAIN", asked.mechanism);
    EXPECT_EQ((parts{"joe", "secret"}), asked.credentials);
    theirs.ask("post hello");
    EXPECT_EQ("joe", received(ours).property("User-Id"));
    expect_traffic_both_ways(ours, theirs);
}

TEST_P(plain_interop_test, our_client_is_admitted_by_their_handler)
{
    socket ours = ctx_.open(ZMQ_DEALER);
    be_client(ours, "secret");
    monitor events(ctx_, ours, any_handshake);
    peer_process theirs("DEALER");
    theirs.ask("zap 200 joe");
    theirs.set(ZMQ_PLAIN_SERVER, 1);
    join(ours, theirs, kind(), we_bind());
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
    EXPECT_TRUE(theirs.ask("asked").ends_with(" - PLAIN joe secret"));
    expect_traffic_both_ways(ours, theirs);
}

TEST_P(plain_interop_test, our_client_hears_of_a_refusal)
{
    for (const int status : {400, 500}) {
        socket ours = ctx_.open(ZMQ_PUSH);
        be_client(ours, "wrong");
        monitor events(ctx_, ours, any_handshake | ZMQ_EVENT_CONNECT_RETRIED);
        peer_process theirs("PULL");
        theirs.ask("zap " + std::to_string(status) + " joe");
        theirs.set(ZMQ_PLAIN_SERVER, 1);
        join(ours, theirs, kind(), we_bind());
        const auto refused = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
        EXPECT_EQ(status, static_cast<int>(refused.value));
        if (!we_bind()) {
            EXPECT_TRUE(eventually([&] { return !ours.writable(); }));
            EXPECT_FALSE(events.next(0));
        }
    }
}

TEST_P(plain_interop_test, their_client_is_refused_by_our_handler)
{
    zap_handler handler(ctx_);
    socket ours = ctx_.open(ZMQ_PULL);
    ours.set(ZMQ_PLAIN_SERVER, 1);
    monitor events(ctx_, ours, any_handshake);
    peer_process theirs("PUSH");
    be_client(theirs, "wrong");
    join(ours, theirs, kind(), we_bind());
    handler.answer("400");
    const auto refused = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
    EXPECT_EQ(400, static_cast<int>(refused.value));
}

TEST_P(plain_interop_test, their_null_client_stays_outside)
{
    zap_handler handler(ctx_);
    socket ours = ctx_.open(ZMQ_PULL);
    ours.set(ZMQ_PLAIN_SERVER, 1);
    monitor events(ctx_, ours, any_handshake);
    peer_process theirs("PUSH");
    join(ours, theirs, kind(), we_bind());
    // The side that sees it first leaves.
    EXPECT_NE(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
    EXPECT_FALSE(handler.is_asked());
}

TEST_P(plain_interop_test, null_peers_are_checked_by_either_handler)
{
    zap_handler handler(ctx_);
    socket ours = ctx_.open(ZMQ_DEALER);
    ours.set(ZMQ_ZAP_DOMAIN, "ours");
    peer_process theirs("DEALER");
    theirs.ask("zap 200 jim");
    theirs.text(ZMQ_ZAP_DOMAIN, "theirs");
    join(ours, theirs, kind(), we_bind());
    const zap_request asked = handler.answer(zap_reply("200", "joe"));
    EXPECT_EQ("NULL", asked.mechanism);
    EXPECT_EQ("ours", asked.domain);
    theirs.ask("post hello");
    EXPECT_EQ("joe", received(ours).property("User-Id"));
    EXPECT_TRUE(theirs.ask("asked").starts_with("1.0 1 theirs "));
    expect_traffic_both_ways(ours, theirs);
}

std::string name_of(const ::testing::TestParamInfo<plain_interop_test::ParamType>& meeting)
{
    const std::string over = std::get<0>(meeting.param) == transport::tcp ? "Tcp" : "Ipc";
    return over + (std::get<1>(meeting.param) ? "WeBind" : "TheyBind");
}

INSTANTIATE_TEST_SUITE_P(meetings, plain_interop_test,
                         ::testing::Combine(::testing::Values(transport::tcp, transport::ipc), ::testing::Bool()),
                         name_of);

}  // namespace
}  // namespace zlink::test
