/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/**
 * @file zlink.h
 * The parts of zlink's API that zmq.h does not have. These are its version, a list of its tuning knobs, counters,
 * failures in words, and options of its own.
 */
#ifndef ZLINK_H_INCLUDED
#define ZLINK_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define ZLINK_EXPORT __attribute__((visibility("default")))
#else
#define ZLINK_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ZLINK_VERSION_MAJOR 0
#define ZLINK_VERSION_MINOR 1
#define ZLINK_VERSION_PATCH 0

/** Stores zlink's own version (zmq_version() tells that of its API); NULL pointers are passed over. */
ZLINK_EXPORT void zlink_version(int* major, int* minor, int* patch);

/** One tuning knob: an environment variable that sets a default of new contexts and sockets. */
typedef struct zlink_knob_t {
    const char* name;          /**< Name of the environment variable. */
    const char* value;         /**< Value in force in this process. */
    const char* default_value; /**< Value if it is not set. */
    const char* source;        /**< Where `value` comes from: "default", "environment" or "option". */
    const char* description;   /**< One line: meaning and unit. */
} zlink_knob_t;

/**
 * Describes knob number `index`, counted from 0 without gaps. The texts belong to the library and stay valid while it
 * is loaded. Returns 0; fails with -1 and EINVAL past the last knob, EFAULT if `knob` is NULL. Any thread may call it.
 */
ZLINK_EXPORT int zlink_knob(size_t index, zlink_knob_t* knob);

/** The effects, in this process so far, of one rule that adapts to the load (docs/load.md). */
typedef struct zlink_load_counter_t {
    const char* name;        /**< Name of the counter. */
    uint64_t times;          /**< How often the rule has fired. */
    uint64_t waited_ns;      /**< For how long it has made threads wait, in nanoseconds; 0 if it makes none wait. */
    const char* description; /**< One line: the thing that is counted. */
} zlink_load_counter_t;

/**
 * Reads counter number `index`, counted from 0 without gaps. Each thread counts for itself, so the latest counts of
 * other threads may be missing. The texts belong to the library and stay valid while it is loaded. Counters come and go
 * with the rules: look for them by name. Returns 0; fails with -1 and EINVAL past the last counter, EFAULT if `counter`
 * is NULL. Any thread may call it.
 */
ZLINK_EXPORT int zlink_load_counter(size_t index, zlink_load_counter_t* counter);

/**
 * Returns the reason, in words, of this thread's last failed call. Examples: the certificate file and its fault, the
 * part of an endpoint that is not a port, the option that does not take a value. If nothing more than errno is known,
 * the text is a sentence for that errno. "" if no call has failed. Connections are made in the background:
 * zlink_connection_error() has the reasons of their failures. The text stays valid until this thread's next failed
 * call, or its end. Any thread may call it.
 */
ZLINK_EXPORT const char* zlink_last_error(void);

/**
 * Copies the reason, in words, of a connection's failure: "tcp://127.0.0.1:5555: Connection refused". The last 16
 * failures of the process are kept, for all its sockets. These are refused connects, names that do not resolve, and
 * failures of SOCKS proxies and of handshakes of TLS and WebSocket. `*position` is the reader's place, 0 at first; each
 * reader has its own. The call moves it past the text it copies. `text` receives the reason with a NUL, cut to `size`
 * octets; it may be NULL if `size` is 0. Returns the reason's length, or 0 if there is not a further one yet: ask again
 * when a monitor reports a failure. Returns 0 with EFAULT if `position` is NULL, or if `text` is NULL and `size` is not
 * 0. Any thread may call it.
 */
ZLINK_EXPORT size_t zlink_connection_error(uint64_t* position, char* text, size_t size);

/**
 * @name Options of tls endpoints
 * For zmq_setsockopt() and zmq_getsockopt(), before zmq_bind() and zmq_connect(). The files are PEM. zmq_bind() and
 * zmq_connect() read them; if a file is wrong, they fail with EINVAL and zlink_last_error() gives the reason. If a file
 * changes, the next connection uses its new content.
 * @{
 */
