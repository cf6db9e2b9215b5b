// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/session.hpp"

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "engine/failure_words.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace zlink::engine {

session::session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options,
                 runtime::latch& alive, transport::endpoint target, pipe::pipe_end* end)
    : worker_(worker),
      host_(host),
      options_(std::move(options)),
      alive_(alive),
      pipe_(worker, *host_, *options_, *this, end),
      linger_timer_(worker.loop())
{
    endpoints_.remote = target.text;
    endpoints_.id = options_->endpoint_id;
    reconnector_.emplace(worker_, static_cast<dialer_owner&>(*this), *options_, std::move(target));
    alive_.add();
    worker_.load.fetch_add(1, std::memory_order_relaxed);
}

session::session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options,
                 runtime::latch& alive, std::unique_ptr<transport::stream> accepted, endpoint_pair endpoints)
    : worker_(worker),
      host_(host),
      options_(std::move(options)),
      alive_(alive),
      endpoints_(std::move(endpoints)),
      accepted_(std::move(accepted)),
      pipe_(worker, *host_, *options_, *this, nullptr),
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
    stop_.post(worker_.loop(), shared_from_this(), linger);
}

void session::begin() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (life_.ended()) return;
    self_ = shared_from_this();
    worker_.residents().add(*this);
    pipe_.begin();
    if (reconnector_) return connect();
    on_connected(std::move(accepted_));
}

// --- dialer_owner, and when it is asked again ------------------------------------------------------------------------

void session::connect() noexcept
{
    life_.go(stage::connecting);
    endpoints_.peer.reset();  // of the connection before
    reconnector_->connect();
}

void session::on_connect_delayed() noexcept
{
    host_->report(monitor_event::connect_delayed, EINPROGRESS, endpoints_, "");
}

void session::on_connect_failed(errc why, int closed, std::string_view words) noexcept
{
    host_->count(session_count::connect_failed);
    host_->note_error(std::strerror(to_errno(why)), endpoints_);
    probes::connect(endpoints_.remote.c_str(), to_errno(why));
    if (closed >= 0) host_->report(monitor_event::closed, std::uint64_t(closed), endpoints_, words);
    if (!reconnector_->policy().goes_on_after(why)) return finish();
    retry(words);
}

void session::on_connected(std::unique_ptr<transport::stream> made) noexcept
{
    made->tune(options_->stream);
    try {
        if (reconnector_) {
            endpoints_.local = made->local_endpoint();
            endpoints_.peer = std::make_shared<peer_words>(peer_words{.address = made->peer_endpoint()});
            probes::connect(endpoints_.remote.c_str(), 0);
            host_->report(monitor_event::connected, std::uint64_t(made->descriptor()), endpoints_, "");
        }
        connection_ = std::make_unique<connection>(worker_, static_cast<connection_owner&>(*this), host_, *options_,
                                                   std::move(made), endpoints_);
    } catch (...) {
        return reconnector_ ? retry(words_of(errc::out_of_memory)) : finish();
    }
    life_.go(stage::handshaking);
    if (life_.lingers()) connection_->finish();
    connection_->start();
}

void session::retry(std::string_view reason) noexcept
{
    if (!life_.may_retry([this] { return pipe_.has_messages(); })) return finish();
    const auto wait = reconnector_->policy().next_wait();
    if (!wait) return finish();
    life_.go(stage::waiting);
    host_->report(monitor_event::connect_retried, std::uint64_t(wait->count()), endpoints_, reason);
    if (!reconnector_->wait(*wait, [this] { connect(); })) worker_.rest_after_shortage();
}

// --- connection_owner -----------------------------------------------------------------------------------------------

pipe::pipe_end* session::on_established(zmtp::remote_peer& peer) noexcept
{
    if (reconnector_) reconnector_->policy().established();
    life_.go(stage::established);
    host_->count(session_count::connected);
    if (!pipe_ && life_.lingers()) return nullptr;
    const auto served = pipe_.serve(peer, connection_->stream(), endpoints_);
    if (served) return *served;
    if (served.error() == errc::terminated) connection_->finish();  // the socket is closed: no loss
    return nullptr;
}

