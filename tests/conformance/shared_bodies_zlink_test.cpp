// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Large bodies over ipc by memory that both peers have: what arrives, what programs see of it, and peers that do not
// keep to the rules (docs/decisions/0031-shared-bodies.md).
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::test {
namespace {

constexpr std::size_t large = 100'000;

std::string octets(std::size_t size, int seed)
{
    std::string s(size, '\0');
    for (std::size_t i = 0; i < size; ++i) s[i] = char(i * 7 + i / 256 + std::size_t(seed) * 13);
    return s;
}

zlink_stats_t stats_of(socket& s)
{
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    EXPECT_EQ(0, zlink_socket_stats(s, &stats)) << zlink_last_error();
    return stats;
}

class shared_bodies_test : public zmq_test {
protected:
    std::string endpoint() const { return "ipc://" + directory_.file("socket"); }
    std::string path() const { return directory_.file("socket"); }

    // One by one, as with all of them on their way some would go through the socket.
    static void exchange(socket& from, socket& to, int count, std::size_t size)
    {
        for (int i = 0; i < count; ++i) {
            ASSERT_TRUE(from.send(octets(size, i)));
            ASSERT_EQ(octets(size, i), to.recv());
        }
    }

    // The first ones go through the socket, until the peers have agreed. All that follow go by shared memory.
    static void share(socket& from, socket& to, int count, std::size_t size)
    {
        const std::uint64_t before = stats_of(from).shared_bodies_sent;
        EXPECT_TRUE(eventually([&] {
            exchange(from, to, 1, size);
            return HasFatalFailure() || stats_of(from).shared_bodies_sent > before;
        }));
        const std::uint64_t agreed = stats_of(from).shared_bodies_sent;
        exchange(from, to, count, size);
        EXPECT_EQ(agreed + std::uint64_t(count), stats_of(from).shared_bodies_sent);
    }

    /// One for each topic, which it has subscribed to. Marks: `most` messages; 0: the default.
    std::vector<socket> subscribers(socket& pub, std::initializer_list<const char*> topics, int most = 0)
    {
        std::vector<socket> subs;
        for (const char* topic : topics) {
            socket& s = subs.emplace_back(ctx_.open(ZMQ_SUB));
            if (most != 0) s.set(ZMQ_RCVHWM, most);
            for (const char* each : {topic, "?", "!"}) s.subscribe(each);
            s.connect(endpoint());
        }
        await_subscriptions(pub, subs);
        return subs;
    }
    /// The publisher knows of the subscriptions of all, and no message is on its way.
    static void await_subscriptions(socket& pub, std::vector<socket>& subs)
    {
        for (socket& s : subs) {
            ASSERT_TRUE(eventually([&] {
                (void)pub.try_send("?");
                return s.recv_frame(ZMQ_DONTWAIT).has_value();
            }));
        }
        ASSERT_TRUE(pub.send("!"));
        for (socket& s : subs) {
            while (s.recv() != "!") {
            }
        }
    }

    temp_directory directory_;
};

TEST_F(shared_bodies_test, large_bodies_go_by_shared_memory_and_arrive_as_they_were)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind(endpoint());
    other.connect(endpoint());
    share(one, other, 50, large);
    share(other, one, 50, large);
    EXPECT_EQ(stats_of(one).shared_bodies_sent, stats_of(other).shared_bodies_received);
    EXPECT_LT(0u, stats_of(one).shared_memory_made);
    EXPECT_EQ(stats_of(one).shared_memory_made, stats_of(other).shared_memory_taken);
    const auto before = stats_of(one).shared_bodies_sent;
    exchange(one, other, 50, 32 * 1024 - 1);
    EXPECT_EQ(before, stats_of(one).shared_bodies_sent) << "small ones do not";
}

TEST_F(shared_bodies_test, sizes_and_frames_mix)
{
    socket one = ctx_.open(ZMQ_DEALER);
    socket other = ctx_.open(ZMQ_ROUTER);
    other.bind(endpoint());
    one.connect(endpoint());
    std::vector<parts> sent;  // some of them by shared memory
    for (int i = 0; i < 200; ++i) {
        parts m;
        for (int part = 0; part <= i % 4; ++part) {
            m.push_back(octets(std::size_t((i * 7919 + part * 104729) % 200'000), i + part));
        }
        sent.push_back(m);
        ASSERT_TRUE(one.send_parts(m));
        if (i % 10 != 9) continue;
        for (const parts& expected : std::exchange(sent, {})) {
            parts come = other.recv_parts();
            ASSERT_EQ(expected.size() + 1, come.size());
            const std::string id = come.front();
            come.erase(come.begin());
            ASSERT_EQ(expected, come);
            come.insert(come.begin(), id);
            ASSERT_TRUE(other.send_parts(come));
            ASSERT_EQ(expected, one.recv_parts());
        }
    }
}

TEST_F(shared_bodies_test, a_receiver_that_is_behind_gets_all_in_order)
{
    socket one = ctx_.open(ZMQ_PUSH);
    socket other = ctx_.open(ZMQ_PULL);
    other.bind(endpoint());
    one.connect(endpoint());
    share(one, other, 1, large);
    constexpr int count = 400;
    std::thread sender([&] {
        for (int i = 0; i < count; ++i) EXPECT_TRUE(one.send(octets(large + std::size_t(i % 3), i)));
    });
    for (int i = 0; i < count; ++i) ASSERT_EQ(octets(large + std::size_t(i % 3), i), other.recv());
    sender.join();
    EXPECT_GE(64u << 20, stats_of(one).shared_memory_made);
}

TEST_F(shared_bodies_test, the_message_is_the_programs_own)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind(endpoint());
    other.connect(endpoint());
    share(one, other, 1, large);
    const auto before = stats_of(one).shared_bodies_sent;
    std::vector<zmq_msg_t> kept(40);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        ASSERT_TRUE(one.send(octets(large, int(i))));
        zmq_msg_init(&kept[i]);
        ASSERT_EQ(int(large), zmq_msg_recv(&kept[i], other, 0));
        EXPECT_EQ(0, zmq_msg_get(&kept[i], ZMQ_SHARED));
        std::memset(zmq_msg_data(&kept[i]), int(i), large / 2);  // writable, as always
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto* data = static_cast<const char*>(zmq_msg_data(&kept[i]));
        EXPECT_EQ(std::string(large / 2, char(i)) + octets(large, int(i)).substr(large / 2), std::string(data, large));
        zmq_msg_close(&kept[i]);
    }
    EXPECT_EQ(before + 40, stats_of(one).shared_bodies_sent) << "kept messages hold no slot";
}

TEST_F(shared_bodies_test, borrowed_messages_are_the_programs_own_and_hold_their_places)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    EXPECT_EQ(-1, other.get_int(ZLINK_SHM_BORROW));
    other.set(ZLINK_SHM_BORROW, 1);
    one.bind(endpoint());
    other.connect(endpoint());
    share(one, other, 1, large);
    const auto before = stats_of(one).shared_bodies_sent;
    std::vector<zmq_msg_t> kept(40);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < kept.size(); ++i) {
            ASSERT_TRUE(one.send(octets(large, int(i) + round)));
            zmq_msg_init(&kept[i]);
            ASSERT_EQ(int(large), zmq_msg_recv(&kept[i], other, 0));
            auto* const data = static_cast<char*>(zmq_msg_data(&kept[i]));
            EXPECT_EQ(octets(large, int(i) + round), std::string(data, large));
            std::memset(data, int(i), large / 2);
        }
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const auto* data = static_cast<const char*>(zmq_msg_data(&kept[i]));
            EXPECT_EQ(std::string(large / 2, char(i)) + octets(large, int(i) + round).substr(large / 2),
                      std::string(data, large));
            zmq_msg_close(&kept[i]);
        }
    }
    const auto shared = stats_of(one).shared_bodies_sent - before;
    EXPECT_LT(shared, 3 * kept.size()) << "messages that are kept hold their places";
    EXPECT_GE(shared, 3u * 10) << "which are free again once they are closed";
}