#define ZMQ_TLS_CERT_FILE 7001 /**< string: our certificate, and those between it and its root. A server needs one. */
#define ZMQ_TLS_KEY_FILE 7002  /**< string: its private key. Default: in the file of the certificate. */
#define ZMQ_TLS_KEY_PASSWORD 7003 /**< Write only, string: the password that the private key is encrypted with. */
#define ZMQ_TLS_CA_FILE                                                                                                \
    7004 /**< string: certificates that vouch for the peer's; a file, or a directory as c_rehash makes. */
#define ZMQ_TLS_TRUST_SYSTEM                                                                                           \
    7005 /**< 1: the system's certificates vouch, too. Default -1: a client trusts them if it has no CA file, a server
              never. */
#define ZMQ_TLS_HOSTNAME                                                                                               \
    7006 /**< string: the name that the server's certificate must bear, as an alternative name; EINVAL if it begins
              with a dot. Default: the endpoint's host. */
#define ZMQ_TLS_VERIFY                                                                                                 \
    7007 /**< bool: the server's certificate is verified. Default 1. With 0, any party can pose as the server. */
#define ZMQ_TLS_REQUIRE_CLIENT_CERT                                                                                    \
    7008 /**< bool: a server wants each client's certificate; needs a CA file, or TRUST_SYSTEM at 1. Default 0. */
#define ZMQ_TLS_ZAP_CLIENT_CERT                                                                                        \
    7009 /**< bool: a server asks the ZAP handler about the certificate of each client: mechanism "TLS", one frame, the
              certificate (DER), empty if there is none. Needs a CA file as REQUIRE_CLIENT_CERT does. Default 0. */
/** @} */

#define ZMQ_WS_ORIGIN                                                                                                  \
    7101 /**< Write only, string: ws binds that follow let in web pages of this origin ("https://example.com"), and
              refuse those of other origins. Each call adds one; NULL: all are let in again. */

#define ZMQ_OLDEST_ZMTP                                                                                                \
    7201 /**< int, 1 to 3: the oldest major version of ZMTP that a peer may speak. Peers of older ones are refused.
              Default 1. Any bytes may pass for version 1, which has no greeting. */

#define ZLINK_SHARED                                                                                                   \
    7301 /**< int, 0 or 1, before bind and connect and ZMQ_FD: with 1, any number of threads may use the socket at once.
              Each call is one step for the others. Functions that free bodies may use the socket, except for bodies of
              messages that it drops. Messages go and come as a whole: ZMQ_SNDMORE and ZMQ_FD are EINVAL,
              zmq_recv() fails with EMSGSIZE at a message of several parts, which stays for zlink_recv_parts(). A call
              that begins after zmq_close() fails with ENOTSOCK, and so do calls that wait meanwhile. Default 0; it does
              not go back from 1. Sockets of the thread-safe types are shared from the start. */

#define ZLINK_IPC_MODE                                                                                                 \
    7401 /**< int, 0 to 0777: permissions of the files that ipc binds make, whatever the umask is. They hold before a
              peer can connect. A peer needs the permission to write. zmq_bind() to an abstract name is EINVAL then; a
              descriptor of ZMQ_USE_FD keeps its file's permissions. Default -1: those that the umask leaves. */

#define ZLINK_FD                                                                                                       \
    7402 /**< Read only, int: a descriptor that is readable while a receive would succeed, or fail with ETERM. It is a
              level: an event loop (epoll, select, asyncio) may receive one message a turn, and needs no ZMQ_EVENTS. It
              may also be readable for other news, once: a receive that fails with EAGAIN or EFSM makes it unreadable,
              unless a message comes. Only look at it; the socket makes it by the first call, and closes it. Sockets
              with it send and receive a little slower. Also of shared sockets. EMFILE: no descriptor is left. */

