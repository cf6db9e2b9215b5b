// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/dialer.hpp"

#include "base/last_error.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace zlink::engine {

dialer::dialer(io_worker& worker, dialer_owner& owner, const session_options& options,
               const transport::endpoint& target)
    : worker_(worker),
      owner_(owner),
      options_(options),
      target_(target),
      resolver_(worker.loop()),
      limit_(worker.loop())
{}

void dialer::start() noexcept
{
    try {
        auto made = target_.over->streams()->connect(*target_.where, options_.stream);
        if (!made) return fail(made.error());
        attempt_ = std::move(*made);
        if (const std::string name = attempt_->name_to_look_up(); !name.empty()) return look_up(name);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    try_next();
}

void dialer::cancel() noexcept
{
    limit_.cancel();
    resolver_.cancel();
    drop_connecting();
}

void dialer::look_up(const std::string& name) noexcept
{
    const auto answered = [this](const runtime::resolver::answer& found) { on_answer(found); };
    if (!resolver_.start(name, answered, owner_.keep_alive())) fail(errc::out_of_memory);
}

void dialer::on_answer(const runtime::resolver::answer& found) noexcept
{
    if (!found) return fail(found.error(), -1, "its name cannot be looked up");
    try {
        attempt_->take_addresses(*found);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    try_next();
}

// Tries the next address; the last one's failure is the attempt's.
void dialer::try_next() noexcept
{
    errc error = errc::host_unreachable;
    int closed = -1;
    while (attempt_->has_next()) {
        result<transport::connecting> opened = open(closed);
        if (!opened) {
            error = opened.error();
            continue;
        }
        if (!opened->in_progress) {
            attempt_.reset();
            return owner_.on_connected(std::move(opened->made));
        }
        error = wait_for(std::move(opened->made));
        if (error == errc::none) return;
        break;
    }
    fail(error, closed);
}

result<transport::connecting> dialer::open(int& closed) noexcept
{
    try {
        return attempt_->open(closed);
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc dialer::wait_for(std::unique_ptr<transport::stream> opened) noexcept
{
    connecting_ = std::move(opened);
    owner_.on_connect_delayed();
    if (!worker_.loop().add(connecting_->descriptor(), *this)) return errc::out_of_memory;
    added_ = true;
    worker_.loop().arm(connecting_->descriptor(), *this, runtime::events::writable);
    return limit_try() ? errc::none : errc::out_of_memory;
}

bool dialer::limit_try() noexcept
{
    const auto limit = options_.connection.connect_timeout;
    latest_ = runtime::deadline_timer::time_point::max();
    if (limit.count() <= 0) return true;
    latest_ = runtime::clock::now() + limit;
    return limit_.start(latest_, [this] { out_of_time(); });
}

void dialer::on_ready(std::uint32_t) noexcept
{
    if (const auto outcome = connecting_->finish_connect(); !outcome) {
        if (outcome.error() == errc::again) return go_on();
        // What a proxy has refused it would refuse by another of its addresses, too.
        const bool told = !options_.stream.tcp.socks.proxy.empty();  // by what speaks to it
        if (agreeing_ || !attempt_->has_next()) return fail(outcome.error(), -1, told ? nullptr : "");
        drop_connecting();
        return try_next();
    }
    agreeing_ = false;
    worker_.loop().remove(connecting_->descriptor(), *this);
    added_ = false;
    limit_.cancel();
    attempt_.reset();
    owner_.on_connected(std::move(connecting_));
}

// Connected, but there is more to agree on before the stream leads to the peer.
void dialer::go_on() noexcept
{
    if (!agreeing_) {
        agreeing_ = true;
        const auto limit = options_.connection.handshake_ivl;
        if (limit.count() > 0) {
            latest_ = std::min(latest_, runtime::clock::now() + limit);
            if (!limit_.start(latest_, [this] { out_of_time(); })) return fail(errc::out_of_memory);
        }
    }
    const bool waits_for_input = connecting_->connect_waits_for_input();
    worker_.loop().arm(connecting_->descriptor(), *this,
                       waits_for_input ? runtime::events::readable : runtime::events::writable);
}

void dialer::out_of_time() noexcept
{
    fail(errc::timed_out, -1, agreeing_ ? "the proxy has not answered in time" : "");
}

void dialer::drop_connecting() noexcept
{
    if (!connecting_) return;
    agreeing_ = false;
    limit_.cancel();
    if (added_) worker_.loop().remove(connecting_->descriptor(), *this);
    added_ = false;
    connecting_.reset();
}

void dialer::tell(errc why, const char* words) const noexcept
{
    try {
        const std::string text = *words ? words : std::strerror(to_errno(why));
        tell_failure_of_connection(target_.text + ": " + text);
    } catch (...) {  // then it goes untold
    }
}

void dialer::fail(errc why, int closed, const char* words) noexcept
{
    if (words) tell(why, words);
    limit_.cancel();
    if (connecting_) closed = connecting_->descriptor();
    drop_connecting();
    attempt_.reset();
    owner_.on_connect_failed(why, closed);
}

}  // namespace zlink::engine
