// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/datagram/datagram_session.hpp"

#include "base/invariant.hpp"
#include "pipe/owed_credit.hpp"

#include <utility>

namespace zlink::engine {

namespace {

// Batches in one go, 2,048 datagrams, before other work gets its turn.
constexpr int most_batches = 16;

// Reads in one go, at least: what one batch has sent. Otherwise, if a sender shares the thread with its
// receiver, it would fill the receiver's buffer in each round. The system would drop most of it.
constexpr int least_reads = 4;

}  // namespace

datagram_session::datagram_session(io_worker& worker, host_ref host, runtime::latch& alive,
                                   std::unique_ptr<transport::datagram_port> port, pipe::pipe_end& end,
                                   std::uint64_t endpoint_id)
    : worker_(worker),
      host_(host),
      alive_(alive),
      port_(std::move(port)),
      end_(end),
      endpoint_id_(endpoint_id),
      reader_(*port_),
      writer_(*port_),
      interest_(worker.loop(), *this, runtime::input::unawaited),
      linger_timer_(worker.loop())
{
    alive_.add();
    worker_.load.fetch_add(1, std::memory_order_relaxed);
}

datagram_session::~datagram_session()
{
    worker_.load.fetch_sub(1, std::memory_order_relaxed);
    alive_.remove();
}

void datagram_session::start() noexcept
{
    worker_.loop().post(begin_, shared_from_this());
}

void datagram_session::stop(std::chrono::milliseconds linger) noexcept
{
    stop_.post(worker_.loop(), shared_from_this(), linger);
}

void datagram_session::begin() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (stage_ != stage::created) return;
    stage_ = stage::running;
    self_ = shared_from_this();
    end_.client = this;
    end_.attach(worker_.activations());
    end_.reader.begin_octets();
    if (!interest_.add(port_->descriptor())) return finish();
    take_up_mark();
    write();
    if (stage_ == stage::running) read();
}

void datagram_session::on_ready(std::uint32_t events) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (stage_ == stage::ended) return;
    if (events & runtime::events::writable) {
        interest_.change(0, runtime::events::writable);
        output_ = output::ready;
        write();
        if (stage_ == stage::ended) return;
    }
    if (port_->receives() && stage_ == stage::running) return read();
    interest_.rearm();
}

void datagram_session::on_pipe_events(std::uint32_t events) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (stage_ == stage::ended) return;
    if (events & pipe::event_hwm) take_up_mark();
    if ((events & pipe::event_peer_closed) && stage_ == stage::running) {
        return begin_linger(std::chrono::milliseconds(end_.parent().linger.load(std::memory_order_relaxed)));
    }
    if (events & pipe::event_data) write();  // which may be its end
    if ((events & (pipe::event_credit | pipe::event_inline_stop)) && stage_ == stage::running) read();
}

void datagram_session::take_up_mark() noexcept
{
    if (end_.writer.apply_requested_hwm()) end_.peer().notify(pipe::event_hwm);
    if (end_.reader.flush_credit()) end_.peer().notify(pipe::event_credit);
}

// --- from the port to the pipe ---------------------------------------------------------------------------------------

void datagram_session::read() noexcept
{
    if (!port_->receives()) return;
    auto what = datagram_reader::outcome::more;
    const std::uint64_t before = end_.writer.written();
    for (int i = 0; i < most_batches && what == datagram_reader::outcome::more; ++i) {
        what = reader_.read_once(end_.writer);
        if (i + 1 >= least_reads && worker_.slice_is_over()) break;
    }
    if (end_.writer.written() != before) {
        worker_.idle().note_pool();
        end_.wake_reader();
    }
    after(what);
}

void datagram_session::after(datagram_reader::outcome what) noexcept
{
    switch (what) {
    case datagram_reader::outcome::drained: return interest_.change_and_rearm(runtime::events::readable, 0);
    case datagram_reader::outcome::lane_full: return interest_.change_and_rearm(0, runtime::events::readable);
    case datagram_reader::outcome::more: return end_.notify(pipe::event_inline_stop);
    }
}

// --- from the pipe to the port ---------------------------------------------------------------------------------------

void datagram_session::write() noexcept
{
    if (output_ == output::ready) after(write_batches());
}

datagram_writer::outcome datagram_session::write_batches() noexcept
{
    auto what = datagram_writer::outcome::more;
    const std::uint64_t before = end_.reader.messages_read();
    pipe::owed_credit credit(&end_);
    for (int i = 0; i < most_batches && what == datagram_writer::outcome::more; ++i) {
        what = writer_.write_once(end_.reader, credit);
        if (worker_.slice_is_over()) break;
    }
    worker_.note_written(end_.reader.messages_read() - before, 0);
    if (idle_trimmer::wants(end_)) worker_.idle().add(end_);
    return what;
}

void datagram_session::after(datagram_writer::outcome what) noexcept
{
    switch (what) {
    case datagram_writer::outcome::idle:
        if (stage_ == stage::lingering) return finish();
        if (!end_.reader.dormant()) worker_.watch(end_);
        return;
    case datagram_writer::outcome::more: (void)end_.reader.wake_up(); return end_.notify(pipe::event_data);
    case datagram_writer::outcome::blocked:
        (void)end_.reader.wake_up();
        output_ = output::waits_for_room;
        return interest_.change_and_rearm(runtime::events::writable, 0);
    }
}

// --- the end ---------------------------------------------------------------------------------------------------------

void datagram_session::stop_now() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (stage_ == stage::created) begin();
    if (stage_ == stage::running) begin_linger(stop_.linger());
}

void datagram_session::begin_linger(std::chrono::milliseconds linger) noexcept
{
    stage_ = stage::lingering;
    if (linger.count() == 0) return finish();
    interest_.change_and_rearm(0, runtime::events::readable);
    write();
    if (stage_ == stage::ended || linger.count() < 0) return;
    const auto over = [this] { finish(); };
    if (!linger_timer_.start_after(linger, over)) over();
}

void datagram_session::finish() noexcept
{
    invariant([this] { return stage_ != stage::ended; });
    stage_ = stage::ended;
    linger_timer_.cancel();
    interest_.remove();
    worker_.forget(end_);
    end_.close();
    host_->ended(endpoint_id_);
    // Callers up the stack are members of this session.
    worker_.loop().post(tidy_, std::move(self_));
}

}  // namespace zlink::engine
