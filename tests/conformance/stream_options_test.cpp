// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What options of the transports do to connections: which peers are let in over ipc, which device is used, how polling
// is done.
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

class ipc_filter_test : public zmq_test {
protected:
    // Whether a PUSH of this process gets through to a PULL that has the filter.
    bool admits(int option, unsigned id, int second_option = 0, unsigned second_id = 0)
    {
        temp_directory directory;
        socket pull = ctx_.open(ZMQ_PULL);
        socket push = ctx_.open(ZMQ_PUSH);
        pull.set(option, static_cast<int>(id));
        if (second_option != 0) {
            pull.set(second_option, static_cast<int>(second_id));
        }
        push.set(ZMQ_RECONNECT_IVL, 10);
        monitor accepting(ctx_, pull, ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        push.connect(pull.bind("ipc://" + directory.file("socket")));
        push.send("who");
        const int event = accepting.await(ZMQ_EVENT_ALL).event;
        if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            EXPECT_EQ("who", pull.recv());
            return true;
        }
        EXPECT_EQ(ZMQ_EVENT_ACCEPT_FAILED, event);
        // Tries again and is refused again.
        EXPECT_EQ(ZMQ_EVENT_ACCEPT_FAILED, accepting.await(ZMQ_EVENT_ALL).event);
        expect_no_message(pull);
        return false;
    }
};

TEST_F(ipc_filter_test, users)
{
    EXPECT_TRUE(admits(ZMQ_IPC_FILTER_UID, geteuid()));
    EXPECT_FALSE(admits(ZMQ_IPC_FILTER_UID, geteuid() + 1));
}

TEST_F(ipc_filter_test, groups)
{
    EXPECT_TRUE(admits(ZMQ_IPC_FILTER_GID, getegid()));
    EXPECT_FALSE(admits(ZMQ_IPC_FILTER_GID, 0x7ffffff0));
}

TEST_F(ipc_filter_test, processes)
{
    EXPECT_TRUE(admits(ZMQ_IPC_FILTER_PID, static_cast<unsigned>(getpid())));
    EXPECT_FALSE(admits(ZMQ_IPC_FILTER_PID, 1));
}

TEST_F(ipc_filter_test, one_match_is_enough)
{
    EXPECT_TRUE(admits(ZMQ_IPC_FILTER_PID, 1, ZMQ_IPC_FILTER_UID, geteuid()));
    EXPECT_FALSE(admits(ZMQ_IPC_FILTER_PID, 1, ZMQ_IPC_FILTER_UID, geteuid() + 1));
}

// Sends both ways between two sockets to which `prepare` was done.
template <typename Prepare>
void expect_traffic(context& ctx, Prepare prepare)
{
    socket bound = ctx.open(ZMQ_PAIR);
    socket connecting = ctx.open(ZMQ_PAIR);
    prepare(bound);
    prepare(connecting);
    connecting.connect(bound.bind("tcp://127.0.0.1:*"));
    const std::string large(300000, 'l');
    for (int i = 0; i < 20; ++i) {
        connecting.send_parts({std::to_string(i), large});
        EXPECT_EQ((parts{std::to_string(i), large}), bound.recv_parts());
        bound.send_parts({large, std::to_string(i)});
        EXPECT_EQ((parts{large, std::to_string(i)}), connecting.recv_parts());
    }
}

using stream_options_test = zmq_test;

TEST_F(stream_options_test, loopback_traffic_on_the_loopback_device)
{
    expect_traffic(ctx_, [](socket& s) { s.set(ZMQ_BINDTODEVICE, "lo"); });
}

TEST_F(stream_options_test, no_listener_on_a_device_that_does_not_exist)
{
    socket s = ctx_.open(ZMQ_PAIR);
    s.set(ZMQ_BINDTODEVICE, "nosuchdevice");
    EXPECT_EQ(-1, zmq_bind(s, "tcp://127.0.0.1:*"));
    EXPECT_TRUE(zmq_errno() == ENODEV || zmq_errno() == EPERM) << zmq_strerror(zmq_errno());
}

// The microseconds of busy polling that this process may ask for: without the capability none.
int permitted_busy_poll()
{
    const tcp_peer probe = tcp_peer::listen();
    const int wanted = 50;
    return ::setsockopt(probe.fd(), SOL_SOCKET, SO_BUSY_POLL, &wanted, sizeof wanted) == 0 ? wanted : 0;
}

TEST_F(stream_options_test, traffic_with_busy_polling)
{
    const int microseconds = permitted_busy_poll();
    expect_traffic(ctx_, [microseconds](socket& s) {
        s.set(ZMQ_BUSY_POLL, microseconds);
        int value = 0;
        std::size_t size = sizeof value;
        EXPECT_EQ(-1, zmq_getsockopt(s, ZMQ_BUSY_POLL, &value, &size)) << "can be set alone";
        EXPECT_EQ(EINVAL, zmq_errno());
    });
}

}  // namespace
}  // namespace zlink::test