#define ZLINK_SHM_BORROW                                                                                               \
    7403 /**< int, 0 or 1, or -1, the default: what the environment variable of that name says, or else 0. For binds and
              connects that follow. With 1, zmq_msg_recv() gives large bodies of zlink peers on this host where they lie
              in shared memory (ipc), without a copy. Each holds a place in the peer's memory until the last copy of the
              message is closed; once the places are used up, bodies go through the socket. The program may write into
              such a body; the peer does not see that. A hostile peer may change it while the program reads it. */

#define ZLINK_NAME                                                                                                     \
    7311 /**< string: the socket's name in statistics, at most 63 octets; EINVAL if it is longer. Default: none. */

/**
 * @name Bounding memory
 * Marks in bytes, next to ZMQ_SNDHWM and ZMQ_RCVHWM, which count messages: whichever is reached first holds. A message
 * may be sent while the messages that wait hold less than the mark. So a queue exceeds it by less than one message, and
 * a message that is larger than the mark goes through an empty queue. Bytes are those of frames with their headers (2
 * or 9 bytes each), as in zlink_message_counts_t. A full queue has room again when half the mark has been taken from
 * it, or half of the mark in messages. Connections may read up to 8 KB more than the mark at once.
 *
 * They hold for each pipe, and a change reaches the pipes that exist. Between two sockets of a process, one queue holds
 * what waits on both sides, and its mark is the sum of the sender's and the receiver's. Sockets with ZMQ_CONFLATE keep
 * one message and ignore marks.
 * @{
 */
#define ZLINK_SNDHWM_BYTES 7321 /**< int64_t, 0 to 2^62 - 1: mark of what waits to be sent. Default 0: none. */
#define ZLINK_RCVHWM_BYTES                                                                                             \
    7322 /**< int64_t, 0 to 2^62 - 1: mark of what waits to be received. At the mark, connections are not read. Default
              0: none. */
#define ZLINK_ON_FULL                                                                                                  \
    7323 /**< int: what happens to a message that is sent while no queue has room for it, by reason of a mark of either
              kind. One of the values below; default ZLINK_BY_TYPE. EINVAL for SUB, XSUB and DISH, which send
              subscriptions, and for REQ, REP, STREAM and DGRAM. */
#define ZLINK_ON_FULL_RECEIVE                                                                                          \
    7324 /**< int: the same for messages that come while ZMQ_RCVHWM or ZLINK_RCVHWM_BYTES is reached. Default
              ZLINK_BLOCK. EINVAL for PUB, XPUB and RADIO, which receive subscriptions, and for REQ, REP, STREAM and
              DGRAM. Over inproc it holds for connections of the socket, and for those that come once it is bound; if
              the sender drops the oldest, that holds. Not for datagrams, nor with ZMQ_ROUTER_RAW. */
#define ZLINK_BY_TYPE                                                                                                  \
    (-1) /**< PUB, XPUB and RADIO drop the message for that peer (but ZMQ_XPUB_NODROP), and so does ROUTER (but
              ZMQ_ROUTER_MANDATORY). All others wait. */
#define ZLINK_BLOCK                                                                                                    \
    0 /**< Wait, or fail with EAGAIN. Receiving: the connection is not read; over inproc, the sender has no room. */
#define ZLINK_DROP_NEWEST                                                                                              \
    1 /**< Drop the message, with all of its parts. A send returns as if it had been sent. A socket without any peer
           waits, as ever. Counted as dropped_full. */
#define ZLINK_DROP_OLDEST                                                                                              \
    2 /**< Drop the oldest messages of the queue until there is room. So neither side waits for the other, and the
           queue holds the newest. What is being written to a connection, or taken by the receiver (up to a quarter of
           the mark), stays. Of sends: for pipes that are made later, by bind or connect; older pipes drop the newest.
           Counted as dropped_replaced. */
