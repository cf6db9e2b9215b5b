// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is particular to the endpoints of one transport: wildcards, interfaces, source addresses, paths, names.
#include "support/received.hpp"
#include "support/zmq_fixture.hpp"

#include <sys/stat.h>
#include <sys/un.h>

#include <fstream>

namespace zlink::test {
namespace {

class endpoint_test : public zmq_test {
protected:
    void expect_exchange(socket& push, socket& pull)
    {
        push.send("exchange");
        EXPECT_EQ("exchange", pull.recv());
    }

    void expect_bind_error(int expected, const std::string& endpoint, const place& where = place::current())
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), endpoint);
        EXPECT_EQ(-1, zmq_bind(pull_, endpoint.c_str()));
        EXPECT_EQ(expected, zmq_errno());
    }

    void expect_connect_error(int expected, const std::string& endpoint, const place& where = place::current())
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), endpoint);
        EXPECT_EQ(-1, zmq_connect(push_, endpoint.c_str()));
        EXPECT_EQ(expected, zmq_errno());
    }

    temp_directory directory_;
    socket pull_ = ctx_.open(ZMQ_PULL);
    socket push_ = ctx_.open(ZMQ_PUSH);
};

TEST_F(endpoint_test, tcp_wildcard_port_is_chosen_by_the_system)
{
    for (const char* wildcard : {"tcp://127.0.0.1:*", "tcp://127.0.0.1:0"}) {
        const std::string endpoint = pull_.bind(wildcard);
        EXPECT_TRUE(endpoint.starts_with("tcp://127.0.0.1:")) << endpoint;
        EXPECT_NE(0, tcp_peer::port_of(endpoint));
    }
}

TEST_F(endpoint_test, tcp_wildcard_host_listens_on_all_addresses)
{
    const std::string endpoint = pull_.bind("tcp://*:*");
    EXPECT_TRUE(endpoint.starts_with("tcp://0.0.0.0:")) << endpoint;
    push_.connect("tcp://127.0.0.1:" + std::to_string(tcp_peer::port_of(endpoint)));
    expect_exchange(push_, pull_);
}

TEST_F(endpoint_test, tcp_wildcard_host_takes_both_address_families_with_ipv6)
{
    pull_.set(ZMQ_IPV6, 1);
    push_.set(ZMQ_IPV6, 1);
    const std::string endpoint = pull_.bind("tcp://*:*");
    EXPECT_TRUE(endpoint.starts_with("tcp://[::]:")) << endpoint;
    const std::string port = std::to_string(tcp_peer::port_of(endpoint));
    push_.connect("tcp://[::1]:" + port);
    expect_exchange(push_, pull_);
    socket other = ctx_.open(ZMQ_PUSH);
    other.connect("tcp://127.0.0.1:" + port);
    expect_exchange(other, pull_);
}

TEST_F(endpoint_test, tcp_refuses_ipv6_addresses_unless_enabled)
{
    expect_bind_error(ENODEV, "tcp://[::1]:*");
}

TEST_F(endpoint_test, tcp_binds_to_an_interface_by_name)
{
    const std::string endpoint = pull_.bind("tcp://lo:*");
    EXPECT_TRUE(endpoint.starts_with("tcp://127.0.0.1:")) << endpoint;
    push_.connect(endpoint);
    expect_exchange(push_, pull_);
}

