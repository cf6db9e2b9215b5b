// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/listener.hpp"

#include "base/invariant.hpp"
#include "engine/failure_words.hpp"

namespace zlink::engine {

namespace {

// How long accepting rests after the system ran out of descriptors or memory.
constexpr std::chrono::milliseconds rest_after_shortage{50};

// Connections accepted in one go before other work gets its turn.
constexpr int most_accepts = 64;

}  // namespace

listener::listener(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options,
                   runtime::latch& alive, worker_choice choose, std::unique_ptr<transport::acceptor> what,
                   std::string endpoint)
    : worker_(worker),
      host_(host),
      options_(std::move(options)),
      alive_(alive),
      choose_(std::move(choose)),
      acceptor_(std::move(what)),
      endpoints_{std::move(endpoint), "", true, options_->endpoint},
      timer_(worker.loop())
{
    alive_.add();
}

listener::~listener()
{
    alive_.remove();
}

void listener::start() noexcept
{
    worker_.loop().post(begin_, shared_from_this());
}

void listener::stop(std::chrono::milliseconds linger) noexcept
{
    stop_.post(worker_.loop(), shared_from_this(), linger);
}

void listener::begin() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (finished_) return;
    self_ = shared_from_this();
    accept_all();
}

void listener::on_ready(std::uint32_t) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    accept_all();
}

result<std::unique_ptr<transport::stream>> listener::accept_one() noexcept
{
    try {
        return acceptor_->accept(options_->stream);
    } catch (...) {
        return errc::out_of_memory;
    }
}

void listener::accept_all() noexcept
{
    if (finished_) return;
    if (!added_) added_ = worker_.loop().add(acceptor_->descriptor(), *this).has_value();
    if (!added_) return pause();
    for (int i = 0; i < most_accepts; ++i) {
        auto accepted = accept_one();
        if (accepted) {
            start_session(std::move(*accepted));
            if (worker_.loop().slice_is_over()) break;
            continue;
        }
        if (accepted.error() == errc::again) break;
        host_->report(monitor_event::accept_failed, std::uint64_t(to_errno(accepted.error())), endpoints_,
                      words_of_accept(accepted.error()));
        if (accepted.error() != errc::access_denied) return pause();
    }
    worker_.loop().arm(acceptor_->descriptor(), *this, runtime::events::readable);
}

// The connection that could not be accepted stays in the kernel's queue; it is tried again in a while.
void listener::pause() noexcept
{
    if (!timer_.start_after(rest_after_shortage, [this] { accept_all(); })) {
        worker_.loop().arm(acceptor_->descriptor(), *this, runtime::events::readable);
    }
}

void listener::start_session(std::unique_ptr<transport::stream> accepted) noexcept
{
    try {
        endpoint_pair pair{accepted->local_endpoint(), accepted->peer_endpoint(), true, options_->endpoint};
        host_->report(monitor_event::accepted, std::uint64_t(accepted->descriptor()), pair, "");
        auto s = std::make_shared<session>(choose_(), host_, options_, alive_, std::move(accepted), std::move(pair));
        s->on_gone = [self = shared_from_this()](session& gone) { self->sessions_.remove(gone); };
        sessions_.add(s);
        s->start();
    } catch (...) {
        host_->report(monitor_event::accept_failed, ENOMEM, endpoints_, words_of_accept(errc::out_of_memory));
    }
}

void listener::finish() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (finished_) return;
    finished_ = true;
    timer_.cancel();
    const int fd = acceptor_->descriptor();
    worker_.loop().remove(fd, *this);
    acceptor_.reset();
    host_->report(monitor_event::closed, std::uint64_t(fd), endpoints_, "");
    const std::chrono::milliseconds linger = stop_.linger();
    for (const auto& s : sessions_.take()) s->stop(linger);
    if (self_) worker_.loop().post(let_go_, std::move(self_));
}

}  // namespace zlink::engine