TEST_F(shared_bodies_test, borrowed_messages_outlive_their_sockets_and_pass_through_others)
{
    zmq_msg_t kept;
    zmq_msg_init(&kept);
    {
        socket one = ctx_.open(ZMQ_PAIR);
        socket other = ctx_.open(ZMQ_PAIR);
        other.set(ZLINK_SHM_BORROW, 1);
        one.bind(endpoint());
        other.connect(endpoint());
        share(one, other, 1, large);
        socket in = ctx_.open(ZMQ_PAIR);
        socket out = ctx_.open(ZMQ_PAIR);
        in.bind("inproc://on");
        out.connect("inproc://on");
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(one.send(octets(large, i)));
            ASSERT_EQ(int(large), zmq_msg_recv(&kept, other, 0));
            ASSERT_EQ(int(large), zmq_msg_send(&kept, in, 0));
            ASSERT_EQ(octets(large, i), out.recv());
        }
        ASSERT_TRUE(one.send(octets(large, 77)));
        ASSERT_EQ(int(large), zmq_msg_recv(&kept, other, 0));
    }
    EXPECT_EQ(octets(large, 77), std::string(static_cast<const char*>(zmq_msg_data(&kept)), large));
    zmq_msg_close(&kept);
}

TEST_F(shared_bodies_test, a_publisher_reaches_all_its_subscribers)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    pub.bind(endpoint());
    std::vector<socket> subs = subscribers(pub, {"", "", ""});
    const auto publish = [&](int seed) {
        ASSERT_TRUE(pub.send(octets(large, seed)));
        for (socket& s : subs) ASSERT_EQ(octets(large, seed), s.recv());
    };
    EXPECT_TRUE(eventually([&] {
        const auto before = stats_of(pub).shared_bodies_sent;
        publish(0);
        return HasFatalFailure() || stats_of(pub).shared_bodies_sent == before + subs.size();
    }));
    const auto before = stats_of(pub).shared_bodies_sent;
    for (int i = 0; i < 30; ++i) publish(i);
    EXPECT_EQ(before + 30 * subs.size(), stats_of(pub).shared_bodies_sent);
}

