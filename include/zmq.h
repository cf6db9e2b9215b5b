/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/**
 * @file zmq.h
 * The C interface of zlink, compatible in source and binary form with libzmq 4.3.5.
 *
 * Conventions that hold unless a function says otherwise:
 * - A function that returns int gives -1 on failure, one that returns a pointer gives NULL; zmq_errno() (or errno)
 *   then tells why. No call aborts the program or lets an exception out.
 * - Times are in milliseconds; -1 means "for ever", 0 "do not wait".
 * - Strings end in a zero byte. Flags and event masks are combined with `|`.
 * - Contexts and atomic counters may be used by several threads at once. A socket, a poller, a set of timers and a
 *   message belong to one thread at a time. Hand them over with a full memory fence (a mutex, a thread start).
 * - Every socket call can fail with ENOTSOCK (not a socket, or already closed) and ETERM (its context is being
 *   terminated: close the socket). Every context call can fail with EFAULT (not a context). These are not repeated
 *   below.
 */
#ifndef __ZMQ_H_INCLUDED__
#define __ZMQ_H_INCLUDED__

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#if !defined _WIN32
#include <signal.h>
#endif

#if defined _WIN32 && defined DLL_EXPORT
#define ZMQ_EXPORT __declspec(dllexport)
#elif defined _WIN32 && !defined ZMQ_STATIC
#define ZMQ_EXPORT __declspec(dllimport)
#elif defined __GNUC__
#define ZMQ_EXPORT __attribute__((visibility("default")))
#else
#define ZMQ_EXPORT
#endif

