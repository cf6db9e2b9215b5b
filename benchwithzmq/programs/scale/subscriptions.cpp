// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The price of matching: one SUB has SIZE subscriptions, all different; PUB sends topics that none of them matches, and
// then topics that one does. The first leaves nothing but the match to pay for.
#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/report.hpp"
#include "harness/rig.hpp"
#include "harness/zmq_ends.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using topic = std::array<char, 24>;

constexpr const char* pattern = "SCALE_SUBSCRIPTIONS";
constexpr std::size_t kind_at = 16;
constexpr std::size_t tried = 65536;  // different topics that are sent, over and over: no cache holds all they lead to
constexpr std::size_t hot = 64;       // the same for topics that caches do hold

// Number i of the topics subscribed to (kind 's') or of those that nobody wants ('n'). They share "topic/", then differ
// early and late, as names in use do; multiplication by an odd number scatters them without making two alike.
topic topic_of(std::uint64_t i, char kind)
{
    char text[sizeof(topic) + 1];
    const auto scattered = static_cast<std::uint32_t>(i * 2654435761U);
    std::snprintf(text, sizeof text, "topic/%04x/%04x/%c.......", scattered >> 16, scattered & 0xffff, kind);
    topic octets;
    std::copy_n(text, octets.size(), octets.begin());
    return octets;
}

std::vector<topic> topics_to_send(std::uint64_t count, char kind, std::size_t different = tried)
{
    std::vector<topic> list(different);
    for (std::size_t i = 0; i < different; ++i) list[i] = topic_of(i * 7919 % count, kind);
    return list;
}

// Everything but the topics has this size.
using mark = std::array<char, 4>;
constexpr mark ready{'r', 'e', 'a', 'd'};  // sent until it comes, behind all subscriptions
constexpr mark over{'o', 'v', 'e', 'r'};   // sent once, behind all messages

// Receives until `over` comes; anything not subscribed to is an error.
void receive_all(void* socket, bench::shared_state& state)
{
    topic in;
    std::uint64_t received = 0;
    while (true) {
        const std::size_t size = bench::receive_frame(socket, in.data(), in.size());
        if (size == in.size() && in[kind_at] == 's') {
            state.received.store(++received, std::memory_order_relaxed);
        } else if (size == ready.size() && std::equal(ready.begin(), ready.end(), in.begin())) {
            state.met = true;
        } else if (size == over.size() && std::equal(over.begin(), over.end(), in.begin())) {
            return;
        } else {
            bench::fail(bench::exit_status::failed, "a message came that nobody subscribed to");
        }
    }
}

void send_mark(void* socket, const mark& octets)
{
    bench::send_frame(socket, octets.data(), octets.size());
}

void subscribe_to_all(bench::rig& with, bench::zmq_handle& pub, bench::zmq_handle& sub, std::uint64_t count)
{
    constexpr std::uint64_t between_sends = 256;  // PUB takes subscriptions in when it is used
    for (std::uint64_t i = 0; i < count; ++i) {
        const topic next = topic_of(i, 's');
        if (zmq_setsockopt(sub.get(), ZMQ_SUBSCRIBE, next.data(), next.size()) != 0) bench::fail_call("ZMQ_SUBSCRIBE");
        if (i % between_sends != 0) continue;
        bench::send_frame(pub.get(), "none", 4);
        with.state().steps.fetch_add(1);
    }
    for (const mark& each : {ready, over}) sub.set(ZMQ_SUBSCRIBE, std::string(each.begin(), each.end()));
}

// Sends the topics round and round for the time given; returns nanoseconds per message.
double send_for(void* socket, bench::shared_state& state, const std::vector<topic>& topics, double seconds)
{
    constexpr std::size_t between_looks = 256;
    std::uint64_t count = 0;
    const std::uint64_t start = bench::now_ns();
    std::uint64_t now = start;
    for (const auto until = start + static_cast<std::uint64_t>(1e9 * seconds); now < until; now = bench::now_ns()) {
        for (std::size_t i = 0; i < between_looks; ++i, ++count) {
            const topic& next = topics[count % topics.size()];
            bench::send_frame(socket, next.data(), next.size());
        }
        state.sent.store(count, std::memory_order_relaxed);
    }
    return static_cast<double>(now - start) / static_cast<double>(count);
}

void measure(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    bench::shared_state& state = with.state();
    bench::zmq_handle pub(context, ZMQ_PUB, of);
    bench::zmq_handle sub(context, ZMQ_SUB, of);
    // Subscriptions are messages, too, and none of them may be dropped.
    pub.set(ZMQ_RCVHWM, 0);
    sub.set(ZMQ_SNDHWM, 0);
    sub.connect(pub.bind(of.transport));

    const auto count = static_cast<double>(of.size);
    const double memory_before = bench::resident_octets();
    const std::uint64_t start = bench::now_ns();
    subscribe_to_all(with, pub, sub, of.size);
    std::thread receiver([&] { receive_all(sub.get(), state); });
    while (!state.met) {
        send_mark(pub.get(), ready);
        bench::sleep_ns(1'000'000);
    }
    bench::print_result(of, pattern, "subscribe_ns", static_cast<double>(bench::now_ns() - start) / count);
    bench::print_result(of, pattern, "memory_octets_per_subscription",
                        (bench::resident_octets() - memory_before) / count);

    const std::vector<topic> unwanted = topics_to_send(of.size, 'n');
    const std::vector<topic> wanted = topics_to_send(of.size, 's');
    (void)send_for(pub.get(), state, unwanted, 0.1 * of.seconds);
    bench::print_result(of, pattern, "match_ns", send_for(pub.get(), state, unwanted, of.seconds));
    const std::vector<topic> few = topics_to_send(of.size, 'n', hot);
    bench::print_result(of, pattern, "match_hot_ns", send_for(pub.get(), state, few, of.seconds));
    bench::print_result(of, pattern, "delivered_ns", send_for(pub.get(), state, wanted, of.seconds));
    send_mark(pub.get(), over);
    receiver.join();
    if (state.received != state.sent) {
        bench::fail(bench::exit_status::failed, "%llu messages were sent, %llu came",
                    static_cast<unsigned long long>(state.sent.load()),
                    static_cast<unsigned long long>(state.received.load()));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of =
        bench::parse_settings(argc, argv, {.size = "number of subscriptions", .largest_size = 100'000'000});
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    bench::rig with(of);
    with.run_alone<bench::zmq_context>([&](bench::zmq_context& context) { measure(with, context, of); });
    return 0;
}