TEST_F(shared_bodies_test, a_lent_message_is_sent_without_a_copy)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    other.set(ZLINK_SHM_BORROW, 1);
    one.bind(endpoint());
    other.connect(endpoint());
    share(one, other, 1, large);
    const auto before = stats_of(one).shared_bodies_sent;
    for (int i = 0; i < 50; ++i) {
        zmq_msg_t sent;
        ASSERT_EQ(0, zlink_msg_init_loan(&sent, one, large));
        ASSERT_EQ(large, zmq_msg_size(&sent));
        const void* const place = zmq_msg_data(&sent);
        octets(large, i).copy(static_cast<char*>(zmq_msg_data(&sent)), large);
        zmq_msg_t copy;
        zmq_msg_init(&copy);
        ASSERT_EQ(0, zmq_msg_copy(&copy, &sent));
        ASSERT_EQ(int(large), zmq_msg_send(&sent, one, 0));
        ASSERT_EQ(octets(large, i), other.recv());
        EXPECT_EQ(place, zmq_msg_data(&copy));
        ASSERT_EQ(int(large), zmq_msg_send(&copy, one, 0)) << "once more: through the socket";
        ASSERT_EQ(octets(large, i), other.recv());
    }
    EXPECT_EQ(before + 50, stats_of(one).shared_bodies_sent);
}

TEST_F(shared_bodies_test, a_lent_message_is_one_like_any_other)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind(endpoint());
    other.connect(endpoint());
    const auto send_lent = [&](socket& to, int seed) {
        zmq_msg_t sent;
        ASSERT_EQ(0, zlink_msg_init_loan(&sent, one, large));
        octets(large, seed).copy(static_cast<char*>(zmq_msg_data(&sent)), large);
        ASSERT_EQ(int(large), zmq_msg_send(&sent, to, 0));
    };
    send_lent(one, 1);
    EXPECT_EQ(octets(large, 1), other.recv()) << "nothing is shared yet";
    share(one, other, 1, large);
    socket far = ctx_.open(ZMQ_PULL);
    socket near = ctx_.open(ZMQ_PUSH);
    near.connect(far.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 100; ++i) {
        send_lent(near, i);
        EXPECT_EQ(octets(large, i), far.recv()) << "by another socket";
    }
    for (int i = 0; i < 100; ++i) send_lent(one, i);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(octets(large, i), other.recv()) << "more than there are places";
    zmq_msg_t unsent;
    ASSERT_EQ(0, zlink_msg_init_loan(&unsent, one, large));
    std::memset(zmq_msg_data(&unsent), 1, large);
    one.close();
    std::memset(zmq_msg_data(&unsent), 2, large);
    EXPECT_EQ(0, zmq_msg_close(&unsent));
}

