// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The functions of the draft socket types with wrong handles, types and arguments: the errno of each.
#include "conformance/draft_fixture.hpp"

namespace zlink::test {
namespace {

constexpr int all_types[] = {ZMQ_PAIR,  ZMQ_PUB,  ZMQ_SUB,    ZMQ_REQ,     ZMQ_REP,    ZMQ_DEALER, ZMQ_ROUTER,
                             ZMQ_PULL,  ZMQ_PUSH, ZMQ_XPUB,   ZMQ_XSUB,    ZMQ_STREAM, ZMQ_SERVER, ZMQ_CLIENT,
                             ZMQ_RADIO, ZMQ_DISH, ZMQ_GATHER, ZMQ_SCATTER, ZMQ_PEER,   ZMQ_CHANNEL};

class draft_errors_test : public zmq_test {
protected:
    static int outcome(int rc) { return rc == -1 ? zmq_errno() : rc; }
    static int connect_outcome(void* s, const char* endpoint)
    {
        return zmq_connect_peer(s, endpoint) == 0 ? zmq_errno() : 0;
    }
};

TEST_F(draft_errors_test, handles_that_are_no_sockets)
{
    char blank[4096] = {};
    for (void* s : {static_cast<void*>(nullptr), static_cast<void*>(blank), static_cast<void*>(ctx_)}) {
        EXPECT_EQ(ENOTSOCK, outcome(zmq_join(s, "g")));
        EXPECT_EQ(ENOTSOCK, outcome(zmq_leave(s, "g")));
        EXPECT_EQ(ENOTSOCK, connect_outcome(s, "inproc://x"));
        EXPECT_EQ(ENOTSOCK, outcome(zmq_disconnect_peer(s, 1)));
        EXPECT_EQ(ENOTSOCK, outcome(zmq_socket_get_peer_state(s, "x", 1)));
    }
}

TEST_F(draft_errors_test, types_that_do_not_have_the_function)
{
    for (const int type : all_types) {
        socket s = ctx_.open(type);
        const bool groups = type == ZMQ_DISH, numbers = type == ZMQ_SERVER || type == ZMQ_PEER;
        EXPECT_EQ(groups ? 0 : ENOTSUP, outcome(zmq_join(s, "g"))) << type;
        EXPECT_EQ(groups ? 0 : ENOTSUP, outcome(zmq_leave(s, "g"))) << type;
        EXPECT_EQ(type == ZMQ_PEER ? 0 : ENOTSUP, connect_outcome(s, unique_inproc().c_str())) << type;
        EXPECT_EQ(numbers ? EHOSTUNREACH : ENOTSUP, outcome(zmq_disconnect_peer(s, 1))) << type;
        EXPECT_EQ(type == ZMQ_ROUTER ? EHOSTUNREACH : ENOTSUP, outcome(zmq_socket_get_peer_state(s, "x", 1))) << type;
    }
}

TEST_F(draft_errors_test, groups)
{
    socket dish = ctx_.open(ZMQ_DISH);
    const std::string too_long(ZMQ_GROUP_MAX_LENGTH + 1, 'g');
    EXPECT_EQ(EFAULT, outcome(zmq_join(dish, nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_leave(dish, nullptr)));
    EXPECT_EQ(EINVAL, outcome(zmq_join(dish, too_long.c_str())));
    EXPECT_EQ(EINVAL, outcome(zmq_leave(dish, too_long.c_str())));
    EXPECT_EQ(EINVAL, outcome(zmq_leave(dish, "g")));
    EXPECT_EQ(0, zmq_join(dish, "g"));
    EXPECT_EQ(EINVAL, outcome(zmq_join(dish, "g")));
    EXPECT_EQ(0, zmq_join(dish, ""));
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(dish, ZMQ_SUBSCRIBE, "g", 1)));
}

TEST_F(draft_errors_test, endpoints_of_peers)
{
    socket peer = ctx_.open(ZMQ_PEER);
    EXPECT_EQ(EINVAL, connect_outcome(peer, nullptr));
    EXPECT_EQ(EINVAL, connect_outcome(peer, "nonsense"));
    EXPECT_EQ(EPROTONOSUPPORT, connect_outcome(peer, "pgm://127.0.0.1:5"));
    peer.set(ZMQ_IMMEDIATE, 1);
    EXPECT_EQ(EFAULT, connect_outcome(peer, "inproc://x"));
}

TEST_F(draft_errors_test, states_of_peers)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    router.set(ZMQ_SNDHWM, 1);
    dealer.set(ZMQ_RCVHWM, 1);
    dealer.set(ZMQ_ROUTING_ID, "d");
    dealer.connect(router.bind(unique_inproc()));
    EXPECT_EQ(EFAULT, outcome(zmq_socket_get_peer_state(router, nullptr, 1)));
    EXPECT_EQ(EHOSTUNREACH, outcome(zmq_socket_get_peer_state(router, nullptr, 0)));
    EXPECT_EQ(ZMQ_POLLOUT, zmq_socket_get_peer_state(router, "d", 1));
    dealer.send("x");
    EXPECT_EQ(ZMQ_POLLOUT | ZMQ_POLLIN, zmq_socket_get_peer_state(router, "d", 1));
    router.recv_parts();
    router.send_parts({"d", "1"});
    router.send_parts({"d", "2"});
    EXPECT_EQ(0, zmq_socket_get_peer_state(router, "d", 1));
    dealer.close();
    EXPECT_EQ(EHOSTUNREACH, outcome(zmq_socket_get_peer_state(router, "d", 1)));
}

