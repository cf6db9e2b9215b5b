// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/session.hpp"

#include "base/jitter_seed.hpp"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine {

namespace {

std::uint64_t hwm_of(const session_options& o, bool outbound) noexcept
{
    return outbound ? o.sndhwm : o.rcvhwm;
}

}  // namespace

session::session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options,
                 runtime::latch& alive, transport::endpoint target, pipe::pipe_end* end)
    : worker_(worker),
      host_(host),
      options_(std::move(options)),
      alive_(alive),
      target_(std::move(target)),
      end_(end),
      retry_policy_(options_->connection, jitter_seed()),
      retry_timer_(worker.loop()),
      linger_timer_(worker.loop())
{
    endpoints_.remote = target_->text;
    dialer_.emplace(worker_.loop(), static_cast<dialer_owner&>(*this), *options_, *target_);
    alive_.add();
    worker_.load.fetch_add(1, std::memory_order_relaxed);
}

session::session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options,
                 runtime::latch& alive, std::unique_ptr<transport::stream> accepted, endpoint_pair endpoints)
    : worker_(worker),
      host_(host),
      options_(std::move(options)),
      alive_(alive),
      accepted_(std::move(accepted)),
      endpoints_(std::move(endpoints)),
      retry_policy_(options_->connection, 0),
      retry_timer_(worker.loop()),
      linger_timer_(worker.loop())
{
    alive_.add();
    worker_.load.fetch_add(1, std::memory_order_relaxed);
}

session::~session()
{
    worker_.load.fetch_sub(1, std::memory_order_relaxed);
    alive_.remove();
}

void session::start() noexcept
{
    worker_.loop().post(begin_, shared_from_this());
}

void session::stop(std::chrono::milliseconds linger) noexcept
{
    if (!stop_.take_up(shared_from_this())) return;
    stop_linger_.store(linger.count(), std::memory_order_relaxed);
    worker_.loop().post(stop_);
}

void session::begin() noexcept
{
    if (finished_) return;
    self_ = shared_from_this();
    if (end_) {
        end_->client = this;
        end_->attach(worker_.activations());
    }
    if (dialer_) {
        dialer_->start();
    } else {
        on_connected(std::move(accepted_));
    }
}

// --- dialer_owner, and when it is asked again ---------------------------------------------------------------------------

void session::on_connect_delayed() noexcept
{
    host_->report(monitor_event::connect_delayed, EINPROGRESS, endpoints_);
}

void session::on_connect_failed(errc why, int closed) noexcept
{
    if (closed >= 0) host_->report(monitor_event::closed, std::uint64_t(closed), endpoints_);
    if (!retry_policy_.goes_on_after(why)) return finish();
    retry();
}

void session::on_connected(std::unique_ptr<transport::stream> made) noexcept
{
    made->tune(options_->stream);
    try {
        if (target_) {
            endpoints_.local = made->local_endpoint();
            host_->report(monitor_event::connected, std::uint64_t(made->descriptor()), endpoints_);
        }
        established_once_ = false;
        connection_ = std::make_unique<connection>(worker_, static_cast<connection_owner&>(*this), host_, *options_,
                                                   std::move(made), endpoints_);
    } catch (...) {
        return target_ ? retry() : finish();
    }
    if (stopping_) connection_->finish();
    connection_->start();
}

void session::retry() noexcept
{
    if (stopping_ && (!end_ || !has_messages())) return finish();
    const auto wait = retry_policy_.next_wait();
    if (!wait) return finish();
    host_->report(monitor_event::connect_retried, std::uint64_t(wait->count()), endpoints_);
    if (!retry_timer_.start_after(*wait, [this] { dialer_->start(); })) finish();
}

// --- connection_owner -----------------------------------------------------------------------------------------------

message::metadata* session::make_metadata(const zmtp::remote_peer& peer) const noexcept
{
    try {
        // The first of a name counts: what this side knows itself, then what the ZAP handler said, then what the peer did.
        std::vector<message::metadata::property> properties;
        const transport::stream& from = connection_->stream();
        from.add_properties(properties);
        properties.emplace_back("__fd", std::to_string(from.descriptor()));
        const std::string id(reinterpret_cast<const char*>(peer.routing_id.data()), peer.routing_id.size());
        if (!id.empty() && peer.version >= zmtp::protocol_version::zmtp_3_0) properties.emplace_back("Routing-Id", id);
        properties.insert(properties.end(), peer.properties.begin(), peer.properties.end());
        return message::metadata::create(std::move(properties));
    } catch (...) {
        return nullptr;
    }
}

bool session::describe_peer(const zmtp::remote_peer& peer, pipe::pipe_end& to) const noexcept
{
    message::metadata* const properties = make_metadata(peer);
    if (!properties) return false;
    host_->report_peer(*properties, endpoints_);
    return to.writer.set_metadata(properties);
}

