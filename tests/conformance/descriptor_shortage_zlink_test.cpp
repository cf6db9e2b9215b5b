// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The process has no descriptor left: calls fail with EMFILE, connections wait, and what is there goes on.
#include "conformance/bad_input_fixture.hpp"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace zlink::test {
namespace {

using zlink::test::socket;

class descriptor_shortage_test : public bad_input_test {};

/// Lets the process open no further descriptor while it lives.
class no_more_descriptors {
public:
    no_more_descriptors()
    {
        EXPECT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before_));
        const int lowest_free = ::dup(STDIN_FILENO);
        ::close(lowest_free);
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(lowest_free);
        EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &limit));
    }

    no_more_descriptors(const no_more_descriptors&) = delete;
    no_more_descriptors& operator=(const no_more_descriptors&) = delete;
    ~no_more_descriptors() { EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before_)); }

private:
    rlimit before_{};
};

/// Peers whose descriptors are there already, so that they can connect when no more are to be had.
class prepared_peers {
public:
    explicit prepared_peers(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) peers_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }

    void connect(const std::string& endpoint)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(tcp_peer::port_of(endpoint));
        for (raw_peer& peer : peers_) {
            EXPECT_EQ(0, ::connect(peer.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address));
        }
    }

    std::vector<raw_peer>& all() { return peers_; }

private:
    std::vector<raw_peer> peers_;
};

TEST_F(descriptor_shortage_test, accepting_resumes_when_there_are_descriptors_again)
{
    prepared_peers peers(5);
    {
        no_more_descriptors shortage;
        peers.connect(endpoint_);
        const auto failed = events_->await(ZMQ_EVENT_ACCEPT_FAILED);
        EXPECT_EQ(EMFILE, static_cast<int>(failed.value));
        EXPECT_EQ(endpoint_, failed.endpoint);
        for (int i = 0; i < 20; ++i) expect_good_peer_undisturbed();
    }
    for (raw_peer& peer : peers.all()) {
        peer.handshake(zmtp_version::v3_1, "PUSH");
        peer.send_message({"after all"});
        EXPECT_EQ("after all", server_.recv());
    }
}

TEST_F(descriptor_shortage_test, shortage_of_descriptors_is_an_error_value)
{
    socket existing = ctx_.open(ZMQ_PUSH);
    {
        no_more_descriptors shortage;
        EXPECT_EQ(-1, zmq_bind(existing, "tcp://127.0.0.1:*"));
        EXPECT_EQ(EMFILE, zmq_errno());
        // Whether these need a descriptor is the library's affair; they must not end the process.
        void* const s = zmq_socket(ctx_, ZMQ_PUSH);
        if (s == nullptr) {
            EXPECT_EQ(EMFILE, zmq_errno());
        } else {
            EXPECT_EQ(0, zmq_close(s));
        }
        expect_good_peer_undisturbed();
    }
    existing.bind("tcp://127.0.0.1:*");
}

TEST_F(descriptor_shortage_test, connecting_waits_for_descriptors)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    {
        no_more_descriptors shortage;
        client.connect(endpoint_);
        client.send("patient");
        for (int i = 0; i < 20; ++i) expect_good_peer_undisturbed();
    }
    EXPECT_EQ("patient", server_.recv());
}

}  // namespace
}  // namespace zlink::test