// libzmq since 4.3.5.
TEST_F(endpoint_test, tcp_binds_to_a_host_name)
{
    const std::string endpoint = pull_.bind("tcp://localhost:*");
    EXPECT_TRUE(endpoint.starts_with("tcp://127.0.0.1:")) << endpoint;
    push_.connect(endpoint);
    expect_exchange(push_, pull_);
    pull_.unbind("tcp://localhost:" + std::to_string(tcp_peer::port_of(endpoint)));
    EXPECT_EQ(-1, zmq_unbind(pull_, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

TEST_F(endpoint_test, tcp_connects_to_a_dns_name)
{
    push_.connect("tcp://localhost:" + std::to_string(tcp_peer::port_of(pull_.bind("tcp://127.0.0.1:*"))));
    expect_exchange(push_, pull_);
}

TEST_F(endpoint_test, tcp_connects_from_a_given_source_address)
{
    const std::string endpoint = pull_.bind("tcp://127.0.0.1:*");
    push_.connect("tcp://127.0.0.2:0;" + endpoint.substr(6));
    push_.send("from afar");
    received msg(pull_);
    ASSERT_EQ(9, static_cast<int>(zmq_msg_size(msg)));
    EXPECT_STREQ("127.0.0.2", zmq_msg_gets(msg, "Peer-Address"));
}

TEST_F(endpoint_test, tcp_connects_from_a_given_source_port)
{
    tcp_peer listener = tcp_peer::listen();
    const std::uint16_t port = tcp_peer::port_of(tcp_peer::listen().endpoint());
    push_.connect("tcp://127.0.0.1:" + std::to_string(port) + ";" + listener.endpoint().substr(6));
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const int fd = ::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
    tcp_peer accepted(fd);
    ASSERT_NE(-1, fd);
    EXPECT_EQ(port, ntohs(from.sin_port));
}

TEST_F(endpoint_test, bind_errors)
{
    expect_bind_error(EINVAL, "tcp");
    expect_bind_error(EINVAL, "tcp:/127.0.0.1:5555");
    expect_bind_error(EINVAL, "://127.0.0.1");
    expect_bind_error(EINVAL, "");
    expect_bind_error(ENOCOMPATPROTO, "udp://127.0.0.1:5555");
    expect_bind_error(EPROTONOSUPPORT, "nosuch://127.0.0.1:5555");
    expect_bind_error(EINVAL, "tcp://127.0.0.1");
    expect_bind_error(EINVAL, "tcp://127.0.0.1:65536");
    expect_bind_error(EINVAL, "tcp://127.0.0.1:port");
    expect_bind_error(ENODEV, "tcp://no-such-interface:*");
    expect_bind_error(ENODEV, "tcp://no such host:*");
    expect_bind_error(ENODEV, "tcp://:*");
    expect_bind_error(EADDRNOTAVAIL, "tcp://198.51.100.7:*");
    expect_bind_error(ENAMETOOLONG, "ipc://" + directory_.file(std::string(200, 'x')));
    expect_bind_error(ENOENT, "ipc://" + directory_.file("missing/socket"));
}

TEST_F(endpoint_test, connect_errors)
{
    expect_connect_error(EINVAL, "tcp");
    expect_connect_error(EINVAL, "://127.0.0.1");
    expect_connect_error(EINVAL, "");
    expect_connect_error(ENOCOMPATPROTO, "udp://127.0.0.1:5555");
    expect_connect_error(EPROTONOSUPPORT, "nosuch://127.0.0.1:5555");
    expect_connect_error(EINVAL, "tcp://127.0.0.1");
    expect_connect_error(ENAMETOOLONG, "ipc://" + directory_.file(std::string(200, 'x')));
}

TEST_F(endpoint_test, ipc_path_is_a_socket_file_while_bound)
{
    const std::string path = directory_.file("socket");
    EXPECT_EQ("ipc://" + path, pull_.bind("ipc://" + path));
    EXPECT_TRUE(std::filesystem::is_socket(path));
    pull_.unbind("ipc://" + path);
}

TEST_F(endpoint_test, ipc_wildcard_makes_a_path_in_the_temporary_directory_and_removes_it)
{
    const std::string directory = directory_.file("");
    ASSERT_EQ(0, setenv("TMPDIR", directory.c_str(), 1));
    for (const bool by_unbind : {true, false}) {
        context ctx;
        socket pull = ctx.open(ZMQ_PULL);
        const std::string endpoint = pull.bind("ipc://*");
        EXPECT_TRUE(endpoint.starts_with("ipc://" + directory)) << endpoint;
        const std::filesystem::path path = endpoint.substr(6);
        EXPECT_TRUE(std::filesystem::is_socket(path));
        if (by_unbind) {
            monitor events(ctx, pull, ZMQ_EVENT_CLOSED);
            pull.unbind(endpoint);
            events.await(ZMQ_EVENT_CLOSED);
        } else {
            pull.close();
            ctx.terminate();
        }
        EXPECT_TRUE(std::filesystem::is_empty(directory)) << endpoint;
    }
    unsetenv("TMPDIR");
}

// libzmq deletes whatever file lies at the path.
TEST_F(endpoint_test, ipc_leaves_files_alone_that_are_no_sockets_in_zlink)
{
    const std::string file = directory_.file("precious"), link = directory_.file("link"),
                      fifo = directory_.file("fifo");
    std::ofstream(file) << "content";
    std::filesystem::create_symlink(file, link);
    ASSERT_EQ(0, ::mkfifo(fifo.c_str(), 0600));
    for (const std::string& path : {file, link, fifo, directory_.file("")})
        expect_bind_error(EADDRINUSE, "ipc://" + path);
    EXPECT_EQ(7u, std::filesystem::file_size(file));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(std::filesystem::is_fifo(fifo));
    // A socket is taken over, by whatever name.
    const std::string socket_file = directory_.file("socket"), socket_link = directory_.file("socket-link");
    socket first = ctx_.open(ZMQ_PULL);
    first.bind("ipc://" + socket_file);
    std::filesystem::create_symlink(socket_file, socket_link);
    pull_.bind("ipc://" + socket_link);
    push_.connect("ipc://" + socket_link);
    expect_exchange(push_, pull_);
    socket second = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    second.bind("ipc://" + socket_file);
    push.connect("ipc://" + socket_file);
    expect_exchange(push, second);
}

TEST_F(endpoint_test, ipc_replaces_a_stale_socket_file)
{
    const std::string path = directory_.file("socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(0, ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
    ::close(fd);
    ASSERT_TRUE(std::filesystem::is_socket(path));
    pull_.bind("ipc://" + path);
    push_.connect("ipc://" + path);
    expect_exchange(push_, pull_);
}

TEST_F(endpoint_test, ipc_abstract_names_leave_no_file)
{
    const std::string name = "@zlink-test-abstract-" + std::to_string(getpid());
    EXPECT_EQ("ipc://" + name, pull_.bind("ipc://" + name));
    EXPECT_FALSE(std::filesystem::exists(name));
    push_.connect("ipc://" + name);
    expect_exchange(push_, pull_);
}

TEST_F(endpoint_test, inproc_names_belong_to_their_context)
{
    const std::string endpoint = unique_inproc();
    context other;
    socket other_pull = other.open(ZMQ_PULL);
    EXPECT_EQ(endpoint, pull_.bind(endpoint));
    EXPECT_EQ(endpoint, other_pull.bind(endpoint));
    push_.connect(endpoint);
    expect_exchange(push_, pull_);
    expect_no_message(other_pull);
}

TEST_F(endpoint_test, disconnect_unbinds_an_inproc_name)
{
    const std::string endpoint = unique_inproc();
    socket first = ctx_.open(ZMQ_PULL), second = ctx_.open(ZMQ_PULL);
    first.bind(endpoint);
    first.disconnect(endpoint);
    second.bind(endpoint);
    EXPECT_EQ(-1, zmq_disconnect(first, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

TEST_F(endpoint_test, an_inproc_connection_is_no_endpoint_any_more_once_its_binder_has_closed)
{
    const std::string endpoint = unique_inproc();
    pull_.bind(endpoint);
    push_.connect(endpoint);
    expect_exchange(push_, pull_);
    pull_.close();
    EXPECT_TRUE(eventually([&] { return push_.try_send("nobody") == EAGAIN; }));
    EXPECT_EQ(-1, zmq_disconnect(push_, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

// As long as there is something to be received it is one.
TEST_F(endpoint_test, an_inproc_connection_is_an_endpoint_until_what_its_binder_has_sent_is_received)
{
    const std::string endpoint = unique_inproc();
    socket first = ctx_.open(ZMQ_PAIR), second = ctx_.open(ZMQ_PAIR), third = ctx_.open(ZMQ_PAIR);
    first.bind(endpoint);
    second.connect(endpoint);
    first.send("1");
    first.close();
    EXPECT_TRUE(eventually([&] { return zmq_bind(third, endpoint.c_str()) == 0; }));
    EXPECT_EQ("1", second.recv());
    expect_no_message(second);
    EXPECT_EQ(-1, zmq_disconnect(second, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

TEST_F(endpoint_test, unbind_of_an_inproc_name_leaves_the_sockets_own_connections_to_it)
{
    for (const auto end : {zmq_unbind, zmq_disconnect}) {
        const std::string endpoint = unique_inproc();
        socket itself = ctx_.open(ZMQ_DEALER);
        itself.bind(endpoint);
        itself.connect(endpoint);
        EXPECT_EQ(0, end(itself, endpoint.c_str()));
        itself.send("still there");
        EXPECT_EQ("still there", itself.recv());
        pull_ = ctx_.open(ZMQ_PULL);
        EXPECT_EQ(endpoint, pull_.bind(endpoint)) << "the name is free";
        EXPECT_EQ(0, end(itself, endpoint.c_str()));
        EXPECT_EQ(-1, end(itself, endpoint.c_str()));
        EXPECT_EQ(ENOENT, zmq_errno());
        EXPECT_TRUE(eventually([&] { return itself.try_send("gone") == EAGAIN; }));
    }
}

TEST_F(endpoint_test, an_inproc_name_is_free_once_its_socket_is_closed)
{
    const std::string endpoint = unique_inproc();
    pull_.bind(endpoint);
    pull_.close();
    pull_ = ctx_.open(ZMQ_PULL);
    EXPECT_TRUE(eventually([&] { return zmq_bind(pull_, endpoint.c_str()) == 0; }));  // closing ends in the background
    push_.connect(endpoint);
    expect_exchange(push_, pull_);
}

TEST_F(endpoint_test, ending_an_endpoint_tells_nonsense_from_what_is_not_there)
{
    const auto expect_error = [this](int expected, const std::string& endpoint) {
        EXPECT_EQ(-1, zmq_unbind(pull_, endpoint.c_str())) << endpoint;
        EXPECT_EQ(expected, zmq_errno()) << endpoint;
        EXPECT_EQ(-1, zmq_disconnect(pull_, endpoint.c_str())) << endpoint;
        EXPECT_EQ(expected, zmq_errno()) << endpoint;
    };
    for (const char* nonsense : {"", "tcp", "tcp:/", "://", "://x", "tcp://", "ipc://", "inproc://"}) {
        expect_error(EINVAL, nonsense);
    }
    for (const char* unknown : {"bla://x", "TCP://127.0.0.1:4", "vmci://1:1"}) expect_error(EPROTONOSUPPORT, unknown);
    expect_error(ENOCOMPATPROTO, "udp://127.0.0.1:4");
    for (const char* absent :
         {"tcp://127.0.0.1:4", "tcp://127.0.0.1", "tcp://127.0.0.1:abc", "tcp://*:*", "tcp://[::1]:4",
          "tcp://no such host:4", "ipc:///no/such/path", "ipc://@", "inproc://none"}) {
        expect_error(ENOENT, absent);
    }
}

TEST_F(endpoint_test, unbind_and_disconnect_end_what_is_bound_and_what_is_connected)
{
    // Not "ipc://*": its directory goes with it, and nobody can bind there again.
    temp_directory directory;
    for (const std::string& where :
         {std::string("tcp://127.0.0.1:*"), "ipc://" + directory.file("socket"), unique_inproc()}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
        const std::string endpoint = pull.bind(where);
        push.connect(endpoint);
        expect_exchange(push, pull);
        push.unbind(endpoint);
        EXPECT_EQ(EAGAIN, push.try_send("nobody")) << endpoint;
        EXPECT_EQ(-1, zmq_disconnect(push, endpoint.c_str())) << endpoint;
        EXPECT_EQ(ENOENT, zmq_errno()) << endpoint;
        pull.disconnect(endpoint);
        EXPECT_EQ(-1, zmq_unbind(pull, endpoint.c_str())) << endpoint;
        EXPECT_EQ(ENOENT, zmq_errno()) << endpoint;
        socket other = ctx_.open(ZMQ_PULL);
        EXPECT_TRUE(eventually([&] { return zmq_bind(other, endpoint.c_str()) == 0; })) << endpoint;
    }
}

// A type, a peer for it, and whether it connects to an endpoint only once.
struct second_connect {
    int type;
    int peer;
    bool once;
};

class second_connect_test : public zmq_test, public ::testing::WithParamInterface<second_connect> {};

TEST_P(second_connect_test, to_the_same_endpoint)
{
    for (const char* wildcard : {"tcp://127.0.0.1:*", "ipc://*"}) {
        if (GetParam().type == ZMQ_STREAM && std::string_view(wildcard).starts_with("ipc")) continue;
        socket peer = ctx_.open(GetParam().peer), twice = ctx_.open(GetParam().type), last = ctx_.open(GetParam().type);
        monitor events(ctx_, peer, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
        const std::string endpoint = peer.bind(wildcard);
        twice.connect(endpoint);
        twice.connect(endpoint);
        // What has come before this one goes is all that comes.
        last.connect(endpoint);
        const int expected = GetParam().once ? 2 : 3;
        for (int i = 0; i < expected; ++i) EXPECT_EQ(ZMQ_EVENT_ACCEPTED, events.await(ZMQ_EVENT_ALL).event) << i;
        last.close();
        EXPECT_EQ(ZMQ_EVENT_DISCONNECTED, events.await(ZMQ_EVENT_ALL).event) << wildcard;
        twice.disconnect(endpoint);
        EXPECT_EQ(-1, zmq_disconnect(twice, endpoint.c_str()));
        EXPECT_EQ(ENOENT, zmq_errno());
        // After the disconnect it may connect again.
        twice.connect(endpoint);
        EXPECT_EQ(ZMQ_EVENT_ACCEPTED, events.await(ZMQ_EVENT_ACCEPTED).event);
    }
}

INSTANTIATE_TEST_SUITE_P(
    types, second_connect_test,
    ::testing::Values(second_connect{ZMQ_DEALER, ZMQ_ROUTER, true}, second_connect{ZMQ_SUB, ZMQ_PUB, true},
                      second_connect{ZMQ_PUB, ZMQ_SUB, true}, second_connect{ZMQ_REQ, ZMQ_ROUTER, true},
                      second_connect{ZMQ_PUSH, ZMQ_PULL, false}, second_connect{ZMQ_PULL, ZMQ_PUSH, false},
                      second_connect{ZMQ_ROUTER, ZMQ_ROUTER, false}, second_connect{ZMQ_REP, ZMQ_DEALER, false},
                      second_connect{ZMQ_XPUB, ZMQ_XSUB, false}, second_connect{ZMQ_XSUB, ZMQ_XPUB, false},
                      second_connect{ZMQ_STREAM, ZMQ_STREAM, false}));

TEST_F(endpoint_test, a_subscriber_that_connects_twice_gets_everything_once_but_over_inproc)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*", "inproc"}) {
        const bool inproc = std::string_view(transport) == "inproc";
        socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
        const std::string endpoint = pub.bind(inproc ? unique_inproc() : transport);
        sub.subscribe("");
        sub.connect(endpoint);
        sub.connect(endpoint);
        if (!inproc) sync_subscription(pub, sub);
        pub.send("once");
        for (int i = 0; i < (inproc ? 2 : 1); ++i) EXPECT_EQ("once", sub.recv()) << transport;
        expect_only(pub, sub, {"marker"});
    }
}

TEST_F(endpoint_test, a_second_connect_is_known_by_the_text)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.connect("tcp://127.0.0.1:1");
    sub.connect("tcp://localhost:1");
    EXPECT_EQ("tcp://localhost:1", sub.last_endpoint());
    sub.connect("tcp://127.0.0.1:1");
    EXPECT_EQ("tcp://localhost:1", sub.last_endpoint()) << "nothing was connected";
    sub.disconnect("tcp://127.0.0.1:1");
    sub.disconnect("tcp://localhost:1");
}

}  // namespace
}  // namespace zlink::test