TEST_F(shared_bodies_test, a_publisher_lends_one_place_for_all_its_subscribers)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    pub.bind(endpoint());
    std::vector<socket> subs = subscribers(pub, {"", "", "", ""});
    const auto publish = [&](int seed) {
        zmq_msg_t sent;
        ASSERT_EQ(0, zlink_msg_init_loan(&sent, pub, large));
        octets(large, seed).copy(static_cast<char*>(zmq_msg_data(&sent)), large);
        ASSERT_EQ(int(large), zmq_msg_send(&sent, pub, 0));
        for (socket& sub : subs) ASSERT_EQ(octets(large, seed), sub.recv());
    };
    EXPECT_TRUE(eventually([&] {
        const std::uint64_t before = stats_of(pub).shared_bodies_sent;
        publish(1);
        return HasFatalFailure() || stats_of(pub).shared_bodies_sent == before + 4;
    }));
    const std::uint64_t agreed = stats_of(pub).shared_bodies_sent;
    for (int i = 0; i < 30; ++i) publish(i);
    EXPECT_EQ(agreed + 4 * 30, stats_of(pub).shared_bodies_sent);
    EXPECT_GE(2u << 20, stats_of(pub).shared_memory_made) << "one segment";
}

// The second message lies where the first one lay, and goes to a subscriber that has not had the first.
TEST_F(shared_bodies_test, a_body_is_not_taken_for_an_earlier_one_in_the_same_memory)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    pub.bind(endpoint());
    std::vector<socket> subs = subscribers(pub, {"a", "a", "b"});
    std::string memory(large, ' ');
    zmq_msg_t original;
    ASSERT_EQ(0, zmq_msg_init_data(&original, memory.data(), large, [](void*, void*) {}, nullptr));
    const auto publish = [&](char topic, int seed) {
        octets(large, seed).copy(memory.data(), large);
        memory[0] = topic;
        zmq_msg_t copy;
        zmq_msg_init(&copy);
        ASSERT_EQ(0, zmq_msg_copy(&copy, &original));
        ASSERT_EQ(int(large), zmq_msg_send(&copy, pub, 0));
        for (std::size_t i = topic == 'a' ? 0 : 2; i < (topic == 'a' ? 2u : 3u); ++i)
            ASSERT_TRUE(memory == subs[i].recv()) << seed;
    };
    for (int i = 0; i < 250; ++i) {
        publish('a', i);
        publish('b', 1000 + i);
    }
    EXPECT_LT(0u, stats_of(subs[2]).shared_bodies_received);
    zmq_msg_close(&original);
}

TEST_F(shared_bodies_test, a_subscriber_that_never_reads_disturbs_no_other)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    pub.set(ZMQ_SNDHWM, 5);
    pub.bind(endpoint());
    std::vector<socket> subs = subscribers(pub, {"", ""}, 5);
    socket& sub = subs[0];
    const auto publish = [&](int seed) {
        ASSERT_TRUE(pub.send(octets(large, seed)));
        ASSERT_EQ(octets(large, seed), sub.recv());
    };
    for (int i = 0; i < 400; ++i) publish(i);
    const std::uint64_t before = stats_of(sub).shared_bodies_received;
    for (int i = 0; i < 100; ++i) publish(i);
    EXPECT_EQ(before + 100, stats_of(sub).shared_bodies_received);
}

// Numbers of the descriptors of shared memory that this process has.
std::vector<int> memory_descriptors()
{
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(entry.path(), gone);
        if (!gone && target.string().starts_with("/memfd:zlink")) found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
}

TEST_F(shared_bodies_test, a_publishers_descriptor_stays_for_others_and_no_program_that_is_started_gets_it)
{
    socket pub = ctx_.open(ZMQ_XPUB);
    pub.bind(endpoint());
    std::vector<socket> subs = subscribers(pub, {""});
    share(pub, subs.back(), 1, large);
    const std::vector<int> open = memory_descriptors();
    EXPECT_EQ(1u, open.size());
    for (const int fd : open) EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

TEST_F(shared_bodies_test, two_that_share_keep_no_descriptor)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind(endpoint());
    other.connect(endpoint());
    share(one, other, 1, large);
    EXPECT_TRUE(eventually([] { return memory_descriptors().empty(); }));
}

