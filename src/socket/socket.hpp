// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket: options, endpoints and pipes, with the pattern that decides where frames go, and the waiting that patterns
// do not do. Used by one thread at a time; other threads reach its mailbox and its socket_host. Above 300 lines, as it
// declares the functions that seven files (socket*.cpp) define, each with a theme of its own.
//
// A socket is handed to the API as a plain pointer. Its memory is never given back to the system, but used for other
// sockets (socket_memory.hpp). So a call on a closed socket finds a dead tag, and not unrelated data. If threads share
// the socket, they meet at the handle_gate in front of it (held_socket.hpp).
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "pattern/pattern.hpp"
#include "pipe/delivery.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/waiter.hpp"
#include "runtime/yield_spin.hpp"
#include "socket/deferred_sends.hpp"
#include "socket/endpoint_table.hpp"
#include "socket/handle_tag.hpp"
#include "socket/inline_reader.hpp"
#include "socket/mailbox.hpp"
#include "socket/message_rest.hpp"
#include "socket/options.hpp"
#include "socket/pipe_book.hpp"
#include "socket/send_waits.hpp"
#include "socket/shortcuts.hpp"
#include "socket/socket_host.hpp"
#include "socket/socket_memory.hpp"
#include "socket/subscription_order.hpp"
#include "transport/datagram_port.hpp"
#include "transport/endpoint.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::socket {

using runtime::deadline;
using runtime::deadline_after;
using runtime::is_over;
using runtime::waiter;

class context;
class hosting;
struct joined_party;
struct peer_condition;
using spent_frames = std::vector<message::owned_frame>;
enum poll_event : short { poll_in = 1, poll_out = 2 };

class socket final : private pattern::pattern_host, private host_owner {
public:
    [[nodiscard]] static result<socket*> create(context& owner, int type, const context_options& defaults,
                                                new_handle handle);
    [[nodiscard]] static bool valid(const void* handle) noexcept
    {
        return handle && static_cast<const socket*>(handle)->tag_.load() == handle_tag::live;
    }
    /// As valid(), and which hold a call needs (held_socket.hpp).
    [[nodiscard]] static handle_kind kind_of(const void* handle) noexcept
    {
        return handle ? static_cast<const socket*>(handle)->tag_.kind() : handle_kind::none;
    }
    [[nodiscard]] bool is_shared() const noexcept { return tag_.load(std::memory_order_acquire) == handle_tag::shared; }
    /// From now on a second thread inside a call is found out. For a new socket.
    void check_threads() noexcept;
    /// The first half of close(): no further call gets in.
    void kill_handle() noexcept { tag_.store(handle_tag::dead); }

    /// Ends all endpoints; outbound messages linger. The pointer is dead afterwards. Never blocks. In a child of fork
    /// an inherited socket is only forgotten: it belongs to the parent.
    void close() noexcept;

    [[nodiscard]] errc set(int option, const void* value, std::size_t size);
    [[nodiscard]] errc get(int option, void* value, std::size_t* size);
    void set_linger(int milliseconds) noexcept { options_.linger = milliseconds; }
    [[nodiscard]] socket_type type() const noexcept { return options_.type; }
    [[nodiscard]] bool never_waits_to_send() const noexcept { return options_.sndtimeo == 0; }
    /// ZMQ_SNDTIMEO and ZMQ_RCVTIMEO, in milliseconds; -1: no limit.
    [[nodiscard]] int send_timeout() const noexcept { return options_.sndtimeo; }
    [[nodiscard]] int receive_timeout() const noexcept { return options_.rcvtimeo; }

    [[nodiscard]] errc bind(std::string_view endpoint);
    [[nodiscard]] errc connect(std::string_view endpoint);
    /// zmq_unbind and zmq_disconnect, which do not distinguish between bound and connected endpoints.
    [[nodiscard]] errc end_endpoints(std::string_view endpoint);
    /// Ends the pipe of one peer. host_unreachable: there is none; not_supported: this type's peers have no names.
    [[nodiscard]] errc disconnect_peer(std::string_view routing_id) noexcept;

    // Of single types; others: errc::not_supported.