pipe::pipe_end* session::make_pipe(const zmtp::remote_peer& peer)
{
    peer_attachment how{{reinterpret_cast<const char*>(peer.routing_id.data()), peer.routing_id.size()},
                        endpoints_.remote};
    pipe::pipe* p = pipe::pipe::create(
        {hwm_of(*options_, true), hwm_of(*options_, false), options_->data_path.writev_threshold, options_->conflate});
    if (!p) return nullptr;
    pipe::pipe_end& mine = p->second();
    mine.client = this;
    mine.attach(worker_.activations());
    if (!describe_peer(peer, mine)) {
        p->first().close();
        mine.close();
        return nullptr;
    }
    if (!host_->attach(p->first(), std::move(how), options_->endpoint_id)) {
        p->first().close();
        mine.close();
        connection_->finish();  // the socket is closed: no loss
        return nullptr;
    }
    return &mine;
}

pipe::pipe_end* session::on_established(zmtp::remote_peer& peer) noexcept
{
    retry_policy_.established();
    established_once_ = true;
    try {
        if (!end_) {
            if (stopping_) return nullptr;
            end_ = make_pipe(peer);
        } else {
            // Else its messages would bear the properties of the peer before.
            if (!describe_peer(peer, *end_)) return nullptr;
            host_->identified(
                end_->peer(),
                {{reinterpret_cast<const char*>(peer.routing_id.data()), peer.routing_id.size()}, endpoints_.local},
                had_connection_);
        }
    } catch (...) {
        return nullptr;
    }
    had_connection_ = true;
    return end_;
}

void session::on_ended(ending why) noexcept
{
    // The connection is on the stack: it goes with the next task.
    gone_ = std::move(connection_);
    worker_.loop().post(drop_gone_, shared_from_this());
    if (finished_) return;
    if (established_once_ && !stopping_) tell_hiccup();
    const bool again = target_ && retry_policy_.goes_on_after(why, established_once_, stopping_);
    if (!again) return finish();
    if (end_ && options_->connection.immediate) {
        // Messages wait only for connections that are there: a new pipe comes with the next one.
        end_->close();
        end_ = nullptr;
        if (stopping_) return finish();
    }
    if (end_ && established_once_) host_->disconnected(end_->peer());
    retry();
}

// ZMQ_HICCUP_MSG: the message follows what the lost connection brought, past the high-water mark if need be.
// Without memory there is none.
void session::tell_hiccup() noexcept
{
    const std::string& text = options_->connection.hiccup_message;
    if (!target_ || !end_ || text.empty() || !traits(options_->type).tells_hiccup) return;
    if (end_->writer.write({reinterpret_cast<const std::byte*>(text.data()), text.size(), false})) end_->publish();
}

// --- the end --------------------------------------------------------------------------------------------------------

// Of a pipe without traffic, but for the socket's closing, which traffic passes on.
void session::on_pipe_events(std::uint32_t events) noexcept
{
    if (!(events & pipe::event_peer_closed) || stopping_) return;
    begin_linger(std::chrono::milliseconds(end_->parent().linger.load(std::memory_order_relaxed)));
}

void session::stop_now() noexcept
{
    if (finished_) return;
    if (!stopping_) begin_linger(std::chrono::milliseconds(stop_linger_.load(std::memory_order_relaxed)));
    if (finished_ || !connection_ || connection_->closing()) return;
    if (connection_->established() || (end_ && has_messages())) return connection_->finish();
    connection_->abort(ending::finished);
}

void session::begin_linger(std::chrono::milliseconds linger) noexcept
{
    stopping_ = true;
    const bool nothing_to_write = !connection_ && (!end_ || !has_messages());
    if (linger.count() == 0 || nothing_to_write) {
        if (connection_) return connection_->abort(ending::finished);
        return finish();
    }
    if (linger.count() < 0) return;
    const auto over = [this] {
        if (connection_) return connection_->abort(ending::finished);
        finish();
    };
    if (!linger_timer_.start_after(linger, over)) over();
}

// Whether messages wait to be written; the end of the lane alone does not count.
bool session::has_messages() noexcept
{
    iovec piece;
    return end_->reader.gather(&piece, 1, 1, 0).count != 0;
}

void session::finish() noexcept
{
    if (finished_) return;
    finished_ = true;
    retry_timer_.cancel();
    linger_timer_.cancel();
    if (dialer_) dialer_->cancel();
    if (end_) {
        worker_.forget(*end_);
        end_->close();
        end_ = nullptr;
    }
    if (target_) host_->ended(options_->endpoint_id);
    if (on_gone) std::exchange(on_gone, nullptr)(*this);
    // Callers up the stack are members of this session.
    if (self_) worker_.loop().post(let_go_, std::move(self_));
}

}  // namespace zlink::engine