TEST_F(shared_bodies_test, a_peer_that_comes_back_shares_again)
{
    socket one = ctx_.open(ZMQ_DEALER);
    one.bind(endpoint());
    for (int round = 0; round < 3; ++round) {
        socket other = ctx_.open(ZMQ_DEALER);
        other.connect(endpoint());
        share(one, other, 20, large);
        EXPECT_LE(20u, stats_of(other).shared_bodies_received);
        other.close();
        EXPECT_TRUE(eventually([&] { return stats_of(one).shared_memory_made == 0; })) << "given back";
    }
}

TEST_F(shared_bodies_test, nothing_is_lost_when_the_receiver_goes)
{
    socket one = ctx_.open(ZMQ_PUSH);
    one.set(ZMQ_SNDTIMEO, patience_ms);
    socket other = ctx_.open(ZMQ_PULL);
    other.bind(endpoint());
    one.connect(endpoint());
    share(one, other, 20, large);
    other.close();
    socket next = ctx_.open(ZMQ_PULL);
    ASSERT_TRUE(eventually([&] { return zmq_bind(next, endpoint().c_str()) == 0; }));
    ASSERT_TRUE(eventually([&] {
        const auto stats = stats_of(one);
        return stats.disconnects == 1 && stats.connects == 2;
    }));
    share(one, next, 20, large);
}

TEST_F(shared_bodies_test, a_conflating_pair_gets_the_newest)
{
    socket one = ctx_.open(ZMQ_PUSH);
    socket other = ctx_.open(ZMQ_PULL);
    one.set(ZMQ_CONFLATE, 1);
    other.set(ZMQ_CONFLATE, 1);
    other.bind(endpoint());
    one.connect(endpoint());
    share(one, other, 20, large);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(one.send(octets(large, i)));
    std::string come;
    ASSERT_TRUE(eventually([&] {
        if (auto next = other.recv_frame(ZMQ_DONTWAIT)) come = *next;
        return come == octets(large, 99);
    }));
}

TEST_F(shared_bodies_test, a_proxy_passes_bodies_on)
{
    socket front = ctx_.open(ZMQ_PULL);
    socket back = ctx_.open(ZMQ_PUSH);
    socket one = ctx_.open(ZMQ_PUSH);
    socket other = ctx_.open(ZMQ_PULL);
    front.bind(endpoint());
    back.bind("ipc://" + directory_.file("back"));
    std::thread proxy([&] {
        EXPECT_EQ(-1, zmq_proxy(front, back, nullptr));
        front.close();
        back.close();
    });
    one.connect(endpoint());
    other.connect("ipc://" + directory_.file("back"));
    share(one, other, 50, large);
    EXPECT_TRUE(eventually([&] {
        exchange(one, other, 1, large);
        return HasFatalFailure() || stats_of(other).shared_bodies_received > 20;
    }));
    one.close();
    other.close();
    ctx_.shutdown();
    proxy.join();
}

TEST_F(shared_bodies_test, tcp_and_curve_share_nothing)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind("tcp://127.0.0.1:*");
    other.connect(one.last_endpoint());
    exchange(one, other, 20, large);
    EXPECT_EQ(0u, stats_of(one).shared_bodies_sent);
    if (!zmq_has("curve")) return;
    char key[41];
    char secret[41];
    ASSERT_EQ(0, zmq_curve_keypair(key, secret));
    socket server = ctx_.open(ZMQ_PAIR);
    socket client = ctx_.open(ZMQ_PAIR);
    server.set(ZMQ_CURVE_SERVER, 1);
    server.set(ZMQ_CURVE_SECRETKEY, std::string(secret));
    client.set(ZMQ_CURVE_SERVERKEY, std::string(key));
    client.set(ZMQ_CURVE_PUBLICKEY, std::string(key));
    client.set(ZMQ_CURVE_SECRETKEY, std::string(secret));
    server.bind(endpoint());
    client.connect(endpoint());
    exchange(server, client, 20, large);
    EXPECT_EQ(0u, stats_of(server).shared_bodies_sent);
}

// --- something between the peers that passes octets and no descriptors -----------------------------------------------