#define ZLINK_MAX_QUEUED_BYTES                                                                                         \
    7331 /**< int64_t, 0 to 2^63 - 1, of a context: zmq_ctx_set_ext(); or an int: zmq_ctx_set(). The most that may wait
              in all queues of its sockets together, next to the marks of each. A message may be written while less
              waits, or if its own queue is empty. So no two sockets can lock each other out, and what waits is less
              than this and one message for each queue; of a connection that is read, one message or 8 KB. At the cap,
              sockets do as at a mark. A queue that holds something has room again once an eighth of the cap is free.
              Default 0: none. It holds for queues that are made while it is not 0, so set it before bind and connect;
              a later change reaches those. */
/** @} */

/**
 * @name Statistics
 * What sockets have done since they were created. Any thread may ask at any time, while another one uses the socket or
 * closes it. Messages cost nothing more because of it. docs/observing.md tells what the numbers mean together.
 *
 * `size` is the first member of each structure. The caller sets it to the structure's size. The library fills in what
 * both know, sets the rest to 0, and stores the number of octets that it has filled in. So a structure may get further
 * members in later versions. Texts end with a NUL, and are cut to their array.
 *
 * A message that goes to several peers counts once for each. Octets are those of all frames with their ZMTP headers,
 * which are 2 octets, or 9 for a frame of more than 255. Subscriptions that go from peer to peer are messages, too.
 * @{
 */

/** What a socket has done with the messages of one peer, or of all peers that it has had. */
typedef struct zlink_message_counts_t {
    uint64_t messages_sent;       /**< Put into the queue for the peer, those included that are queued_out. */
    uint64_t octets_sent;         /**< Of them. */
    uint64_t messages_received;   /**< Taken out of the queue of what the peer has sent. */
    uint64_t octets_received;     /**< Of them. */
    uint64_t messages_queued_out; /**< In the queue for the peer now: not yet given to the system. Over inproc: not yet
                                       received. Perhaps a few too many while a connection is being written. */
    uint64_t octets_queued_out;   /**< In that queue now. */
    uint64_t messages_queued_in;  /**< Come from the peer, and not received yet. Over inproc: the peer's queue out. */
    uint64_t octets_queued_in;    /**< In that queue now. */
    uint64_t dropped_full;        /**< Not sent to the peer: its queue had reached the high-water mark. Also come from
                                       the peer, and dropped for that reason (ZLINK_ON_FULL_RECEIVE). */
    uint64_t dropped_replaced;    /**< Sent, or come from the peer, and dropped for a newer one before they went on
                                       (ZMQ_CONFLATE, ZLINK_DROP_OLDEST). */
    uint64_t dropped_unwanted;    /**< Received, and not for the program: of no subscription, or malformed, or late. */
} zlink_message_counts_t;