    [[nodiscard]] errc join(std::string_view group, bool on);  ///< DISH: zmq_join and zmq_leave
    /// PEER: connects, and returns the number of the new peer.
    [[nodiscard]] result<std::uint32_t> connect_peer(std::string_view endpoint);
    [[nodiscard]] errc disconnect_peer(std::uint32_t number);  ///< SERVER and PEER
    /// ROUTER: which of poll_in and poll_out hold for one peer.
    [[nodiscard]] result<short> state_of_peer(std::string_view routing_id);

    /// Sends one frame; waits as options and `dontwait` say. The caller keeps its frame.
    [[nodiscard]] [[gnu::always_inline]] errc send(const pipe::outgoing& frame, bool dontwait)
    {
        if (!frame.more && may_send_at_once() && shortcuts_.target()->send_at_once(frame.data, frame.size)) {
            return errc::none;
        }
        return send_by_pattern(frame, dontwait);
    }

    /// send() for a very small message of one frame that takes the shortcut. It makes no call, except as its last act,
    /// so a caller that does nothing else needs no stack. Returns the size, or not_sent: call send().
    [[nodiscard]] [[gnu::always_inline]] int send_small(const std::byte* data, std::size_t size) noexcept
    {
        if (!may_send_at_once() || !shortcuts_.target()->writer.write_small(data, size)) return not_sent;
        if (shortcuts_.target()->writer.reader_sleeps()) [[unlikely]]
            return a_size(notify_reader(int(size)));
        return a_size(int(size));
    }
    /// The same for the content of `f`, which is left empty.
    [[nodiscard]] [[gnu::always_inline]] int send_small(message::frame& f) noexcept
    {
        const std::size_t size = f.size();
        if (!may_send_at_once() || !shortcuts_.target()->writer.write_small(f.data(), size)) return not_sent;
        if (shortcuts_.target()->writer.reader_sleeps() || f.properties() || !f.reset_at_once()) [[unlikely]]
            return a_size(notify_reader_and_reset(f, int(size)));
        return a_size(int(size));
    }
    static constexpr int not_sent = -1;

    /// Receives one frame; waits as options and `dontwait` say.
    [[nodiscard]] [[gnu::always_inline]] errc receive(pipe::delivery& to, bool dontwait)
    {
        if (mailbox_->pending() | housekeeping_) [[unlikely]] {
            if (const errc e = process(most_ends_at_once); e != errc::none) return e;
            if (mailbox_->shows_level()) return receive_and_show(to, dontwait);
            if (rest_.any()) return receive_rest(to);
        }
        const errc e = pattern_->receive(to);
        if (e == errc::none) [[likely]] {
            more_ = to.more();
            shortcuts_.note_asked(*pattern_);
            return e;
        }
        return e == errc::again ? receive_waiting(to, dontwait) : e;
    }

    /// The shortcut of receive(): shows a message of one frame that may be taken without asking the pattern.
    [[nodiscard]] [[gnu::always_inline]] bool next_at_once(pipe::incoming& f) noexcept
    {
        return may_take_at_once() && shortcuts_.source()->reader.next(f) && !f.more;
    }
    void pop_at_once(const pipe::incoming& f) noexcept { shortcuts_.source()->pop(f); }

    /// Both in one, for a message of at most `room` octets, which are valid until the next call on the socket; or null.
    [[nodiscard]] [[gnu::always_inline]] std::span<const std::byte> take_at_once(std::size_t room) noexcept
    {
        if (!may_take_at_once()) return {};
        return shortcuts_.source()->reader.take_at_once(room);
    }

    /// The first half of take_at_once(), and the properties of the message that it shows. take_shown() is the other.
    [[nodiscard]] [[gnu::always_inline]] std::span<const std::byte> show_at_once(std::size_t room) const noexcept
    {
        if (!may_take_at_once()) return {};
        return shortcuts_.source()->reader.show_at_once(room);
    }
    [[nodiscard]] message::metadata* shown_properties() const noexcept
    {
        return shortcuts_.source()->reader.metadata();
    }
    /// The routing id of messages that take_shown() or pop_at_once() takes; 0: they have none.
    [[nodiscard]] std::uint32_t source_number() const noexcept
    {
        return pattern::routing_of(*shortcuts_.source()).number;
    }
    void take_shown(std::span<const std::byte> shown) noexcept { shortcuts_.source()->reader.take_shown(shown); }

    // Whole messages (socket_shared.cpp)

