// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// At the end of each test of this program, what its sockets have sent to each other was received, was dropped, or waits
// (docs/observing.md). The look is before a test's first socket is closed. Sockets are compared by endpoint, where all
// ends of its connections are sockets of the test. If something is with the system alone, as where a receiver is full,
// the numbers cannot add up, and the endpoint is left out.
#include "support/zmq_fixture.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace zlink::test {
namespace {

/// All peers of one endpoint, on both of its sides.
struct endpoint_sum {
    std::map<void*, std::size_t> peers;  // of each socket
    std::uint64_t sent = 0;
    std::uint64_t found = 0;    // received, waiting or replaced
    std::uint64_t waiting = 0;  // in a queue
    std::uint64_t full = 0;     // dropped at a mark: before they were sent, or after
    bool broken = false;        // a socket has lost a connection, or cannot be compared

    /// Of each connection, both ends are here: one socket has bound the endpoint, and each other one has connected.
    [[nodiscard]] bool is_whole() const
    {
        std::size_t all = 0;
        std::size_t of_binder = 0;
        for (const auto& of_one : peers) {
            all += of_one.second;
            of_binder = std::max(of_binder, of_one.second);
        }
        return !broken && peers.size() > 1 && all == 2 * of_binder;
    }
    [[nodiscard]] bool adds_up() const { return found <= sent && sent - found <= full; }
};

using endpoint_sums = std::map<std::string, endpoint_sum>;

bool may_be_compared(const zlink_stats_t& stats)
{
    return stats.type != ZMQ_STREAM && stats.type != ZMQ_DGRAM && stats.disconnects == 0 && stats.reconnects == 0 &&
           stats.failed_handshakes == 0 && stats.dropped_unsent == 0 && stats.dropped_unread == 0;
}

void add_peers_of(void* socket, endpoint_sums& to)
{
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    if (zlink_socket_stats(socket, &stats) != 0) return;  // of a context that has ended
    std::size_t count = 0;
    if (zlink_socket_peers(socket, nullptr, &count) != 0 || count == 0) return;
    std::vector<zlink_peer_stats_t> peers(count);
    peers[0].size = sizeof peers[0];
    if (zlink_socket_peers(socket, peers.data(), &count) != 0) return;
    peers.resize(std::min(count, peers.size()));
    const bool broken = !may_be_compared(stats);
    for (const zlink_peer_stats_t& peer : peers) {
        const std::string endpoint = peer.endpoint;
        const bool one_queue = endpoint.starts_with("inproc:");
        const zlink_message_counts_t& counts = peer.messages;
        endpoint_sum& sum = to[endpoint];
        ++sum.peers[socket];
        sum.sent += counts.messages_sent;
        sum.waiting += counts.messages_queued_in + counts.messages_queued_out;
        sum.found += counts.messages_received + counts.messages_queued_in + counts.dropped_replaced +
                     (one_queue ? 0 : counts.messages_queued_out);
        sum.full += counts.dropped_full;
        sum.broken = sum.broken || broken || endpoint.empty() || endpoint.starts_with("udp:");  // which may lose
    }
}

/// The sockets of the test that runs.
class balance_watch {
public:
    void opened(void* socket)
    {
        if (is_of_a_child()) return;
        const std::lock_guard held(lock_);
        std::erase(sockets_, socket);  // another one may have had the handle
        sockets_.push_back(socket);
    }

    void released(void* socket)
    {
        if (is_of_a_child()) return;
        const std::lock_guard held(lock_);
        std::erase(sockets_, socket);
    }

    void closing(void* socket)
    {
        if (is_of_a_child()) return;
        const std::lock_guard held(lock_);
        if (!std::exchange(has_looked_, true)) compare();
        std::erase(sockets_, socket);
    }

    void begin_test()
    {
        const std::lock_guard held(lock_);
        has_looked_ = false;
    }

    /// How many endpoints have been found to add up.
    [[nodiscard]] std::uint64_t compared()
    {
        const std::lock_guard held(lock_);
        return compared_;
    }

    /// How many could not be compared: messages flowed, or the system alone had some.
    [[nodiscard]] std::uint64_t left_out()
    {
        const std::lock_guard held(lock_);
        return left_out_;
    }

private:
    [[nodiscard]] bool is_of_a_child() const { return getpid() != process_; }