/** One socket. */
typedef struct zlink_stats_t {
    size_t size;                     /**< See above. */
    uint64_t number;                 /**< Sockets of a process are numbered from 1 in the order of their creation. */
    uint64_t age_ms;                 /**< Milliseconds since the socket was created. */
    char name[64];                   /**< ZLINK_NAME. */
    int type;                        /**< ZMQ_PAIR and so on. */
    unsigned peers;                  /**< Peers that are connected now: connects less disconnects. */
    zlink_message_counts_t messages; /**< Of all peers, those included that have gone. */
    uint64_t dropped_no_peer;        /**< Not sent: a publisher without peers. */
    uint64_t dropped_no_match;       /**< Not sent: no peer has subscribed to it. */
    uint64_t dropped_unroutable;     /**< Not sent: no peer of that routing id, or it has gone. */
    uint64_t dropped_unsent;         /**< Sent, and left when the peer had gone for good or ZMQ_LINGER was over. */
    uint64_t dropped_unread;         /**< Come, and left when the peer's queue ended here, as by zmq_disconnect(). */
    uint64_t send_waits;             /**< Sends that slept, as no peer had room. */
    uint64_t connects;               /**< Peers that came, through the handshake; those of reconnects included. */
    uint64_t disconnects;            /**< Peers that were lost, or let go. */
    uint64_t reconnects;             /**< Connects of an endpoint that had been connected before. */
    uint64_t failed_connects;        /**< Attempts that made no connection. */
    uint64_t failed_handshakes;      /**< Connections that did not get through the handshake, for any reason. */
    uint64_t protocol_errors; /**< Of them: the peer broke the protocol, or has another mechanism or socket type. */
    uint64_t refused;         /**< Of them: refused by authentication, on this side or the other. */
    uint64_t silences;        /**< Connections ended because the peer did not answer heartbeats. */
    char last_error[128];     /**< Why a connection has failed last, in words; "" if none has. */
    uint64_t system_reads;    /**< Calls to read from connections, behind their handshakes; over tls of that. */
    uint64_t system_writes;   /**< Calls to write to them. */
    uint64_t held_sends;      /**< Messages that were held back, to go out together with the next ones. */
    uint64_t late_sends;      /**< Of them: later than the rule wants. */
    uint64_t paused_sends;    /**< Sends that slept behind large messages, which the peers had not read. */
    uint64_t io_waits;        /**< Sends that waited for an I/O thread that was late with their queue. */
    uint64_t context_cap;     /**< ZLINK_MAX_QUEUED_BYTES of the socket's context. The next two are of it, too. */
    uint64_t context_queued;  /**< What counts against the cap now. The newest message of each queue may be missing. */
    uint64_t context_cap_waits;      /**< Times that a queue had to wait for room below the cap. */
    uint64_t shared_bodies_sent;     /**< Bodies that went to peers on this host by shared memory (ZLINK_SHM). */
    uint64_t shared_bodies_received; /**< Bodies that came that way. */
    uint64_t shared_memory_made;     /**< Octets of the memory for the former that there is now. */
    uint64_t shared_memory_taken;    /**< Octets of the memory of peers for the latter. */
} zlink_stats_t;

/** One peer of a socket, or a connected endpoint that waits for its peer. */
typedef struct zlink_peer_stats_t {
    size_t size;                     /**< See above. */
    char endpoint[256];              /**< The socket's own endpoint by which the peer came; "" once that is ended. */
    char address[256];               /**< The other end of the connection, where the endpoint does not name it. */
    unsigned char routing_id[256];   /**< That messages bear at a ROUTER, or that the peer has announced. */
    size_t routing_id_size;          /**< Its octets; 0: none. */
    char user_id[256];               /**< That authentication gave the peer; "": none. */
    char mechanism[16];              /**< "NULL", "PLAIN" or "CURVE"; "" without a handshake, as over inproc. */
    int connected;                   /**< 1: the peer is there. 0: its messages wait for a connection. */
    zlink_message_counts_t messages; /**< Since the peer was taken in; a connected endpoint's over all connections. */
    uint64_t round_trip_us;          /**< Of the last heartbeat that was answered (ZMQ_HEARTBEAT_IVL), in microseconds;
                                          0: none was, since the connection was made. */
    char last_error[128];            /**< Why the connected endpoint last failed to connect, in words; or "". */
    uint64_t system_reads;           /**< As in zlink_stats_t, of this peer. */
    uint64_t system_writes;          /**< As system_reads. */
} zlink_peer_stats_t;

/**
 * Describes a socket. Returns 0, or fails with -1 and ENOTSOCK if `socket` is none, or is closed, also at the same
 * time; EFAULT if `stats` is NULL; EINVAL if `stats->size` is smaller than the structure of this version; ENOMEM. The
 * handle is compared with those of the live sockets, and not used otherwise. A child of fork has none of its parent's
 * sockets.
 */