void session::on_ended(ending why) noexcept
{
    invariant([this] { return life_.has_connection(); });
    const bool established = life_.at() == stage::established;
    if (established) host_->count(session_count::disconnected);
    // The connection may have found its pipe closed before this was told of it.
    if (why == ending::finished && pipe_.untaken() && !life_.lingers()) why = ending::lost;
    if (established && why == ending::timed_out) host_->count(session_count::silent);
    // The connection is on the stack: it is destroyed with the next task.
    worker_.loop().post(tidy_, shared_from_this());
    if (!reconnector_) return finish();
    if (established && !life_.lingers()) pipe_.write_hiccup();
    if (!reconnector_->policy().goes_on_after(why, established, life_.lingers())) return finish();
    if (pipe_ && options_->connection.immediate) {
        // Messages wait only for connections that are there: a new pipe comes with the next connection.
        pipe_.close();
        if (life_.lingers()) return finish();
    }
    if (established) pipe_.lost_connection();
    retry(connection_->reason());
}

// --- the end --------------------------------------------------------------------------------------------------------

// Of a pipe without traffic. With traffic, only the event that the socket has closed its end is passed on.
void session::on_pipe_events(std::uint32_t events) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (life_.lingers()) return;
    // An accepted connection ends with its pipe, and its peer connects anew.
    if (pipe_.untaken() && reconnector_ && life_.has_connection()) return connection_->abort(ending::lost);
    if (events & pipe::event_peer_closed) begin_linger(pipe_.linger());
}

void session::stop_now() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (life_.ended()) return;
    if (!life_.lingers()) begin_linger(stop_.linger());
    if (!life_.has_connection() || connection_->closing()) return;
    take(life_.stop_connection([this] { return pipe_.has_messages(); }));
}

void session::begin_linger(std::chrono::milliseconds linger) noexcept
{
    const step next = life_.begin_linger(linger, [this] { return pipe_.has_messages(); });
    if (next != step::go_on) return take(next);
    if (linger.count() < 0) return;
    const auto over = [this] { take(life_.end_linger()); };
    if (!linger_timer_.start_after(linger, over)) over();
}

void session::take(step next) noexcept
{
    switch (next) {
    case step::go_on: return;
    case step::drain: return connection_->finish();
    case step::abort: return connection_->abort(ending::finished);
    case step::end: return finish();
    }
}

void session::finish() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    life_.go(stage::ended);
    worker_.residents().remove(*this);
    linger_timer_.cancel();
    if (reconnector_) reconnector_->cancel();
    pipe_.close();
    if (reconnector_) host_->ended(options_->endpoint_id);
    if (on_gone) std::exchange(on_gone, nullptr)(*this);
    // Callers up the stack are members of this session. (If tidy() is queued already, that keeps the session.)
    if (self_) worker_.loop().post(tidy_, std::move(self_));
}

void session::describe(std::vector<unwritten>& to)
{
    const auto [messages, at_most] = pipe_.unwritten(life_.has_connection());
    if (messages == 0 && !life_.lingers()) return;
    const std::string& endpoint = reconnector_ ? endpoints_.remote : endpoints_.identifier();
    const int linger = life_.lingers() && pipe_ ? int(pipe_.linger().count()) : 0;
    to.push_back({&*host_, options_->type, endpoint, messages, at_most, life_.lingers(), linger});
}

// It waits without a time of its own.
void session::go_on_after_shortage() noexcept
{
    if (life_.at() == stage::waiting && !reconnector_->waits()) connect();
}

void session::drop() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (life_.ended()) return;
    if (life_.lingers()) return take(life_.end_linger());
    begin_linger(std::chrono::milliseconds(0));
}

// Destroys the parts that have ended and were on the stack: the connection, and with the last reference the session.
void session::tidy() noexcept
{
    if (!life_.has_connection()) connection_.reset();
}

}  // namespace zlink::engine
