// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The socket types of the draft API with a libzmq that has them as the peer. They are tested both ways, over tcp, ipc
// and ws, with either end binding. The tests have bodies of 0 bytes to 16 MB, many messages in order, and pairs of
// types that must not talk to each other.
#include "draft_interop_fixture.hpp"

#include <tuple>

namespace zlink::test {
namespace {

struct draft_pairing {
    const char* name;
    int ours;
    const char* theirs;
    bool to_peer;  // the pattern lets us send
    bool to_us;    // and the peer
};

const std::vector<draft_pairing> draft_pairings{
    {"CLIENT_SERVER", ZMQ_CLIENT, "SERVER", true, true},     {"SERVER_CLIENT", ZMQ_SERVER, "CLIENT", true, true},
    {"SCATTER_GATHER", ZMQ_SCATTER, "GATHER", true, false},  {"GATHER_SCATTER", ZMQ_GATHER, "SCATTER", false, true},
    {"CHANNEL_CHANNEL", ZMQ_CHANNEL, "CHANNEL", true, true}, {"PEER_PEER", ZMQ_PEER, "PEER", true, true},
    {"RADIO_DISH", ZMQ_RADIO, "DISH", true, false},          {"DISH_RADIO", ZMQ_DISH, "RADIO", false, true},
};

void PrintTo(const draft_pairing& one, std::ostream* out)
{
    *out << one.name;
}

using draft_meeting = std::tuple<draft_pairing, draft_transport, bool>;

class draft_pattern_interop_test : public draft_interop_test, public ::testing::WithParamInterface<draft_meeting> {
protected:
    void SetUp() override
    {
        if (is_group()) {
            for (const int hwm : {ZMQ_SNDHWM, ZMQ_RCVHWM}) {
                ours_.set(hwm, 0);
                theirs_.set(hwm, 0);
            }
        }
        const bool we_bind = std::get<bool>(GetParam());
        if (pairing_.ours == ZMQ_PEER) {
            meet_peers(we_bind);
        } else {
            meet(ours_, theirs_, transport_, we_bind);
        }
        if (pairing_.ours == ZMQ_RADIO) {
            await_member(ours_, theirs_, "group");
        } else if (pairing_.ours == ZMQ_DISH) {
            join_until_heard(ours_, theirs_, "group");
        } else if (pairing_.ours == ZMQ_SERVER || (pairing_.ours == ZMQ_PEER && we_bind)) {
            theirs_.ask("post " + (their_id_.empty() ? "" : their_id_ + " ") + "hello");
            our_id_ = take(ours_).front();
        } else if (std::string(pairing_.theirs) == "SERVER" || pairing_.ours == ZMQ_PEER) {
            give(ours_, our_id_.empty() ? parts{"hello"} : parts{our_id_, "hello"});
            const std::string got = theirs_.ask("take");
            their_id_ = got.substr(0, got.find(' '));
            EXPECT_EQ(their_id_ + " hello", got);
        }
        address();
    }

    // PEER sends first by a number that connecting gives.
    void meet_peers(bool we_bind)
    {
        secure(ours_, we_bind);
        secure(theirs_, !we_bind);
        if (we_bind) {
            their_id_ = theirs_.ask("connect_peer " + ours_.bind(wildcard(transport_)));
            return;
        }
        const std::string endpoint = theirs_.ask("bind " + wildcard(transport_));
        const std::uint32_t id = zmq_connect_peer(ours_, endpoint.c_str());
        ASSERT_NE(0u, id) << zmq_strerror(zmq_errno());
        our_id_ = std::to_string(id);
    }

    void address()
    {
        if (is_group()) {
            our_id_ = their_id_ = "group";
        }
        if (!our_id_.empty()) {
            our_envelope_ = {our_id_};
        }
        theirs_.ask("envelope " + their_id_);
    }

    bool is_group() const { return pairing_.ours == ZMQ_RADIO || pairing_.ours == ZMQ_DISH; }

    void send(std::size_t size)
    {
        theirs_.tell("recv " + seeded_arguments(1, number_, 1, {size}));
        give(ours_, joined(our_envelope_, seeded_message(1, number_, {size})));
        theirs_.reply();
    }

    void receive(std::size_t size)
    {
        theirs_.tell("send " + seeded_arguments(2, number_, 1, {size}));
        take_exactly(ours_, joined(our_envelope_, seeded_message(2, number_, {size})));
        theirs_.reply();
    }

