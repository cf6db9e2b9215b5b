// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file core.hpp
 * The compiled part of the C++ API. Programs use the other headers of this folder; these functions may change.
 *
 * Plain types alone: no exception, no Asio, no std::string. So one build of the library serves programs with any Asio,
 * and with any build of the standard library that has the same layout of views and spans. Functions that return int
 * return 0 or an error number (errno's, and those of zmq.h). Such a failure has its sentence in last_error().
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)

namespace zlink {
inline namespace v1 {

/// What was sent and received; zlink_message_counts_t of zlink.h tells what each number means.
struct message_counts {
    std::uint64_t messages_sent = 0;
    std::uint64_t octets_sent = 0;
    std::uint64_t messages_received = 0;
    std::uint64_t octets_received = 0;
    std::uint64_t messages_queued_out = 0;
    std::uint64_t octets_queued_out = 0;
    std::uint64_t messages_queued_in = 0;
    std::uint64_t octets_queued_in = 0;
    std::uint64_t dropped_full = 0;
    std::uint64_t dropped_replaced = 0;
    std::uint64_t dropped_unwanted = 0;
};

namespace core {

inline constexpr int flag_dont_wait = 1;
inline constexpr int flag_more = 2;

inline constexpr short event_in = 1;
inline constexpr short event_out = 2;

// Failures

[[nodiscard]] const char* sentence_of(int error) noexcept;
/// The reason of this thread's last call that failed, in words; "" if none has.
[[nodiscard]] const char* last_error() noexcept;

// Messages: a frame is initialised by frame_init...(), and has to be closed then.

/// As large as a zmq_msg_t.
struct alignas(8) raw_frame {
    unsigned char octets[64];
};

void frame_init(raw_frame& f) noexcept;
[[nodiscard]] bool frame_init_size(raw_frame& f, std::size_t size) noexcept;
[[nodiscard]] bool frame_init_copy(raw_frame& f, const void* data, std::size_t size) noexcept;
/// `free`: called once, on whichever thread lets go of the data last. Null: never freed.
[[nodiscard]] bool frame_init_adopt(raw_frame& f, void* data, std::size_t size, void (*free)(void* data, void* hint),
                                    void* hint) noexcept;
/// `to` is not initialised; `from` is empty afterwards.
void frame_init_move(raw_frame& to, raw_frame& from) noexcept;
/// `to` is not initialised; both refer to one body afterwards.
void frame_init_copy_of(raw_frame& to, raw_frame& from) noexcept;
void frame_close(raw_frame& f) noexcept;
void frame_reset(raw_frame& f) noexcept;
[[nodiscard]] void* frame_data(raw_frame& f) noexcept;
[[nodiscard]] std::size_t frame_size(const raw_frame& f) noexcept;
[[nodiscard]] bool frame_more(const raw_frame& f) noexcept;
/// Null: there is none of this name.
[[nodiscard]] const char* frame_property(const raw_frame& f, std::string_view name) noexcept;
[[nodiscard]] std::uint32_t frame_routing_id(const raw_frame& f) noexcept;
void frame_set_routing_id(raw_frame& f, std::uint32_t id) noexcept;
[[nodiscard]] std::string_view frame_group(const raw_frame& f) noexcept;
[[nodiscard]] int frame_set_group(raw_frame& f, std::string_view group) noexcept;

// Contexts: the handles of the C API

[[nodiscard]] int context_create(int io_threads, void*& made) noexcept;
/// Whether the handle is a context.
[[nodiscard]] bool context_valid(const void* handle) noexcept;
/// Waits as zmq_ctx_term(), for so many milliseconds; negative: no limit.
[[nodiscard]] int context_terminate(void* handle, int timeout_ms);
/// The same without a limit, whatever signals come; no cancellation point.
void context_end(void* handle) noexcept;
void context_shutdown(void* handle) noexcept;
[[nodiscard]] int context_set(void* handle, int option, int value) noexcept;
[[nodiscard]] int context_get(void* handle, int option, int& value) noexcept;

// Hosted contexts have no I/O threads: their I/O is done in steps. All calls on such a context, on its sockets, and all
// steps are made by one thread at a time.

/// `opened` is called with `host` when a socket has been opened: from then on, until a step says otherwise, the context
/// wants steps.
[[nodiscard]] int context_create_hosted(void (*opened)(void* host) noexcept, void* host, void*& made) noexcept;
/// Readable when the context wants a step.
[[nodiscard]] int context_descriptor(void* handle) noexcept;
/// Does what is to be done, for about so long at most; 0: a little. False: nothing lives in the context, and it wants
/// no steps until `opened` is called. (It may have been ended in the step, by a free function of the program's.)
/// `pause_ns`: 0: there is more to do; else, the next step is due when the descriptor is readable, or after that time;
/// negative: no limit.
[[nodiscard]] bool context_step(void* handle, std::int64_t budget_ns, std::int64_t& pause_ns) noexcept;
/// Sockets or connections live in it.
[[nodiscard]] bool context_lives(void* handle) noexcept;
/// Ends a hosted context without waiting. What has not been written is dropped, and counted.
void context_drop(void* handle) noexcept;
/// How many messages context_drop() has dropped in this process so far. (Of those that connections were writing, the
/// count may be a few too high.)
[[nodiscard]] std::uint64_t context_messages_dropped() noexcept;

// Sockets: likewise. Functions that are not noexcept may wait, and are cancellation points.

[[nodiscard]] int socket_open(void* context, int type, void*& made) noexcept;
void socket_close(void* handle) noexcept;
[[nodiscard]] bool socket_is_shared(void* handle) noexcept;
[[nodiscard]] int socket_set(void* handle, int option, const void* value, std::size_t size) noexcept;
[[nodiscard]] int socket_get(void* handle, int option, void* value, std::size_t& size) noexcept;

enum class endpoint_call : std::uint8_t { bind, connect, unbind, disconnect };
[[nodiscard]] int socket_endpoint(void* handle, endpoint_call what, std::string_view endpoint) noexcept;
[[nodiscard]] int socket_connect_peer(void* handle, std::string_view endpoint, std::uint32_t& number) noexcept;
[[nodiscard]] int socket_disconnect_peer(void* handle, std::string_view routing_id) noexcept;
[[nodiscard]] int socket_join(void* handle, std::string_view group, bool join) noexcept;

/// Empties the frame if it went.
[[nodiscard]] int socket_send(void* handle, raw_frame& frame, int flags);
/// One message: all of the parts or none.
[[nodiscard]] int socket_send_parts(void* handle, std::span<raw_frame> parts, int flags);
/// Each frame is a message. `sent`: how many went; the error is the next one's.
[[nodiscard]] int socket_send_many(void* handle, std::span<raw_frame> messages, int flags, std::size_t& sent);
/// The frame is empty if it fails.
[[nodiscard]] int socket_receive(void* handle, raw_frame& frame, int flags);
/// EMSGSIZE: the message needs `parts` frames, and stays.
[[nodiscard]] int socket_receive_parts(void* handle, std::span<raw_frame> room, int flags, std::size_t& parts);
/// Whole messages, as many as there are and fit. `parts`: of all of them.
[[nodiscard]] int socket_receive_many(void* handle, std::span<raw_frame> room, int flags, std::size_t& messages,
                                      std::size_t& parts);

/// Which of `wanted` hold now. Takes in the news that the descriptor tells of.
[[nodiscard]] int socket_ready(void* handle, short wanted, short& found) noexcept;
/// Readable when there is news: look at everything then. The socket's own. A shared socket's stays readable while there
/// is a message.
[[nodiscard]] int socket_descriptor(void* handle, int& descriptor) noexcept;
/// For a socket of a hosted context that is not shared, in place of its descriptor: `news` is called with `of` when there
/// may be news, from a step or a call, and now. It calls nothing of the library. Null: it is not called any more, nor
/// after the socket was closed. ENOTSUP: another socket.
[[nodiscard]] int socket_tell_news(void* handle, void (*news)(void* of) noexcept, void* of) noexcept;

enum class condition : std::uint8_t { peers, subscribers, drained };
/// Waits for so many milliseconds; negative: no limit. `topic`: of subscribers, or null. `count`: how many there are.
[[nodiscard]] int socket_await(void* handle, condition what, const std::string_view* topic, std::size_t at_least,
                               int timeout_ms, std::size_t& count);

/// Events come to a PAIR that connects to the endpoint, as zlink_socket_monitor() describes them.
[[nodiscard]] int socket_monitor_start(void* handle, std::string_view endpoint, std::uint64_t events) noexcept;
void socket_monitor_stop(void* handle) noexcept;

[[nodiscard]] int proxy_run(void* front, void* back, void* capture, void* control);

// Pollers

struct polled {
    void* socket;
    int descriptor;
    void* data;
    short events;
};
[[nodiscard]] void* poller_create() noexcept;
void poller_destroy(void* poller) noexcept;
/// A socket, or a descriptor if that is null.
[[nodiscard]] int poller_add(void* poller, void* socket, int descriptor, void* data, short events) noexcept;
[[nodiscard]] int poller_modify(void* poller, void* socket, int descriptor, short events) noexcept;
[[nodiscard]] int poller_remove(void* poller, void* socket, int descriptor) noexcept;
[[nodiscard]] int poller_wait(void* poller, std::span<polled> to, long timeout_ms, std::size_t& ready);

// Statistics. The texts are valid until `take` returns.

/// zlink_stats_t of zlink.h tells what the members mean.
struct statistics_view {
    std::uint64_t number, age_ms;
    std::string_view name, last_error;
    int type;
    message_counts messages;
    std::uint64_t dropped_no_peer, dropped_no_match, dropped_unroutable, dropped_unsent, dropped_unread;
    std::uint64_t send_waits, connects, disconnects, reconnects, failed_connects, failed_handshakes;
    std::uint64_t protocol_errors, refused, silences;
};
/// zlink_peer_stats_t of zlink.h tells what the members mean.
struct peer_view {
    std::string_view endpoint, address, routing_id, user_id, mechanism, last_error;
    bool connected;
    message_counts messages;
    std::uint64_t round_trip_us;
};
[[nodiscard]] int socket_statistics(void* handle, void (*take)(void* to, const statistics_view& of), void* to);
[[nodiscard]] int socket_peers(void* handle, void (*take)(void* to, const peer_view& of), void* to);
[[nodiscard]] int context_statistics(void* context, void (*take)(void* to, const statistics_view& of), void* to);

}  // namespace core
}  // namespace v1
}  // namespace zlink

#pragma GCC visibility pop