int listen_at(const std::string& path)
{
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name));
    EXPECT_EQ(0, ::listen(fd, 8));
    return fd;
}

int connect_to(const std::string& path)
{
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, ::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name));
    return fd;
}

// Until one side ends.
void relay(int one, int other)
{
    std::array<pollfd, 2> ends{{{one, POLLIN, 0}, {other, POLLIN, 0}}};
    std::array<char, 65536> octets_now;
    while (::poll(ends.data(), ends.size(), -1) > 0) {
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (!ends[i].revents) continue;
            const ssize_t n = ::read(ends[i].fd, octets_now.data(), octets_now.size());
            if (n <= 0) return;
            for (ssize_t at = 0; at < n;) {
                const ssize_t w = ::send(ends[1 - i].fd, octets_now.data() + at, std::size_t(n - at), MSG_NOSIGNAL);
                if (w <= 0) return;
                at += w;
            }
        }
    }
}

TEST_F(shared_bodies_test, through_a_relay_of_octets_bodies_go_as_before)
{
    socket one = ctx_.open(ZMQ_PAIR);
    socket other = ctx_.open(ZMQ_PAIR);
    one.bind(endpoint());
    const std::string between = directory_.file("relay");
    const int listener = listen_at(between);
    std::thread passes([&] {
        const int from = ::accept(listener, nullptr, nullptr);
        const int to = connect_to(path());
        relay(from, to);
        ::close(from);
        ::close(to);
    });
    other.connect("ipc://" + between);
    exchange(one, other, 20, large);
    exchange(other, one, 20, large);
    EXPECT_EQ(0u, stats_of(one).shared_bodies_sent);
    EXPECT_EQ(0u, stats_of(other).shared_bodies_sent);
    EXPECT_EQ(0u, stats_of(one).shared_memory_made + stats_of(one).shared_memory_taken);
    EXPECT_EQ(0u, stats_of(one).disconnects);
    other.close();
    passes.join();
    ::close(listener);
}

// --- peers that do not keep to the rules ------------------------------------------------------------------------------

// Speaks ZMTP 3.1 and says that it shares memory.
class hostile_peer {
public:
    explicit hostile_peer(const std::string& path) : fd_(connect_to(path))
    {
        const std::string ready = "\5READY" + property("Socket-Type", "PAIR") + property("X-zlink-shm", "1");
        write(zmtp3_greeting() + frame(ready, command_bit));
        EXPECT_EQ(64u, read(64).size());
        const std::string header = read(2);
        EXPECT_NE(std::string::npos, read(std::uint8_t(header[1])).find("X-zlink-shm")) << "offered by zlink";
    }
    hostile_peer(const hostile_peer&) = delete;
    hostile_peer& operator=(const hostile_peer&) = delete;
    ~hostile_peer() { ::close(fd_); }

    static std::string property(std::string_view name, std::string_view value)
    {
        std::string text(1, char(name.size()));
        text += name;
        text += big_endian(value.size(), 4);
        text += value;
        return text;
    }
    static std::string frame(std::string_view body, std::uint8_t flags)
    {
        std::string text{char(flags), char(body.size())};
        text += body;
        return text;
    }
    static std::string command(std::string_view name, std::string_view data)
    {
        std::string body(1, char(name.size()));
        body += name;
        body += data;
        return frame(body, command_bit);
    }
    static std::string id(std::uint32_t number) { return big_endian(number, 4); }
    static std::string layout(std::uint32_t number, std::uint32_t slots, std::uint64_t slot_size)
    {
        return id(number) + big_endian(slots, 4) + big_endian(slot_size, 8);
    }
    static std::string reference(std::uint32_t segment, std::uint32_t slot, std::uint64_t generation,
                                 std::uint64_t size, std::uint8_t flags = 8)
    {
        return frame(id(segment) + id(slot) + big_endian(generation, 8) + big_endian(size, 8), flags);
    }

