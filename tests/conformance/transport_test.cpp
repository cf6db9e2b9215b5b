// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What every transport must do in the same way, run over tcp (IPv4 and IPv6), ipc, inproc, ws, vsock, tls and wss. Also
// over streams in memory, if the library that is linked has them.
#include "support/vsock_loopback.hpp"
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

// A body whose every byte depends on its position and on `seed`.
std::string patterned(std::size_t size, unsigned seed)
{
    std::string body(size, '\0');
    std::uint32_t state = seed * 2654435761u + 1;
    for (char& byte : body) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<char>(state >> 24);
    }
    return body;
}

struct transport {
    const char* name;
    bool ipv6 = false;
    const char* script = "";  // mem: what its streams do to the octets
};

std::ostream& operator<<(std::ostream& out, const transport& value)
{
    return out << value.name;
}

class transport_test : public ::testing::TestWithParam<transport> {
protected:
    bool is(std::string_view name) const { return name == GetParam().name; }
    bool is_tcp() const { return std::string_view(GetParam().name).starts_with("tcp"); }
    bool is_inproc() const { return is("inproc"); }
    bool is_memory() const { return std::string_view(GetParam().name).starts_with("mem"); }

    socket open(int type)
    {
        socket opened = ctx_.open(type);
        opened.set(ZMQ_IPV6, GetParam().ipv6 ? 1 : 0);
        opened.set(ZMQ_RECONNECT_IVL, 10);
        if (is("tls") || is("wss")) know_certificates(opened);
        return opened;
    }

    // An endpoint to bind to; peers connect to what bind() returns.
    std::string fresh()
    {
        if (is("tcp4")) {
            return "tcp://127.0.0.1:*";
        }
        if (is("tcp6")) {
            return "tcp://[::1]:*";
        }
        if (is("tls")) {
            return "tls://127.0.0.1:*";
        }
        if (is("ws") || is("wss")) {
            return GetParam().name + std::string("://127.0.0.1:*/zmq");
        }
        if (is("ipc_wildcard")) {
            return "ipc://*";
        }
        if (is("vsock")) {
            return "vsock://@:*";
        }
        if (is_memory()) {
            return std::string("mem://*") + GetParam().script;
        }
        return known();
    }

    // An endpoint that both sides know before it is bound.
    std::string known()
    {
        const std::string number = std::to_string(next_++);
        if (is_tcp() || is("ws") || is("wss")) {
            const auto port = std::to_string(tcp_peer::port_of(tcp_peer::listen().endpoint()));
            if (!is_tcp()) return GetParam().name + ("://127.0.0.1:" + port) + "/zmq";
            return (GetParam().ipv6 ? "tcp://[::1]:" : "tcp://127.0.0.1:") + port;
        }
        if (is("tls")) {
            return "tls://127.0.0.1:" + std::to_string(tcp_peer::port_of(tcp_peer::listen().endpoint()));
        }
        if (is("vsock")) {
            return "vsock://1:" + std::to_string(free_vsock_port());
        }
        if (is("ipc_abstract")) {
            return "ipc://@zlink-test-" + std::to_string(getpid()) + "-" + number;
        }
        if (is_memory()) {
            return "mem://known-" + std::to_string(getpid()) + "-" + number + GetParam().script;
        }
        return is_inproc() ? unique_inproc() : "ipc://" + directory_.file("socket" + number);
    }

    // Unbinds and waits until the address is free again, which the library brings about in the background.
    void unbind_and_wait(socket& bound, const std::string& endpoint)
    {
        if (is_inproc()) {
            bound.unbind(endpoint);
            return;
        }
        monitor events(ctx_, bound, ZMQ_EVENT_CLOSED);
        bound.unbind(endpoint);
        events.await(ZMQ_EVENT_CLOSED);
    }

    temp_directory directory_;
    context ctx_;

private:
    unsigned next_ = 0;
};

TEST_P(transport_test, carries_messages_both_ways)
{
    socket a = open(ZMQ_PAIR), b = open(ZMQ_PAIR);
    b.connect(a.bind(fresh()));
    for (int i = 0; i < 100; ++i) {
        const std::string number = std::to_string(i);
        a.send("to b " + number);
        b.send("to a " + number);
        EXPECT_EQ("to b " + number, b.recv());
        EXPECT_EQ("to a " + number, a.recv());
    }
}

TEST_P(transport_test, carries_messages_from_the_binding_and_from_the_connecting_side)
{
    socket bound_pull = open(ZMQ_PULL), connecting_push = open(ZMQ_PUSH);
    connecting_push.connect(bound_pull.bind(fresh()));
    connecting_push.send("from the connecting side");
    EXPECT_EQ("from the connecting side", bound_pull.recv());

    socket bound_push = open(ZMQ_PUSH), connecting_pull = open(ZMQ_PULL);
    connecting_pull.connect(bound_push.bind(fresh()));
    bound_push.send("from the binding side");
    EXPECT_EQ("from the binding side", connecting_pull.recv());
}

