// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The frozen part of zmq.h: every constant against the number that libzmq 4.3.5's ABI gives it, and the layout of the
// structures. Programs compiled with libzmq's header carry these numbers in them.
#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include "zmq.h"

#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <string_view>
#include <type_traits>

namespace {

// Version and capabilities
static_assert(ZMQ_DEFINED_STDINT == 1);
static_assert(ZMQ_VERSION_MAJOR == 4);
static_assert(ZMQ_VERSION_MINOR == 3);
static_assert(ZMQ_VERSION_PATCH == 5);
static_assert(ZMQ_VERSION == 40305);
static_assert(ZMQ_HAS_CAPABILITIES == 1);

// Errors
static_assert(ZMQ_HAUSNUMERO == 156384712);
static_assert(EFSM == 156384763);
static_assert(ENOCOMPATPROTO == 156384764);
static_assert(ETERM == 156384765);
static_assert(EMTHREAD == 156384766);

// Contexts
static_assert(ZMQ_IO_THREADS == 1);
static_assert(ZMQ_MAX_SOCKETS == 2);
static_assert(ZMQ_SOCKET_LIMIT == 3);
static_assert(ZMQ_THREAD_PRIORITY == 3);
static_assert(ZMQ_THREAD_SCHED_POLICY == 4);
static_assert(ZMQ_MAX_MSGSZ == 5);
static_assert(ZMQ_MSG_T_SIZE == 6);
static_assert(ZMQ_THREAD_AFFINITY_CPU_ADD == 7);
static_assert(ZMQ_THREAD_AFFINITY_CPU_REMOVE == 8);
static_assert(ZMQ_THREAD_NAME_PREFIX == 9);
static_assert(ZMQ_IO_THREADS_DFLT == 1);
static_assert(ZMQ_MAX_SOCKETS_DFLT == 1023);
static_assert(ZMQ_THREAD_PRIORITY_DFLT == -1);
static_assert(ZMQ_THREAD_SCHED_POLICY_DFLT == -1);

// Messages
static_assert(ZMQ_MORE == 1);
static_assert(ZMQ_SRCFD == 2);
static_assert(ZMQ_SHARED == 3);

// Socket types
static_assert(ZMQ_PAIR == 0);
static_assert(ZMQ_PUB == 1);
static_assert(ZMQ_SUB == 2);
static_assert(ZMQ_REQ == 3);
static_assert(ZMQ_REP == 4);
static_assert(ZMQ_DEALER == 5);
static_assert(ZMQ_ROUTER == 6);
static_assert(ZMQ_PULL == 7);
static_assert(ZMQ_PUSH == 8);
static_assert(ZMQ_XPUB == 9);
static_assert(ZMQ_XSUB == 10);
static_assert(ZMQ_STREAM == 11);
static_assert(ZMQ_XREQ == 5);
static_assert(ZMQ_XREP == 6);

// Flags
static_assert(ZMQ_DONTWAIT == 1);
static_assert(ZMQ_SNDMORE == 2);
static_assert(ZMQ_NOBLOCK == 1);

// Socket options
static_assert(ZMQ_SNDHWM == 23);
static_assert(ZMQ_RCVHWM == 24);
static_assert(ZMQ_SNDTIMEO == 28);
static_assert(ZMQ_RCVTIMEO == 27);
static_assert(ZMQ_LINGER == 17);
static_assert(ZMQ_CONFLATE == 54);
static_assert(ZMQ_IMMEDIATE == 39);
static_assert(ZMQ_MAXMSGSIZE == 22);
static_assert(ZMQ_TYPE == 16);
static_assert(ZMQ_RCVMORE == 13);
static_assert(ZMQ_EVENTS == 0xf);
static_assert(ZMQ_FD == 14);
static_assert(ZMQ_LAST_ENDPOINT == 32);
static_assert(ZMQ_THREAD_SAFE == 81);
static_assert(ZMQ_MECHANISM == 43);
static_assert(ZMQ_ROUTING_ID == 5);
static_assert(ZMQ_CONNECT_ROUTING_ID == 61);
static_assert(ZMQ_PROBE_ROUTER == 51);
static_assert(ZMQ_ROUTER_MANDATORY == 33);
static_assert(ZMQ_ROUTER_HANDOVER == 56);
static_assert(ZMQ_ROUTER_RAW == 41);
static_assert(ZMQ_STREAM_NOTIFY == 73);
static_assert(ZMQ_REQ_CORRELATE == 52);
static_assert(ZMQ_REQ_RELAXED == 53);
static_assert(ZMQ_SUBSCRIBE == 6);
static_assert(ZMQ_UNSUBSCRIBE == 7);
static_assert(ZMQ_INVERT_MATCHING == 74);
static_assert(ZMQ_XPUB_VERBOSE == 40);
static_assert(ZMQ_XPUB_VERBOSER == 78);
static_assert(ZMQ_XPUB_MANUAL == 71);
static_assert(ZMQ_XPUB_NODROP == 69);
static_assert(ZMQ_XPUB_WELCOME_MSG == 72);
static_assert(ZMQ_AFFINITY == 4);
static_assert(ZMQ_BACKLOG == 19);
static_assert(ZMQ_CONNECT_TIMEOUT == 79);
static_assert(ZMQ_HANDSHAKE_IVL == 66);
static_assert(ZMQ_RECONNECT_IVL == 18);
static_assert(ZMQ_RECONNECT_IVL_MAX == 21);
static_assert(ZMQ_HEARTBEAT_IVL == 75);
static_assert(ZMQ_HEARTBEAT_TTL == 76);
static_assert(ZMQ_HEARTBEAT_TIMEOUT == 77);
static_assert(ZMQ_IPV6 == 42);
static_assert(ZMQ_BINDTODEVICE == 92);
static_assert(ZMQ_USE_FD == 89);
static_assert(ZMQ_SOCKS_PROXY == 68);
static_assert(ZMQ_SNDBUF == 11);
static_assert(ZMQ_RCVBUF == 12);
static_assert(ZMQ_TOS == 57);
static_assert(ZMQ_TCP_KEEPALIVE == 34);
static_assert(ZMQ_TCP_KEEPALIVE_CNT == 35);
static_assert(ZMQ_TCP_KEEPALIVE_IDLE == 36);
static_assert(ZMQ_TCP_KEEPALIVE_INTVL == 37);
static_assert(ZMQ_TCP_MAXRT == 80);

// Security
static_assert(ZMQ_NULL == 0);
static_assert(ZMQ_PLAIN == 1);
static_assert(ZMQ_CURVE == 2);
static_assert(ZMQ_GSSAPI == 3);
static_assert(ZMQ_ZAP_DOMAIN == 55);
static_assert(ZMQ_PLAIN_SERVER == 44);
static_assert(ZMQ_PLAIN_USERNAME == 45);
static_assert(ZMQ_PLAIN_PASSWORD == 46);
static_assert(ZMQ_CURVE_SERVER == 47);
static_assert(ZMQ_CURVE_PUBLICKEY == 48);
static_assert(ZMQ_CURVE_SECRETKEY == 49);
static_assert(ZMQ_CURVE_SERVERKEY == 50);
static_assert(ZMQ_GSSAPI_SERVER == 62);
static_assert(ZMQ_GSSAPI_PRINCIPAL == 63);
static_assert(ZMQ_GSSAPI_SERVICE_PRINCIPAL == 64);
static_assert(ZMQ_GSSAPI_PLAINTEXT == 65);
static_assert(ZMQ_GSSAPI_PRINCIPAL_NAMETYPE == 90);
static_assert(ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE == 91);
static_assert(ZMQ_GSSAPI_NT_HOSTBASED == 0);
static_assert(ZMQ_GSSAPI_NT_USER_NAME == 1);
static_assert(ZMQ_GSSAPI_NT_KRB5_PRINCIPAL == 2);

// Other transports
static_assert(ZMQ_RATE == 8);
static_assert(ZMQ_RECOVERY_IVL == 9);
static_assert(ZMQ_MULTICAST_HOPS == 25);
static_assert(ZMQ_MULTICAST_MAXTPDU == 84);
static_assert(ZMQ_VMCI_BUFFER_SIZE == 85);
static_assert(ZMQ_VMCI_BUFFER_MIN_SIZE == 86);
static_assert(ZMQ_VMCI_BUFFER_MAX_SIZE == 87);
static_assert(ZMQ_VMCI_CONNECT_TIMEOUT == 88);

// Other options and older names
static_assert(ZMQ_BLOCKY == 70);
static_assert(ZMQ_GROUP_MAX_LENGTH == 255);
static_assert(ZMQ_IDENTITY == 5);
static_assert(ZMQ_CONNECT_RID == 61);
static_assert(ZMQ_FAIL_UNROUTABLE == 33);
static_assert(ZMQ_ROUTER_BEHAVIOR == 33);
static_assert(ZMQ_DELAY_ATTACH_ON_CONNECT == 39);
static_assert(ZMQ_IPV4ONLY == 31);
static_assert(ZMQ_TCP_ACCEPT_FILTER == 38);
static_assert(ZMQ_IPC_FILTER_PID == 58);
static_assert(ZMQ_IPC_FILTER_UID == 59);
static_assert(ZMQ_IPC_FILTER_GID == 60);

// Monitoring
static_assert(ZMQ_EVENT_CONNECTED == 0x1);
static_assert(ZMQ_EVENT_CONNECT_DELAYED == 0x2);
static_assert(ZMQ_EVENT_CONNECT_RETRIED == 0x4);
static_assert(ZMQ_EVENT_LISTENING == 0x8);
static_assert(ZMQ_EVENT_BIND_FAILED == 0x10);
static_assert(ZMQ_EVENT_ACCEPTED == 0x20);
static_assert(ZMQ_EVENT_ACCEPT_FAILED == 0x40);
static_assert(ZMQ_EVENT_CLOSED == 0x80);
static_assert(ZMQ_EVENT_CLOSE_FAILED == 0x100);
static_assert(ZMQ_EVENT_DISCONNECTED == 0x200);
static_assert(ZMQ_EVENT_MONITOR_STOPPED == 0x400);
static_assert(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL == 0x800);
static_assert(ZMQ_EVENT_HANDSHAKE_SUCCEEDED == 0x1000);
static_assert(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL == 0x2000);
static_assert(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH == 0x4000);
static_assert(ZMQ_EVENT_ALL == 0xffff);

// Failed handshakes
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED == 0x10000000);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND == 0x10000001);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE == 0x10000002);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE == 0x10000003);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED == 0x10000011);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE == 0x10000012);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO == 0x10000013);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE == 0x10000014);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR == 0x10000015);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY == 0x10000016);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME == 0x10000017);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA == 0x10000018);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC == 0x11000001);
static_assert(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH == 0x11000002);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_UNSPECIFIED == 0x20000000);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY == 0x20000001);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID == 0x20000002);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION == 0x20000003);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE == 0x20000004);
static_assert(ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA == 0x20000005);
static_assert(ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED == 0x30000000);

