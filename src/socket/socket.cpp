#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/fork_safe_free_list.hpp"
#include "pipe/arrivals.hpp"
#include "runtime/clock.hpp"
#include "runtime/pause.hpp"
#include "socket/context.hpp"
#include "socket/knobs.hpp"

#include <zmq.h>

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::socket {

namespace {

// Memory of closed sockets, for new ones; see the header.
struct free_socket {
    std::uint64_t dead_tag_stays_here[2];
    free_socket* next;
};
constinit fork_safe_free_list<free_socket, &free_socket::next> free_sockets;

constexpr std::chrono::milliseconds slice_without_fence{10};

}  // namespace

void* socket::operator new(std::size_t size)
{
    if (void* memory = free_sockets.take()) return memory;
    return ::operator new(size);
}

void socket::operator delete(void* memory) noexcept
{
    static_assert(sizeof(socket) >= sizeof(free_socket));
    free_sockets.give(*static_cast<free_socket*>(memory));
}

socket::socket(context& owner, const socket_options& options)
    : mailbox_(new mailbox),
      inline_io_(process_knobs().inline_io()),
      reads_inline_(inline_io_ && traits(options.type).reads_inline),
      spin_(process_knobs().spin()),
      send_spin_(process_knobs().spin()),
      options_(options),
      context_(owner),
      monitor_(owner)
{}

socket::~socket()
{
    tag_.store(dead_tag, std::memory_order_relaxed);
    mailbox_->release();
}

result<socket*> socket::create(context& owner, int type, const context_options& defaults)
{
    const auto known = socket_type_of(type);
    if (!known) return errc::invalid_argument;
    auto* s = new socket(owner, initial_options(*known, defaults));
    s->pattern_ = pattern::make_pattern(*known, *s, s->options_.pattern);
    if (!s->pattern_) {
        s->release();
        return errc::out_of_memory;
    }
    return s;
}

// --- closing ----------------------------------------------------------------------------------------------------------

void socket::close() noexcept
{
    tag_.store(dead_tag, std::memory_order_relaxed);
    // The threads that the rest is shared with exist in the parent alone, and may have been in the middle of anything.
    if (context_.inherited()) return mailbox_->abandon();
    // The monitor goes with the last session and listener: their ends are events, too.
    while (!pipes_.empty()) remove_pipe(*pipes_.back());
    while (!refused_.empty()) remove_pipe(*refused_.back());
    endpoints_.for_each([this](const endpoint_record& record) { stop_endpoint(record); });
    endpoints_.clear();
    context_.inproc().unbind_all(mailbox_);
    context_.inproc().let_go(mailbox_, inproc_registry::every_endpoint);
    // Pipes that were on their way here.
    for (command& c : mailbox_->close()) {
        if (c.what != command::kind::attach) continue;
        c.end->parent().linger.store(options_.linger, std::memory_order_relaxed);
        c.end->close();
    }
    given_up_.clear();
    pattern_.reset();
    drain_closed_ends();
    context_.socket_closed(this);
    release();
}

// Ends that stood in our queue when they were closed: their memory goes when they are taken out.
void socket::drain_closed_ends() noexcept
{
    while (closed_in_queue_ != 0) {
        pipe::pipe_end* end = mailbox_->take_all();
        // The thread that is putting one in is between two instructions.
        if (!end) runtime::yield();
        while (end) {
            pipe::pipe_end* after = end->next_in_queue;
            if (end->closed()) {
                end->discard();
                --closed_in_queue_;
            }
            end = after;
        }
    }
}

// --- what other threads told us ---------------------------------------------------------------------------------------

errc socket::process() noexcept
{
    ask_pattern();
    if (mailbox_->pending()) {
        mailbox_->acknowledge();
        std::vector<command> refused;
        for (command& c : mailbox_->take_commands()) {
            try {
                if (!on_command(c)) refused.push_back(std::move(c));
            } catch (...) {
                // Memory is short: a pipe that cannot be taken up is closed, and with it its connection.
                if (c.what == command::kind::attach) take_back(*c.end);
            }
        }
        for (pipe::pipe_end* end = mailbox_->take_all(); end;) {
            pipe::pipe_end* after = end->next_in_queue;
            const std::uint32_t events = end->take_events();
            if (end->closed()) {
                end->discard();
                --closed_in_queue_;
            } else {
                on_pipe(*end, events);
            }
            end = after;
        }
        if (!refused.empty()) look_again_at(refused);
    }
    if (conflates_) {
        for (pipe::pipe_end* end : pipes_) end->reader.skip_to_newest();
    }
    close_given_up();
    stop_seen_ = mailbox_->stopped();
    return stop_seen_ ? errc::terminated : errc::none;
}

// False: a new pipe was refused, and has to be looked at again.
bool socket::on_command(command& c)
{
    switch (c.what) {
    case command::kind::attach:
        c.end->routing.other_endpoint = std::move(c.other_endpoint);
        add_pipe(*c.end, c.how, c.endpoint_id);
        if (c.end->routing.refused && c.end->routing.place_was_left) return false;
        c.end->attach(*mailbox_);
        if (c.end->routing.refused) {
            c.end->peer().notify(pipe::event_refused);
        } else if (!c.how.inproc && !endpoints_.find(c.endpoint_id)) {
            hear_no_more(*c.end);  // of an endpoint that was ended while the connection was being made
        }
        break;
    case command::kind::identified: on_identified(c); break;
    case command::kind::disconnected:
        if (std::find(pipes_.begin(), pipes_.end(), c.end) != pipes_.end()) pattern_->on_disconnected(*c.end);
        break;
    case command::kind::ended:
        if (const endpoint_record* r = endpoints_.find(c.endpoint_id); r && !r->bound) endpoints_.erase(r->id);
        break;
    }
    return true;
}

void socket::on_identified(command& c)
{
    const auto is_it = [&](const pipe::pipe_end* end) { return end == c.end; };
    const bool refused = std::any_of(refused_.begin(), refused_.end(), is_it);
    if (!refused && std::none_of(pipes_.begin(), pipes_.end(), is_it)) return;
    if (refused) pipes_.reserve(pipes_.size() + 1);
    pipe::pipe_end& end = *c.end;
    end.routing.other_endpoint = std::move(c.other_endpoint);
    if (c.joint) {
        end.routing.peer_sndhwm = c.peer_sndhwm;
        end.routing.peer_rcvhwm = c.peer_rcvhwm;
        end.routing.peer_unlimited_out = c.peer_sndhwm == 0;
        end.routing.peer_unlimited_in = c.peer_rcvhwm == 0;
    }
    if (c.again && !refused) pattern_->on_reconnected(end);
    pattern_->identified(end, c.how.routing_id);
    if (end.routing.refused && !refused) set_aside(end);
    if (!end.routing.refused && refused) take_up(end);
}

// The peer whose place they claimed had left before: that was in the queue, which comes after the commands.
void socket::look_again_at(std::vector<command>& refused) noexcept
{
    close_given_up();
    for (const command& c : refused) {
        pipe::pipe_end& end = *c.end;
        try {
            std::erase(refused_, &end);
            endpoints_.leave(end);
            end.routing.refused = false;
            add_pipe(end, c.how, c.endpoint_id);
            end.attach(*mailbox_);
        } catch (...) {
            take_back(end);
            continue;
        }
        if (end.routing.refused) end.peer().notify(pipe::event_refused);
    }
}

void socket::on_pipe(pipe::pipe_end& end, std::uint32_t events)
{
    if (end.routing.refused) {
        if (events & pipe::event_peer_closed) give_up(end);
        return;
    }
    if (events & pipe::event_hwm) {
        std::uint32_t tell = 0;
        if (end.writer.apply_requested_hwm()) tell |= pipe::event_hwm;
        if (end.reader.flush_credit()) tell |= pipe::event_credit;
        if (tell) end.peer().notify(tell);
        pattern_->on_credit(end);
    }
    if (events & pipe::event_data) pattern_->on_data(end);
    if (events & pipe::event_credit) pattern_->on_credit(end);
    if (events & pipe::event_peer_closed) pattern_->on_peer_closed(end);
}

bool socket::attach(pipe::pipe_end& end, engine::peer_attachment peer, std::uint64_t endpoint_id) noexcept
{
    command c{command::kind::attach, &end, {}, endpoint_id};
    c.how.identified = true;
    c.how.routing_id = std::move(peer.routing_id);
    c.other_endpoint = std::move(peer.other_endpoint);
    return mailbox_->post(std::move(c));
}

void socket::identified(pipe::pipe_end& end, engine::peer_attachment peer, bool again) noexcept
{
    command c{command::kind::identified, &end, {}, 0};
    c.again = again;
    c.how.routing_id = std::move(peer.routing_id);
    c.other_endpoint = std::move(peer.other_endpoint);
    (void)mailbox_->post(std::move(c));
}

void socket::disconnected(pipe::pipe_end& end) noexcept
{
    (void)mailbox_->post({command::kind::disconnected, &end, {}, 0});
}

void socket::ended(std::uint64_t endpoint_id) noexcept
{
    (void)mailbox_->post({command::kind::ended, nullptr, {}, endpoint_id});
}

// --- pipes ------------------------------------------------------------------------------------------------------------

void socket::add_pipe(pipe::pipe_end& end, const pattern::attachment& how, std::uint64_t endpoint_id)
{
    ask_pattern();
    end.routing.endpoint_id = endpoint_id;
    end.routing.socket_index = std::uint32_t(pipes_.size());
    if (mailbox_->has_descriptor()) end.reader.use_fences();
    conflates_ |= end.reader.conflates();
    // Giving up must not need memory.
    const std::size_t most = pipes_.size() + refused_.size();
    if (given_up_.capacity() <= most) given_up_.reserve(2 * most + 4);
    if (holding_.capacity() <= pipes_.size()) holding_.reserve(2 * pipes_.size() + 4);
    reading_.reserve(pipes_.size() + 1);
    endpoints_.prepare_to_join(endpoint_id);
    if (inline_io_ && traits(options_.type).holds_sends) end.holder = this;
    pipes_.push_back(&end);
    endpoints_.join(end);
    if (!pattern_->attach(end, how)) return give_up(end);
    if (end.routing.refused) return set_aside(end);
    // A STREAM socket's own routing id is the last name that it made up for a peer.
    if (traits(options_.type).makes_up_own_routing_id && how.connect_routing_id.empty())
        options_.routing_id = end.routing.routing_id;
}

// A refused pipe fills up to its high-water mark, and no further; without one it gets the usual one.
void socket::set_aside(pipe::pipe_end& end)
{
    constexpr std::uint64_t usual_hwm = 1000;
    refused_.push_back(&end);
    leave_list(end);
    if (options_.rcvhwm != 0) return;
    end.reader.request_hwm(usual_hwm);
    end.peer().notify(pipe::event_hwm);
}

// A refused pipe that the pattern has taken after all; there is room in the list.
void socket::take_up(pipe::pipe_end& end) noexcept
{
    std::erase(refused_, &end);
    end.routing.socket_index = std::uint32_t(pipes_.size());
    pipes_.push_back(&end);
}

void socket::leave_list(const pipe::pipe_end& end) noexcept
{
    const std::uint32_t at = end.routing.socket_index;
    pipes_[at] = pipes_.back();
    pipes_[at]->routing.socket_index = at;
    pipes_.pop_back();
}

bool socket::has(const pipe::pipe_end& end) const noexcept
{
    const std::uint32_t at = end.routing.socket_index;
    return (at < pipes_.size() && pipes_[at] == &end) ||
           std::find(refused_.begin(), refused_.end(), &end) != refused_.end();
}

void socket::remove_pipe(pipe::pipe_end& end) noexcept
{
    ask_pattern();
    if (std::erase(refused_, &end) == 0) {
        if (pattern_) pattern_->detach(end);
        if (end.held != 0) std::erase(holding_, &end);
        leave_list(end);
    }
    endpoints_.leave(end);
    end.parent().linger.store(options_.linger, std::memory_order_relaxed);
    if (end.close() == pipe::pipe_end::closing::in_queue) ++closed_in_queue_;
}

// What add_pipe() has left of a pipe.
void socket::take_back(pipe::pipe_end& end) noexcept
{
    if (has(end)) return remove_pipe(end);
    if (end.close() == pipe::pipe_end::closing::in_queue) ++closed_in_queue_;
}

// Patterns give pipes up in the middle of their own business; they are closed here, later.
void socket::give_up(pipe::pipe_end& end)
{
    if (std::find(given_up_.begin(), given_up_.end(), &end) == given_up_.end()) given_up_.push_back(&end);
    housekeeping_ = true;
}

void socket::close_given_up() noexcept
{
    while (!given_up_.empty()) {
        pipe::pipe_end* end = given_up_.back();
        given_up_.pop_back();
        if (has(*end)) remove_pipe(*end);
    }
    housekeeping_ = false;
}

// --- waiting ----------------------------------------------------------------------------------------------------------

errc socket::send_by_pattern(const pipe::outgoing& frame, bool dontwait) noexcept
{
    if (mailbox_->pending() | housekeeping_) [[unlikely]] {
        if (const errc e = process(); e != errc::none) return e;
    }
    if (has_stream_peers_ && arrivals_seen_ != pipe::arrivals()) [[unlikely]] {
        if (const errc e = hear_subscriptions(); e != errc::none) return e;
    }
    const errc e = pattern_->send(frame);
    if (++asked_ == asks_before_shortcut) [[unlikely]]
        look_for_shortcut();
    if (traits(options_.type).subscribes_by_message) [[unlikely]]
        tell_subscription_of(frame);
    // A STREAM peer whose end was asked for has it when the call returns.
    if (!given_up_.empty()) [[unlikely]] {
        close_given_up();
        housekeeping_ = conflates_;
    }
    if (e != errc::again) [[likely]] {
        if (frame.size >= eases_off_from) [[unlikely]]
            ease_off_(pipes_, !dontwait && options_.sndtimeo != 0);
        return e;
    }
    if (!holding_.empty()) {
        // What was held back may be all that is in the way.
        send_held();
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        const errc second = pattern_->send(frame);
        if (second != errc::again) return second;
    }
    return dontwait || options_.sndtimeo == 0 ? errc::again : send_waiting(frame);
}

void socket::look_for_shortcut() noexcept
{
    asked_ = 0;
    sole_target_ = pattern_->sole_target();
    sole_source_ = pattern_->sole_source();
}

errc socket::send_waiting(const pipe::outgoing& frame) noexcept
{
    waiter& w = waiter::of_this_thread();
    const deadline until = deadline_after(options_.sndtimeo);
    errc e = errc::again;
    while (e == errc::again) {
        // The pattern asked its full pipes for credit when it said `again`.
        waiter::reason why = waiter::reason::woken;
        if (!send_spin_([this] { return mailbox_->pending(); })) {
            w.prepare();
            mailbox_->set_sleeper(&w);
            asymmetric_fence::full_fence();  // partner: mailbox::wake(), which raises the flag and looks for a sleeper
            if (!mailbox_->pending()) why = w.sleep(until);
            mailbox_->set_sleeper(nullptr);
        }
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        e = pattern_->send(frame);
        if (e != errc::again) break;
        if (why == waiter::reason::interrupted) return errc::interrupted;
        if (why == waiter::reason::timed_out || is_over(until)) return errc::again;
    }
    return e;
}

waiter::reason socket::sleep_for_input(waiter& w, const deadline& until) noexcept
{
    w.prepare();
    const bool fenced = asymmetric_fence::sleeper_fence(begin_wait(w, poll_in));
    auto why = waiter::reason::woken;
    if (!end_announcement()) {
        // Without the barrier a wake-up may be missed: a short sleep, then another look.
        const deadline slice = runtime::clock::now() + slice_without_fence;
        why = w.sleep(fenced || (until && *until < *slice) ? until : slice);
        if (!fenced && why == waiter::reason::timed_out && (!until || *until > *slice)) why = waiter::reason::woken;
    }
    end_wait();
    return why;
}

errc socket::receive_waiting(pipe::delivery& to, bool dontwait) noexcept
{
    end_round();
    if (dontwait || options_.rcvtimeo == 0) {
        // What was posted meanwhile counts: an event may have come between the look at the flag and the lanes.
        if (mailbox_->pending() | housekeeping_) {
            if (const errc stopped = process(); stopped != errc::none) return stopped;
            const errc e = pattern_->receive(to);
            if (e != errc::again) {
                more_ = e == errc::none ? to.more() : more_;
                return e;
            }
        }
        if (reading_.parks()) {
            look_inline();
            const errc e = pattern_->receive(to);
            if (e != errc::again) {
                more_ = e == errc::none ? to.more() : more_;
                return e;
            }
        }
        announce_for_descriptor();
        return errc::again;
    }
    waiter& w = waiter::of_this_thread();
    const deadline until = deadline_after(options_.rcvtimeo);
    while (true) {
        waiter::reason why = waiter::reason::woken;
        if (begin_reading()) {
            why = receive_inline(until);
        } else {
            if (reading_.parks()) unpark();  // there are other connections now
            if (!spin_([this] { return mailbox_->pending() || pattern_->can_receive(); })) {
                why = sleep_for_input(w, until);
            }
        }
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        const errc e = pattern_->receive(to);
        if (e == errc::none) more_ = to.more();
        if (e != errc::again) return e;
        if (why == waiter::reason::interrupted) return errc::interrupted;
        if (why == waiter::reason::timed_out || is_over(until)) return errc::again;
    }
}

// --- polling ----------------------------------------------------------------------------------------------------------

result<short> socket::ready(short wanted, bool will_wait) noexcept
{
    if (mailbox_->pending() | housekeeping_) {
        if (const errc stopped = process(); stopped != errc::none) return stopped;
    }
    short found = 0;
    if ((wanted & poll_out) && pattern_->can_send()) found |= poll_out;
    if ((wanted & poll_in) && pattern_->can_receive()) found |= poll_in;
    if (found == 0 && !holding_.empty()) {
        // Whoever waits, whatever for: that goes first, and may make room.
        send_held();
        if (const errc stopped = process(); stopped != errc::none) return stopped;
        if ((wanted & poll_out) && pattern_->can_send()) found |= poll_out;
    }
    if (!(found & poll_in) && (wanted & poll_in)) {
        end_round();
        if (reading_.parks() && !will_wait) {
            look_inline();
            if (pattern_->can_receive()) found |= poll_in;
        }
        announce_for_descriptor();
    }
    // The look has taken a message out of the slot; whoever receives gets the one that is newest then.
    if (conflates_ && (found & poll_in)) housekeeping_ = true;
    return found;
}

// An event loop sleeps on ZMQ_FD without telling us: every "nothing there" has to be followed by a signal.
void socket::announce_for_descriptor() noexcept
{
    if (!mailbox_->has_descriptor()) return;
    const bool fenced = asymmetric_fence::sleeper_fence(pattern_->announce_sleep());
    // Something came in between: the program has seen "nothing", so it has to be signalled. And so it has to be where that
    // cannot be known; from the next time on all use fences.
    if (pattern_->confirm_sleep() || !fenced) mailbox_->signal();
}

bool socket::begin_wait(waiter& w, short wanted) noexcept
{
    if (reading_.parks()) unpark();
    mailbox_->set_sleeper(&w);
    waits_for_input_ = (wanted & poll_in) && !reading_.active();
    return !waits_for_input_ || pattern_->announce_sleep();
}

bool socket::end_announcement() noexcept
{
    const bool news = waits_for_input_ ? pattern_->confirm_sleep() : reading_.has_news();
    return mailbox_->pending() || news;
}

int socket::descriptor() noexcept
{
    if (reading_.parks()) unpark();
    if (!mailbox_->has_descriptor()) {
        if (mailbox_->descriptor() < 0) return -1;
        for (pipe::pipe_end* end : pipes_) end->reader.use_fences();
        // Writers that have not seen the switch are past their check after this.
        (void)asymmetric_fence::heavy_fence();
        mailbox_->signal();
    }
    return mailbox_->descriptor();
}

errc socket::report_pipes() noexcept
{
    const descriptor_signal signal(*this);
    if (const errc stopped = process(); stopped != errc::none) return stopped;
    if (!monitor_.wants_queues()) return errc::invalid_argument;
    if (pipes_.empty()) return errc::again;
    for (pipe::pipe_end* end : pipes_) {
        const endpoint_record* found = endpoints_.find(end->routing.endpoint_id);
        engine::endpoint_pair where;
        if (found) {
            where.bound = found->bound;
            (found->bound ? where.local : where.remote) = found->text;
            (found->bound ? where.remote : where.local) = end->routing.other_endpoint;
        }
        const errc e = monitor_.report_queues(end->writer.uncredited(), end->reader.messages_waiting(), where);
        if (e != errc::none) return e;
    }
    return errc::none;
}

}  // namespace zlink::socket
