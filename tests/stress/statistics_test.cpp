// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads that look at sockets which open, work and close on others.
#include "support/zmq_fixture.hpp"

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

class statistics_stress_test : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(transports, statistics_stress_test,
                         ::testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*"), scheme_of<const char*>);

// Looks at a handle that may be of a socket which has ended, or of none yet.
void look_at(void* handle)
{
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    if (zlink_socket_stats(handle, &stats) != 0) {
        EXPECT_EQ(ENOTSOCK, zmq_errno());
    } else {
        EXPECT_LE(stats.disconnects, stats.connects);
    }
    zlink_peer_stats_t peers[2] = {};
    peers[0].size = sizeof peers[0];
    std::size_t count = 2;
    if (zlink_socket_peers(handle, peers, &count) != 0) {
        EXPECT_EQ(ENOTSOCK, zmq_errno());
    }
}

TEST_P(statistics_stress_test, looks_while_sockets_open_work_and_close)
{
    constexpr int rounds = 30, messages = 200;
    context ctx;
    std::atomic<void*> handles[2] = {};
    std::atomic<bool> over{false};
    std::vector<std::thread> looking;
    for (int i = 0; i < 2; ++i) {
        looking.emplace_back([&] {
            std::vector<zlink_stats_t> all(8);
            while (!over) {
                for (const auto& handle : handles) look_at(handle);
                all[0].size = sizeof all[0];
                std::size_t count = all.size();
                EXPECT_EQ(0, zlink_context_stats(ctx, all.data(), &count));
                std::this_thread::yield();
            }
        });
    }
    for (int round = 0; round < rounds; ++round) {
        socket router = ctx.open(ZMQ_ROUTER);
        handles[0] = router;
        const std::string endpoint =
            router.bind(GetParam() == std::string("inproc") ? unique_inproc() : std::string(GetParam()));
        std::thread sender([&] {
            socket dealer = ctx.open(ZMQ_DEALER);
            handles[1] = dealer;
            dealer.set(ZLINK_NAME, "dealer " + std::to_string(round));
            dealer.set(ZMQ_ROUTING_ID, "dealer");
            dealer.connect(endpoint);
            for (int i = 0; i < messages; ++i) dealer.send(std::string(std::size_t(i % 20 == 0 ? 10'000 : i), 'x'));
            EXPECT_EQ("done", dealer.recv());
            dealer.close();
        });
        for (int i = 0; i < messages; ++i) EXPECT_EQ(2u, router.recv_parts().size());
        router.send_parts({"dealer", "done"});
        sender.join();
        router.close();
    }
    over = true;
    for (std::thread& t : looking) t.join();
}

}  // namespace
}  // namespace zlink::test