// Polling and devices
static_assert(ZMQ_POLLIN == 1);
static_assert(ZMQ_POLLOUT == 2);
static_assert(ZMQ_POLLERR == 4);
static_assert(ZMQ_POLLPRI == 8);
static_assert(ZMQ_POLLITEMS_DFLT == 16);
static_assert(ZMQ_STREAMER == 1);
static_assert(ZMQ_FORWARDER == 2);
static_assert(ZMQ_QUEUE == 3);

// Draft socket types
static_assert(ZMQ_SERVER == 12);
static_assert(ZMQ_CLIENT == 13);
static_assert(ZMQ_RADIO == 14);
static_assert(ZMQ_DISH == 15);
static_assert(ZMQ_GATHER == 16);
static_assert(ZMQ_SCATTER == 17);
static_assert(ZMQ_DGRAM == 18);
static_assert(ZMQ_PEER == 19);
static_assert(ZMQ_CHANNEL == 20);

// Draft socket options
static_assert(ZMQ_ZAP_ENFORCE_DOMAIN == 93);
static_assert(ZMQ_LOOPBACK_FASTPATH == 94);
static_assert(ZMQ_METADATA == 95);
static_assert(ZMQ_MULTICAST_LOOP == 96);
static_assert(ZMQ_ROUTER_NOTIFY == 97);
static_assert(ZMQ_XPUB_MANUAL_LAST_VALUE == 98);
static_assert(ZMQ_SOCKS_USERNAME == 99);
static_assert(ZMQ_SOCKS_PASSWORD == 100);
static_assert(ZMQ_IN_BATCH_SIZE == 101);
static_assert(ZMQ_OUT_BATCH_SIZE == 102);
static_assert(ZMQ_WSS_KEY_PEM == 103);
static_assert(ZMQ_WSS_CERT_PEM == 104);
static_assert(ZMQ_WSS_TRUST_PEM == 105);
static_assert(ZMQ_WSS_HOSTNAME == 106);
static_assert(ZMQ_WSS_TRUST_SYSTEM == 107);
static_assert(ZMQ_ONLY_FIRST_SUBSCRIBE == 108);
static_assert(ZMQ_RECONNECT_STOP == 109);
static_assert(ZMQ_HELLO_MSG == 110);
static_assert(ZMQ_DISCONNECT_MSG == 111);
static_assert(ZMQ_PRIORITY == 112);
static_assert(ZMQ_BUSY_POLL == 113);
static_assert(ZMQ_HICCUP_MSG == 114);
static_assert(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE == 115);
static_assert(ZMQ_TOPICS_COUNT == 116);
static_assert(ZMQ_NORM_MODE == 117);
static_assert(ZMQ_NORM_UNICAST_NACK == 118);
static_assert(ZMQ_NORM_BUFFER_SIZE == 119);
static_assert(ZMQ_NORM_SEGMENT_SIZE == 120);
static_assert(ZMQ_NORM_BLOCK_SIZE == 121);
static_assert(ZMQ_NORM_NUM_PARITY == 122);
static_assert(ZMQ_NORM_NUM_AUTOPARITY == 123);
static_assert(ZMQ_NORM_PUSH == 124);