ZLINK_EXPORT int zlink_socket_stats(void* socket, zlink_stats_t* stats);

/**
 * Describes the peers of a socket, in no particular order. On entry `*count` is the number of structures at `peers`,
 * and `peers[0].size` the size of each. On success `*count` is the number of peers that there are. If it is larger than
 * before, only so many as there was room for were stored. `peers` may be NULL if `*count` is 0. A peer is there once
 * the socket's thread has taken it in, which any call on the socket does. Returns 0, or fails as zlink_socket_stats(),
 * also with EFAULT if `count` is NULL.
 */
ZLINK_EXPORT int zlink_socket_peers(void* socket, zlink_peer_stats_t* peers, size_t* count);

/**
 * Describes all sockets of a context, in the order of their creation, like zlink_socket_peers(). Returns 0, or fails
 * with -1 and EFAULT if `context` is none, or `count` is NULL, or `stats` is NULL and `*count` is not 0; EINVAL if
 * `stats[0].size` is too small; ENOMEM. The context must not end meanwhile.
 */
ZLINK_EXPORT int zlink_context_stats(void* context, zlink_stats_t* stats, size_t* count);
/** @} */

struct zmq_msg_t;

/**
 * zmq_ctx_term() that waits for `timeout_ms` milliseconds at most; negative: no limit. If that is not enough, it fails
 * with -1 and EAGAIN, and zlink_last_error() says what it waits for: "2 sockets open: a REP; a ROUTER with 17 messages
 * for tcp://10.0.0.1:5555". Then the context still exists. Calls on its sockets but zmq_close() fail, as
 * after zmq_ctx_shutdown(). The call may be repeated, and so may zmq_ctx_term(). Returns 0, or fails with -1 and an
 * errno of zmq_ctx_term(). Any thread may call it, also one that has the sockets: with 0 it looks and does not wait.
 */
ZLINK_EXPORT int zlink_ctx_term(void* context, int timeout_ms);

#define ZLINK_PEERS 1       /**< zlink_wait(): peers that are through the handshake. */
#define ZLINK_SUBSCRIBERS 2 /**< zlink_wait(): peers of a PUB, XPUB or RADIO with at least one subscription. */
#define ZLINK_DRAINED 4     /**< zlink_wait(): all messages that were sent have left the socket. */

/**
 * Waits for one of these, for `timeout_ms` milliseconds at most; negative: no limit, 0: looks once.
 * - ZLINK_PEERS: at least `at_least` peers are connected and through the handshake. Over inproc, both sides are there.
 *   An endpoint of udp counts as a peer.
 * - ZLINK_SUBSCRIBERS: at least so many peers have subscribed to something, so that the next message reaches them if it
 *   matches. A peer whose connection was lost counts again once it has subscribed again. A SUB tells new publishers
 *   of its subscriptions in the calls of its own thread. If one thread has both sockets, it has to call the SUB, too.
 * - ZLINK_DRAINED: all messages of its pipes are with the kernel, or over inproc in the queue of the peer's socket.
 *   Messages to a peer that is not connected yet are not; those that were dropped, and those for endpoints that
 *   zmq_disconnect() or zmq_unbind() has ended, do not count. `at_least` is not looked at.
 *
 * Peers wake the call. For the other two it looks again at distances that grow from 1 to 8 ms, so it may return some
 * 8 ms after the fact.
 *
 * Returns the number of peers or subscribers, or 0 for ZLINK_DRAINED; with `at_least` 0, the number of now. Takes no
 * message of the socket; a ZMQ_FD that was readable stays so. Fails with -1 and EAGAIN if the time is over, EINTR,
 * ETERM, ENOTSUP for ZLINK_SUBSCRIBERS of other types, EINVAL if `what` is not exactly one of these or `at_least` is
 * negative. As for all calls, the thread is the one that uses the socket, or any if the socket is shared.
 */
