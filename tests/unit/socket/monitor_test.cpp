// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Monitors: which events are published, in which form, to whom, and for how long.
#include "socket/monitor.hpp"

#include "socket/context.hpp"
#include "socket/socket.hpp"
#include "unit/socket/whole_messages.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace zlink::socket {
namespace {

using test::frames;
using test::next;
using event = engine::monitor_event;
using form = monitor::form;

constexpr int patience_ms = 20'000;
constexpr std::uint64_t all_events = 0x1ffff;

template <class... Numbers>
std::string octets(Numbers... numbers)
{
    std::string all;
    (all.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return all;
}

frames version_1(event e, std::uint32_t value, const std::string& endpoint)
{
    return {octets(std::uint16_t(e), value), endpoint};
}

class monitor_test : public testing::Test {
protected:
    ~monitor_test() override
    {
        monitor_.stop();
        for (socket* s : listeners_) s->close();
        EXPECT_EQ(errc::none, context_->terminate());
    }

    socket* listen(std::string_view endpoint, int type = ZMQ_PAIR)
    {
        const auto opened = context_->open_socket(type);
        if (!opened) throw std::runtime_error("no socket");
        socket* s = listeners_.emplace_back(*opened);
        EXPECT_EQ(errc::none, s->set(ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms));
        if (type == ZMQ_SUB) {
            EXPECT_EQ(errc::none, s->set(ZMQ_SUBSCRIBE, "", 0));
        }
        EXPECT_EQ(errc::none, s->connect(endpoint));
        return s;
    }

    context* context_ = context::create();
    monitor monitor_{*context_};
    std::vector<socket*> listeners_;
    const engine::endpoint_pair accepted_{"tcp://here:1", "tcp://there:2", true};
    const engine::endpoint_pair connected_{"tcp://here:3", "tcp://there:4", false};
};

TEST_F(monitor_test, tells_an_event_of_version_1_in_two_frames_whatever_the_type)
{
    for (const auto& [type, peer] : {std::pair{ZMQ_PAIR, ZMQ_PAIR}, {ZMQ_PUB, ZMQ_SUB}, {ZMQ_PUSH, ZMQ_PULL}}) {
        const std::string endpoint = "inproc://m" + std::to_string(type);
        ASSERT_EQ(errc::none, monitor_.start(endpoint, 0xffff, form::version_1, type));
        socket* listener = listen(endpoint, peer);
        monitor_.report(event::accepted, 17, accepted_, "");
        EXPECT_EQ(version_1(event::accepted, 17, "tcp://here:1"), next(listener)) << type;
        monitor_.report(event::connected, 18, connected_, "");
        EXPECT_EQ(version_1(event::connected, 18, "tcp://there:4"), next(listener)) << type;
    }
}

TEST_F(monitor_test, tells_an_event_of_version_2_with_both_endpoints)
{
    ASSERT_EQ(errc::none, monitor_.start("inproc://m", all_events, form::version_2, ZMQ_PAIR));
    socket* listener = listen("inproc://m");
    constexpr std::uint64_t value = 0x123456789a;
    monitor_.report(event::connected, value, connected_, "");
    const frames expected{octets(std::uint64_t(event::connected)), octets(std::uint64_t{1}), octets(value),
                          "tcp://here:3", "tcp://there:4"};
    EXPECT_EQ(expected, next(listener));
}

TEST_F(monitor_test, explains_an_event_in_seven_frames)
{
    ASSERT_EQ(errc::none, monitor_.start("inproc://m", 0xffff, form::explained, ZMQ_PAIR));
    socket* listener = listen("inproc://m");
    engine::endpoint_pair known = accepted_;
    known.peer = std::make_shared<engine::peer_words>(engine::peer_words{.routing_id = "id", .user_id = "user"});
    monitor_.report(event::disconnected, 17, known, "why");
    const auto head = [](event e, std::uint64_t value) { return frames{octets(std::uint64_t(e)), octets(value)}; };
    frames expected = head(event::disconnected, 17);
    for (const char* text : {"tcp://here:1", "tcp://there:2", "id", "user", "why"}) expected.emplace_back(text);
    EXPECT_EQ(expected, next(listener));

    known.written = "tcp://*:1";
    monitor_.report(event::accepted, 18, known, "");
    EXPECT_EQ("tcp://*:1", next(listener).at(2)) << "as the program wrote it";

    engine::endpoint_pair made = connected_;
    made.peer = std::make_shared<engine::peer_words>(engine::peer_words{.address = "tcp://192.0.2.1:4"});
    monitor_.report(event::connected, 19, made, "");
    expected = head(event::connected, 19);
    for (const char* text : {"tcp://there:4", "tcp://192.0.2.1:4", "", "", ""}) expected.emplace_back(text);
    EXPECT_EQ(expected, next(listener));
}

TEST_F(monitor_test, tells_only_events_asked_for)
{
    const auto asked = std::uint64_t(event::listening) | std::uint64_t(event::closed);
    ASSERT_EQ(errc::none, monitor_.start("inproc://m", asked, form::version_1, ZMQ_PAIR));
    socket* listener = listen("inproc://m");
    for (const event e : {event::connected, event::listening, event::accepted, event::closed, event::disconnected}) {
        monitor_.report(e, 1, accepted_, "");
    }
    monitor_.stop();
    EXPECT_EQ(version_1(event::listening, 1, accepted_.local), next(listener));
    EXPECT_EQ(version_1(event::closed, 1, accepted_.local), next(listener));
    EXPECT_EQ(frames{}, next(listener, true));
}

TEST_F(monitor_test, a_second_start_stops_the_first)
{
    ASSERT_EQ(errc::none, monitor_.start("inproc://first", 0xffff, form::version_1, ZMQ_PAIR));
    socket* first = listen("inproc://first");
    ASSERT_EQ(errc::none, monitor_.start("inproc://second", 0xffff, form::version_1, ZMQ_PAIR));
    socket* second = listen("inproc://second");
    monitor_.report(event::closed, 5, accepted_, "");
    EXPECT_EQ(version_1(event::closed, 5, accepted_.local), next(second));
    EXPECT_EQ(version_1(event::monitor_stopped, 0, ""), next(first));
    EXPECT_EQ(frames{}, next(first, true));
    // The name of the first is free again.
    EXPECT_EQ(errc::none, monitor_.start("inproc://first", 0xffff, form::version_1, ZMQ_PAIR));
}

TEST_F(monitor_test, refuses_what_it_cannot_do_and_goes_on_as_before)
{
    ASSERT_EQ(errc::none, monitor_.start("inproc://m", 0xffff, form::version_1, ZMQ_PAIR));
    socket* listener = listen("inproc://m");
    EXPECT_EQ(errc::invalid_argument, monitor_.start("inproc://n", 0x10000, form::version_1, ZMQ_PAIR));
    EXPECT_EQ(errc::invalid_argument, monitor_.start("inproc://n", 1, form::version_1, ZMQ_SUB));
    EXPECT_EQ(errc::invalid_argument, monitor_.start("nonsense", 1, form::version_1, ZMQ_PAIR));
    EXPECT_EQ(errc::protocol_not_supported, monitor_.start("tcp://127.0.0.1:*", 1, form::version_1, ZMQ_PAIR));
    monitor_.report(event::closed, 5, accepted_, "");
    EXPECT_EQ(version_1(event::closed, 5, accepted_.local), next(listener));
}

// Whatever else is lost: never a part of an event, and nothing once there is room again.
TEST_F(monitor_test, a_listener_that_is_full_loses_whole_events)
{
    ASSERT_EQ(errc::none, monitor_.start("inproc://m", 0xffff, form::version_1, ZMQ_PAIR));
    socket* listener = listen("inproc://m");
    constexpr std::uint32_t reported = 10'000;
    for (std::uint32_t i = 0; i < reported; ++i) monitor_.report(event::accepted, i, accepted_, "");
    std::uint32_t told = 0;
    for (frames f = next(listener, true); !f.empty(); f = next(listener, true)) {
        ASSERT_EQ(version_1(event::accepted, told, accepted_.local), f);
        ++told;
    }
    EXPECT_GT(told, 0u);
    EXPECT_LT(told, reported);
    monitor_.report(event::closed, 5, accepted_, "");
    EXPECT_EQ(version_1(event::closed, 5, accepted_.local), next(listener));
}

TEST_F(monitor_test, tells_queues_if_they_are_asked_for_in_version_2)
{
    EXPECT_FALSE(monitor_.wants_queues());
    EXPECT_EQ(errc::invalid_argument, monitor_.report_queues(3, 4, connected_));
    ASSERT_EQ(errc::none, monitor_.start("inproc://1", 0xffff, form::version_1, ZMQ_PAIR));
    EXPECT_FALSE(monitor_.wants_queues());
    ASSERT_EQ(errc::none, monitor_.start("inproc://2", 0xffff, form::version_2, ZMQ_PAIR));
    EXPECT_EQ(errc::invalid_argument, monitor_.report_queues(3, 4, connected_));
    ASSERT_EQ(errc::none, monitor_.start("inproc://3", ZMQ_EVENT_PIPES_STATS, form::version_2, ZMQ_PAIR));
    socket* listener = listen("inproc://3");
    EXPECT_TRUE(monitor_.wants_queues());
    EXPECT_EQ(errc::none, monitor_.report_queues(3, 4, connected_));
    const frames expected{octets(std::uint64_t{ZMQ_EVENT_PIPES_STATS}),
                          octets(std::uint64_t{2}),
                          octets(std::uint64_t{3}),
                          octets(std::uint64_t{4}),
                          "tcp://here:3",
                          "tcp://there:4"};
    EXPECT_EQ(expected, next(listener));
    monitor_.stop();
    EXPECT_FALSE(monitor_.wants_queues());
}

}  // namespace
}  // namespace zlink::socket