/** Tells that this header has brought in the integer types of stdint.h. */
#define ZMQ_DEFINED_STDINT 1

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup version Version and capabilities
 * @{
 */

#define ZMQ_VERSION_MAJOR 4
#define ZMQ_VERSION_MINOR 3
#define ZMQ_VERSION_PATCH 5

/** Packs a version into one number that grows with it. */
#define ZMQ_MAKE_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
/** Version of the API this header describes. */
#define ZMQ_VERSION ZMQ_MAKE_VERSION(ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR, ZMQ_VERSION_PATCH)

/** Stores the version of the API that the loaded library implements; NULL pointers are passed over. */
ZMQ_EXPORT void zmq_version(int* major, int* minor, int* patch);

/** Tells that zmq_has() exists. */
#define ZMQ_HAS_CAPABILITIES 1

/** Returns 1 if the library supports the named transport, mechanism or API ("ipc", "curve", "draft", ...), else 0. */
ZMQ_EXPORT int zmq_has(const char* capability);

/** @} */

/**
 * @defgroup errors Errors
 * Failures are reported by errno values; the four below are added to those of the operating system.
 * @{
 */

/** Start of the range of error numbers that no operating system uses. */
#define ZMQ_HAUSNUMERO 156384712

#define EFSM (ZMQ_HAUSNUMERO + 51)           /**< The socket's state does not allow this now (REQ: send, send). */
#define ENOCOMPATPROTO (ZMQ_HAUSNUMERO + 52) /**< Transport and socket type do not go together. */
#define ETERM (ZMQ_HAUSNUMERO + 53)          /**< The context was terminated or shut down. */
#define EMTHREAD (ZMQ_HAUSNUMERO + 54)       /**< The context has no I/O thread for the task. */

/** Returns errno of the calling thread, as the library sees it. */
ZMQ_EXPORT int zmq_errno(void);

/** Returns a text for an error number, the library's own or the system's. Never NULL; do not modify or free it. */
ZMQ_EXPORT const char* zmq_strerror(int errnum);

/** @} */

/**
 * @defgroup context Contexts
 * A context owns the I/O threads and the inproc names of its sockets.
 * @{
 */

/* Options of zmq_ctx_set() and zmq_ctx_get(), which also take ZMQ_IPV6 and ZMQ_BLOCKY (see the socket options). */
#define ZMQ_IO_THREADS 1                 /**< Number of I/O threads; counts until the first socket. Default 1. */
#define ZMQ_MAX_SOCKETS 2                /**< Most sockets open at once; counts until the first socket. Default 1023. */
#define ZMQ_SOCKET_LIMIT 3               /**< Read only: the largest value ZMQ_MAX_SOCKETS takes. */
#define ZMQ_THREAD_PRIORITY 3            /**< Write only: scheduling priority of I/O threads. Default -1: system's. */
#define ZMQ_THREAD_SCHED_POLICY 4        /**< Scheduling policy of I/O threads (SCHED_...). Default -1: system's. */
#define ZMQ_MAX_MSGSZ 5                  /**< Kept and read back, without effect. Default INT_MAX. */
#define ZMQ_MSG_T_SIZE 6                 /**< Read only: sizeof(zmq_msg_t), for language bindings. */
#define ZMQ_THREAD_AFFINITY_CPU_ADD 7    /**< Write only: adds a CPU to those I/O threads may run on. */
#define ZMQ_THREAD_AFFINITY_CPU_REMOVE 8 /**< Write only: takes a CPU off that set again. */
#define ZMQ_THREAD_NAME_PREFIX 9         /**< Number put in front of the names of I/O threads. */

#define ZMQ_IO_THREADS_DFLT 1
#define ZMQ_MAX_SOCKETS_DFLT 1023
#define ZMQ_THREAD_PRIORITY_DFLT -1
#define ZMQ_THREAD_SCHED_POLICY_DFLT -1

/** Creates a context. No thread starts before the first socket. Fails with ENOMEM or EMFILE. */
ZMQ_EXPORT void* zmq_ctx_new(void);

/**
 * Ends a context and frees it. Calls blocked on its sockets return with ETERM. This one waits until all sockets are
 * closed, and until their messages are sent or the linger time is over. Fails with EFAULT, and with EINTR if a signal's
 * handler ran meanwhile: call it again.
 */
ZMQ_EXPORT int zmq_ctx_term(void* context);

/** Makes all calls on the context's sockets fail with ETERM from now on; does not wait. zmq_ctx_term() must follow. */
ZMQ_EXPORT int zmq_ctx_shutdown(void* context);

/** Sets an option. Fails with EINVAL for an unknown option or a value out of range. */
ZMQ_EXPORT int zmq_ctx_set(void* context, int option, int value);

/** Returns an option's value. Fails with EINVAL for an unknown option. */
ZMQ_EXPORT int zmq_ctx_get(void* context, int option);

/** @deprecated zmq_ctx_new() with ZMQ_IO_THREADS. Fails with EINVAL if `io_threads` is negative. */
ZMQ_EXPORT void* zmq_init(int io_threads);
/** @deprecated Same as zmq_ctx_term(). */
ZMQ_EXPORT int zmq_term(void* context);
/** @deprecated Same as zmq_ctx_term(). */
ZMQ_EXPORT int zmq_ctx_destroy(void* context);

/** @} */

/**
 * @defgroup message Messages
 * A zmq_msg_t holds one frame. Initialise it with exactly one zmq_msg_init...() before any other use and close it
 * with zmq_msg_close(). Its bytes may be moved in memory, but copy messages only with zmq_msg_copy() or _move().
 * @{
 */

/** A frame. Its content is private to the library. */
typedef struct zmq_msg_t {
#if defined __GNUC__
    unsigned char _[64] __attribute__((aligned(sizeof(void*))));
#else
    unsigned char _[64];
#endif
} zmq_msg_t;

/** Releases memory given to zmq_msg_init_data(). May run on any thread; it may call functions of this library. */
typedef void(zmq_free_fn)(void* data, void* hint);

/* Properties of zmq_msg_get(). */
#define ZMQ_MORE 1   /**< 1 if more frames of the same message follow. */
#define ZMQ_SRCFD 2  /**< @deprecated Descriptor of the connection the frame came from, -1 if there is none. */
#define ZMQ_SHARED 3 /**< 1 if the content is, or may be, shared with other messages: do not write to it. */

/** Makes an empty message, as zmq_msg_recv() wants it. Always succeeds. */
ZMQ_EXPORT int zmq_msg_init(zmq_msg_t* msg);

/** Makes a message with room for `size` bytes, not set to anything. Fails with ENOMEM. */
ZMQ_EXPORT int zmq_msg_init_size(zmq_msg_t* msg, size_t size);

/**
 * Makes a message of memory that stays where it is. `free_fn` (NULL if nothing needs freeing) is called exactly once
 * with `data` and `hint` when no message refers to it any more. Fails with ENOMEM; the caller then keeps `data`.
 */
ZMQ_EXPORT int zmq_msg_init_data(zmq_msg_t* msg, void* data, size_t size, zmq_free_fn* free_fn, void* hint);

/**
 * Sends a frame; flags: ZMQ_DONTWAIT, ZMQ_SNDMORE. Returns its size and leaves `msg` empty: the library has taken the
 * content, closing is not needed. On failure the caller keeps it. Errors as for zmq_send().
 */
ZMQ_EXPORT int zmq_msg_send(zmq_msg_t* msg, void* socket, int flags);

/** Receives a frame into `msg` (and releases its earlier content). Returns its size. Errors as for zmq_recv(). */
ZMQ_EXPORT int zmq_msg_recv(zmq_msg_t* msg, void* socket, int flags);

/** Releases a message. Fails with EFAULT if it is not an initialised one. */
ZMQ_EXPORT int zmq_msg_close(zmq_msg_t* msg);

/** Moves the content of `source` into `target` and leaves `source` empty. Fails with EFAULT. */
ZMQ_EXPORT int zmq_msg_move(zmq_msg_t* target, zmq_msg_t* source);

/** Gives `target` the content of `source`; large content is shared, not copied. Fails with EFAULT or ENOMEM. */
ZMQ_EXPORT int zmq_msg_copy(zmq_msg_t* target, zmq_msg_t* source);

/** Returns the content; valid until the message is changed, sent, closed or moved in memory. */
ZMQ_EXPORT void* zmq_msg_data(zmq_msg_t* msg);

/** Returns the content's size in bytes. */
ZMQ_EXPORT size_t zmq_msg_size(const zmq_msg_t* msg);

/** Returns 1 if this received frame is followed by more of its message, else 0. */
ZMQ_EXPORT int zmq_msg_more(const zmq_msg_t* msg);

/** Returns the value of ZMQ_MORE, ZMQ_SRCFD or ZMQ_SHARED. Fails with EINVAL for another property. */
ZMQ_EXPORT int zmq_msg_get(const zmq_msg_t* msg, int property);

/** Sets a property. There is none to set yet, so this fails with EINVAL. */
ZMQ_EXPORT int zmq_msg_set(zmq_msg_t* msg, int property, int value);

/**
 * Returns metadata of a received message: "Socket-Type", "Routing-Id", "User-Id", "Peer-Address", or an "X-..." that
 * the peer announced. The text lives as long as the message. Fails with EINVAL if the message has no such property.
 */
ZMQ_EXPORT const char* zmq_msg_gets(const zmq_msg_t* msg, const char* property);

/** @} */

/**
 * @defgroup socket Sockets
 * @{
 */

/* Socket types. */
#define ZMQ_PAIR 0    /**< One peer, both ways. */
#define ZMQ_PUB 1     /**< Sends to all subscribers; drops for those that are too slow. */
#define ZMQ_SUB 2     /**< Receives the messages that it has subscribed to. */
#define ZMQ_REQ 3     /**< Sends a request, receives its reply, in turn. */
#define ZMQ_REP 4     /**< Receives a request, sends the reply, in turn. */
#define ZMQ_DEALER 5  /**< Sends to its peers in turn, receives fairly from all. */
#define ZMQ_ROUTER 6  /**< Receives fairly with the sender's routing id in front; sends to the peer so named. */
#define ZMQ_PULL 7    /**< Receives fairly from all its peers. */
#define ZMQ_PUSH 8    /**< Sends to its peers in turn. */
#define ZMQ_XPUB 9    /**< PUB that also receives subscriptions as messages. */
#define ZMQ_XSUB 10   /**< SUB that subscribes by sending messages. */
#define ZMQ_STREAM 11 /**< Plain TCP peers, each known by a routing id. */

#define ZMQ_XREQ ZMQ_DEALER /**< @deprecated ZMQ_DEALER. */
#define ZMQ_XREP ZMQ_ROUTER /**< @deprecated ZMQ_ROUTER. */

/* Flags for sending and receiving. */
#define ZMQ_DONTWAIT 1           /**< Fail with EAGAIN rather than wait. */
#define ZMQ_SNDMORE 2            /**< More frames of this message will follow. */
#define ZMQ_NOBLOCK ZMQ_DONTWAIT /**< @deprecated ZMQ_DONTWAIT. */

/*
 * Options of zmq_setsockopt() and zmq_getsockopt(), grouped by subject. The value is an int unless a type is named;
 * "bool" is an int of 0 or 1. A change is seen by later binds and connects only. Exceptions: SUBSCRIBE, UNSUBSCRIBE,
 * LINGER, the ROUTER, REQ and XPUB ones, PROBE_ROUTER, SNDHWM, RCVHWM and the time-outs of send and receive.
 */

/* Queues and waiting. */
#define ZMQ_SNDHWM 23     /**< Most messages queued for one peer. Default 1000; 0: no limit. */
#define ZMQ_RCVHWM 24     /**< Most messages received from one peer and not yet read. Default 1000; 0: no limit. */
#define ZMQ_SNDTIMEO 28   /**< Longest wait of a send, ms. Default -1. */
#define ZMQ_RCVTIMEO 27   /**< Longest wait of a receive, ms. Default -1. */
#define ZMQ_LINGER 17     /**< How long unsent messages survive the socket's closing, ms. Default -1: until sent. */
#define ZMQ_CONFLATE 54   /**< bool: keep only the newest message of one frame. PULL, PUSH, SUB, PUB, DEALER. */
#define ZMQ_IMMEDIATE 39  /**< bool: queue messages only for peers with a complete connection. */
#define ZMQ_MAXMSGSIZE 22 /**< int64_t: a peer that sends a larger message is cut off, bytes. Default -1: no limit. */

/* State of the socket. */
#define ZMQ_TYPE 16    /**< Read only: the socket type. */
#define ZMQ_RCVMORE 13 /**< Read only, bool: the frame last received has successors. */
#define ZMQ_EVENTS 15  /**< Read only: ZMQ_POLLIN and ZMQ_POLLOUT as they hold now. */
#define ZMQ_FD                                                                                                         \
    14                       /**< Read only: descriptor, readable when ZMQ_EVENTS may have changed (an edge). Not of
                                  thread-safe types. */
#define ZMQ_LAST_ENDPOINT 32 /**< Read only, string: the endpoint last bound or connected, wildcards resolved. */
#define ZMQ_THREAD_SAFE 81   /**< Read only, bool: the socket may be used by several threads at once. */
#define ZMQ_MECHANISM 43     /**< Read only: security mechanism in use, see ZMQ_NULL and its neighbours. */

/* Names, routing and subscriptions. */
#define ZMQ_ROUTING_ID                                                                                                 \
    5                             /**< binary, 1 to 255 bytes: name by which ROUTER peers address this socket; of
                                       a STREAM socket, read: its newest connection's. */
#define ZMQ_CONNECT_ROUTING_ID 61 /**< Write only, binary: name of the peer of the next connect. ROUTER, STREAM. */
#define ZMQ_PROBE_ROUTER 51       /**< Write only, bool: greet each new connection with an empty message. */
#define ZMQ_ROUTER_MANDATORY 33   /**< Write only, bool: an unknown peer is EHOSTUNREACH, a full queue EAGAIN. */
#define ZMQ_ROUTER_HANDOVER 56    /**< Write only, bool: a new peer takes over a name already in use. */
#define ZMQ_ROUTER_RAW 41         /**< Write only, bool: the ROUTER talks to plain TCP peers. */
#define ZMQ_STREAM_NOTIFY 73      /**< bool: STREAM receives an empty message at connect and disconnect. Default 1. */
#define ZMQ_REQ_CORRELATE 52      /**< Write only, bool: REQ numbers requests and ignores replies to others. */
#define ZMQ_REQ_RELAXED 53        /**< Write only, bool: REQ may send again instead of waiting for the reply. */
#define ZMQ_SUBSCRIBE 6           /**< Write only, binary: SUB wants messages that start so. Empty: all. */
#define ZMQ_UNSUBSCRIBE 7         /**< Write only, binary: takes back one such subscription. */
#define ZMQ_INVERT_MATCHING 74    /**< bool: PUB and SUB pass the messages that match no subscription. */
#define ZMQ_XPUB_VERBOSE 40       /**< Write only, bool: XPUB receives repeated subscriptions too. */
#define ZMQ_XPUB_VERBOSER 78      /**< Write only, bool: the same for cancellations as well. */
#define ZMQ_XPUB_MANUAL 71        /**< Write only, bool: XPUB's program sets each peer's subscriptions. */
#define ZMQ_XPUB_NODROP 69        /**< Write only, bool: a full queue is EAGAIN (or a wait) instead of a loss. */
#define ZMQ_XPUB_WELCOME_MSG 72   /**< Write only, binary: message that every new subscriber receives first. */

/* Connecting and staying connected. */
#define ZMQ_AFFINITY 4           /**< uint64_t: bit mask of the I/O threads for new connections. Default 0: any. */
#define ZMQ_BACKLOG 19           /**< Connections that may wait for acceptance. Default 100. */
#define ZMQ_CONNECT_TIMEOUT 79   /**< Longest wait for a connection to come about, ms. Default 0: system's. */
#define ZMQ_HANDSHAKE_IVL 66     /**< Longest wait for the handshake, ms. Default 30000; 0: no limit. */
#define ZMQ_RECONNECT_IVL 18     /**< Pause before reconnecting, ms. Default 100; -1: never reconnect. */
#define ZMQ_RECONNECT_IVL_MAX 21 /**< The pause doubles up to this, ms. Default 0: it does not grow. */
#define ZMQ_HEARTBEAT_IVL 75     /**< Pause between PINGs, ms. Default 0: none are sent. */
#define ZMQ_HEARTBEAT_TTL 76     /**< After this silence the peer shall give up, ms (in steps of 100). Default 0. */
#define ZMQ_HEARTBEAT_TIMEOUT 77 /**< After this silence we give up, ms. Default -1: ZMQ_HEARTBEAT_IVL. */
#define ZMQ_IPV6 42              /**< bool: IPv6 as well as IPv4. Default 0. */
#define ZMQ_BINDTODEVICE 92      /**< string: network interface to stay on (needs a privilege). */
#define ZMQ_USE_FD 89            /**< Descriptor, already bound or connected, to use instead of a new one. -1: none. */
#define ZMQ_SOCKS_PROXY 68       /**< string "host:port" or "source;host:port": SOCKS5 proxy for connects. */

/* The operating system's sockets. -1 leaves the system's default. */
#define ZMQ_SNDBUF 11              /**< Kernel's send buffer, bytes. Default -1. */
#define ZMQ_RCVBUF 12              /**< Kernel's receive buffer, bytes. Default -1. */
#define ZMQ_TOS 57                 /**< Type of service of IP packets. Default 0. */
#define ZMQ_TCP_KEEPALIVE 34       /**< TCP keep-alive: 1 on, 0 off. Default -1. */
#define ZMQ_TCP_KEEPALIVE_CNT 35   /**< Probes before giving up. Default -1. */
#define ZMQ_TCP_KEEPALIVE_IDLE 36  /**< Silence before the first probe, seconds. Default -1. */
#define ZMQ_TCP_KEEPALIVE_INTVL 37 /**< Pause between probes, seconds. Default -1. */
#define ZMQ_TCP_MAXRT 80           /**< Longest time sent data may stay unacknowledged, ms. Default 0: system's. */

/* Security. */
#define ZMQ_NULL 0   /**< Mechanism: none. */
#define ZMQ_PLAIN 1  /**< Mechanism: user name and password in clear text. */
#define ZMQ_CURVE 2  /**< Mechanism: elliptic-curve encryption. */
#define ZMQ_GSSAPI 3 /**< Mechanism: GSSAPI. */

#define ZMQ_ZAP_DOMAIN 55      /**< string: domain named to the authentication handler. */
#define ZMQ_PLAIN_SERVER 44    /**< bool: PLAIN, as server. */
#define ZMQ_PLAIN_USERNAME 45  /**< string: PLAIN, as client with this name. */
#define ZMQ_PLAIN_PASSWORD 46  /**< string: PLAIN, as client with this password. */
#define ZMQ_CURVE_SERVER 47    /**< bool: CURVE, as server. */
#define ZMQ_CURVE_PUBLICKEY 48 /**< 32 bytes, or Z85 text: our permanent public key. */
#define ZMQ_CURVE_SECRETKEY 49 /**< 32 bytes, or Z85 text: our permanent secret key. */
#define ZMQ_CURVE_SERVERKEY 50 /**< 32 bytes, or Z85 text: CURVE, as client of the server with this public key. */

#define ZMQ_GSSAPI_SERVER 62                     /**< bool: GSSAPI, as server. */
#define ZMQ_GSSAPI_PRINCIPAL 63                  /**< string: our principal. */
#define ZMQ_GSSAPI_SERVICE_PRINCIPAL 64          /**< string: the server's principal. */
#define ZMQ_GSSAPI_PLAINTEXT 65                  /**< bool: authenticate without encrypting. */
#define ZMQ_GSSAPI_PRINCIPAL_NAMETYPE 90         /**< Kind of name of our principal, ZMQ_GSSAPI_NT_... */
#define ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE 91 /**< Kind of name of the server's principal. */
#define ZMQ_GSSAPI_NT_HOSTBASED 0                /**< service@host */
#define ZMQ_GSSAPI_NT_USER_NAME 1                /**< A local user name. */
#define ZMQ_GSSAPI_NT_KRB5_PRINCIPAL 2           /**< A Kerberos principal. */

#define ZMQ_MULTICAST_HOPS 25 /**< Multicast hops of udp. Default 1. */

/* Transports that this library does not have; the numbers are kept for programs that name them. */
#define ZMQ_RATE 8                  /**< Multicast rate, kilobits per second. Default 100. */
#define ZMQ_RECOVERY_IVL 9          /**< Multicast recovery time, ms. Default 10000. */
#define ZMQ_MULTICAST_MAXTPDU 84    /**< Largest multicast packet, bytes. Default 1500. */
#define ZMQ_VMCI_BUFFER_SIZE 85     /**< uint64_t: VMCI buffer, bytes. */
#define ZMQ_VMCI_BUFFER_MIN_SIZE 86 /**< uint64_t: least VMCI buffer, bytes. */
#define ZMQ_VMCI_BUFFER_MAX_SIZE 87 /**< uint64_t: largest VMCI buffer, bytes. */
#define ZMQ_VMCI_CONNECT_TIMEOUT 88 /**< VMCI connect time-out, ms. */

/** Context option, bool: new sockets linger for ever (1, default) or not at all (0) when the context ends. */
#define ZMQ_BLOCKY 70

/** Longest name of a RADIO-DISH group, bytes. */
#define ZMQ_GROUP_MAX_LENGTH 255

/* Older names and options. */
#define ZMQ_IDENTITY ZMQ_ROUTING_ID               /**< @deprecated ZMQ_ROUTING_ID. */
#define ZMQ_CONNECT_RID ZMQ_CONNECT_ROUTING_ID    /**< @deprecated ZMQ_CONNECT_ROUTING_ID. */
#define ZMQ_FAIL_UNROUTABLE ZMQ_ROUTER_MANDATORY  /**< @deprecated ZMQ_ROUTER_MANDATORY. */
#define ZMQ_ROUTER_BEHAVIOR ZMQ_ROUTER_MANDATORY  /**< @deprecated ZMQ_ROUTER_MANDATORY. */
#define ZMQ_DELAY_ATTACH_ON_CONNECT ZMQ_IMMEDIATE /**< @deprecated ZMQ_IMMEDIATE. */
#define ZMQ_IPV4ONLY 31                           /**< @deprecated bool: the opposite of ZMQ_IPV6. */
#define ZMQ_TCP_ACCEPT_FILTER 38                  /**< @deprecated string: accept TCP peers of this network. */
#define ZMQ_IPC_FILTER_PID 58                     /**< @deprecated pid_t: accept IPC peers of this process. */
#define ZMQ_IPC_FILTER_UID 59                     /**< @deprecated uid_t: accept IPC peers of this user. */
#define ZMQ_IPC_FILTER_GID 60                     /**< @deprecated gid_t: accept IPC peers of this group. */

/** Creates a socket. Fails with EINVAL (unknown type), EMFILE (ZMQ_MAX_SOCKETS or descriptors used up), ENOMEM. */
ZMQ_EXPORT void* zmq_socket(void* context, int type);

/** Closes a socket without waiting; ZMQ_LINGER says how long unsent messages stay. The handle is void afterwards. */
ZMQ_EXPORT int zmq_close(void* socket);

/** Sets an option from `size` bytes. Fails with EINVAL: unknown option, wrong size, or value out of range. */
ZMQ_EXPORT int zmq_setsockopt(void* socket, int option, const void* value, size_t size);

/** Reads an option; `*size` is the room in, the length out. Fails with EINVAL: unknown option, or too little room. */
ZMQ_EXPORT int zmq_getsockopt(void* socket, int option, void* value, size_t* size);

/**
 * Accepts peers at an endpoint ("tcp://127.0.0.1:*", "ipc:///tmp/x", "inproc://x"); ready when it returns.
 * Fails with EINVAL (malformed), EPROTONOSUPPORT, ENOCOMPATPROTO, EADDRINUSE, EADDRNOTAVAIL, ENODEV, EMTHREAD.
 */
ZMQ_EXPORT int zmq_bind(void* socket, const char* endpoint);

/**
 * Connects to an endpoint in the background; the peer need not exist yet, and the connection is renewed when it breaks.
 * Fails with EINVAL (malformed), EPROTONOSUPPORT, ENOCOMPATPROTO, EMTHREAD.
 */
ZMQ_EXPORT int zmq_connect(void* socket, const char* endpoint);

/**
 * Stops accepting at an endpoint, named as ZMQ_LAST_ENDPOINT gave it; ends a connected one as zmq_disconnect() does.
 * Fails with EINVAL (malformed), EPROTONOSUPPORT, ENOCOMPATPROTO, ENOENT (neither bound nor connected).
 */
ZMQ_EXPORT int zmq_unbind(void* socket, const char* endpoint);

/**
 * Ends the connections to an endpoint; unsent messages obey ZMQ_LINGER. A bound one is unbound. Fails as zmq_unbind()
 * does.
 */
ZMQ_EXPORT int zmq_disconnect(void* socket, const char* endpoint);

/**
 * Sends a frame with a copy of `size` bytes; flags: ZMQ_DONTWAIT, ZMQ_SNDMORE. Returns `size`: the frame is queued,
 * and it goes out once its message is complete. Waits while no peer can take it, unless the type drops it then.
 * Fails with EAGAIN (would wait, or ZMQ_SNDTIMEO is over), ENOTSUP (the type cannot send), EINVAL (the type takes no
 * multi-frame messages), EFSM, EINTR, ENOMEM (the frames of its message that were sent before are taken back, and the
 * message has to be sent anew). Fails with EHOSTUNREACH if a STREAM, SERVER or PEER, or a ROUTER with
 * ZMQ_ROUTER_MANDATORY, does not know the peer.
 */
ZMQ_EXPORT int zmq_send(void* socket, const void* data, size_t size, int flags);

/** The same without copying: `data` must never change nor go away (a constant). Flags and errors as for zmq_send(). */
ZMQ_EXPORT int zmq_send_const(void* socket, const void* data, size_t size, int flags);

/**
 * Receives a frame into `size` bytes; flag: ZMQ_DONTWAIT. Returns the frame's true size: if it is larger than `size`,
 * the rest was cut off. Fails with EAGAIN (nothing there, or ZMQ_RCVTIMEO is over), ENOTSUP (the type cannot receive),
 * EFSM, EINTR.
 */
ZMQ_EXPORT int zmq_recv(void* socket, void* buffer, size_t size, int flags);

/** @deprecated zmq_msg_send() with the arguments in another order. */
ZMQ_EXPORT int zmq_sendmsg(void* socket, zmq_msg_t* msg, int flags);
/** @deprecated zmq_msg_recv() with the arguments in another order. */
ZMQ_EXPORT int zmq_recvmsg(void* socket, zmq_msg_t* msg, int flags);

struct iovec;

/**
 * Sends `count` buffers as the frames of one message (with ZMQ_SNDMORE more may follow). Returns the size of the last.
 * Fails with EINVAL if `count` is 0, or as zmq_send().
 */
ZMQ_EXPORT int zmq_sendiov(void* socket, struct iovec* buffers, size_t count, int flags);

/**
 * Receives the frames of one message, at most `*count`, into memory that it allocates; the caller frees each iov_base
 * with free(). Stores their number in `*count` and returns it. Fails with EINVAL if `*count` is 0, ENOMEM, or as
 * zmq_recv().
 */
ZMQ_EXPORT int zmq_recviov(void* socket, struct iovec* buffers, size_t* count, int flags);

/** @} */

/**
 * @defgroup monitor Monitoring
 * A monitored socket reports the events of its connections through a PAIR socket bound to an inproc endpoint. Each
 * report has two frames: event (uint16_t) and value (uint32_t) packed in native byte order, then the endpoint.
 * @{
 */

#define ZMQ_EVENT_CONNECTED 0x0001                  /**< A connect succeeded. Value: descriptor. */
#define ZMQ_EVENT_CONNECT_DELAYED 0x0002            /**< A connect is under way. */
#define ZMQ_EVENT_CONNECT_RETRIED 0x0004            /**< A connect failed and will be repeated. Value: pause in ms. */
#define ZMQ_EVENT_LISTENING 0x0008                  /**< An endpoint is bound. Value: descriptor. */
#define ZMQ_EVENT_BIND_FAILED 0x0010                /**< A bind failed. Value: errno. */
#define ZMQ_EVENT_ACCEPTED 0x0020                   /**< A peer's connection was accepted. Value: descriptor. */
#define ZMQ_EVENT_ACCEPT_FAILED 0x0040              /**< A peer's connection was refused. Value: errno. */
#define ZMQ_EVENT_CLOSED 0x0080                     /**< A descriptor was closed. Value: the descriptor. */
#define ZMQ_EVENT_CLOSE_FAILED 0x0100               /**< Closing a descriptor failed. Value: errno. */
#define ZMQ_EVENT_DISCONNECTED 0x0200               /**< A connection broke. Value: descriptor. */
#define ZMQ_EVENT_MONITOR_STOPPED 0x0400            /**< Last event: monitoring has ended. */
#define ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL 0x0800 /**< Handshake failed. Value: errno. */
#define ZMQ_EVENT_HANDSHAKE_SUCCEEDED 0x1000        /**< Messages can flow. */
#define ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL 0x2000  /**< Handshake failed. Value: a ZMQ_PROTOCOL_ERROR_... */
#define ZMQ_EVENT_HANDSHAKE_FAILED_AUTH 0x4000      /**< Peer rejected. Value: the handler's status code. */
#define ZMQ_EVENT_ALL 0xFFFF                        /**< Every event. */

/* Values of ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: the fault of the peer (ZMTP) or of the authentication handler. */
#define ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED 0x10000000
#define ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND 0x10000001
#define ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE 0x10000002
#define ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE 0x10000003
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED 0x10000011
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE 0x10000012
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO 0x10000013
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE 0x10000014
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR 0x10000015
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY 0x10000016
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME 0x10000017
#define ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA 0x10000018
#define ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC 0x11000001
#define ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH 0x11000002
#define ZMQ_PROTOCOL_ERROR_ZAP_UNSPECIFIED 0x20000000
#define ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY 0x20000001
#define ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID 0x20000002
#define ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION 0x20000003
#define ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE 0x20000004
#define ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA 0x20000005
#define ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED 0x30000000

/**
 * Starts reporting the chosen events at an "inproc://" endpoint, replacing an earlier monitor; NULL stops it.
 * Fails with EPROTONOSUPPORT (not inproc), EINVAL (malformed), EADDRINUSE.
 */
ZMQ_EXPORT int zmq_socket_monitor(void* socket, const char* endpoint, int events);

/** @} */

/**
 * @defgroup poll Polling and proxies
 * @{
 */

#define ZMQ_POLLIN 1  /**< A message (or byte) can be received. */
#define ZMQ_POLLOUT 2 /**< A message (or byte) can be sent. */
#define ZMQ_POLLERR 4 /**< Descriptors only: an error is pending. */
#define ZMQ_POLLPRI 8 /**< Descriptors only: urgent data can be read. */

/** Number of items that zmq_poll() handles without allocating in libzmq; no limit. */
#define ZMQ_POLLITEMS_DFLT 16

/** A descriptor of the operating system's. */
#if defined _WIN64
typedef unsigned __int64 zmq_fd_t;
#elif defined _WIN32
typedef unsigned int zmq_fd_t;
#else
typedef int zmq_fd_t;
#endif

/** An item that zmq_poll() watches: `socket`, or `fd` if `socket` is NULL. */
typedef struct zmq_pollitem_t {
    void* socket;
    zmq_fd_t fd;
    short events;  /**< The events to wait for. */
    short revents; /**< The events that have happened; set by zmq_poll(). */
} zmq_pollitem_t;

/**
 * Waits until one of the items is ready or `timeout` ms (-1: for ever) are over. Returns the number of ready items,
 * 0 after the time-out. Fails with EINVAL (negative count), EFAULT (items is NULL), EINTR, ETERM, ENOTSOCK.
 */
ZMQ_EXPORT int zmq_poll(zmq_pollitem_t* items, int count, long timeout);

/**
 * Passes messages both ways between two sockets until their context ends, and a copy of each to `capture` (may be
 * NULL). Takes over the calling thread; returns -1 with ETERM, EINTR or EFAULT.
 */
ZMQ_EXPORT int zmq_proxy(void* frontend, void* backend, void* capture);

/**
 * The same, obeying "PAUSE", "RESUME", "TERMINATE" and "STATISTICS" messages from `control` (may be NULL). Returns 0
 * after TERMINATE. STATISTICS is answered by eight uint64_t frames: message parts and bytes received by the frontend,
 * sent by it, received by the backend, sent by it. The others get an empty answer, if `control` can send.
 */
ZMQ_EXPORT int zmq_proxy_steerable(void* frontend, void* backend, void* capture, void* control);

#define ZMQ_STREAMER 1  /**< @deprecated Kind of device; has no effect. */
#define ZMQ_FORWARDER 2 /**< @deprecated Kind of device; has no effect. */
#define ZMQ_QUEUE 3     /**< @deprecated Kind of device; has no effect. */

/** @deprecated zmq_proxy() without a capture socket. */
ZMQ_EXPORT int zmq_device(int type, void* frontend, void* backend);

/** @} */

/**
 * @defgroup utility Keys, counters, timers, threads
 * @{
 */

/**
 * Writes `size` bytes, a multiple of 4, as Z85 text (RFC 32): size * 5 / 4 characters and a zero byte. Returns
 * `text`. Fails with EINVAL for another size.
 */
ZMQ_EXPORT char* zmq_z85_encode(char* text, const uint8_t* data, size_t size);

/**
 * Writes the bytes that a Z85 text stands for: 4 for each 5 characters. Returns `data`. Fails with EINVAL if the
 * length is 0 or not a multiple of 5. Also fails with EINVAL if the text has a foreign character or a group beyond 32
 * bits. A part of `data` may then have been written.
 */
ZMQ_EXPORT uint8_t* zmq_z85_decode(uint8_t* data, const char* text);

/** Makes a CURVE key pair, as two Z85 texts of 41 bytes each. Fails with ENOTSUP if zmq_has("curve") is 0. */
ZMQ_EXPORT int zmq_curve_keypair(char* public_key, char* secret_key);

/** Derives the public CURVE key of a secret one, both as Z85 text. Fails with ENOTSUP, or EINVAL (malformed key). */
ZMQ_EXPORT int zmq_curve_public(char* public_key, const char* secret_key);

/** Creates a counter that threads may share, starting at 0. Fails with ENOMEM. */
ZMQ_EXPORT void* zmq_atomic_counter_new(void);
/** Sets the value. For a counter that no other thread changes at that moment. */
ZMQ_EXPORT void zmq_atomic_counter_set(void* counter, int value);
/** Adds one and returns the value before. */
ZMQ_EXPORT int zmq_atomic_counter_inc(void* counter);
/** Takes one off; returns 1 if the counter is then still not 0, else 0. */
ZMQ_EXPORT int zmq_atomic_counter_dec(void* counter);
/** Returns the value. */
ZMQ_EXPORT int zmq_atomic_counter_value(void* counter);
/** Frees the counter and sets the pointer to NULL. */
ZMQ_EXPORT void zmq_atomic_counter_destroy(void** counter);

/** Tells that the zmq_timers functions exist. */
#define ZMQ_HAVE_TIMERS

/** Called by zmq_timers_execute(), on its thread. It may add, change and cancel timers, itself too. */
typedef void(zmq_timer_fn)(int timer_id, void* arg);

/** Creates an empty set of timers. Fails with ENOMEM. */
ZMQ_EXPORT void* zmq_timers_new(void);
/** Frees a set and stores NULL; a handler may do so too. Fails with EFAULT. */
ZMQ_EXPORT int zmq_timers_destroy(void** timers);
/** Adds a timer that repeats every `interval` ms until cancelled; returns its id (from 1). EFAULT, ENOMEM. */
ZMQ_EXPORT int zmq_timers_add(void* timers, size_t interval, zmq_timer_fn* handler, void* arg);
/** Cancels a timer. Fails with EFAULT, or EINVAL (no such timer). */
ZMQ_EXPORT int zmq_timers_cancel(void* timers, int timer_id);
/** Changes a timer's interval and starts it anew. Fails with EFAULT, EINVAL (no such timer). */
ZMQ_EXPORT int zmq_timers_set_interval(void* timers, int timer_id, size_t interval);
/** Starts a timer's interval anew. Fails with EFAULT, EINVAL (no such timer). */
ZMQ_EXPORT int zmq_timers_reset(void* timers, int timer_id);
/** Returns how long to wait until the next timer is due, ms; -1 if there is none, or (EFAULT) on failure. */
ZMQ_EXPORT long zmq_timers_timeout(void* timers);
/** Calls the handlers of the timers that are due, each once at most. Returns 0. Fails with EFAULT. */
ZMQ_EXPORT int zmq_timers_execute(void* timers);

/** Starts a stopwatch. Fails with ENOMEM. */
ZMQ_EXPORT void* zmq_stopwatch_start(void);
/** Returns the microseconds since the start. */
ZMQ_EXPORT unsigned long zmq_stopwatch_intermediate(void* stopwatch);
/** Returns the microseconds since the start and frees the stopwatch. */
ZMQ_EXPORT unsigned long zmq_stopwatch_stop(void* stopwatch);

/** Sleeps for a number of seconds. */
ZMQ_EXPORT void zmq_sleep(int seconds);

/** The function that a thread of zmq_threadstart() runs. */
typedef void(zmq_thread_fn)(void*);

/** Starts a thread that runs `function(arg)`. Fails with ENOMEM, EAGAIN (no thread to be had), EFAULT. */
ZMQ_EXPORT void* zmq_threadstart(zmq_thread_fn* function, void* arg);
/** Waits until the thread's function has returned, and frees the handle. */
ZMQ_EXPORT void zmq_threadclose(void* thread);

/** @} */

#ifdef ZMQ_BUILD_DRAFT_API

/**
 * @defgroup draft Draft API
 * Declared for programs that define ZMQ_BUILD_DRAFT_API; it may still change in libzmq. The library always exports
 * the functions. Options it does not implement are refused with EINVAL.
 * @{
 */

/* Socket types. All but ZMQ_DGRAM are thread-safe and carry messages of one frame. */
#define ZMQ_SERVER 12  /**< Many clients, each named by a number in the message. */
#define ZMQ_CLIENT 13  /**< Talks to servers. */
#define ZMQ_RADIO 14   /**< Sends to the members of the message's group. */
#define ZMQ_DISH 15    /**< Receives from the groups it has joined. */
#define ZMQ_GATHER 16  /**< Receives from SCATTER sockets. */
#define ZMQ_SCATTER 17 /**< Sends to GATHER sockets in turn. */
#define ZMQ_DGRAM 18   /**< UDP datagrams, with the address as first frame. */
#define ZMQ_PEER 19    /**< Many equals, each named by a number in the message. */
#define ZMQ_CHANNEL 20 /**< One peer, both ways. */

/* Socket options. */
#define ZMQ_ZAP_ENFORCE_DOMAIN 93 /**< bool: no authentication without a domain. */
#define ZMQ_LOOPBACK_FASTPATH 94  /**< bool: Windows only. */
#define ZMQ_METADATA 95           /**< Write only, string "X-name:value": property announced to peers. */
#define ZMQ_MULTICAST_LOOP 96     /**< bool: own multicasts of udp come back. Default 1. */
#define ZMQ_ROUTER_NOTIFY 97      /**< ROUTER receives an empty message at ZMQ_NOTIFY_... events. */
#define ZMQ_XPUB_MANUAL_LAST_VALUE                                                                                     \
    98                                   /**< Write only, bool: ZMQ_XPUB_MANUAL, and the next send goes to the last
                                              subscriber alone. */
#define ZMQ_SOCKS_USERNAME 99            /**< string: user name for the SOCKS5 proxy. */
#define ZMQ_SOCKS_PASSWORD 100           /**< string: password for the SOCKS5 proxy. */
#define ZMQ_IN_BATCH_SIZE 101            /**< Most bytes read by one system call. */
#define ZMQ_OUT_BATCH_SIZE 102           /**< Most bytes gathered for one system call. */
#define ZMQ_WSS_KEY_PEM 103              /**< string: our private key. */
#define ZMQ_WSS_CERT_PEM 104             /**< string: our certificate. */
#define ZMQ_WSS_TRUST_PEM 105            /**< string: certificates to trust. */
#define ZMQ_WSS_HOSTNAME 106             /**< string: name the server's certificate must bear. */
#define ZMQ_WSS_TRUST_SYSTEM 107         /**< bool: trust the system's certificates. */
#define ZMQ_ONLY_FIRST_SUBSCRIBE 108     /**< bool: only a message's first frame can be a subscription. XPUB, XSUB. */
#define ZMQ_RECONNECT_STOP 109           /**< When not to reconnect, ZMQ_RECONNECT_STOP_... Default 0: always do. */
#define ZMQ_HELLO_MSG 110                /**< Write only, binary: message sent to each new peer. */
#define ZMQ_DISCONNECT_MSG 111           /**< Write only, binary: message received when a peer goes. */
#define ZMQ_PRIORITY 112                 /**< SO_PRIORITY of connections. Default 0. */
#define ZMQ_BUSY_POLL 113                /**< SO_BUSY_POLL of connections, microseconds. */
#define ZMQ_HICCUP_MSG 114               /**< Write only, binary: message received when a connection was lost. */
#define ZMQ_XSUB_VERBOSE_UNSUBSCRIBE 115 /**< bool: XSUB passes on every cancellation. */
#define ZMQ_TOPICS_COUNT 116             /**< Read only: number of subscriptions in force. */
#define ZMQ_NORM_MODE 117                /**< NORM: congestion control, see below. */
#define ZMQ_NORM_UNICAST_NACK 118        /**< NORM, bool: negative acknowledgements by unicast. */
#define ZMQ_NORM_BUFFER_SIZE 119         /**< NORM: buffer, kilobytes. */
#define ZMQ_NORM_SEGMENT_SIZE 120        /**< NORM: segment, bytes. */
#define ZMQ_NORM_BLOCK_SIZE 121          /**< NORM: segments in a block. */
#define ZMQ_NORM_NUM_PARITY 122          /**< NORM: parity segments in a block. */
#define ZMQ_NORM_NUM_AUTOPARITY 123      /**< NORM: parity segments sent unasked. */
#define ZMQ_NORM_PUSH 124                /**< NORM, bool: overwrite old data when the buffer is full. */

/* Values of ZMQ_NORM_MODE. */
#define ZMQ_NORM_FIXED 0
#define ZMQ_NORM_CC 1
#define ZMQ_NORM_CCL 2
#define ZMQ_NORM_CCE 3
#define ZMQ_NORM_CCE_ECNONLY 4

/* Bits of ZMQ_RECONNECT_STOP. */
#define ZMQ_RECONNECT_STOP_CONN_REFUSED 0x1     /**< The peer refused the connection. */
#define ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED 0x2 /**< The handshake failed. */
#define ZMQ_RECONNECT_STOP_AFTER_DISCONNECT 0x4 /**< The program has disconnected the endpoint. */

/* Bits of ZMQ_ROUTER_NOTIFY. */
#define ZMQ_NOTIFY_CONNECT 1
#define ZMQ_NOTIFY_DISCONNECT 2

/** Context option, bool: received frames may refer to the read buffer. Default 1. */
#define ZMQ_ZERO_COPY_RECV 10

/** zmq_ctx_set() for options of any type, `size` bytes. */
ZMQ_EXPORT int zmq_ctx_set_ext(void* context, int option, const void* value, size_t size);
/** zmq_ctx_get() for options of any type; `*size` is the room in, the length out. */
ZMQ_EXPORT int zmq_ctx_get_ext(void* context, int option, void* value, size_t* size);

/** Makes a message with a copy of `size` bytes. Fails with ENOMEM. */
ZMQ_EXPORT int zmq_msg_init_buffer(zmq_msg_t* msg, const void* data, size_t size);
/** Names the peer of a SERVER or PEER that shall get the message. Fails with EINVAL if the number is 0. */
ZMQ_EXPORT int zmq_msg_set_routing_id(zmq_msg_t* msg, uint32_t routing_id);
/** Returns the number of the peer the message came from, 0 if it has none. */
ZMQ_EXPORT uint32_t zmq_msg_routing_id(zmq_msg_t* msg);
/** Sets the group a RADIO sends the message to. Fails with EINVAL (longer than ZMQ_GROUP_MAX_LENGTH), ENOMEM. */
ZMQ_EXPORT int zmq_msg_set_group(zmq_msg_t* msg, const char* group);
/** Returns the message's group, which lives as long as the message. */
ZMQ_EXPORT const char* zmq_msg_group(zmq_msg_t* msg);

/* Names for zmq_msg_gets(). */
#define ZMQ_MSG_PROPERTY_ROUTING_ID "Routing-Id"
#define ZMQ_MSG_PROPERTY_SOCKET_TYPE "Socket-Type"
#define ZMQ_MSG_PROPERTY_USER_ID "User-Id"
#define ZMQ_MSG_PROPERTY_PEER_ADDRESS "Peer-Address"

/** Joins a group with a DISH. Fails with EINVAL (too long, or joined already), ENOTSUP (another type). */
ZMQ_EXPORT int zmq_join(void* socket, const char* group);
/** Leaves a group with a DISH. Fails with EINVAL (not joined), ENOTSUP (another type). */
ZMQ_EXPORT int zmq_leave(void* socket, const char* group);
/** zmq_connect() for PEER; returns the peer's number, 0 on failure. ENOTSUP (another type), EFAULT (ZMQ_IMMEDIATE). */
ZMQ_EXPORT uint32_t zmq_connect_peer(void* socket, const char* endpoint);
/** Drops one peer of a SERVER or PEER. Fails with EHOSTUNREACH (no such peer), ENOTSUP (another type). */
ZMQ_EXPORT int zmq_disconnect_peer(void* socket, uint32_t routing_id);

/**
 * Returns ZMQ_POLLIN and ZMQ_POLLOUT as they hold for one peer of a ROUTER. Fails with EHOSTUNREACH (no such peer),
 * ENOTSUP (another type).
 */
ZMQ_EXPORT int zmq_socket_get_peer_state(void* socket, const void* routing_id, size_t routing_id_size);

#define ZMQ_EVENT_PIPES_STATS 0x10000 /**< Answer to zmq_socket_monitor_pipes_stats(): queued out, queued in. */
#define ZMQ_CURRENT_EVENT_VERSION 1
#define ZMQ_CURRENT_EVENT_VERSION_DRAFT 2
#define ZMQ_EVENT_ALL_V1 ZMQ_EVENT_ALL
#define ZMQ_EVENT_ALL_V2 ZMQ_EVENT_ALL_V1 | ZMQ_EVENT_PIPES_STATS

/**
 * zmq_socket_monitor() with a choice of report form and of the monitor's socket type (PAIR, PUB, PUSH). Version 2 has
 * frames: event, number of values, each value (uint64_t, native byte order), local endpoint, remote endpoint.
 */
ZMQ_EXPORT int zmq_socket_monitor_versioned(void* socket, const char* endpoint, uint64_t events, int event_version,
                                            int type);
/** Asks for a ZMQ_EVENT_PIPES_STATS per peer. Fails with EINVAL (not monitored at version 2), EAGAIN (no peer). */
ZMQ_EXPORT int zmq_socket_monitor_pipes_stats(void* socket);

/**
 * zmq_poll() with `signal_mask` in force while it waits, as in ppoll(2). Not declared where strict ISO C leaves
 * sigset_t unknown.
 */
#if defined _WIN32
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t* items, int count, long timeout, const void* signal_mask);
#elif defined __cplusplus || defined _POSIX_C_SOURCE || !defined __STRICT_ANSI__
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t* items, int count, long timeout, const sigset_t* signal_mask);
#endif