ZLINK_EXPORT int zlink_wait(void* socket, int what, int at_least, int timeout_ms);

/**
 * zlink_wait() for subscribers of a topic: peers that get a message which begins with these octets; of a RADIO, those
 * that have joined the group of this name. ZMQ_INVERT_MATCHING does not count. Fails as zlink_wait(), and with EFAULT
 * if `topic` is NULL and `size` is not 0, EINVAL for a group of more than 255 octets.
 */
ZLINK_EXPORT int zlink_wait_topic(void* socket, const void* topic, size_t size, int at_least, int timeout_ms);

/**
 * Sends one message of `count` parts, at least one: all of it, or nothing. On success the parts are left empty, and
 * remain the caller's to close. It waits like zmq_msg_send(), and `flags` may be 0 or ZMQ_DONTWAIT. A part that was set
 * by ZMQ_SNDMORE before is part of the message. Returns 0, or fails with -1 and an errno of zmq_msg_send(). EINVAL also
 * means that `count` is 0, that messages of the socket's type have another number of parts, or other flags. EFAULT
 * means that `parts` is NULL, or that one is not initialised. For all sockets; a shared one sends messages of several
 * parts by this call alone.
 */
ZLINK_EXPORT int zlink_send_parts(void* socket, struct zmq_msg_t* parts, size_t count, int flags);

/**
 * Receives one message. On entry `*count` is the number of initialised messages at `parts`. On success it is the number
 * of parts that were stored there, and the others are unchanged. It waits like zmq_msg_recv(), and `flags` may be 0 or
 * ZMQ_DONTWAIT. If the message has more parts than there is room for, the call fails with EMSGSIZE, and `*count` is the
 * number needed. The message stays: the next receive, by any call and thread, gets it whole. Returns 0, or fails with
 * -1 and an errno of zmq_msg_recv(). EFAULT means that `count` is NULL, or that a part is NULL or not initialised.
 * EINVAL means that `flags` has others. For all sockets; after zmq_recv() of a first part it stores the rest.
 */
ZLINK_EXPORT int zlink_recv_parts(void* socket, struct zmq_msg_t* parts, size_t* count, int flags);

/**
 * Sends `count` messages of one part each, in their order. Returns how many of them went; these are left empty, and
 * remain the caller's to close. Each message waits as in zmq_msg_send(), and `flags` may be 0 or ZMQ_DONTWAIT. If a
 * message cannot go (EAGAIN, EINTR, ETERM, EHOSTUNREACH and others), the call ends there: it returns the number of
 * those before it, and fails with -1 and that errno if there are none. A message that was set by ZMQ_SNDMORE before, or
 * received with more behind it, is a message of its own here; but after a send with ZMQ_SNDMORE, the first one is that
 * message's last part. `count` 0 returns 0. EINVAL means other flags; ZMQ_SNDMORE is one. EFAULT means that `messages`
 * is NULL, or that one is not initialised; none went then. For all sockets. A shared socket may let messages of other
 * threads in between while it waits.
 */
ZLINK_EXPORT int zlink_send_many(void* socket, struct zmq_msg_t* messages, size_t count, int flags);

/**
 * Receives at least one message, and those behind it that are there already and fit. On entry `*count` is the number of
 * initialised messages at `parts`. On success it is the number of parts that were stored there, and the others are
 * unchanged; zmq_msg_more() is 0 for the last part of each message. Returns the number of messages. They are whole: one
 * that does not fit any more stays for the next receive, of whatever kind. If the first one does not fit, the call
 * fails with EMSGSIZE, and `*count` is the number of parts needed. It waits for the first message like zmq_msg_recv(),
 * and `flags` may be 0 or ZMQ_DONTWAIT. An error behind the first message is left to the next call. Fails with -1 and
 * an errno of zmq_msg_recv(). EFAULT means that `count` is NULL, or that a part is NULL or not initialised. EINVAL
 * means other flags. For all sockets; after zmq_recv() of a first part, the first message is the rest of that one.
 */