    /// Sends one message: all of `parts`, or nothing. The caller keeps them.
    [[nodiscard]] errc send_parts(std::span<message::frame> parts, bool dontwait);
    /// Receives one message, or the rest of one that was begun frame by frame. `count`: its parts. message_too_long:
    /// more than there is room for; it stays for the next receive, of whatever kind. What `room` held goes to `spent`:
    /// its free functions are for a thread without a hold.
    [[nodiscard]] errc receive_parts(std::span<message::frame> room, std::size_t& count, bool dontwait,
                                     spent_frames& spent);
    /// Receives a message of one frame. message_too_long: it has several, and stays. `f`: the frame that `to` delivers
    /// to, at least if it gets a frame with more behind it.
    [[nodiscard]] errc receive_sole(pipe::delivery& to, message::frame& f, bool dontwait);

    // The halves of a wait for a shared socket (wait_line.hpp)

    [[nodiscard]] subscription_order& order() noexcept { return subscriptions_; }
    /// Whether anything has happened since the last call that may let a send succeed.
    [[nodiscard]] bool take_news() noexcept { return shortcuts_.take_news(); }
    [[nodiscard]] bool has_descriptor() const noexcept { return mailbox_->has_descriptor(); }
    /// A call ends: the descriptor tells of what it leaves. `news`: as take_news().
    void show_at_descriptor(bool news) noexcept;
    /// A poller is about to look, so the descriptor need not tell it of anything that came before.
    void take_in_descriptor() noexcept { mailbox_->take_in_descriptor(); }
    /// As awaited::arm().
    [[nodiscard]] bool arm(waiter* leader, bool input) noexcept;
    /// For a thread that yields before it waits, and holds the lock: reads connections. True: there may be a message.
    [[nodiscard]] bool read_between_yields() noexcept;
    void count_waiting_send() noexcept { host_.account().load.waits.add(1); }

    /// Messages that limits::yielding::most_counted open pipes at most have brought. A peer that leaves takes its own.
    [[nodiscard]] std::uint64_t received() const noexcept;

    /// Between begin_burst() and end_burst() more messages are sent without a pause, which may go out together.
    /// Before a call on another object in which the thread may pause, it sends the held ones: no I/O thread takes over.
    void begin_burst() noexcept { held_.begin_burst(); }
    void send_held() noexcept { held_.send(); }
    void end_burst() noexcept { held_.end_burst(); }

    /// Which of `wanted` (poll_in, poll_out) hold now. errc::terminated when the context ends. `will_wait`: if none,
    /// the caller is going to sleep for it, or to call again.
    [[nodiscard]] result<short> ready(short wanted, bool will_wait = false) noexcept;
    /// The same for input, and quickly: false is final only once ready() has returned it.
    [[nodiscard]] bool may_be_ready(short wanted) noexcept
    {
        return mailbox_->pending() || ((wanted & poll_in) && pattern_->can_receive());
    }

    /// A hint: the first of its peers is a connection, not a socket of this process, or there is none yet.
    [[nodiscard]] bool may_have_connections() const noexcept
    {
        const auto& peers = pipes_.open();
        return peers.empty() || peers[0]->parent().io.write_token.offered();
    }

    // A thread that waits for input may read the socket's connections itself, if there are not too many and they are
    // fit for that. In between, begin_wait() is for wake-ups by other threads only.
    /// begin() comes after ready() found no input; end_reading() before anything else is called.
    [[nodiscard]] inline_reader& reading() noexcept { return reading_; }
    /// `beside`: as of inline_reader::end().
    void end_reading(load::connections_read beside = {}) noexcept;
    /// In place of end_reading(), after inline_reader::begin_parked().
    void end_reading_parked() noexcept;

    /// Before a sleep, after w.prepare(): `w` is woken from now on, and lanes found empty are announced as dormant.
    /// Next comes a fence (asymmetric_fence::sleeper_fence, of all results), then end_announcement() on each socket of
    /// the sleep. After the sleep comes end_wait() on each. `wanted` as for ready(), which was called before and found
    /// nothing.
    [[nodiscard]] bool begin_wait(waiter& w, short wanted) noexcept;
    /// True: there is news already; do not sleep. `wanted` as for begin_wait().
    [[nodiscard]] bool end_announcement(short wanted) noexcept;
    void end_wait() noexcept { mailbox_->set_sleeper(nullptr); }

    /// Takes in news and counts: see peer_condition::holds(). await(): once it holds. Errors: again, interrupted,
    /// terminated, not_supported. May throw std::bad_alloc.
    [[nodiscard]] result<std::size_t> count(const peer_condition& of);
    [[nodiscard]] result<std::size_t> await(const peer_condition& what, const deadline& until);

