// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every pattern with the distribution's libzmq as the peer in a process of its own. They are tested both ways, over tcp
// and ipc, with either end binding. The tests have single frames of 0 bytes to 16 MB, multipart messages, and many
// messages in order.
#include "interop_fixture.hpp"

#include <tuple>

namespace zlink::test {
namespace {

// The types of the two ends and the frames that their messages need before the body.
struct pairing {
    const char* name;
    int ours;
    const char* theirs;
    parts our_envelope;
    parts their_envelope;
    bool to_peer;     // the pattern lets us send
    bool to_us;       // and the peer
    bool they_begin;  // we can send only after a message of theirs
};

// The routing ids given to both ends.
const std::string our_id = "zlink-id";
const std::string their_id = "libzmq-id";
const std::string topic = "topic";

const std::vector<pairing> pairings{
    {"PAIR_PAIR", ZMQ_PAIR, "PAIR", {}, {}, true, true, false},
    {"PUB_SUB", ZMQ_PUB, "SUB", {topic}, {topic}, true, false, false},
    {"SUB_PUB", ZMQ_SUB, "PUB", {topic}, {topic}, false, true, true},
    {"XPUB_XSUB", ZMQ_XPUB, "XSUB", {topic}, {topic}, true, false, false},
    {"XSUB_XPUB", ZMQ_XSUB, "XPUB", {topic}, {topic}, false, true, true},
    {"REQ_REP", ZMQ_REQ, "REP", {}, {}, true, true, false},
    {"REP_REQ", ZMQ_REP, "REQ", {}, {}, true, true, true},
    {"REQ_ROUTER", ZMQ_REQ, "ROUTER", {}, {our_id, ""}, true, true, false},
    {"ROUTER_REQ", ZMQ_ROUTER, "REQ", {their_id, ""}, {}, true, true, true},
    {"DEALER_ROUTER", ZMQ_DEALER, "ROUTER", {}, {our_id}, true, true, false},
    {"ROUTER_DEALER", ZMQ_ROUTER, "DEALER", {their_id}, {}, true, true, true},
    {"DEALER_REP", ZMQ_DEALER, "REP", {""}, {}, true, true, false},
    {"REP_DEALER", ZMQ_REP, "DEALER", {}, {""}, true, true, true},
    {"DEALER_DEALER", ZMQ_DEALER, "DEALER", {}, {}, true, true, false},
    {"ROUTER_ROUTER", ZMQ_ROUTER, "ROUTER", {their_id}, {our_id}, true, true, false},
    {"PUSH_PULL", ZMQ_PUSH, "PULL", {}, {}, true, false, false},
    {"PULL_PUSH", ZMQ_PULL, "PUSH", {}, {}, false, true, true},
};

void PrintTo(const pairing& one, std::ostream* out)
{
    *out << one.name;
}

using meeting = std::tuple<pairing, transport, bool>;

class pattern_interop_test : public interop_test, public ::testing::WithParamInterface<meeting> {
protected:
    void SetUp() override
    {
        const std::string type = pairing_.theirs;
        if (type != "PUB" && type != "SUB" && type != "XPUB" && type != "XSUB" && type != "PUSH" && type != "PULL") {
            ours_.set(ZMQ_ROUTING_ID, our_id);
            theirs_.text(ZMQ_ROUTING_ID, their_id);
        }
        if (pairing_.ours == ZMQ_ROUTER) {
            ours_.set(ZMQ_ROUTER_MANDATORY, 1);
        }
        if (type == "ROUTER") {
            theirs_.set(ZMQ_ROUTER_MANDATORY, 1);
        }
        if (type.ends_with("PUB") || type.ends_with("SUB")) {
            for (const int hwm : {ZMQ_SNDHWM, ZMQ_RCVHWM}) {
                ours_.set(hwm, 0);
                theirs_.set(hwm, 0);
            }
        }
        if (pairing_.ours == ZMQ_SUB) {
            ours_.subscribe("");
        } else if (type == "SUB") {
            theirs_.text(ZMQ_SUBSCRIBE, "");
        }
        std::string text;
        for (const std::string& frame : pairing_.their_envelope) {
            text += " " + (frame.empty() ? "-" : frame);
        }
        theirs_.ask("envelope" + text);

        join(ours_, theirs_, std::get<transport>(GetParam()), std::get<bool>(GetParam()));
        reach();
    }