ZLINK_EXPORT int zlink_recv_many(void* socket, struct zmq_msg_t* parts, size_t* count, int flags);

/**
 * Initialises a message of `size` octets, as zmq_msg_init_size() does, for a send on this socket. If the socket shares
 * large bodies with peers on this host (ZLINK_SHM, over ipc), the body lies where they read it: zmq_msg_send() copies
 * nothing. This needs one memory for all peers: the socket has one such peer, or it is a PUB, XPUB or RADIO. It also
 * needs some traffic with bodies of about that size before, and a free place in that memory. Otherwise the memory is
 * the program's, and the send copies it: the message is the same. A body holds its place until all copies of the message
 * are closed and the peers have received it. Fill it before it is sent; what is written later may arrive. It can be sent
 * on other sockets as well. Of a child of fork it is not. Any thread may call it. Returns 0, or fails with -1 and
 * EFAULT if `msg` is NULL, ENOTSOCK, ENOMEM.
 */
ZLINK_EXPORT int zlink_msg_init_loan(struct zmq_msg_t* msg, void* socket, size_t size);

/**
 * Ends the connection to the peer with this routing id. At ROUTER and STREAM, it is the one that the peer's messages
 * bear. At PUB and XPUB, it is the one that the peer has announced; a peer that announces none cannot be named.
 * Messages from the peer that were not received are lost. A peer that connects may come again. Returns 0, or fails with
 * -1 and EHOSTUNREACH if there is no such peer, ENOTSUP for other types of sockets, EFAULT if `routing_id` is NULL and
 * `size` is not 0, EINVAL if `size` is 0.
 */
ZLINK_EXPORT int zlink_disconnect_peer(void* socket, const void* routing_id, size_t size);

/**
 * Event of zmq_socket_monitor_versioned(), version 2: the known properties of a peer, behind
 * ZMQ_EVENT_HANDSHAKE_SUCCEEDED. Not in ZMQ_EVENT_ALL_V2. It has no value. Before the endpoints there is a frame each
 * for the name and the value of each property that zmq_msg_gets() has of that peer's messages. Such are Socket-Type,
 * User-Id, Tls-Version, Tls-Cipher, and Tls-Subject.
 */
#define ZMQ_EVENT_PEER_PROPERTIES 0x40000000

/**
 * zmq_socket_monitor() whose events tell more. Each event is one message of seven frames, for a PAIR that connects to
 * `endpoint`, which is an inproc one:
 * 1. the event, one of ZMQ_EVENT_*: a uint64_t in the machine's byte order;
 * 2. its value, as zmq_socket_monitor() describes it: a uint64_t likewise;
 * 3. the endpoint as the program wrote it in zmq_bind() or zmq_connect();
 * 4. the address of the other end, like "tcp://192.0.2.1:40312"; "" if there is no connection, or it has none;
 * 5. the routing id that the peer has announced, from ZMQ_EVENT_HANDSHAKE_SUCCEEDED on; "" if none;
 * 6. the user id that authentication gave it, from then on; "" if none;
 * 7. the reason in words, as far as it is known; "" if the event is no failure.
 *
 * `events` chooses some of ZMQ_EVENT_ALL; further bits have no events. `flags` must be 0. A NULL `endpoint` ends the
 * monitor of the socket, whichever call began it; a socket has one at a time. If nobody reads, events are lost once as
 * many as the high-water mark allows wait, and nothing waits for them. Returns 0, or fails with -1 and an errno of
 * zmq_socket_monitor(); EINVAL if `flags` is not 0. As for all calls, the thread is the one that uses the socket.
 */
ZLINK_EXPORT int zlink_socket_monitor(void* socket, const char* endpoint, uint64_t events, int flags);

#undef ZLINK_EXPORT

#ifdef __cplusplus
}
#endif

#endif