    draft_pairing pairing_ = std::get<draft_pairing>(GetParam());
    draft_transport transport_ = std::get<draft_transport>(GetParam());
    peer_process theirs_{pairing_.theirs, draft_libzmq_peer};
    socket ours_ = ctx_.open(pairing_.ours);
    std::string our_id_, their_id_;  // what each end calls the other, if its type calls peers anything
    parts our_envelope_;
    std::uint64_t number_ = 0;
};

TEST_P(draft_pattern_interop_test, carries_bodies_of_every_size)
{
    for (const std::size_t size :
         {0u, 1u, 8u, 40u, 254u, 255u, 256u, 8191u, 8192u, 8193u, 65535u, 65536u, 1u << 20u, 16u << 20u, 0u, 3u}) {
        SCOPED_TRACE(size);
        if (pairing_.to_peer) {
            send(size);
        }
        if (pairing_.to_us) {
            receive(size);
        }
        ++number_;
        if (HasFailure()) {
            break;
        }
    }
}

TEST_P(draft_pattern_interop_test, carries_many_messages_in_order)
{
    constexpr std::uint64_t count = 20000;
    const frame_sizes sizes{40};
    if (pairing_.to_peer) {
        theirs_.tell("recv " + seeded_arguments(4, 0, count, sizes));
        for (std::uint64_t number = 0; number < count; ++number) {
            ASSERT_TRUE(give(ours_, joined(our_envelope_, seeded_message(4, number, sizes)))) << number;
        }
        theirs_.reply();
    }
    if (pairing_.to_us) {
        theirs_.tell("send " + seeded_arguments(3, 0, count, sizes));
        for (std::uint64_t number = 0; number < count; ++number) {
            ASSERT_TRUE(take_exactly(ours_, joined(our_envelope_, seeded_message(3, number, sizes)))) << number;
        }
        theirs_.reply();
    }
}

INSTANTIATE_TEST_SUITE_P(, draft_pattern_interop_test,
                         ::testing::Combine(::testing::ValuesIn(draft_pairings),
                                            ::testing::Values(draft_transport::tcp, draft_transport::ipc,
                                                              draft_transport::ws),
                                            ::testing::Bool()),
                         [](const ::testing::TestParamInfo<draft_meeting>& one) {
                             return std::string(std::get<0>(one.param).name) + "_" + name_of(std::get<1>(one.param)) +
                                    (std::get<2>(one.param) ? "_we_bind" : "_we_connect");
                         });

struct wrong_pair {
    int ours;
    const char* theirs;
};

const std::vector<wrong_pair> wrong_pairs{
    {ZMQ_CLIENT, "CLIENT"},   {ZMQ_CLIENT, "ROUTER"},   {ZMQ_SERVER, "SERVER"}, {ZMQ_SERVER, "DEALER"},
    {ZMQ_SCATTER, "SCATTER"}, {ZMQ_SCATTER, "CHANNEL"}, {ZMQ_GATHER, "GATHER"}, {ZMQ_GATHER, "PEER"},
    {ZMQ_CHANNEL, "PEER"},    {ZMQ_PEER, "CHANNEL"},    {ZMQ_PEER, "SERVER"},   {ZMQ_RADIO, "RADIO"},
    {ZMQ_RADIO, "XSUB"},      {ZMQ_DISH, "DISH"},       {ZMQ_DISH, "XPUB"},     {ZMQ_DEALER, "CLIENT"},
    {ZMQ_ROUTER, "SERVER"},   {ZMQ_PULL, "SCATTER"},    {ZMQ_PAIR, "CHANNEL"},  {ZMQ_XSUB, "RADIO"},
};

using wrong_meeting = std::tuple<wrong_pair, bool>;

class draft_refusal_test : public draft_interop_test, public ::testing::WithParamInterface<wrong_meeting> {};

// Whichever end is the first to see the other's type closes the connection, so ours may not come to see its peer's.
TEST_P(draft_refusal_test, a_pair_of_types_that_do_not_fit_never_completes_its_handshake)
{
    const auto& [pair, we_bind] = GetParam();
    peer_process theirs = start(pair.theirs);
    socket ours = ctx_.open(pair.ours);
    monitor events(ctx_, ours);
    meet(ours, theirs, draft_transport::tcp, we_bind);
    const monitor_event seen = events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED);
    EXPECT_NE(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, seen.event);
}

std::string name_of_refusal(const ::testing::TestParamInfo<wrong_meeting>& one)
{
    const auto& [pair, we_bind] = one.param;
    return std::to_string(pair.ours) + "_" + pair.theirs + (we_bind ? "_we_bind" : "_we_connect");
}

INSTANTIATE_TEST_SUITE_P(, draft_refusal_test, ::testing::Combine(::testing::ValuesIn(wrong_pairs), ::testing::Bool()),
                         name_of_refusal);

TEST(draft_libzmq_test, the_peer_is_as_new_as_the_draft_api_that_it_is_tested_for)
{
    peer_process theirs("CLIENT", draft_libzmq_peer);
    const std::string library = theirs.ask("library");
    std::cout << "draft peer: " << library << '\n';
    EXPECT_EQ("libzmq 4.3.5 with drafts", library);
}

}  // namespace
}  // namespace zlink::test