    [[nodiscard]] int descriptor() noexcept;        ///< ZMQ_FD; -1: too many open files
    [[nodiscard]] int level_descriptor() noexcept;  ///< ZLINK_FD; likewise
    /// Of a hosted context: `c` in place of a descriptor, or none any more. It is called at once.
    void tell_news(news_call c) noexcept;

    [[nodiscard]] monitor& events() noexcept { return host_.events(); }
    [[nodiscard]] const engine::session_host* host() const noexcept { return &host_; }  ///< only to be compared
    [[nodiscard]] hosting* hosted() const noexcept;  ///< of its context; null: that has I/O threads
    [[nodiscard]] errc report_pipes() noexcept;      ///< zmq_socket_monitor_pipes_stats

    /// Any thread (the context's end): every call fails from now on.
    void stop() noexcept { mailbox_->stop(); }

    static void* operator new(std::size_t size, bool shared) { return socket_memory::take(size, shared); }
    static void operator delete(void* memory) noexcept { socket_memory::give(memory); }
    static void operator delete(void* memory, bool) noexcept { socket_memory::give(memory); }

private:
    socket(context& owner, const socket_options& options, std::shared_ptr<socket_account> account);
    ~socket();

    // pattern_host
    void give_up(pipe::pipe_end& end) override;
    [[nodiscard]] bool await_room(pipe::pipe_end& end) noexcept override;
    [[nodiscard]] bool peers_are_leaving() const noexcept override { return mailbox_->has_departed(); }
    void on_dropped(pattern::drop_reason why) noexcept override { host_.account().dropped(why); }
    // host_owner: the socket is closed, and its last session has ended. On any thread.
    void on_host_unused() noexcept override { delete this; }

    // messages, waiting
    [[nodiscard]] bool may_send_at_once() const noexcept
    {
        return shortcuts_.target() &&
               (int(mailbox_->pending()) | int(housekeeping_) | int(subscription_order::owed_by_this_thread())) == 0;
    }
    [[nodiscard]] bool may_take_at_once() const noexcept
    {
        return shortcuts_.source() && !(mailbox_->pending() | housekeeping_ | more_);
    }
    [[nodiscard]] [[gnu::noinline]] int notify_reader(int size) noexcept;
    [[nodiscard]] [[gnu::noinline]] int notify_reader_and_reset(message::frame& f, int size) noexcept;
    /// Before sends, before "nothing there", and before sleeps: all of them.
    static constexpr int all_ends = std::numeric_limits<int>::max();
    [[nodiscard]] errc process(int most_ends = all_ends) noexcept;
    [[nodiscard]] errc send_by_pattern(const pipe::outgoing& frame, bool dontwait);
    [[nodiscard]] errc send_processed(const pipe::outgoing& frame, bool dontwait);
    [[nodiscard]] errc send_waiting(const pipe::outgoing& frame);
    [[nodiscard]] errc send_or_drop(const pipe::outgoing& frame);
    [[nodiscard]] errc take(pipe::delivery& to) noexcept;
    [[nodiscard]] errc receive_now(pipe::delivery& to);
    [[nodiscard]] errc receive_waiting(pipe::delivery& to, bool dontwait);
    [[nodiscard]] [[gnu::noinline]] errc receive_and_show(pipe::delivery& to, bool dontwait);
    [[nodiscard]] waiter::reason await_input(const deadline& until);
    [[nodiscard]] waiter::reason sleep_for_input(const deadline& until);
    [[nodiscard]] errc receive_rest(pipe::delivery& to) noexcept;
    [[nodiscard]] [[gnu::noinline]] errc receive_sole_rest(pipe::delivery& to);
    [[nodiscard]] errc gather(bool dontwait);
    void activate_read_pipes() noexcept;
    /// The thread sleeps until the lanes' writers wake it.
    [[nodiscard]] bool waits_for_lanes(short wanted) const noexcept { return (wanted & poll_in) && !reading_.active(); }
    void announce_for_descriptor() noexcept;
    void show_level() noexcept;  ///< ZLINK_FD is readable if a receive would succeed, and not readable otherwise
    [[nodiscard]] bool keeps_house() const noexcept { return rest_.any() || mailbox_->shows_level(); }
    [[nodiscard]] static bool has_undelivered(pipe::pipe_end& end) noexcept;
    [[nodiscard]] waiter::reason sleep_for_news(const deadline& until);