// Values of draft options
static_assert(ZMQ_NORM_FIXED == 0);
static_assert(ZMQ_NORM_CC == 1);
static_assert(ZMQ_NORM_CCL == 2);
static_assert(ZMQ_NORM_CCE == 3);
static_assert(ZMQ_NORM_CCE_ECNONLY == 4);
static_assert(ZMQ_RECONNECT_STOP_CONN_REFUSED == 1);
static_assert(ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED == 2);
static_assert(ZMQ_RECONNECT_STOP_AFTER_DISCONNECT == 4);
static_assert(ZMQ_NOTIFY_CONNECT == 1);
static_assert(ZMQ_NOTIFY_DISCONNECT == 2);
static_assert(ZMQ_ZERO_COPY_RECV == 10);

// Draft monitoring
static_assert(ZMQ_EVENT_PIPES_STATS == 0x10000);
static_assert(ZMQ_CURRENT_EVENT_VERSION == 1);
static_assert(ZMQ_CURRENT_EVENT_VERSION_DRAFT == 2);
static_assert(ZMQ_EVENT_ALL_V1 == 0xffff);
static_assert((ZMQ_EVENT_ALL_V2) == 0x1ffff);

using namespace std::string_view_literals;
static_assert(ZMQ_MSG_PROPERTY_ROUTING_ID ""sv == "Routing-Id");
static_assert(ZMQ_MSG_PROPERTY_SOCKET_TYPE ""sv == "Socket-Type");
static_assert(ZMQ_MSG_PROPERTY_USER_ID ""sv == "User-Id");
static_assert(ZMQ_MSG_PROPERTY_PEER_ADDRESS ""sv == "Peer-Address");

