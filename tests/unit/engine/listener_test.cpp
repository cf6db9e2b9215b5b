// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Listeners: a session and a pipe for every peer that connects, until they are stopped.
#include "engine/listener.hpp"

#include "engine_fixture.hpp"
#include "support/memory_transport/memory_peer.hpp"
#include "transport/ip/ip_address.hpp"
#include "transport/ipc/ipc_socket.hpp"
#include "transport/tcp/tcp_socket.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;

class listener_test : public engine_fixture {
protected:
    void TearDown() override
    {
        if (listener_) listener_->stop(0ms);
        listener_.reset();
        engine_fixture::TearDown();
    }

    [[nodiscard]] std::unique_ptr<transport::acceptor> open(const std::string& at) const
    {
        const auto where = transport::parse_bind_endpoint(at);
        if (!where) return nullptr;
        int number = -1;
        auto opened = where->over->streams()->bind(*where->where, options_.stream, number);
        if (!opened) return nullptr;
        EXPECT_EQ((*opened)->descriptor(), number);
        return std::move(*opened);
    }
    void listen(std::unique_ptr<transport::acceptor> opened)
    {
        ASSERT_TRUE(opened);
        endpoint_ = opened->endpoint_text();
        listener_ = std::make_shared<listener>(
            worker_, host_ref(host_), options(), alive_,
            [this]() -> io_worker& { return second_ && second_->load < serving_->load ? *second_ : *serving_; },
            std::move(opened), endpoint_);
        listener_->start();
    }
    void listen_on_tcp() { listen(open("tcp://127.0.0.1:*")); }
    void listen_in_memory() { listen(open("mem://*")); }
    void listen_on_ipc() { listen(open("ipc://*")); }

    [[nodiscard]] raw_peer join(const std::string& name) const
    {
        raw_peer peer = connect();
        peer.handshake(zmtp_version::v3_1, "DEALER", name);
        return peer;
    }
    [[nodiscard]] raw_peer connect() const
    {
        return endpoint_.starts_with("mem") ? zlink::test::connect_memory_peer(endpoint_)
                                            : raw_peer::connect_to(endpoint_);
    }

    std::shared_ptr<listener> listener_;
    std::string endpoint_;
    io_worker* serving_ = &worker_;
    io_worker* second_ = nullptr;
};

TEST_F(listener_test, accepts_over_tcp)
{
    listen_on_tcp();
    raw_peer peer = join("there");
    const auto accepted = host_.wait_for(monitor_event::accepted);
    ASSERT_TRUE(accepted);
    EXPECT_EQ(endpoint_, accepted->endpoints.local);
    EXPECT_EQ(endpoint_, accepted->endpoints.identifier());
    EXPECT_EQ(transport::tcp::local_endpoint(peer.fd()), accepted->endpoints.remote);

    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    EXPECT_EQ("there", attached->routing_id);
    EXPECT_EQ(7u, attached->endpoint_id);
    peer.send_message({"a", "b"});
    EXPECT_EQ((parts{"a", "b"}), host_.receive(*attached->end));
    host_.send(*attached->end, {"c", "d"});
    EXPECT_EQ((parts{"c", "d"}), peer.read_message());
}

TEST_F(listener_test, accepts_over_ipc)
{
    listen_on_ipc();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = endpoint_.substr(std::string("ipc://").size());
    ASSERT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    raw_peer peer(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(0, ::connect(peer.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
    peer.handshake(zmtp_version::v3_1, "DEALER");
    const auto accepted = host_.wait_for(monitor_event::accepted);
    ASSERT_TRUE(accepted);
    EXPECT_EQ(endpoint_, accepted->endpoints.local);
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    peer.send_message({"by file"});
    EXPECT_EQ(parts{"by file"}, host_.receive(*attached->end));
}

TEST_F(listener_test, gives_everyone_a_pipe)
{
    listen_in_memory();
    std::vector<raw_peer> peers;
    for (std::size_t i = 1; i <= 5; ++i) {
        peers.push_back(join(std::to_string(i)));
        const auto attached = host_.wait_for_pipe(i);
        ASSERT_TRUE(attached);
        EXPECT_EQ(std::to_string(i), attached->routing_id);
    }
    for (std::size_t i = 1; i <= 5; ++i) {
        pipe::pipe_end& end = *host_.wait_for_pipe(i)->end;
        peers[i - 1].send_message({"from", std::to_string(i)});
        EXPECT_EQ((parts{"from", std::to_string(i)}), host_.receive(end));
    }
}

TEST_F(listener_test, has_connections_served_by_the_worker_that_was_chosen)
{
    io_worker other(false);
    ASSERT_TRUE(other.start({}, 1));
    serving_ = &other;
    listen_in_memory();
    {
        const raw_peer peer = join("");
        ASSERT_TRUE(host_.wait_for_pipe());
        EXPECT_EQ(1, other.load);
        EXPECT_EQ(0, worker_.load);
    }
    // What lives on that worker goes before it.
    listener_->stop(0ms);
    listener_.reset();
    EXPECT_TRUE(host_.wait_for_release());
    EXPECT_EQ(0, other.load);
}

// Those that were accepted in one go count at once.
TEST_F(listener_test, spreads_a_burst_over_the_workers)
{
    io_worker other(false);
    ASSERT_TRUE(other.start({}, 1));
    second_ = &other;
    auto opened = open("mem://*");
    ASSERT_TRUE(opened);
    const std::string text = opened->endpoint_text();
    std::vector<raw_peer> burst;
    for (int i = 0; i < 8; ++i) burst.push_back(zlink::test::connect_memory_peer(text));
    listen(std::move(opened));
    ASSERT_TRUE(host_.wait_for(monitor_event::accepted, 8));
    while (worker_.load + other.load < 8) let_a_round_pass();
    EXPECT_EQ(4, worker_.load);
    EXPECT_EQ(4, other.load);
    burst.clear();
    listener_->stop(0ms);
    listener_.reset();
    EXPECT_TRUE(host_.wait_for_release());
    EXPECT_EQ(0, other.load);
}

TEST_F(listener_test, stopped_ends_its_sessions_and_listens_no_more)
{
    listen_in_memory();
    raw_peer peer = join("there");
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    raw_peer stranger = connect();
    ASSERT_TRUE(host_.wait_for(monitor_event::accepted, 2));

    listener_->stop(0ms);
    const auto closed = host_.wait_for(monitor_event::closed);
    ASSERT_TRUE(closed);
    EXPECT_EQ(endpoint_, closed->endpoints.identifier());
    EXPECT_THROW((void)connect(), zlink::test::raw_peer_error);
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(stranger.wait_for_end());
    EXPECT_TRUE(host_.wait_for_close(*attached->end));
}

TEST_F(listener_test, stopped_with_linger_has_its_sessions_write_what_is_queued)
{
    listen_in_memory();
    raw_peer peer = join("there");
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    // More than the stream takes before the peer reads.
    constexpr std::size_t count = 200;
    for (std::size_t i = 0; i < count; ++i) host_.send(*attached->end, {pattern_of(100'000, i)});
    listener_->stop(patience);
    ASSERT_TRUE(host_.wait_for(monitor_event::closed));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(parts{pattern_of(100'000, i)}, peer.read_message()) << i;
    EXPECT_TRUE(peer.wait_for_end());
}

}  // namespace
}  // namespace zlink::engine::test