    // pipes
    [[nodiscard]] bool on_command(command& c);
    void process_ends(int most);
    void process_departed(int most);
    void process_end(pipe::pipe_end& end);
    static void take_over(pipe_record& to, command& c) noexcept;
    void note_name(pipe::pipe_end& end, const std::string& routing_id) const;
    void on_identified(command& c);
    void give_up_command(const command& c) noexcept;
    void retry_rejected(const command_list& rejected) noexcept;
    void on_pipe(pipe::pipe_end& end, std::uint32_t events);
    void add_pipe(pipe::pipe_end& end, const pattern::attachment& how, std::uint64_t endpoint_id);
    void move_to_rejected(pipe::pipe_end& end);
    void remove_pipe(pipe::pipe_end& end) noexcept;
    /// remove_pipe() of a socket that goes: its endpoints go as well, so none of them is searched for.
    void close_pipe(pipe::pipe_end& end) noexcept;
    void forget_pipe(pipe::pipe_end& end) noexcept;
    void take_out_pipe(pipe::pipe_end& end) noexcept;
    void undo_add_pipe(pipe::pipe_end& end) noexcept;
    void close_given_up() noexcept;

    // endpoints
    enum class opening : std::uint8_t { bind, connect, any };
    /// Whether a socket of this type can use the transport like that.
    [[nodiscard]] bool suits(const transport::transport& over, opening how) const noexcept;
    /// The transport of `endpoint`, if this socket can use it like that.
    [[nodiscard]] result<const transport::transport*> transport_for(std::string_view endpoint, opening how) const;
    void report_bind_failed(std::string_view endpoint, errc why);
    [[nodiscard]] errc bind_stream(const transport::endpoint& where);
    [[nodiscard]] errc bind_name(const transport::endpoint& where);
    [[nodiscard]] errc bind_datagrams(const transport::endpoint& where);
    [[nodiscard]] errc connect_datagrams(const transport::endpoint& where);
    [[nodiscard]] errc add_datagrams(const transport::transport& over, std::unique_ptr<transport::datagram_port> port,
                                     std::string text);
    [[nodiscard]] errc connect_stream(const transport::endpoint& where);
    [[nodiscard]] errc connect_to_name(const transport::endpoint& where);
    [[nodiscard]] std::shared_ptr<engine::session_options> session_settings(const transport::transport& over,
                                                                            std::uint64_t endpoint_id) const;
    [[nodiscard]] joined_party joined_side(std::uint64_t endpoint_id) const;
    [[nodiscard]] pattern::attachment local_attachment(bool peer_is_socket);
    void stop_reading(const endpoint_record& record);
    void stop_reading(pipe::pipe_end& end);
    void end_endpoint(endpoint_record& record);
    void stop_endpoint(const endpoint_record& record) noexcept;
    [[nodiscard]] std::string bound_text(std::string_view endpoint) const;

    // options
    void apply(int option);
    void apply_hwm(bool outbound) noexcept;
    void apply_hwm_bytes(bool outbound) noexcept;
    [[nodiscard]] errc set_shared(const void* value, std::size_t size) noexcept;
    void open_handle(new_handle kind) noexcept;
    void share() noexcept;
    [[nodiscard]] errc get_live(int option, void* value, std::size_t* size);

    /// How many pipe ends a receive that finds a message looks at: thousands of peers may have news at once.
    static constexpr int most_ends_at_once = 128;

    // The members up to shortcuts_ are read by each send and receive, and are next to each other for that.
    handle_tag tag_;
    bool housekeeping_ = false;  ///< process() is due: pipes were given up, a conflating lane was looked at, or below
    bool more_ = false;          ///< ZMQ_RCVMORE
    mailbox* mailbox_;
    std::unique_ptr<pattern::pattern> pattern_;
    shortcuts shortcuts_;
    pipe_book pipes_;
    subscription_order subscriptions_;
    deferred_sends held_;
    inline_reader reading_;
    runtime::yield_spin spin_;  ///< before a sleep for input that the I/O threads read
    send_waits send_waits_;
    socket_options options_;
    endpoint_table endpoints_;
    socket_host host_;
    message_rest rest_;
};

}  // namespace zlink::socket