TEST_P(transport_test, keeps_every_byte_of_messages_of_all_sizes)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.connect(pull.bind(fresh()));
    const std::size_t sizes[] = {0,       1,       2,     28,     29,     30,      32,      33,
                                 34,      63,      64,    65,     127,    254,     255,     256,
                                 257,     1023,    4096,  8190,   8191,   8192,    8193,    16384,
                                 65535,   65536,   65537, 100000, 262144, 1000003, 1 << 20, (1 << 20) + 1,
                                 3 << 20, 16 << 20};
    std::thread sender([&] {
        unsigned seed = 0;
        for (std::size_t size : sizes) {
            push.send(patterned(size, seed++));
        }
    });
    unsigned seed = 0;
    for (std::size_t size : sizes) {
        const std::string got = pull.recv();
        EXPECT_EQ(size, got.size());
        EXPECT_TRUE(got == patterned(size, seed++)) << "content differs at size " << size;
        EXPECT_FALSE(pull.more());
    }
    sender.join();
}

TEST_P(transport_test, carries_large_messages_both_ways_at_once_in_one_thread)
{
    socket a = open(ZMQ_PAIR), b = open(ZMQ_PAIR);
    b.connect(a.bind(fresh()));
    const std::string large = patterned(4 << 20, 7);
    for (int i = 0; i < 3; ++i) {
        a.send(large);
        b.send(large);
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(a.recv() == large);
        EXPECT_TRUE(b.recv() == large);
    }
}

TEST_P(transport_test, delivers_all_frames_of_a_message_and_their_boundaries)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.connect(pull.bind(fresh()));
    const std::vector<parts> messages = {
        {"one"}, {"", ""}, {"a", "", "c"}, {"", "", "", "tail"}, {patterned(300, 1), "x", patterned(70000, 2), ""}};
    for (const parts& message : messages) {
        push.send_parts(message);
    }
    for (const parts& message : messages) {
        EXPECT_EQ(message, pull.recv_parts());
    }
    parts many;
    for (int i = 0; i < 5000; ++i) {
        many.push_back(std::to_string(i));
    }
    push.send_parts(many);
    EXPECT_EQ(many, pull.recv_parts());
}

TEST_P(transport_test, shows_no_frame_of_a_message_before_the_last_is_sent)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.connect(pull.bind(fresh()));
    push.send("before");
    EXPECT_EQ("before", pull.recv());
    push.send("first", ZMQ_SNDMORE);
    push.send("second", ZMQ_SNDMORE);
    expect_no_message_for(pull, 50);
    push.send("last");
    EXPECT_EQ((parts{"first", "second", "last"}), pull.recv_parts());
}

