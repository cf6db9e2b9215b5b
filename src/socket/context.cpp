// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/context.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/cancellation.hpp"
#include "base/last_error.hpp"
#include "base/process_generation.hpp"
#include "crypto/box.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "socket/end_report.hpp"
#include "socket/knobs.hpp"
#include "socket/socket.hpp"

#include <new>

namespace zlink::socket {
namespace {

void choose_box_implementation()
{
#ifdef ZLINK_CURVE
    const bool simd = process_knobs().crypto_simd();
    crypto::use_box_implementation(simd ? crypto::box_implementation::avx512 : crypto::box_implementation::libsodium);
#endif
}

}  // namespace

context* context::create() noexcept
{
    try {
        asymmetric_fence::initialise(process_knobs().force_fences());
        choose_box_implementation();
        watch_forks();
        return new context;
    } catch (...) {
        return nullptr;
    }
}

context::~context()
{
    tag_ = dead_tag;
}

errc context::start_workers()
{
    if (home_.load(std::memory_order_relaxed) != nowhere) {
        if (hosting_) socket_limit_ = std::size_t(options_.max_sockets);
        return errc::none;
    }
    std::vector<std::unique_ptr<engine::io_worker>> workers;
    for (int i = 0; i < options_.io_threads; ++i) {
        workers.push_back(std::make_unique<engine::io_worker>(process_knobs().spin()));
        if (const auto started = workers.back()->start(options_.threads, i); !started) return started.error();
    }
    workers_ = std::move(workers);
    socket_limit_ = std::size_t(options_.max_sockets);
    home_.store(process_generation(), std::memory_order_relaxed);
    return errc::none;
}

result<socket*> context::open_socket(int type, new_handle handle)
{
    try {
        if (inherited()) return errc::terminated;
        const std::lock_guard guard(mutex_);
        if (shut_down_) return errc::terminated;
        if (const errc e = start_workers(); e != errc::none) return e;
        if (sockets_.size() >= socket_limit_) return errc::too_many_files;
        // Its place is there before the socket: what follows the making needs no memory.
        std::set<socket*> place{nullptr};
        auto opened = socket::create(*this, type, options_, handle);
        if (!opened) return opened.error();
        if (publishes((*opened)->type()) && !probe_.opened()) probe_.open(workers_);
        auto node = place.extract(place.begin());
        node.value() = *opened;
        sockets_.insert(std::move(node));
        alive_.add();
        if (hosting_) hosting_->tell_opened();
        return *opened;
    } catch (...) {
        return errc::out_of_memory;
    }
}

void context::socket_closed(socket* s) noexcept
{
    {
        const std::lock_guard guard(mutex_);
        sockets_.erase(s);
    }
    if (hosting_) hosting_->wake();  // nothing may live any more
    alive_.remove();                 // after the last one terminate() deletes the context
}

void context::shutdown() noexcept
{
    if (inherited()) return;
    const cancellation_held_off hold;
    const std::lock_guard guard(mutex_);
    shut_down_ = true;
    for (socket* s : sockets_) s->stop();
}

errc context::terminate_until(const runtime::deadline& until)
{
    shutdown();
    if (inherited()) {
        // A child has no I/O threads, so there is nothing to wait for. The memory that the parent uses stays untouched.
        tag_ = dead_tag;
        return errc::none;
    }
    {
        const waits_by_steps stepping(hosting_.get());
        switch (alive_.wait_until(until)) {
        case runtime::latch::outcome::interrupted: return errc::interrupted;
        case runtime::latch::outcome::late: tell_delay(); return errc::again;
        case runtime::latch::outcome::open: break;
        }
    }
    end();
    return errc::none;
}

void context::end() noexcept
{
    const cancellation_held_off hold;
    for (const auto& w : workers_) w->stop();
    delete this;
}

void context::tell_delay() noexcept
{
    const cancellation_held_off hold;
    try {
        const auto left = ask_workers(workers_);
        std::vector<unclosed_socket> open;
        {
            const std::lock_guard guard(mutex_);
            for (const socket* s : sockets_) {
                if (socket::kind_of(s) != handle_kind::none) open.push_back({s->type(), s->host()});
            }
        }
        tell_failure(words_of_delay(open, left));
    } catch (...) {
        forget_words();  // a sentence for EAGAIN is left
    }
}

errc context::set(int option, const void* value, std::size_t size)
{
    const auto guard = lock();
    return set_option(options_, option, value, size);
}

errc context::get(int option, void* value, std::size_t* size)
{
    const auto guard = lock();
    return get_option(options_, option, value, size);
}

errc context::set(int option, int value)
{
    const auto guard = lock();
    return set_option(options_, option, value);
}

errc context::get(int option, int& value)
{
    const auto guard = lock();
    return get_option(options_, option, value);
}

void context::let_io_catch_up() noexcept
{
    if (inherited() || probe_.nothing_ready(workers_)) return;
    const waits_by_steps stepping(hosting_.get());
    // Input that comes meanwhile is not waited for.
    const auto until = runtime::clock::now() + runtime::longest_for_a_core;
    for (const auto& w : workers_) w->catch_up(until);
}

engine::io_worker* context::choose_worker(std::uint64_t affinity) noexcept
{
    // workers_ does not change once a socket exists.
    engine::io_worker* best = nullptr;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (affinity && (i >= 64 || !(affinity >> i & 1))) continue;
        if (!best || workers_[i]->load.load(std::memory_order_relaxed) < best->load.load(std::memory_order_relaxed)) {
            best = workers_[i].get();
        }
    }
    return best;
}

}  // namespace zlink::socket