    void write(std::string_view text)
    {
        EXPECT_EQ(ssize_t(text.size()), ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL));
    }
    void write_with(std::string_view text, std::vector<int> descriptors)
    {
        std::vector<std::byte> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
        iovec piece{const_cast<char*>(text.data()), text.size()};
        msghdr m{};
        m.msg_iov = &piece;
        m.msg_iovlen = 1;
        m.msg_control = control.data();
        m.msg_controllen = control.size();
        cmsghdr* const c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size() * sizeof(int));
        EXPECT_EQ(ssize_t(text.size()), ::sendmsg(fd_, &m, MSG_NOSIGNAL));
    }
    // Empty: the connection has been ended.
    std::string read(std::size_t size)
    {
        std::string text(size, '\0');
        std::size_t got = 0;
        while (got < size) {
            pollfd p{fd_, POLLIN, 0};
            if (::poll(&p, 1, patience_ms) != 1) {
                ADD_FAILURE() << "nothing comes";
                return {};
            }
            const ssize_t n = ::read(fd_, text.data() + got, size - got);
            if (n <= 0) return {};
            got += std::size_t(n);
        }
        return text;
    }
    // The body of the next command; its descriptor is lost.
    std::string next_command()
    {
        const std::string header = read(2);
        return header.empty() ? header : read(std::uint8_t(header[1]));
    }
    bool is_ended()
    {
        while (true) {
            if (read(1).empty()) return true;
            if (testing::Test::HasFailure()) return false;
        }
    }
    // Offers a segment of two slots, and passes this descriptor for it, which is closed here; or several times at once.
    void pass(int fd, std::size_t times = 1)
    {
        write(command("X-SHM-OFFER", layout(1, 2, 65536)));
        EXPECT_EQ(std::string("\14X-SHM-ACCEPT\0\0\0\1", 17), next_command());
        write_with(command("X-SHM-ARENA", id(1)), std::vector<int>(times, fd));
        ::close(fd);
    }
    // The same, and it is accepted.
    void agree(int fd = sealed(131072, nullptr))
    {
        pass(fd);
        EXPECT_EQ(std::string("\15X-SHM-RETURNS\0\0\0\1", 18), next_command());
    }

    // A memfd of this size, and all seals. `mapping`: made before the seals, so that it can be written.
    static int sealed(std::size_t size, char** mapping = nullptr)
    {
        const int fd = unsealed(size);
        if (mapping) *mapping = static_cast<char*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        EXPECT_EQ(0, ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | 0x0010 | F_SEAL_SEAL));
        return fd;
    }
    static int unsealed(std::size_t size)
    {
        const int fd = ::memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        EXPECT_EQ(0, ::fallocate(fd, 0, 0, off_t(size)));
        return fd;
    }

private:
    int fd_;
};

class hostile_sharing_test : public shared_bodies_test {
protected:
    explicit hostile_sharing_test(int borrows = 0)
    {
        pair_.set(ZLINK_SHM_BORROW, borrows);
        pair_.bind(endpoint());
    }

    static constexpr std::size_t segment = 131072;

    void receive_of_a_scribbling_peer();

    socket pair_ = ctx_.open(ZMQ_PAIR);
};

class hostile_borrowing_test : public hostile_sharing_test {
protected:
    hostile_borrowing_test() : hostile_sharing_test(1) {}
};