/** Tells that the zmq_poller functions exist. */
#define ZMQ_HAVE_POLLER

/** An event that a poller reports: of `socket`, or of `fd` if `socket` is NULL. */
typedef struct zmq_poller_event_t {
    void* socket;
    zmq_fd_t fd;
    void* user_data; /**< As given when it was added. */
    short events;    /**< The events that have happened. */
} zmq_poller_event_t;

/*
 * All poller functions fail with EFAULT if the handle is not a poller. Those with a socket fail with ENOTSOCK, and
 * those with a descriptor with EBADF if it is -1. Adding fails with EINVAL if the object is there already, modifying
 * and removing fail with EINVAL if it is not.
 */

/** Creates a poller. Fails with ENOMEM. */
ZMQ_EXPORT void* zmq_poller_new(void);
/** Frees a poller with all it has registered and stores NULL. */
ZMQ_EXPORT int zmq_poller_destroy(void** poller);
/** Returns how many sockets and descriptors are registered. */
ZMQ_EXPORT int zmq_poller_size(void* poller);
/** Registers a socket for some events (0: none for now). Remove it before you close it. */
ZMQ_EXPORT int zmq_poller_add(void* poller, void* socket, void* user_data, short events);
/** Changes the events of a socket. */
ZMQ_EXPORT int zmq_poller_modify(void* poller, void* socket, short events);
/** Removes a socket. */
ZMQ_EXPORT int zmq_poller_remove(void* poller, void* socket);
/** Registers a descriptor. */
ZMQ_EXPORT int zmq_poller_add_fd(void* poller, zmq_fd_t fd, void* user_data, short events);
/** Changes the events of a descriptor. */
ZMQ_EXPORT int zmq_poller_modify_fd(void* poller, zmq_fd_t fd, short events);
/** Removes a descriptor. */
ZMQ_EXPORT int zmq_poller_remove_fd(void* poller, zmq_fd_t fd);
/** Waits for one event. Returns 0; fails with EAGAIN when `timeout` ms are over, else as zmq_poller_wait_all(). */
ZMQ_EXPORT int zmq_poller_wait(void* poller, zmq_poller_event_t* event, long timeout);
/**
 * Waits until something is ready and stores up to `count` events. Returns how many, never 0. Fails with EAGAIN (time
 * is over), EINVAL (negative count), EINTR, ETERM, ENOMEM. Fails with EFAULT if `events` is NULL, or for a wait for
 * ever with nothing to wait for.
 */
ZMQ_EXPORT int zmq_poller_wait_all(void* poller, zmq_poller_event_t* events, int count, long timeout);
/** Stores a descriptor that signals for the thread-safe sockets registered. Fails with EINVAL if there is none. */
ZMQ_EXPORT int zmq_poller_fd(void* poller, zmq_fd_t* fd);

/** @} */

#endif

#undef ZMQ_EXPORT

#ifdef __cplusplus
}
#endif

#endif
