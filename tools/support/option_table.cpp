// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The names are the documented ones of zmq_setsockopt, zmq_getsockopt and zmq_ctx_set.
#include "support/option_table.hpp"

#include <array>

#include "support/text.hpp"

#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using enum option_kind;
using enum option_access;

constexpr std::array socket_table{
    option_entry{"AFFINITY", ZMQ_AFFINITY, uint64, read_write, "bit mask of I/O threads, 0: all"},
    option_entry{"BACKLOG", ZMQ_BACKLOG, integer, read_write, "connections"},
    option_entry{"BINDTODEVICE", ZMQ_BINDTODEVICE, text, read_write, "network interface"},
    option_entry{"BUSY_POLL", 113, integer, read_write, "microseconds"},
    option_entry{"CONFLATE", ZMQ_CONFLATE, integer, read_write, "0 or 1: keep the last message only"},
    option_entry{"CONNECT_ROUTING_ID", ZMQ_CONNECT_ROUTING_ID, binary, write, "id of the next peer connected to"},
    option_entry{"CONNECT_TIMEOUT", ZMQ_CONNECT_TIMEOUT, integer, read_write, "ms, 0: the system's"},
    option_entry{"CURVE_PUBLICKEY", ZMQ_CURVE_PUBLICKEY, key, read_write, "own public key, 40 characters of Z85"},
    option_entry{"CURVE_SECRETKEY", ZMQ_CURVE_SECRETKEY, key, secret, "by --curve-secret @FILE"},
    option_entry{"CURVE_SERVER", ZMQ_CURVE_SERVER, integer, read_write, "0 or 1: be the CURVE server"},
    option_entry{"CURVE_SERVERKEY", ZMQ_CURVE_SERVERKEY, key, read_write, "the server's public key"},
    option_entry{"DISCONNECT_MSG", ZMQ_DISCONNECT_MSG, binary, write, "message a lost peer leaves behind"},
    option_entry{"EVENTS", ZMQ_EVENTS, integer, read, "1 readable, 2 writable"},
    option_entry{"FD", ZMQ_FD, integer, read, "file descriptor"},
    option_entry{"HANDSHAKE_IVL", ZMQ_HANDSHAKE_IVL, integer, read_write, "ms, 0: no limit"},
    option_entry{"HEARTBEAT_IVL", ZMQ_HEARTBEAT_IVL, integer, read_write, "ms, 0: no heartbeats"},
    option_entry{"HEARTBEAT_TIMEOUT", ZMQ_HEARTBEAT_TIMEOUT, integer, read_write, "ms, -1: the interval"},
    option_entry{"HEARTBEAT_TTL", ZMQ_HEARTBEAT_TTL, integer, read_write, "ms"},
    option_entry{"HELLO_MSG", ZMQ_HELLO_MSG, binary, write, "message to every new peer"},
    option_entry{"HICCUP_MSG", 114, binary, write, "message a reconnect leaves behind"},
    option_entry{"IMMEDIATE", ZMQ_IMMEDIATE, integer, read_write, "0 or 1: queue on complete connections only"},
    option_entry{"INVERT_MATCHING", ZMQ_INVERT_MATCHING, integer, read_write, "0 or 1"},
    option_entry{"IN_BATCH_SIZE", ZMQ_IN_BATCH_SIZE, integer, read_write, "bytes, instead of the knobs"},
    option_entry{"IPC_FILTER_GID", ZMQ_IPC_FILTER_GID, integer, write, "group to accept ipc peers of"},
    option_entry{"IPC_FILTER_PID", ZMQ_IPC_FILTER_PID, integer, write, "process to accept ipc peers of"},
    option_entry{"IPC_FILTER_UID", ZMQ_IPC_FILTER_UID, integer, write, "user to accept ipc peers of"},
    option_entry{"IPV4ONLY", ZMQ_IPV4ONLY, integer, read_write, "0 or 1: the opposite of IPV6"},
    option_entry{"IPV6", ZMQ_IPV6, integer, read_write, "0 or 1"},
    option_entry{"LAST_ENDPOINT", ZMQ_LAST_ENDPOINT, text, read, "endpoint"},
    option_entry{"LINGER", ZMQ_LINGER, integer, read_write, "ms, -1: until sent"},
    option_entry{"LOOPBACK_FASTPATH", ZMQ_LOOPBACK_FASTPATH, integer, read_write, "without effect"},
    option_entry{"MAXMSGSIZE", ZMQ_MAXMSGSIZE, int64, read_write, "bytes, -1: no limit"},
    option_entry{"MECHANISM", ZMQ_MECHANISM, integer, read, "0 NULL, 1 PLAIN, 2 CURVE"},
    option_entry{"METADATA", ZMQ_METADATA, text, write, "X-KEY:VALUE"},
    option_entry{"MULTICAST_HOPS", ZMQ_MULTICAST_HOPS, integer, read_write, "hops"},
    option_entry{"MULTICAST_LOOP", ZMQ_MULTICAST_LOOP, integer, read_write, "0 or 1"},
    option_entry{"MULTICAST_MAXTPDU", ZMQ_MULTICAST_MAXTPDU, integer, read_write, "bytes"},
    option_entry{"NAME", ZLINK_NAME, text, read_write, "the socket's name in statistics"},
    option_entry{"ONLY_FIRST_SUBSCRIBE", ZMQ_ONLY_FIRST_SUBSCRIBE, integer, write, "0 or 1"},
    option_entry{"ON_FULL", ZLINK_ON_FULL, integer, read_write, "-1 by type, 0 wait, 1 drop the newest, 2 the oldest"},
    option_entry{"ON_FULL_RECEIVE", ZLINK_ON_FULL_RECEIVE, integer, read_write, "as ON_FULL, without -1"},
    option_entry{"OUT_BATCH_SIZE", ZMQ_OUT_BATCH_SIZE, integer, read_write, "bytes, instead of the knobs"},
    option_entry{"OLDEST_ZMTP", ZMQ_OLDEST_ZMTP, integer, read_write, "1 to 3: no peers of older versions"},
    option_entry{"PLAIN_PASSWORD", ZMQ_PLAIN_PASSWORD, text, secret, "by --plain-password @FILE"},
    option_entry{"PLAIN_SERVER", ZMQ_PLAIN_SERVER, integer, read_write, "0 or 1: be the PLAIN server"},
    option_entry{"PLAIN_USERNAME", ZMQ_PLAIN_USERNAME, text, read_write, "name to log in by"},
    option_entry{"PRIORITY", ZMQ_PRIORITY, integer, read_write, "SO_PRIORITY"},
    option_entry{"PROBE_ROUTER", ZMQ_PROBE_ROUTER, integer, write, "0 or 1"},
    option_entry{"RATE", ZMQ_RATE, integer, read_write, "kilobits per second"},
    option_entry{"RCVBUF", ZMQ_RCVBUF, integer, read_write, "bytes, -1: the system's"},
    option_entry{"RCVHWM", ZMQ_RCVHWM, integer, read_write, "messages, 0: no limit"},
    option_entry{"RCVHWM_BYTES", ZLINK_RCVHWM_BYTES, int64, read_write, "bytes, 0: no limit"},
    option_entry{"RCVMORE", ZMQ_RCVMORE, integer, read, "0 or 1"},
    option_entry{"RCVTIMEO", ZMQ_RCVTIMEO, integer, read_write, "ms, -1: no limit"},
    option_entry{"RECONNECT_IVL", ZMQ_RECONNECT_IVL, integer, read_write, "ms, -1: never"},
    option_entry{"RECONNECT_IVL_MAX", ZMQ_RECONNECT_IVL_MAX, integer, read_write, "ms, 0: no back-off"},
    option_entry{"RECONNECT_STOP", ZMQ_RECONNECT_STOP, integer, read_write, "bit mask of reasons"},
    option_entry{"RECOVERY_IVL", ZMQ_RECOVERY_IVL, integer, read_write, "ms"},
    option_entry{"REQ_CORRELATE", ZMQ_REQ_CORRELATE, integer, write, "0 or 1"},
    option_entry{"REQ_RELAXED", ZMQ_REQ_RELAXED, integer, write, "0 or 1"},
    option_entry{"ROUTER_HANDOVER", ZMQ_ROUTER_HANDOVER, integer, write, "0 or 1"},
    option_entry{"ROUTER_MANDATORY", ZMQ_ROUTER_MANDATORY, integer, write, "0 or 1: an unknown id is an error"},
    option_entry{"ROUTER_NOTIFY", ZMQ_ROUTER_NOTIFY, integer, read_write, "1 connects, 2 disconnects"},
    option_entry{"ROUTER_RAW", ZMQ_ROUTER_RAW, integer, write, "0 or 1"},
    option_entry{"ROUTING_ID", ZMQ_ROUTING_ID, binary, read_write, "this socket's id, 1 to 255 bytes"},
    option_entry{"SHARED", ZLINK_SHARED, integer, read_write, "0 or 1: threads may share it; messages of one frame"},
    option_entry{"SNDBUF", ZMQ_SNDBUF, integer, read_write, "bytes, -1: the system's"},
    option_entry{"SNDHWM", ZMQ_SNDHWM, integer, read_write, "messages, 0: no limit"},
    option_entry{"SNDHWM_BYTES", ZLINK_SNDHWM_BYTES, int64, read_write, "bytes, 0: no limit"},
    option_entry{"SNDTIMEO", ZMQ_SNDTIMEO, integer, read_write, "ms, -1: no limit"},
    option_entry{"SOCKS_PASSWORD", ZMQ_SOCKS_PASSWORD, text, secret, "by --socks-password @FILE"},
    option_entry{"SOCKS_PROXY", ZMQ_SOCKS_PROXY, text, read_write, "HOST:PORT to connect through"},
    option_entry{"SOCKS_USERNAME", ZMQ_SOCKS_USERNAME, text, read_write, "name to log in at the proxy by"},
    option_entry{"STREAM_NOTIFY", ZMQ_STREAM_NOTIFY, integer, write, "0 or 1"},
    option_entry{"SUBSCRIBE", ZMQ_SUBSCRIBE, binary, write, "topic"},
    option_entry{"TCP_ACCEPT_FILTER", ZMQ_TCP_ACCEPT_FILTER, text, write, "ADDRESS[/BITS] to accept peers from"},
    option_entry{"TCP_KEEPALIVE", ZMQ_TCP_KEEPALIVE, integer, read_write, "0, 1, -1: the system's"},
    option_entry{"TCP_KEEPALIVE_CNT", ZMQ_TCP_KEEPALIVE_CNT, integer, read_write, "probes, -1: the system's"},
    option_entry{"TCP_KEEPALIVE_IDLE", ZMQ_TCP_KEEPALIVE_IDLE, integer, read_write, "s, -1: the system's"},
    option_entry{"TCP_KEEPALIVE_INTVL", ZMQ_TCP_KEEPALIVE_INTVL, integer, read_write, "s, -1: the system's"},
    option_entry{"TCP_MAXRT", ZMQ_TCP_MAXRT, integer, read_write, "ms, 0: the system's"},
    option_entry{"THREAD_SAFE", ZMQ_THREAD_SAFE, integer, read, "0 or 1"},
    option_entry{"TLS_CA_FILE", ZMQ_TLS_CA_FILE, text, read_write, "certificates that vouch for the peer's"},
    option_entry{"TLS_CERT_FILE", ZMQ_TLS_CERT_FILE, text, read_write, "own certificate"},
    option_entry{"TLS_HOSTNAME", ZMQ_TLS_HOSTNAME, text, read_write, "name in the server's certificate"},
    option_entry{"TLS_KEY_FILE", ZMQ_TLS_KEY_FILE, text, read_write, "own key"},
    option_entry{"TLS_KEY_PASSWORD", ZMQ_TLS_KEY_PASSWORD, text, secret, "by --tls-key-password @FILE"},
    option_entry{"TLS_REQUIRE_CLIENT_CERT", ZMQ_TLS_REQUIRE_CLIENT_CERT, integer, read_write,
                 "0 or 1: no client without a certificate"},
    option_entry{"TLS_TRUST_SYSTEM", ZMQ_TLS_TRUST_SYSTEM, integer, read_write,
                 "0 or 1, -1: if there is no TLS_CA_FILE"},
    option_entry{"TLS_VERIFY", ZMQ_TLS_VERIFY, integer, read_write, "0 or 1: verify the server's certificate"},
    option_entry{"TLS_ZAP_CLIENT_CERT", ZMQ_TLS_ZAP_CLIENT_CERT, integer, read_write,
                 "0 or 1: ask the ZAP handler about clients' certificates"},
    option_entry{"TOPICS_COUNT", 116, integer, read, "subscriptions"},
    option_entry{"TOS", ZMQ_TOS, integer, read_write, "IP type of service"},
    option_entry{"TYPE", ZMQ_TYPE, integer, read, "number of the socket type"},
    option_entry{"UNSUBSCRIBE", ZMQ_UNSUBSCRIBE, binary, write, "topic"},
    option_entry{"USE_FD", ZMQ_USE_FD, integer, read_write, "descriptor to listen or talk on, -1: none"},
    option_entry{"WS_ORIGIN", ZMQ_WS_ORIGIN, text, write, "web pages of it are let in, of others not"},
    option_entry{"XPUB_MANUAL", ZMQ_XPUB_MANUAL, integer, write, "0 or 1"},
    option_entry{"XPUB_MANUAL_LAST_VALUE", ZMQ_XPUB_MANUAL_LAST_VALUE, integer, write, "0 or 1"},
    option_entry{"XPUB_NODROP", ZMQ_XPUB_NODROP, integer, write, "0 or 1: a full queue blocks"},
    option_entry{"XPUB_VERBOSE", ZMQ_XPUB_VERBOSE, integer, write, "0 or 1"},
    option_entry{"XPUB_VERBOSER", ZMQ_XPUB_VERBOSER, integer, write, "0 or 1"},
    option_entry{"XPUB_WELCOME_MSG", ZMQ_XPUB_WELCOME_MSG, binary, write, "message to every new subscriber"},
    option_entry{"XSUB_VERBOSE_UNSUBSCRIBE", ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, integer, write, "0 or 1"},
    option_entry{"ZAP_DOMAIN", ZMQ_ZAP_DOMAIN, text, read_write, "name of the domain that peers come into"},
    option_entry{"ZAP_ENFORCE_DOMAIN", ZMQ_ZAP_ENFORCE_DOMAIN, integer, read_write,
                 "0 or 1: no peer without a handler"},
};