TEST_F(hostile_sharing_test, a_well_behaved_one_of_the_kind_gets_through)
{
    hostile_peer peer(path());
    char* memory = nullptr;
    const int fd = hostile_peer::sealed(segment, &memory);
    octets(50'000, 3).copy(memory + 65536, 50'000);
    ::munmap(memory, segment);
    peer.agree(fd);
    peer.write(hostile_peer::reference(1, 1, 1, 50'000));
    EXPECT_EQ(octets(50'000, 3), pair_.recv());
    peer.write(hostile_peer::reference(1, 1, 2, 3, 9) + hostile_peer::frame("x", 0));
    EXPECT_EQ((parts{octets(50'000, 3).substr(0, 3), "x"}), pair_.recv_parts());
    EXPECT_EQ(2u, stats_of(pair_).shared_bodies_received);
}

TEST_F(hostile_sharing_test, each_violation_ends_its_connection_alone)
{
    using peer = hostile_peer;
    const auto expect_ended = [&](const char* what, auto violates) {
        SCOPED_TRACE(what);
        {
            peer bad(path());
            violates(bad);
            EXPECT_TRUE(bad.is_ended());
        }
        ASSERT_TRUE(eventually([&] {
            while (pair_.recv_frame(ZMQ_DONTWAIT)) {
            }
            const auto s = stats_of(pair_);
            return s.connects == s.disconnects && s.shared_memory_taken + s.shared_memory_made == 0;
        }));
    };

    const std::string number = peer::id(1);
    const std::pair<const char*, std::string> at_once[] = {
        {"a reference before anything was agreed upon", peer::reference(1, 0, 1, 100)},
        {"an arena that was not offered", peer::command("X-SHM-ARENA", number)},
        {"returns of nothing", peer::command("X-SHM-RETURNS", number)},
        {"an answer to nothing", peer::command("X-SHM-ACCEPT", number)},
        {"a refusal of nothing", peer::command("X-SHM-DECLINE", number)},
        {"the end of nothing", peer::command("X-SHM-RETIRE", number)},
        {"an unknown command of the kind", peer::command("X-SHM-WHAT", number)},
        {"an offer cut short", peer::command("X-SHM-OFFER", number)},
        {"no slots", peer::command("X-SHM-OFFER", peer::layout(1, 0, 4096))},
        {"a size that overflows", peer::command("X-SHM-OFFER", peer::layout(1, 4096, ~std::uint64_t{0}))},
        {"two offers", peer::command("X-SHM-OFFER", peer::layout(1, 2, 4096)) +
                           peer::command("X-SHM-OFFER", peer::layout(2, 2, 4096))},
    };
    for (const auto& [what, said] : at_once) expect_ended(what, [&](peer& p) { p.write(said); });

    expect_ended("another descriptor", [](peer& p) { p.pass(::open("/dev/null", O_RDONLY | O_CLOEXEC)); });
    expect_ended("memory of another size", [](peer& p) { p.pass(peer::sealed(segment / 2)); });
    expect_ended("memory that can shrink", [](peer& p) { p.pass(peer::unsealed(segment)); });
    expect_ended("two descriptors", [](peer& p) { p.pass(peer::sealed(segment), 2); });

    const std::pair<const char*, std::string> once_agreed[] = {
        {"a slot that is not there", peer::reference(1, 2, 1, 100)},
        {"a segment that is not there", peer::reference(2, 0, 1, 100)},
        {"more than a slot", peer::reference(1, 0, 1, 65537)},
        {"2^64 octets", peer::reference(1, 0, 1, ~std::uint64_t{0})},
        {"no octets", peer::reference(1, 0, 1, 0)},
        {"a generation again", peer::reference(1, 0, 5, 10) + peer::reference(1, 0, 5, 10)},
        {"a slot in use", peer::reference(1, 0, 1, 9000) + peer::reference(1, 0, 2, 9000)},
        {"a reference of another size", peer::frame(std::string(23, 'x'), 8)},
        {"other reserved bits", peer::frame(std::string(24, 'x'), 0x18)},
        {"a command by reference", peer::reference(1, 0, 1, 100, 0x0c)},
    };
    for (const auto& [what, said] : once_agreed) {
        expect_ended(what, [&](peer& p) {
            p.agree();
            p.write(said);
        });
    }

    peer good(path());
    good.write(peer::frame("still there", 0));
    EXPECT_EQ("still there", pair_.recv());
}

void hostile_sharing_test::receive_of_a_scribbling_peer()
{
    hostile_peer peer(path());
    char* memory = nullptr;
    peer.agree(hostile_peer::sealed(segment, &memory));
    std::atomic<bool> over{false};
    std::thread scribbler([&] {
        for (char c = 0; !over; ++c) {
            for (std::size_t i = 0; i < segment; i += 64) reinterpret_cast<std::atomic<char>*>(memory + i)->store(c);
        }
    });
    for (std::uint64_t i = 1; i <= 200; ++i) {
        peer.write(hostile_peer::reference(1, std::uint32_t(i % 2), i, i % 2 == 0 ? 65536 : 5000));
        EXPECT_EQ(i % 2 == 0 ? 65536u : 5000u, pair_.recv().size());
    }
    over = true;
    scribbler.join();
    ::munmap(memory, segment);
}

TEST_F(hostile_sharing_test, a_peer_that_scribbles_changes_nothing_but_what_it_sends)
{
    receive_of_a_scribbling_peer();
}

TEST_F(hostile_borrowing_test, a_peer_that_scribbles_changes_nothing_but_what_it_sends)
{
    receive_of_a_scribbling_peer();
}

}  // namespace
}  // namespace zlink::test