TEST_P(transport_test, never_mixes_the_frames_of_several_senders)
{
    constexpr int senders = 3, messages = 500;
    socket pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind(fresh());
    std::vector<std::thread> threads;
    for (int sender = 0; sender < senders; ++sender) {
        threads.emplace_back([this, sender, push = open(ZMQ_PUSH), endpoint]() mutable {
            push.set(ZMQ_LINGER, -1);
            push.connect(endpoint);
            for (int i = 0; i < messages; ++i) {
                const std::string mark = std::to_string(sender) + ":" + std::to_string(i);
                push.send_parts(parts(static_cast<std::size_t>(1 + i % 7), mark));
            }
        });
    }
    std::vector<int> next(senders, 0);
    for (int received = 0; received < senders * messages && !HasFailure(); ++received) {
        const parts frames = pull.recv_parts();
        const int sender = frames.empty() ? 0 : std::atoi(frames[0].c_str());
        const int number = next[static_cast<std::size_t>(sender)]++;
        const std::string mark = std::to_string(sender) + ":" + std::to_string(number);
        EXPECT_EQ(parts(static_cast<std::size_t>(1 + number % 7), mark), frames);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_P(transport_test, keeps_the_order_of_a_hundred_thousand_messages)
{
    constexpr unsigned count = 100000;
    const auto body = [](unsigned i) {
        return std::to_string(i) + ":" + std::string(i % 97, static_cast<char>('a' + i % 26));
    };
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    push.connect(pull.bind(fresh()));
    std::thread sender([&] {
        for (unsigned i = 0; i < count; ++i) {
            if (!push.send(body(i))) {
                break;
            }
        }
    });
    for (unsigned i = 0; i < count; ++i) {
        const std::string got = pull.recv();
        if (got != body(i)) {
            ADD_FAILURE() << "message " << i << " is " << got;
            break;
        }
    }
    pull.set(ZMQ_RCVHWM, 0);
    sender.join();
}

TEST_P(transport_test, accepts_many_peers_at_one_endpoint)
{
    constexpr std::size_t peers = 20;
    socket pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind(fresh());
    std::vector<socket> pushes;
    for (std::size_t i = 0; i < peers; ++i) {
        pushes.push_back(open(ZMQ_PUSH));
        pushes.back().connect(endpoint);
        pushes.back().send(std::to_string(i));
    }
    std::vector<bool> seen(peers);
    for (std::size_t i = 0; i < peers; ++i) {
        const std::string got = pull.recv();
        ASSERT_FALSE(got.empty());
        seen.at(static_cast<std::size_t>(std::stoi(got))) = true;
    }
    EXPECT_EQ(std::vector<bool>(peers, true), seen);
}

TEST_P(transport_test, binds_one_socket_to_several_endpoints)
{
    socket pull = open(ZMQ_PULL), first = open(ZMQ_PUSH), second = open(ZMQ_PUSH);
    const std::string one = pull.bind(fresh()), two = pull.bind(fresh());
    EXPECT_NE(one, two);
    first.connect(one);
    second.connect(two);
    first.send("by the first");
    EXPECT_EQ("by the first", pull.recv());
    second.send("by the second");
    EXPECT_EQ("by the second", pull.recv());
}

TEST_P(transport_test, connects_one_socket_to_several_endpoints)
{
    socket first = open(ZMQ_PULL), second = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    push.connect(first.bind(fresh()));
    push.connect(second.bind(fresh()));
    for (int i = 0; i < 10; ++i) {
        push.send(std::to_string(i));
    }
    for (int i = 0; i < 10; i += 2) {
        EXPECT_EQ(std::to_string(i), first.recv());
        EXPECT_EQ(std::to_string(i + 1), second.recv());
    }
}

TEST_P(transport_test, mixes_bind_and_connect_on_one_socket)
{
    socket middle = open(ZMQ_DEALER), connecting = open(ZMQ_DEALER), bound = open(ZMQ_DEALER);
    connecting.connect(middle.bind(fresh()));
    middle.connect(bound.bind(fresh()));
    connecting.send("in by bind");
    EXPECT_EQ("in by bind", middle.recv());
    bound.send("in by connect");
    EXPECT_EQ("in by connect", middle.recv());
    middle.send("a");
    middle.send("b");
    EXPECT_TRUE(bound.wait(ZMQ_POLLIN));
    EXPECT_TRUE(connecting.wait(ZMQ_POLLIN));
}

TEST_P(transport_test, joins_one_endpoint_by_different_transports)
{
    socket pull = open(ZMQ_PULL), here = open(ZMQ_PUSH), there = open(ZMQ_PUSH);
    here.connect(pull.bind(fresh()));
    there.connect(pull.bind(unique_inproc()));
    here.send("here");
    EXPECT_EQ("here", pull.recv());
    there.send("there");
    EXPECT_EQ("there", pull.recv());
}

TEST_P(transport_test, connects_before_the_peer_binds)
{
    socket push = open(ZMQ_PUSH), pull = open(ZMQ_PULL);
    const std::string endpoint = known();
    push.connect(endpoint);
    push.send("early");
    push.send_parts({"early", "too"});
    pull.bind(endpoint);
    EXPECT_EQ("early", pull.recv());
    EXPECT_EQ((parts{"early", "too"}), pull.recv_parts());
    push.send("late");
    EXPECT_EQ("late", pull.recv());
}

TEST_P(transport_test, several_peers_connect_before_one_binds)
{
    socket one = open(ZMQ_DEALER), two = open(ZMQ_DEALER), bound = open(ZMQ_ROUTER);
    one.set(ZMQ_ROUTING_ID, "one");
    two.set(ZMQ_ROUTING_ID, "two");
    const std::string endpoint = known();
    one.connect(endpoint);
    two.connect(endpoint);
    bound.bind(endpoint);
    one.send("1");
    EXPECT_EQ((parts{"one", "1"}), bound.recv_parts());
    two.send("2");
    EXPECT_EQ((parts{"two", "2"}), bound.recv_parts());
    bound.send_parts({"one", "back"});
    EXPECT_EQ("back", one.recv());
}

TEST_P(transport_test, refuses_an_address_in_use_but_takes_an_ipc_path_over)
{
    socket first = open(ZMQ_PULL), second = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    const std::string endpoint = first.bind(fresh());
    const bool taken_over = is("ipc_path") || is("ipc_wildcard");
    if (taken_over) {
        second.bind(endpoint);
    } else {
        EXPECT_EQ(-1, zmq_bind(second, endpoint.c_str()));
        EXPECT_EQ(EADDRINUSE, zmq_errno());
        EXPECT_EQ(-1, zmq_bind(first, endpoint.c_str()));
        EXPECT_EQ(EADDRINUSE, zmq_errno());
    }
    socket &owner = taken_over ? second : first, &other = taken_over ? first : second;
    push.connect(endpoint);
    push.send("to the owner");
    EXPECT_EQ("to the owner", owner.recv());
    expect_no_message(other);
}

TEST_P(transport_test, binds_again_after_unbind)
{
    socket pull = open(ZMQ_PULL);
    const std::string endpoint = pull.bind(known());
    {
        socket push = open(ZMQ_PUSH);
        push.connect(endpoint);
        push.send("first binding");
        EXPECT_EQ("first binding", pull.recv());
    }
    unbind_and_wait(pull, endpoint);
    EXPECT_EQ(endpoint, pull.bind(endpoint));
    socket push = open(ZMQ_PUSH);
    push.connect(endpoint);
    push.send("second binding");
    EXPECT_EQ("second binding", pull.recv());
}

TEST_P(transport_test, binds_again_after_close)
{
    const std::string endpoint = known();
    for (int round = 0; round < 3; ++round) {
        socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
        pull.bind(endpoint);
        push.connect(endpoint);
        push.send("round");
        EXPECT_EQ("round", pull.recv());
        unbind_and_wait(pull, endpoint);
    }
}

TEST_P(transport_test, unbind_ends_accepted_connections_and_their_peers_come_back)
{
    socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    const std::string endpoint = pull.bind(known());
    push.connect(endpoint);
    push.send("before");
    EXPECT_EQ("before", pull.recv());
    if (is_inproc()) {
        pull.unbind(endpoint);  // a pair of queues needs no name once it is joined
        push.send("still joined");
        EXPECT_EQ("still joined", pull.recv());
        return;
    }
    monitor events(ctx_, push, ZMQ_EVENT_DISCONNECTED);
    unbind_and_wait(pull, endpoint);
    std::optional<monitor_event> ended;
    for (int tries = 0; !ended && tries < patience_ms / 10; ++tries) {
        expect_no_message(pull);  // libzmq lets a connection go only when its socket's thread calls in
        ended = events.next(10);
    }
    ASSERT_TRUE(ended);
    push.send("in between");
    pull.bind(endpoint);
    EXPECT_EQ("in between", pull.recv());
}

TEST_P(transport_test, connects_again_after_disconnect)
{
    socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    const std::string endpoint = pull.bind(fresh());
    for (int round = 0; round < 5; ++round) {
        push.connect(endpoint);
        push.send(std::to_string(round));
        EXPECT_EQ(std::to_string(round), pull.recv());
        push.disconnect(endpoint);
        push.set(ZMQ_SNDTIMEO, 0);
        EXPECT_EQ(EAGAIN, push.try_send("no one is there"));
        push.set(ZMQ_SNDTIMEO, patience_ms);
    }
}

TEST_P(transport_test, unbind_and_disconnect_know_only_their_endpoints)
{
    socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    const std::string endpoint = pull.bind(fresh());
    const std::string other = known();
    EXPECT_EQ(-1, zmq_unbind(pull, other.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
    EXPECT_EQ(-1, zmq_disconnect(push, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
    push.connect(endpoint);
    push.disconnect(endpoint);
    EXPECT_EQ(-1, zmq_disconnect(push, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
    pull.unbind(endpoint);
    EXPECT_EQ(-1, zmq_unbind(pull, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

TEST_P(transport_test, tells_the_last_endpoint_of_bind_and_connect)
{
    socket pull = open(ZMQ_PULL), push = open(ZMQ_PUSH);
    EXPECT_EQ("", pull.last_endpoint());
    const std::string bound = pull.bind(fresh());
    EXPECT_EQ(std::string::npos, bound.find('*'));
    const std::string second = known();
    EXPECT_EQ(second, pull.bind(second));
    push.connect(bound);
    EXPECT_EQ(bound, push.last_endpoint());
}

std::vector<transport> all_transports()
{
    if (!zmq_has("mem")) {
        std::vector<transport> all{{"tcp4"},         {"tcp6", true}, {"ipc_path"}, {"ipc_wildcard"},
                                   {"ipc_abstract"}, {"inproc"},     {"ws"}};
        if (zmq_has("vsock")) all.push_back({"vsock"});
        if (zmq_has("tls")) all.insert(all.end(), {{"tls"}, {"wss"}});
        return all;
    }
    return {{"mem"},
            {"mem_cut", false, "?read=997&write=1009&again=5&hold=3000"},
            {"mem_acknowledged", false, "?ack=30000&read=4000&again=7"}};
}

INSTANTIATE_TEST_SUITE_P(all, transport_test, ::testing::ValuesIn(all_transports()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace zlink::test
