#include "engine/connection.hpp"

#include "zmtp/command.hpp"
#include "zmtp/subscription.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace zlink::engine {

namespace {

// Reads and writes in one go before other connections get their turn.
constexpr int most_reads = 8;
constexpr int most_writes = 16;

// A send goes out inline only if the last inline send was this long ago or a receive came between: in a flood the I/O
// thread batches better. Measured: docs/decisions (inline I/O).
constexpr std::uint64_t inline_gap_ns = 20'000;

// How long an application that went away keeps the right to read.
constexpr std::chrono::milliseconds longest_parking{1};

constexpr std::size_t raw_read_size = 8 * 1024;

std::uint64_t now_ns() noexcept
{
    return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool publishes(zmtp::socket_type t) noexcept
{
    return t == zmtp::socket_type::pub || t == zmtp::socket_type::xpub;
}

bool subscribes(zmtp::socket_type t) noexcept
{
    return t == zmtp::socket_type::sub || t == zmtp::socket_type::xsub;
}

zmtp::local_peer describe(const session_options& options)
{
    zmtp::local_peer local;
    local.type = options.type;
    const auto* id = reinterpret_cast<const std::byte*>(options.routing_id.data());
    local.routing_id.assign(id, id + options.routing_id.size());
    local.app_properties = options.connection.metadata;
    return local;
}

}  // namespace

connection::connection(io_worker& worker, connection_owner& owner, host_ref host, const session_options& options,
                       unique_fd fd, endpoint_pair endpoints)
    : worker_(worker),
      owner_(owner),
      host_(host),
      options_(options),
      fd_(std::move(fd)),
      endpoints_(std::move(endpoints)),
      timer_(worker.loop().context()),
      parking_timer_(worker.loop().context()),
      alive_(std::make_shared<bool>(true))
{
    worker_.load.fetch_add(1, std::memory_order_relaxed);
}

connection::~connection()
{
    *alive_ = false;
    worker_.load.fetch_sub(1, std::memory_order_relaxed);
    if (added_ && fd_) worker_.loop().remove(fd_.get(), *this);
}

void connection::start() noexcept
{
    if (!worker_.loop().add(fd_.get(), *this)) return abort(ending::lost);
    added_ = true;
    if (options_.raw) return establish({});
    try {
        handshake_ = std::make_unique<zmtp::handshake>(describe(options_));
        const auto limit = options_.connection.handshake_ivl;
        if (limit.count() > 0) {
            timer_.expires_after(limit);
            timer_.async_wait([this, alive = alive_](const boost::system::error_code& cancelled) {
                if (cancelled || !*alive || phase_ != phase::handshake) return;
                host_->report(monitor_event::handshake_failed_no_detail, ETIMEDOUT, endpoints_);
                abort(ending::timed_out);
            });
        }
    } catch (...) {
        return abort(ending::lost);
    }
    interest_ = EPOLLIN;
    advance_handshake();
}

// --- handshake ------------------------------------------------------------------------------------------------------

void connection::advance_handshake() noexcept
{
    if (!write_handshake()) return;
    read_handshake();
}

// False: the connection is over.
bool connection::write_handshake() noexcept
{
    while (true) {
        const auto out = handshake_->output();
        if (out.empty()) break;
        const ssize_t n = ::send(fd_.get(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            handshake_->consume_output(std::size_t(n));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            set_interest(EPOLLIN | EPOLLOUT, 0);
            return true;
        }
        // What the peer sent before it went may still tell why; reading finds the end.
        handshake_->consume_output(out.size());
    }
    set_interest(EPOLLIN, EPOLLOUT);
    return true;
}

void connection::read_handshake() noexcept
{
    std::array<std::byte, 8 * 1024> in;
    while (phase_ == phase::handshake) {
        const ssize_t n = ::recv(fd_.get(), in.data(), in.size(), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n <= 0) {
            const int why = n == 0 ? EPIPE : errno;
            host_->report(monitor_event::handshake_failed_no_detail, std::uint64_t(why), endpoints_);
            return abort(ending::handshake_failed);
        }
        const std::span<const std::byte> got{in.data(), std::size_t(n)};
        const zmtp::handshake::step step = handshake_->advance(got);
        if (step.state == zmtp::handshake::state::failed) return handshake_failed();
        if (step.state == zmtp::handshake::state::done) return establish(got.subspan(step.consumed));
        if (!write_handshake()) return;
    }
    rearm();
}

void connection::handshake_failed() noexcept
{
    for (auto out = handshake_->output(); !out.empty(); out = handshake_->output()) {
        (void)::send(fd_.get(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        handshake_->consume_output(out.size());
    }
    const zmtp::handshake_error error = handshake_->error();
    if (zmtp::is_protocol_error(error)) {
        host_->report(monitor_event::handshake_failed_protocol, std::uint64_t(error), endpoints_);
        return abort(ending::protocol_error);
    }
    if (error == zmtp::handshake_error::auth) {
        host_->report(monitor_event::handshake_failed_auth, std::uint64_t(handshake_->auth_status()), endpoints_);
    } else {
        host_->report(monitor_event::handshake_failed_no_detail, EPROTO, endpoints_);
    }
    abort(ending::handshake_failed);
}

void connection::establish(std::span<const std::byte> unread) noexcept
{
    timer_.cancel();
    zmtp::remote_peer raw_peer;
    zmtp::remote_peer& peer = handshake_ ? handshake_->remote() : raw_peer;
    version_ = peer.version;
    encoding how = encoding::plain;
    if (options_.raw) {
        how = encoding::raw;
    } else if (version_ == zmtp::protocol_version::zmtp_1_0) {
        how = encoding::zmtp_1_0;
    } else if (version_ >= zmtp::protocol_version::zmtp_3_1 && subscribes(options_.type)) {
        how = encoding::subscriptions;
    }
    const data_path_options& path = options_.data_path;
    try {
        writer_.emplace(how, connection_writer::limits{path.out_batch, path.out_batch_small, path.max_transfer});
        if (how == encoding::zmtp_1_0) {
            v1_decoder_ = std::make_unique<zmtp::v1_decoder>(options_.connection.max_msg_size);
        }
        reader_.emplace(options_.connection.max_msg_size, path.in_batch, path.writev_threshold, path.max_transfer);
    } catch (...) {
        return abort(ending::lost);
    }
    while (handshake_ && !handshake_->output().empty()) {
        if (!writer_->send_first(handshake_->output())) return abort(ending::lost);
        handshake_->consume_output(handshake_->output().size());
    }
    if (!reader_->feed(unread)) return abort(ending::lost);
    if (handshake_) host_->report(monitor_event::handshake_succeeded, 0, endpoints_);
    phase_ = phase::traffic;
    end_ = owner_.on_established(peer);
    const bool wants_all = !peer.forwards_subscriptions && publishes(options_.type);
    handshake_.reset();
    if (!end_) return abort(ending::finished);
    if (wants_all && !deliver_subscription(true, {})) return abort(ending::lost);
    if (how == encoding::plain) {
        end_->reader.begin_octets();
    } else {
        end_->reader.end_octets();
    }
    pipe::pipe& p = end_->parent();
    if (offers_inline_io()) {
        p.io = this;
        // Offered at the end of the first write and read below.
        (void)p.write_token.take_or_ask();
        p.write_token.offer();
        p.read_token.offer();
    }
    start_heartbeat();
    write_traffic();
    if (phase_ == phase::traffic) read_traffic();
}

bool connection::offers_inline_io() const noexcept
{
    return options_.data_path.inline_io && writer_->how() == encoding::plain &&
           version_ >= zmtp::protocol_version::zmtp_3_0 && !options_.conflate;
}

// --- readiness ------------------------------------------------------------------------------------------------------

void connection::set_interest(std::uint32_t set, std::uint32_t clear) noexcept
{
    const std::lock_guard lock(interest_mutex_);
    interest_ = (interest_ & ~clear) | set;
}

void connection::rearm() noexcept
{
    const std::lock_guard lock(interest_mutex_);
    if (added_) worker_.loop().arm(fd_.get(), *this, interest_);
}

void connection::on_ready(std::uint32_t events) noexcept
{
    switch (phase_) {
    case phase::handshake:
        if (events & EPOLLOUT) {
            advance_handshake();
        } else {
            read_handshake();
        }
        return;
    case phase::traffic:
        if (events & EPOLLOUT) {
            write_blocked_ = false;
            set_interest(0, EPOLLOUT);
            write_traffic();
        }
        if (phase_ == phase::traffic && (events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP))) {
            read_traffic();
        } else if (phase_ == phase::traffic) {
            rearm();
        }
        return;
    case phase::closing:
    case phase::closed: return;
    }
}

void connection::on_pipe_events(std::uint32_t events) noexcept
{
    if (phase_ == phase::closing) return try_close();
    if (phase_ != phase::traffic) return;
    if (events & pipe::event_hwm) {
        end_->writer.apply_requested_hwm();
        if (end_->reader.flush_credit()) end_->peer().notify(pipe::event_credit);
    }
    if (events & (pipe::event_data | pipe::event_peer_closed | pipe::event_token)) {
        if (!write_blocked_) write_traffic();
    }
    if (phase_ != phase::traffic) return;
    if (events & pipe::event_parked) watch_parking();
    const bool unpaused = read_paused_ && (events & (pipe::event_credit | pipe::event_hwm));
    if (unpaused || (events & pipe::event_inline_stop)) read_traffic();
}

// --- traffic --------------------------------------------------------------------------------------------------------

void connection::tell_reader() noexcept
{
    traffic_seen_.store(true, std::memory_order_relaxed);
    if (end_->writer.reader_sleeps() && end_->writer.take_wake()) end_->peer().notify(pipe::event_data);
}

void connection::read_traffic() noexcept
{
    pipe::io_token& token = end_->parent().read_token;
    // An application that holds it reads itself, and switches our interest on again when it leaves.
    if (!token.take_if_free()) return;
    if (writer_->how() == encoding::raw || v1_decoder_) return read_raw();
    read_paused_ = false;
    for (int i = 0; i < most_reads; ++i) {
        if (!end_->writer.has_room_or_wait()) {
            read_paused_ = true;
            break;
        }
        const std::uint64_t before = end_->writer.written();
        const connection_reader::outcome what = reader_->read_once(fd_.get(), worker_.arena(), end_->writer, this);
        if (end_->writer.written() != before) tell_reader();
        if (what == connection_reader::outcome::drained) break;
        if (what == connection_reader::outcome::closed || what == connection_reader::outcome::failed) {
            token.give_back();
            return failed_reading(what);
        }
    }
    const bool more_to_look_at = reader_->has_unread() && !read_paused_;
    want_reading();
    if (more_to_look_at) end_->notify(pipe::event_inline_stop);
}

// Leaves reading: interest is set while we still hold the token, so that the next holder finds it as it expects.
void connection::want_reading() noexcept
{
    if (read_paused_) {
        set_interest(0, EPOLLIN);
    } else {
        set_interest(EPOLLIN, 0);
    }
    rearm();
    end_->parent().read_token.give_back();
}

// Streams that are not ZMTP 2.0 or later: decoded frame by frame into the lane.
void connection::read_raw() noexcept
{
    pipe::lane_writer& lane = end_->writer;
    std::array<std::byte, raw_read_size> in;
    const auto write_frame = [&](std::span<const std::byte> body, bool more) {
        if (!lane.write({body.data(), body.size(), more})) return false;
        if (!more) {
            lane.publish();
            tell_reader();
        }
        return true;
    };
    read_paused_ = false;
    std::vector<std::byte> first = reader_->take_fed();
    for (int i = 0; i < most_reads; ++i) {
        if (!lane.has_room_or_wait()) {
            read_paused_ = true;
            break;
        }
        ssize_t n = 0;
        std::span<const std::byte> got;
        if (!first.empty()) {
            got = first;
        } else {
            n = ::recv(fd_.get(), in.data(), in.size(), MSG_DONTWAIT);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
            if (n <= 0) return abort(ending::lost);
            got = {in.data(), std::size_t(n)};
        }
        if (!v1_decoder_) {
            if (!write_frame(got, false)) return abort(ending::lost);
        }
        while (v1_decoder_ && !got.empty()) {
            const zmtp::v1_decoder::step step = v1_decoder_->advance(got);
            got = got.subspan(step.consumed);
            if (step.state == zmtp::v1_decoder::state::failed) return abort(ending::protocol_error);
            if (step.state == zmtp::v1_decoder::state::need_input) break;
            if (!write_frame(v1_decoder_->body(), v1_decoder_->more())) return abort(ending::lost);
        }
        first.clear();
    }
    if (!first.empty()) (void)reader_->feed(first);
    want_reading();
}

void connection::failed_reading(connection_reader::outcome what) noexcept
{
    if (what == connection_reader::outcome::closed) return abort(ending::lost);
    switch (reader_->error()) {
    case errc::protocol_error:
        host_->report(monitor_event::handshake_failed_protocol, std::uint64_t(zmtp::handshake_error::zmtp_unspecified),
                      endpoints_);
        return abort(ending::protocol_error);
    case errc::message_too_long: return abort(ending::protocol_error);
    default: return abort(ending::lost);
    }
}

void connection::write_traffic() noexcept
{
    pipe::io_token& token = end_->parent().write_token;
    if (!token.take_or_ask()) return;  // told by event_token
    if (!commands_out_.empty() && writer_->send_command(commands_out_)) commands_out_.clear();
    bool credit = false;
    auto what = connection_writer::outcome::idle;
    for (int i = 0; i < most_writes; ++i) {
        what = writer_->write_once(fd_.get(), end_->reader, credit);
        if (what != connection_writer::outcome::more) break;
    }
    bool drained = false;
    if (what == connection_writer::outcome::idle) {
        if (writer_->how() == encoding::plain) {
            credit |= end_->reader.commit(0);
        }
        drained = end_->reader.closed() || finishing_;
    }
    if (credit) end_->peer().notify(pipe::event_credit);
    const bool dormant = end_->reader.dormant();
    token.give_back();
    switch (what) {
    case connection_writer::outcome::idle:
        if (drained) return abort(ending::finished);
        if (!dormant) worker_.watch(*end_);
        break;
    case connection_writer::outcome::more:
        (void)end_->reader.wake_up();
        end_->notify(pipe::event_data);
        break;
    case connection_writer::outcome::blocked:
        (void)end_->reader.wake_up();
        write_blocked_ = true;
        set_interest(EPOLLOUT, 0);
        rearm();
        break;
    case connection_writer::outcome::failed:
        // The peer is gone, but what it sent before may still be in the kernel: the reader finds the end.
        (void)end_->reader.wake_up();
        write_blocked_ = true;
        if (drained_or_finishing()) return abort(ending::lost);
        break;
    }
}

bool connection::drained_or_finishing() const noexcept
{
    return finishing_ || end_->reader.closed();
}

bool connection::on_command(std::span<const std::byte> body) noexcept
{
    const auto parsed = zmtp::parse_command(body);
    if (!parsed) return false;
    switch (parsed->kind) {
    case zmtp::command_kind::ping: {
        const auto ping = zmtp::parse_ping(parsed->data);
        if (!ping) return false;
        const auto now = std::chrono::steady_clock::now();
        try {
            if (!heartbeat_) heartbeat_.emplace(zmtp::heartbeat_config{}, now);
            const zmtp::pong_frame pong = heartbeat_->on_ping(ping->ttl, ping->context, now);
            const auto octets = pong.bytes();
            commands_out_.insert(commands_out_.end(), octets.begin(), octets.end());
        } catch (...) {
            return false;
        }
        schedule_heartbeat();
        end_->notify(pipe::event_data);  // write_traffic, once this read is done
        return true;
    }
    case zmtp::command_kind::pong:
        traffic_seen_.store(true, std::memory_order_relaxed);
        return zmtp::parse_pong(parsed->data).has_value();
    case zmtp::command_kind::subscribe:
    case zmtp::command_kind::cancel:
        if (const auto s = zmtp::subscription_from_command(*parsed); s && publishes(options_.type)) {
            return deliver_subscription(s->subscribe, s->topic);
        }
        return true;
    case zmtp::command_kind::error: return false;
    case zmtp::command_kind::ready: return false;
    case zmtp::command_kind::unknown: return true;
    }
    return true;
}

// Subscriptions travel to the socket as messages: 1 or 0, then the topic.
bool connection::deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept
{
    if (end_->writer.in_message()) return false;
    try {
        std::vector<std::byte> body;
        body.reserve(topic.size() + 1);
        body.push_back(std::byte(subscribe ? 1 : 0));
        body.insert(body.end(), topic.begin(), topic.end());
        if (!end_->writer.write({body.data(), body.size(), false})) return false;
    } catch (...) {
        return false;
    }
    end_->writer.publish();
    tell_reader();
    return true;
}

// --- heartbeat ------------------------------------------------------------------------------------------------------

void connection::start_heartbeat() noexcept
{
    const connection_options& c = options_.connection;
    if (c.heartbeat_ivl.count() <= 0 || version_ < zmtp::protocol_version::zmtp_3_1 || options_.raw) return;
    heartbeat_.emplace(zmtp::heartbeat_config{c.heartbeat_ivl, c.heartbeat_ttl, c.heartbeat_timeout},
                       std::chrono::steady_clock::now());
    schedule_heartbeat();
}

void connection::schedule_heartbeat() noexcept
{
    const auto at = heartbeat_->next_deadline();
    if (!at || *at == heartbeat_at_) return;
    heartbeat_at_ = *at;
    try {
        timer_.expires_at(*at);
        timer_.async_wait([this, alive = alive_](const boost::system::error_code& cancelled) {
            if (!cancelled && *alive && phase_ == phase::traffic) on_heartbeat();
        });
    } catch (...) {
        // Without memory for a timer the connection lives on without its next heartbeat.
    }
}

void connection::on_heartbeat() noexcept
{
    const auto now = std::chrono::steady_clock::now();
    heartbeat_at_ = {};
    if (traffic_seen_.exchange(false, std::memory_order_relaxed)) heartbeat_->on_activity(now);
    switch (heartbeat_->on_timer(now)) {
    case zmtp::heartbeat::action::timed_out:
        // Octets may have come that nobody has read yet.
        return abort(ending::timed_out);
    case zmtp::heartbeat::action::send_ping: {
        const auto ping = heartbeat_->ping_frame();
        try {
            commands_out_.insert(commands_out_.end(), ping.begin(), ping.end());
        } catch (...) {
            break;
        }
        if (!write_blocked_) write_traffic();
        break;
    }
    case zmtp::heartbeat::action::nothing: break;
    }
    if (phase_ == phase::traffic) schedule_heartbeat();
}

// --- parked read token ----------------------------------------------------------------------------------------------

void connection::watch_parking() noexcept
{
    parkings_seen_ = parkings_.load(std::memory_order_relaxed);
    try {
        parking_timer_.expires_after(longest_parking);
        parking_timer_.async_wait([this, alive = alive_](const boost::system::error_code& cancelled) {
            if (!cancelled && *alive && phase_ == phase::traffic) on_parking_timer();
        });
    } catch (...) {
        on_parking_timer();
    }
}

// The application has not been back since the last look: reading is the I/O thread's again.
void connection::on_parking_timer() noexcept
{
    if (parkings_.load(std::memory_order_relaxed) != parkings_seen_) return watch_parking();
    parking_watched_.store(false, std::memory_order_seq_cst);
    if (end_->parent().read_token.take_if_parked()) read_traffic();
}

// --- the end --------------------------------------------------------------------------------------------------------

void connection::finish() noexcept
{
    finishing_ = true;
    if (phase_ == phase::traffic && !write_blocked_) write_traffic();
}

void connection::abort(ending why) noexcept
{
    if (phase_ == phase::closing || phase_ == phase::closed) return;
    ending_ = why;
    phase_ = phase::closing;
    timer_.cancel();
    parking_timer_.cancel();
    try_close();
}

void connection::try_close() noexcept
{
    if (end_) {
        pipe::pipe& p = end_->parent();
        if (!p.read_token.take_or_ask()) return end_->peer().notify(pipe::event_token);
        if (!p.write_token.take_or_ask()) return;
        p.read_token.withdraw();
        p.write_token.withdraw();
        p.io = nullptr;
        worker_.forget(*end_);
        end_->writer.rollback();
        if (writer_->how() == encoding::plain) end_->reader.rewind();
    }
    phase_ = phase::closed;
    if (added_) worker_.loop().remove(fd_.get(), *this);
    added_ = false;
    host_->report(monitor_event::disconnected, std::uint64_t(fd_.get()), endpoints_);
    fd_.reset();
    owner_.on_ended(ending_);
}

// --- inline I/O: an application thread, holding a token ---------------------------------------------------------------

pipe::inline_io::write_outcome connection::write_inline() noexcept
{
    const std::uint64_t reads = end_->peer().reader.messages_read();
    const std::uint64_t now = now_ns();
    const bool worth_it = reads != inline_reads_seen_ || now - last_inline_ns_ > inline_gap_ns;
    inline_reads_seen_ = reads;
    last_inline_ns_ = now;
    if (!worth_it || process_generation() != generation_) return write_outcome::hand_over;
    bool credit = false;
    auto what = writer_->write_once(fd_.get(), end_->reader, credit);
    if (what == connection_writer::outcome::more) {
        // Usually all of it went out with the first call.
        if (!end_->reader.has_news()) return write_outcome::done;
        what = writer_->write_once(fd_.get(), end_->reader, credit);
    }
    return what == connection_writer::outcome::idle ? write_outcome::done : write_outcome::hand_over;
}

pipe::inline_io::read_outcome connection::read_inline() noexcept
{
    if (process_generation() != generation_ || reader_->has_unread()) return read_outcome::hand_over;
    if (!end_->writer.has_room()) return read_outcome::hand_over;
    const std::uint64_t before = end_->writer.written();
    const connection_reader::outcome what = reader_->read_once(fd_.get(), inline_arena_, end_->writer, nullptr);
    const bool messages = end_->writer.written() != before;
    if (messages || what == connection_reader::outcome::more) traffic_seen_.store(true, std::memory_order_relaxed);
    switch (what) {
    case connection_reader::outcome::more:
    case connection_reader::outcome::drained: return messages ? read_outcome::messages : read_outcome::nothing;
    case connection_reader::outcome::hand_over:
    case connection_reader::outcome::closed:
    case connection_reader::outcome::failed: break;
    }
    // The I/O thread meets the end or the error again when it reads (an error that is no condition of the descriptor
    // is kept in the reader and found by read_traffic).
    return read_outcome::hand_over;
}

void connection::pause_reading() noexcept
{
    const std::lock_guard lock(interest_mutex_);
    interest_ &= ~std::uint32_t(EPOLLIN);
    worker_.loop().arm(fd_.get(), *this, interest_);
}

void connection::resume_reading() noexcept
{
    const std::lock_guard lock(interest_mutex_);
    interest_ |= EPOLLIN;
    worker_.loop().arm(fd_.get(), *this, interest_);
}

}  // namespace zlink::engine