    // Lets the first message get through where a pattern drops, or refuses, what comes too early.
    void reach()
    {
        if (pairing_.ours == ZMQ_PUB) {
            await_subscriber(ours_, theirs_);
        } else if (pairing_.ours == ZMQ_SUB) {
            await_publisher(ours_, theirs_);
        } else if (pairing_.ours == ZMQ_XSUB) {
            // A bound socket greets a new peer from within a call of its own thread.
            ours_.send("\1" + topic);
            theirs_.tell("take");
            EXPECT_TRUE(eventually([&] { return ours_.readable(10) || theirs_.answered(); }));
            EXPECT_EQ("\\x01" + topic, theirs_.reply());
        } else if (pairing_.ours == ZMQ_XPUB) {
            EXPECT_TRUE(eventually([&] {
                theirs_.ask("post \\x01" + topic);
                return ours_.readable(10);
            }));
            EXPECT_EQ("\1" + topic, ours_.recv());
        } else if (pairing_.ours == ZMQ_ROUTER && std::string(pairing_.theirs) == "ROUTER") {
            EXPECT_TRUE(eventually([&] { return ours_.try_send(their_id, ZMQ_SNDMORE) == 0; }));
            ours_.send("hello");
            EXPECT_EQ(our_id + " hello", theirs_.ask("take"));
        }
    }

    void send(const frame_sizes& sizes)
    {
        theirs_.tell("recv " + seeded_arguments(1, number_, 1, sizes));
        ours_.send_parts(joined(pairing_.our_envelope, seeded_message(1, number_, sizes)));
        theirs_.reply();
    }

    void receive(const frame_sizes& sizes)
    {
        theirs_.tell("send " + seeded_arguments(2, number_, 1, sizes));
        recv_exactly(ours_, joined(pairing_.our_envelope, seeded_message(2, number_, sizes)));
        theirs_.reply();
    }

    // One message each way, as far as the pattern goes.
    void exchange(const frame_sizes& sizes)
    {
        if (pairing_.they_begin) {
            receive(sizes);
            if (pairing_.to_peer) {
                send(sizes);
            }
        } else {
            send(sizes);
            if (pairing_.to_us) {
                receive(sizes);
            }
        }
        ++number_;
    }

    pairing pairing_ = std::get<pairing>(GetParam());
    peer_process theirs_{pairing_.theirs};
    socket ours_ = ctx_.open(pairing_.ours);
    std::uint64_t number_ = 0;
};

TEST_P(pattern_interop_test, carries_frames_of_every_size)
{
    for (const std::size_t size :
         {0u, 1u, 8u, 40u, 254u, 255u, 256u, 8191u, 8192u, 8193u, 65535u, 65536u, 1u << 20u, 16u << 20u, 0u, 3u}) {
        SCOPED_TRACE(size);
        exchange({size});
        if (HasFailure()) {
            break;
        }
    }
}

TEST_P(pattern_interop_test, carries_multipart_messages)
{
    for (const frame_sizes& sizes :
         {frame_sizes{8, 0}, frame_sizes{0, 0, 0}, frame_sizes{40, 255, 256, 8191, 8192, 0, 65536},
          frame_sizes{1u << 20u, 1, 1u << 20u, 70000, 0}, frame_sizes(300, 20)}) {
        SCOPED_TRACE(sizes_text(sizes));
        exchange(sizes);
        if (HasFailure()) {
            break;
        }
    }
}

TEST_P(pattern_interop_test, carries_many_messages_in_order)
{
    const bool in_turn = pairing_.ours == ZMQ_REQ || pairing_.ours == ZMQ_REP || pairing_.theirs[2] == 'Q' ||
                         pairing_.theirs == std::string("REP");
    if (in_turn) {
        for (int i = 0; i < 300 && !HasFailure(); ++i) {
            exchange({static_cast<std::size_t>(i), 20});
        }
        return;
    }
    constexpr std::uint64_t count = 20000;
    const frame_sizes sizes{40};
    const auto take = [&] {
        theirs_.tell("send " + seeded_arguments(3, 0, count, sizes));
        for (std::uint64_t number = 0; number < count; ++number) {
            ASSERT_TRUE(recv_exactly(ours_, joined(pairing_.our_envelope, seeded_message(3, number, sizes)))) << number;
        }
        theirs_.reply();
    };
    if (pairing_.they_begin) {
        take();
    }
    if (pairing_.to_peer) {
        theirs_.tell("recv " + seeded_arguments(4, 0, count, sizes));
        for (std::uint64_t number = 0; number < count; ++number) {
            ASSERT_TRUE(ours_.send_parts(joined(pairing_.our_envelope, seeded_message(4, number, sizes)))) << number;
        }
        theirs_.reply();
    }
    if (pairing_.to_us && !pairing_.they_begin) {
        take();
    }
}

INSTANTIATE_TEST_SUITE_P(, pattern_interop_test,
                         ::testing::Combine(::testing::ValuesIn(pairings),
                                            ::testing::Values(transport::tcp, transport::ipc), ::testing::Bool()),
                         [](const ::testing::TestParamInfo<meeting>& one) {
                             return std::string(std::get<0>(one.param).name) +
                                    (std::get<1>(one.param) == transport::tcp ? "_tcp" : "_ipc") +
                                    (std::get<2>(one.param) ? "_we_bind" : "_we_connect");
                         });

}  // namespace
}  // namespace zlink::test