constexpr std::array context_table{
    option_entry{"BLOCKY", ZMQ_BLOCKY, integer, read_write, "0 or 1: 0 makes linger 0 the default"},
    option_entry{"CTX_IPV6", ZMQ_IPV6, integer, read_write, "0 or 1: default of new sockets"},
    option_entry{"IO_THREADS", ZMQ_IO_THREADS, integer, read_write, "threads"},
    option_entry{"MAX_MSGSZ", ZMQ_MAX_MSGSZ, integer, read_write, "bytes"},
    option_entry{"MAX_QUEUED_BYTES", ZLINK_MAX_QUEUED_BYTES, integer, read_write, "bytes in all queues, 0: any number"},
    option_entry{"MAX_SOCKETS", ZMQ_MAX_SOCKETS, integer, read_write, "sockets"},
    option_entry{"MSG_T_SIZE", ZMQ_MSG_T_SIZE, integer, read, "bytes of a zmq_msg_t"},
    option_entry{"SOCKET_LIMIT", ZMQ_SOCKET_LIMIT, integer, read, "most that MAX_SOCKETS may be"},
    option_entry{"THREAD_NAME_PREFIX", ZMQ_THREAD_NAME_PREFIX, integer, read_write, "number before the thread's name"},
    option_entry{"THREAD_PRIORITY", ZMQ_THREAD_PRIORITY, integer, write, "scheduling priority"},
    option_entry{"THREAD_SCHED_POLICY", ZMQ_THREAD_SCHED_POLICY, integer, read_write, "-1: the system's"},
    option_entry{"ZERO_COPY_RECV", ZMQ_ZERO_COPY_RECV, integer, read_write, "0 or 1"},
};

std::string without_prefix(std::string_view name)
{
    std::string wanted = upper(name);
    for (const std::string_view prefix : {"ZMQ_", "ZLINK_"}) {
        if (wanted.starts_with(prefix)) {
            return wanted.substr(prefix.size());
        }
    }
    return wanted;
}

}  // namespace

std::span<const option_entry> socket_options()
{
    return socket_table;
}

std::span<const option_entry> context_options()
{
    return context_table;
}

const option_entry* find_option(std::span<const option_entry> table, std::string_view name)
{
    const std::string wanted = without_prefix(name);
    for (const auto& entry : table) {
        if (wanted == entry.name) {
            return &entry;
        }
    }
    return nullptr;
}

std::string nearest_option(std::string_view name)
{
    const std::string wanted = without_prefix(name);
    std::string best;
    std::size_t best_distance = ~std::size_t{0};
    for (const auto table : {socket_options(), context_options()}) {
        for (const auto& entry : table) {
            if (const auto distance = edit_distance(wanted, entry.name); distance < best_distance) {
                best_distance = distance;
                best = entry.name;
            }
        }
    }
    return may_be_meant(wanted, best) ? best : "";
}

}  // namespace zlink::tool