TEST_F(draft_errors_test, a_context_that_ends)
{
    socket dish = ctx_.open(ZMQ_DISH), peer = ctx_.open(ZMQ_PEER), router = ctx_.open(ZMQ_ROUTER);
    ctx_.shutdown();
    EXPECT_EQ(ETERM, outcome(zmq_join(dish, "g")));
    EXPECT_EQ(ETERM, outcome(zmq_leave(dish, "g")));
    EXPECT_EQ(ETERM, connect_outcome(peer, "inproc://x"));
    EXPECT_EQ(ETERM, outcome(zmq_disconnect_peer(peer, 1)));
    EXPECT_EQ(ETERM, outcome(zmq_socket_get_peer_state(router, "x", 1)));
}

TEST_F(draft_errors_test, thread_safe_types_have_no_descriptor_but_events)
{
    for (const int type : all_types) {
        socket s = ctx_.open(type);
        const bool thread_safe = type > ZMQ_STREAM;
        EXPECT_EQ(int(thread_safe), s.get_int(ZMQ_THREAD_SAFE)) << type;
        EXPECT_EQ(type, s.get_int(ZMQ_TYPE));
        int fd = -1;
        std::size_t size = sizeof fd;
        EXPECT_EQ(thread_safe ? EINVAL : 0, outcome(zmq_getsockopt(s, ZMQ_FD, &fd, &size))) << type;
        EXPECT_EQ(0, s.get_int(ZMQ_RCVMORE));
        EXPECT_EQ(0, s.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) << type;
    }
}

TEST_F(draft_errors_test, options_of_other_types)
{
    const int nodrop = ZMQ_XPUB_NODROP, one = 1;
    for (const int type : all_types) {
        socket s = ctx_.open(type);
        const bool publishes = type == ZMQ_PUB || type == ZMQ_XPUB || type == ZMQ_RADIO;
        EXPECT_EQ(publishes ? 0 : EINVAL, outcome(zmq_setsockopt(s, nodrop, &one, sizeof one))) << type;
        EXPECT_EQ(type == ZMQ_XSUB ? 0 : EINVAL,
                  outcome(zmq_setsockopt(s, ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, &one, sizeof one)))
            << type;
        if (type < ZMQ_SERVER) continue;
        for (const int option :
             {ZMQ_SUBSCRIBE, ZMQ_XPUB_VERBOSE, ZMQ_XPUB_MANUAL, ZMQ_ROUTER_MANDATORY, ZMQ_REQ_RELAXED}) {
            EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(s, option, &one, sizeof one))) << type << ' ' << option;
        }
        int count = 0;
        std::size_t size = sizeof count;
        EXPECT_EQ(EINVAL, outcome(zmq_getsockopt(s, ZMQ_TOPICS_COUNT, &count, &size))) << type;
    }
}

TEST_F(draft_errors_test, a_verbose_xsub_tells_every_cancellation)
{
    for (const bool verbose : {false, true}) {
        socket xpub = ctx_.open(ZMQ_XPUB), xsub = ctx_.open(ZMQ_XSUB);
        xpub.set(ZMQ_XPUB_VERBOSER, 1);
        xsub.set(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, verbose);
        xsub.connect(xpub.bind(unique_inproc()));
        const std::string on("\1a"), off("\0a", 2);
        for (const std::string& each : {on, on, off, off, off}) xsub.send(each);
        EXPECT_EQ(on, xpub.recv());
        EXPECT_EQ(on, xpub.recv());
        for (int i = 0; i < (verbose ? 3 : 1); ++i) EXPECT_EQ(off, xpub.recv()) << verbose;
        expect_no_message(xpub);
    }
}

}  // namespace
}  // namespace zlink::test