    [[nodiscard]] endpoint_sums look() const
    {
        endpoint_sums sums;
        for (void* const socket : sockets_) add_peers_of(socket, sums);
        std::erase_if(sums, [](const auto& entry) { return !entry.second.is_whole(); });
        return sums;
    }

    void compare()
    {
        endpoint_sums sums = look();
        std::erase_if(sums, [this](const auto& entry) { return settles(entry.first, entry.second); });
        for (const auto& [endpoint, sum] : sums) {
            ADD_FAILURE() << endpoint << ": " << sum.sent << " messages were sent, " << sum.found
                          << " are received, replaced or waiting (" << sum.waiting << "), and " << sum.full
                          << " were dropped at a mark";
        }
    }

    /// Waits for what is under way. False: it does not add up.
    bool settles(const std::string& endpoint, endpoint_sum sum)
    {
        bool flows = false;
        int looks = 0;
        const bool known = sum.adds_up() || eventually([&] {
                               const endpoint_sums sums = look();
                               const auto now = sums.find(endpoint);
                               if (now == sums.end()) return true;  // a connection has ended
                               flows = now->second.sent != sum.sent;
                               sum = now->second;
                               return sum.adds_up() || flows || (sum.waiting != 0 && ++looks > looks_while_waiting);
                           });
        if (known) ++(sum.adds_up() ? compared_ : left_out_);
        return known;
    }

    static constexpr int looks_while_waiting = 10;  // a millisecond each: a receiver may be full

    const pid_t process_ = getpid();
    std::mutex lock_;
    std::vector<void*> sockets_;
    bool has_looked_ = false;
    std::uint64_t compared_ = 0;
    std::uint64_t left_out_ = 0;
};

// It never ends: destructors of static objects close sockets, too.
balance_watch& watch()
{
    static balance_watch& of_all_tests = *new balance_watch;
    return of_all_tests;
}

class watch_listener : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { watch().begin_test(); }
    void OnTestProgramEnd(const testing::UnitTest&) override
    {
        std::cout << "[ BALANCE  ] of " << watch().compared() << " endpoints, " << watch().left_out()
                  << " more were left out\n";
    }
};

// Before main(): the sockets of all tests are watched.
const bool watched = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new watch_listener);
    watch_of_sockets = {[](void* s) { watch().opened(s); }, [](void* s) { watch().closing(s); },
                        [](void* s) { watch().released(s); }};
    return true;
}();

class balance_test : public zmq_test, public testing::WithParamInterface<const char*> {};

TEST_P(balance_test, is_asserted_at_the_end_of_a_test)
{
    const bool binds_name = std::string(GetParam()).starts_with("inproc");
    const std::uint64_t before = watch().compared();
    socket pull = ctx_.open(ZMQ_PULL), one = ctx_.open(ZMQ_PUSH), other = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = pull.bind(binds_name ? unique_inproc() : GetParam());
    for (socket* s : {&one, &other}) s->connect(endpoint);
    for (int i = 0; i < 10; ++i) {
        for (socket* s : {&one, &other}) s->send(std::to_string(i));
    }
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(pull.recv().empty());
    for (socket* s : {&one, &other}) EXPECT_EQ(0, zlink_wait(*s, ZLINK_DRAINED, 0, patience_ms));
    one.close();
    EXPECT_TRUE(watched);
    EXPECT_EQ(before + 1, watch().compared());
}

INSTANTIATE_TEST_SUITE_P(all, balance_test,
                         testing::Values("inproc://*", "tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         scheme_of<const char*>);

TEST(balance_rule_test, finds_what_is_missing_or_too_many)
{
    int socket[3] = {};
    endpoint_sum sum;
    sum.peers = {{&socket[0], 2}, {&socket[1], 1}, {&socket[2], 1}};
    sum.sent = sum.found = 10;
    EXPECT_TRUE(sum.is_whole());
    EXPECT_TRUE(sum.adds_up());
    sum.found = 9;
    EXPECT_FALSE(sum.adds_up()) << "one was lost";
    sum.full = 1;
    EXPECT_TRUE(sum.adds_up()) << "it was dropped";
    sum.found = 11;
    EXPECT_FALSE(sum.adds_up()) << "one came twice";
    sum.peers[&socket[0]] = 3;
    EXPECT_FALSE(sum.is_whole()) << "a peer is not of the test";
}

}  // namespace
}  // namespace zlink::test