static_assert(ZMQ_MAKE_VERSION(1, 2, 3) == 10203);

// Structures
static_assert(sizeof(zmq_msg_t) == 64);
static_assert(alignof(zmq_msg_t) == alignof(void*));
static_assert(std::is_trivial_v<zmq_msg_t> && std::is_standard_layout_v<zmq_msg_t>);
static_assert(std::is_same_v<zmq_fd_t, int>);

static_assert(sizeof(zmq_pollitem_t) == sizeof(void*) + 8);
static_assert(offsetof(zmq_pollitem_t, socket) == 0);
static_assert(offsetof(zmq_pollitem_t, fd) == sizeof(void*));
static_assert(offsetof(zmq_pollitem_t, events) == sizeof(void*) + 4);
static_assert(offsetof(zmq_pollitem_t, revents) == sizeof(void*) + 6);

static_assert(sizeof(zmq_poller_event_t) == 4 * sizeof(void*) || sizeof(void*) != 8);
static_assert(offsetof(zmq_poller_event_t, socket) == 0);
static_assert(offsetof(zmq_poller_event_t, fd) == sizeof(void*));
static_assert(offsetof(zmq_poller_event_t, user_data) == 2 * sizeof(void*));
static_assert(offsetof(zmq_poller_event_t, events) == 3 * sizeof(void*));

