// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Much traffic with libzmq as the peer. There are hundreds of thousands of small messages in order, both directions at
// once, and back-pressure when either end is slow.
#include "interop_fixture.hpp"

namespace zlink::test {
namespace {

const frame_sizes small{16};

// The types of the two ends; a ROUTER's messages carry the other's id.
struct lane_case {
    const char* name;
    int ours;
    const char* theirs;
};

void PrintTo(const lane_case& one, std::ostream* out)
{
    *out << one.name;
}

template <typename Case>
std::string case_name(const ::testing::TestParamInfo<std::tuple<Case, transport>>& one)
{
    return std::string(std::get<0>(one.param).name) + (std::get<1>(one.param) == transport::tcp ? "_tcp" : "_ipc");
}

class traffic_interop_test : public interop_test,
                             public ::testing::WithParamInterface<std::tuple<lane_case, transport>> {
protected:
    static constexpr std::uint64_t count = 200000;

    void meet(bool we_bind)
    {
        const lane_case& one = std::get<0>(GetParam());
        const std::string type = one.theirs;
        if (one.ours == ZMQ_ROUTER) {
            ours_.set(ZMQ_ROUTER_MANDATORY, 1);  // waits instead of dropping
            theirs_.text(ZMQ_ROUTING_ID, "libzmq-id");
            our_envelope_ = {"libzmq-id"};
        } else if (type == "ROUTER") {
            theirs_.set(ZMQ_ROUTER_MANDATORY, 1);
            ours_.set(ZMQ_ROUTING_ID, "zlink-id");
            theirs_.ask("envelope zlink-id");
        } else if (one.ours == ZMQ_SUB) {
            ours_.subscribe("");
        } else if (type == "SUB") {
            theirs_.text(ZMQ_SUBSCRIBE, "");
        }
        if (type.ends_with("UB")) {
            ours_.set(ZMQ_SNDHWM, 0);
            ours_.set(ZMQ_RCVHWM, 0);
            theirs_.set(ZMQ_SNDHWM, 0);
            theirs_.set(ZMQ_RCVHWM, 0);
        }
        join(ours_, theirs_, std::get<1>(GetParam()), we_bind);
        if (one.ours == ZMQ_PUB) {
            await_subscriber(ours_, theirs_);
        } else if (one.ours == ZMQ_SUB) {
            await_publisher(ours_, theirs_);
        } else if (one.ours == ZMQ_ROUTER) {
            EXPECT_TRUE(eventually([&] { return ours_.try_send("libzmq-id", ZMQ_SNDMORE) == 0; }));
            ours_.send("hello");
            EXPECT_EQ("hello", theirs_.ask("take"));
        } else if (type == "ROUTER") {
            ours_.send("hello");
            EXPECT_EQ("zlink-id hello", theirs_.ask("take"));
        }
    }

    void send_all()
    {
        for (std::uint64_t number = 0; number < count; ++number) {
            for (const std::string& frame : our_envelope_) {
                ASSERT_TRUE(ours_.send(frame, ZMQ_SNDMORE)) << number;
            }
            ASSERT_TRUE(ours_.send(seeded_frame(small[0], 1, number, 0))) << number;
        }
    }

    void recv_all()
    {
        for (std::uint64_t number = 0; number < count; ++number) {
            const parts wanted = joined(our_envelope_, seeded_message(2, number, small));
            ASSERT_EQ(wanted, ours_.recv_parts()) << "instead of message " << number;
        }
    }

    peer_process theirs_{std::get<0>(GetParam()).theirs};
    socket ours_ = ctx_.open(std::get<0>(GetParam()).ours);
    parts our_envelope_;
};

class sending_interop_test : public traffic_interop_test {};
class receiving_interop_test : public traffic_interop_test {};

TEST_P(sending_interop_test, two_hundred_thousand_messages_arrive_in_order)
{
    meet(true);
    theirs_.tell("recv " + seeded_arguments(1, 0, count, small));
    send_all();
    theirs_.reply();
}

TEST_P(receiving_interop_test, two_hundred_thousand_messages_arrive_in_order)
{
    meet(false);
    theirs_.tell("send " + seeded_arguments(2, 0, count, small));
    recv_all();
    theirs_.reply();
}

INSTANTIATE_TEST_SUITE_P(
    , sending_interop_test,
    ::testing::Combine(::testing::Values(lane_case{"PAIR", ZMQ_PAIR, "PAIR"}, lane_case{"PUB", ZMQ_PUB, "SUB"},
                                         lane_case{"PUSH", ZMQ_PUSH, "PULL"}, lane_case{"DEALER", ZMQ_DEALER, "ROUTER"},
                                         lane_case{"ROUTER", ZMQ_ROUTER, "DEALER"}),
                       ::testing::Values(transport::tcp, transport::ipc)),
    case_name<lane_case>);

INSTANTIATE_TEST_SUITE_P(
    , receiving_interop_test,
    ::testing::Combine(::testing::Values(lane_case{"PAIR", ZMQ_PAIR, "PAIR"}, lane_case{"SUB", ZMQ_SUB, "PUB"},
                                         lane_case{"PULL", ZMQ_PULL, "PUSH"}, lane_case{"DEALER", ZMQ_DEALER, "ROUTER"},
                                         lane_case{"ROUTER", ZMQ_ROUTER, "DEALER"}),
                       ::testing::Values(transport::tcp, transport::ipc)),
    case_name<lane_case>);

class flow_interop_test : public interop_test, public ::testing::WithParamInterface<transport> {};

// Messages of all sizes go out as fast as they are taken while their echoes come back.
TEST_P(flow_interop_test, both_directions_at_once)
{
    constexpr std::uint64_t count = 30000;
    peer_process theirs("DEALER");
    socket ours = ctx_.open(ZMQ_DEALER);
    join(ours, theirs, GetParam(), true);
    const auto message = [](std::uint64_t number) {
        const std::size_t size = number % 1000 == 0 ? 100000 : number % 50 == 0 ? 9000 : number % 300;
        return seeded_message(5, number, number % 7 == 0 ? frame_sizes{size, 3, size} : frame_sizes{size});
    };
    theirs.tell("echo " + std::to_string(count));
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    while (received < count) {
        ASSERT_TRUE(ours.wait(sent < count ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN)) << sent << " " << received;
        for (int burst = 0; burst < 20 && sent < count && ours.writable(); ++burst) {
            ours.send_parts(message(sent++), ZMQ_DONTWAIT);
        }
        while (received < sent && ours.readable()) {
            ASSERT_TRUE(recv_exactly(ours, message(received))) << received;
            ++received;
        }
    }
    theirs.reply();
}

TEST_P(flow_interop_test, a_slow_receiver_stops_us_and_loses_nothing)
{
    const frame_sizes sizes{60000};
    peer_process theirs("PULL");
    theirs.set(ZMQ_RCVHWM, 5);
    theirs.set(ZMQ_RCVBUF, 65536);
    socket ours = ctx_.open(ZMQ_PUSH);
    ours.set(ZMQ_SNDHWM, 10);
    ours.set(ZMQ_SNDBUF, 65536);
    join(ours, theirs, GetParam(), true);
    std::uint64_t sent = 0;
    while (ours.wait(ZMQ_POLLOUT, sent == 0 ? patience_ms : 200)) {
        ASSERT_EQ(0, ours.try_send(seeded_frame(sizes[0], 6, sent, 0)));
        ++sent;
        ASSERT_LT(sent, 1000u) << "nothing stops the sender";
    }
    EXPECT_EQ(EAGAIN, ours.try_send("one too many"));
    EXPECT_GE(sent, 15u);

    // Draining the other end lets a blocked sender go on.
    constexpr std::uint64_t later = 50;
    theirs.tell("recv " + seeded_arguments(6, 0, sent + later, sizes));
    for (std::uint64_t number = sent; number < sent + later; ++number) {
        ASSERT_TRUE(ours.send(seeded_frame(sizes[0], 6, number, 0)));
    }
    theirs.reply();
}

TEST_P(flow_interop_test, we_stop_a_sender_when_we_are_slow)
{
    const frame_sizes sizes{60000};
    peer_process theirs("PUSH");
    theirs.set(ZMQ_SNDHWM, 10);
    theirs.set(ZMQ_SNDBUF, 65536);
    socket ours = ctx_.open(ZMQ_PULL);
    ours.set(ZMQ_RCVHWM, 5);
    ours.set(ZMQ_RCVBUF, 65536);
    join(ours, theirs, GetParam(), true);
    theirs.ask("post hello");
    ASSERT_EQ("hello", ours.recv());
    const std::uint64_t sent = std::stoull(theirs.ask("flood 7 60000"));
    EXPECT_LT(sent, 1000u) << "nothing stops the sender";
    EXPECT_GE(sent, 5u);
    theirs.tell("send " + seeded_arguments(7, sent, 50, sizes));
    for (std::uint64_t number = 0; number < sent + 50; ++number) {
        ASSERT_TRUE(recv_exactly(ours, seeded_message(7, number, sizes))) << number;
    }
    theirs.reply();
}

TEST_P(flow_interop_test, a_slow_subscriber_loses_whole_messages_but_never_stops_the_publisher)
{
    constexpr std::uint64_t count = 3000;
    const frame_sizes sizes{16, 5000, 9000};
    peer_process theirs("SUB");
    theirs.set(ZMQ_RCVHWM, 5);
    theirs.text(ZMQ_SUBSCRIBE, "");
    socket ours = ctx_.open(ZMQ_PUB);
    ours.set(ZMQ_SNDHWM, 10);
    join(ours, theirs, GetParam(), true);
    await_subscriber(ours, theirs);
    for (std::uint64_t number = 0; number < count; ++number) {
        ASSERT_TRUE(ours.send_parts(seeded_message(8, number, sizes), ZMQ_DONTWAIT)) << number;
    }
    theirs.tell("run 8 " + std::to_string(count) + " " + sizes_text(sizes));
    while (!theirs.answered(5)) {
        ASSERT_TRUE(ours.send_parts(seeded_message(8, count, sizes)));
    }
    std::istringstream answer(theirs.reply());
    std::uint64_t first = 1;
    std::uint64_t received = 0;
    answer >> first >> received;
    EXPECT_EQ(0u, first);
    EXPECT_LT(received, count);
}

TEST_P(flow_interop_test, a_slow_subscriber_of_ours_loses_whole_messages_only)
{
    constexpr std::uint64_t count = 3000;
    const frame_sizes sizes{16, 5000, 9000};
    peer_process theirs("PUB");
    theirs.set(ZMQ_SNDHWM, 10);
    socket ours = ctx_.open(ZMQ_SUB);
    ours.set(ZMQ_RCVHWM, 5);
    ours.subscribe("");
    join(ours, theirs, GetParam(), true);
    await_publisher(ours, theirs);
    theirs.ask("send " + seeded_arguments(9, 0, count, sizes));
    std::optional<std::uint64_t> last;
    while (ours.readable(300)) {
        const parts frames = ours.recv_parts();
        ASSERT_EQ(3u, frames.size());
        const std::uint64_t number = number_of(frames[0]);
        ASSERT_EQ(seeded_message(9, number, sizes), frames);
        ASSERT_TRUE(!last || number > *last) << number;
        EXPECT_TRUE(last || number == 0);
        last = number;
    }
    EXPECT_TRUE(last);
}

INSTANTIATE_TEST_SUITE_P(, flow_interop_test, ::testing::Values(transport::tcp, transport::ipc),
                         [](const ::testing::TestParamInfo<transport>& one) {
                             return one.param == transport::tcp ? "tcp" : "ipc";
                         });

}  // namespace
}  // namespace zlink::test