#if !defined ZMQ_HAVE_TIMERS || !defined ZMQ_HAVE_POLLER
#error "zmq.h must tell that timers and pollers exist"
#endif
#ifdef ZMQ_EXPORT
#error "zmq.h must keep its export attribute to itself"
#endif

TEST(header_test, the_library_agrees_on_the_version)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version(&major, &minor, &patch);
    EXPECT_EQ(ZMQ_MAKE_VERSION(major, minor, patch), 40305);
    EXPECT_EQ(ZMQ_VERSION, ZMQ_MAKE_VERSION(ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR, ZMQ_VERSION_PATCH));
}

TEST(header_test, what_its_marks_announce_is_there)
{
    static_assert(ZMQ_DEFINED_STDINT == 1 && sizeof(uint64_t) == 8);
    static_assert(ZMQ_HAS_CAPABILITIES == 1);
    EXPECT_EQ(1, zmq_has("ipc"));
#ifdef ZMQ_HAVE_TIMERS
    void* timers = zmq_timers_new();
#else
    void* timers = nullptr;
#endif
    EXPECT_EQ(0, zmq_timers_destroy(&timers));
#ifdef ZMQ_HAVE_POLLER
    void* poller = zmq_poller_new();
#else
    void* poller = nullptr;
#endif
    EXPECT_EQ(0, zmq_poller_destroy(&poller));
}

// libzmq's header defines these where the system does not.
TEST(header_test, error_numbers_of_the_system_lie_below_those_of_its_own)
{
    for (const int number : {ENOTSUP, EPROTONOSUPPORT, ENOBUFS, ENETDOWN, EADDRINUSE, EADDRNOTAVAIL, ECONNREFUSED,
                             EINPROGRESS, ENOTSOCK, EMSGSIZE, EAFNOSUPPORT, ENETUNREACH, ECONNABORTED, ECONNRESET,
                             ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ENETRESET}) {
        EXPECT_GT(number, 0);
        EXPECT_LT(number, ZMQ_HAUSNUMERO);
        EXPECT_STRNE("", zmq_strerror(number));
    }
    for (const int number : {EFSM, ENOCOMPATPROTO, ETERM, EMTHREAD}) {
        EXPECT_GT(number, ZMQ_HAUSNUMERO);
        EXPECT_STRNE(zmq_strerror(number), zmq_strerror(ZMQ_HAUSNUMERO));
    }
}

TEST(header_test, the_library_agrees_on_the_size_of_messages)
{
    void* context = zmq_ctx_new();
    ASSERT_NE(context, nullptr);
    EXPECT_EQ(zmq_ctx_get(context, ZMQ_MSG_T_SIZE), 64);
    EXPECT_EQ(zmq_ctx_term(context), 0);
}

}  // namespace
