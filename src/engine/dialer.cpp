// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/dialer.hpp"

#include "base/last_error.hpp"
#include "engine/failure_words.hpp"

#include <string>
#include <utility>

namespace zlink::engine {

dialer::dialer(runtime::event_loop& loop, dialer_owner& owner, const session_options& options,
               const transport::endpoint& target)
    : owner_(owner),
      options_(options),
      target_(target),
      machine_({options.connection.connect_timeout, options.connection.handshake_ivl}),
      interest_(loop, *this, runtime::input::unawaited),
      resolver_(loop),
      limit_(loop)
{}

void dialer::start() noexcept
{
    go_on(begin());
}

void dialer::cancel() noexcept
{
    machine_.cancel();
    resolver_.cancel();
    drop_stream();
}

void dialer::on_ready(std::uint32_t) noexcept
{
    go_on(finish_connect());
}

// After the last action the owner may have ended this.
void dialer::go_on(const dial_machine::event& what) noexcept
{
    for (std::optional<dial_machine::event> next = what; next;) {
        next = execute(machine_.resume(*next, runtime::clock::now()));
    }
}

std::optional<dial_machine::event> dialer::execute(const dial_machine::action& next) noexcept
{
    using kind = dial_machine::action::kind;
    switch (next.what) {
    case kind::resolve: return look_up();
    case kind::open: return open();
    case kind::arm_limit: return arm_limit(next.at);
    case kind::wait_writable: wait_for(runtime::events::writable); break;
    case kind::wait_readable: wait_for(runtime::events::readable); break;
    case kind::connected: succeed(); break;
    case kind::failed: fail(next); break;
    }
    return {};
}

// --- the actions -----------------------------------------------------------------------------------------------------

dial_machine::event dialer::begin() noexcept
{
    try {
        auto made = target_.over->streams()->connect(*target_.where, options_.stream);
        if (!made) return dial_machine::unable{made.error()};
        attempt_ = std::move(*made);
        return dial_machine::started{!attempt_->name_to_look_up().empty(), attempt_->has_next()};
    } catch (...) {
        return dial_machine::unable{errc::out_of_memory};
    }
}

std::optional<dial_machine::event> dialer::look_up() noexcept
{
    try {
        const auto answered = [this](const runtime::resolver::answer& found) { go_on(take(found)); };
        if (resolver_.start(attempt_->name_to_look_up(), answered, owner_.keep_alive())) return {};
    } catch (...) {  // no memory for the name
    }
    return dial_machine::unable{errc::out_of_memory};
}

dial_machine::event dialer::take(const runtime::resolver::answer& found) noexcept
{
    if (!found) return dial_machine::resolved{found.error()};
    try {
        attempt_->take_addresses(*found);
    } catch (...) {
        return dial_machine::unable{errc::out_of_memory};
    }
    return dial_machine::resolved{errc::none, attempt_->has_next()};
}

dial_machine::event dialer::open() noexcept
{
    using outcome = dial_machine::opened::outcome;
    drop_stream();
    int number = -1;
    try {
        result<transport::connecting> opened = attempt_->open(number);
        if (!opened) {
            return dial_machine::opened{outcome::failed, attempt_->has_next(), number, opened.error()};
        }
        connecting_ = std::move(opened->made);
        if (!opened->in_progress) return dial_machine::opened{outcome::connected};
    } catch (...) {
        return dial_machine::opened{outcome::failed, attempt_->has_next(), number, errc::out_of_memory};
    }
    return watch(connecting_->descriptor());
}

dial_machine::event dialer::watch(int descriptor) noexcept
{
    owner_.on_connect_delayed();
    if (!interest_.add(descriptor)) return dial_machine::unable{errc::out_of_memory, descriptor};
    return dial_machine::opened{dial_machine::opened::outcome::in_progress, attempt_->has_next(), descriptor};
}

dial_machine::event dialer::arm_limit(dial_machine::time_point at) noexcept
{
    if (limit_.start(at, [this] { go_on(dial_machine::limit_reached{}); })) return dial_machine::limit_armed{};
    return dial_machine::unable{errc::out_of_memory};
}

void dialer::wait_for(std::uint32_t events) noexcept
{
    interest_.change_and_rearm(events, ~events);
}

dial_machine::event dialer::finish_connect() noexcept
{
    using outcome = dial_machine::ready::outcome;
    const auto finished = connecting_->finish_connect();
    if (finished) return dial_machine::ready{outcome::connected};
    if (finished.error() != errc::again) {
        return dial_machine::ready{outcome::failed, attempt_->has_next(), finished.error()};
    }
    return dial_machine::ready{connecting_->connect_waits_for_input() ? outcome::wants_input : outcome::wants_output};
}

void dialer::succeed() noexcept
{
    interest_.remove();
    limit_.cancel();
    attempt_.reset();
    owner_.on_connected(std::move(connecting_));
}

void dialer::fail(const dial_machine::action& outcome) noexcept
{
    const std::string words = tell(outcome);
    drop_stream();
    attempt_.reset();
    owner_.on_connect_failed(outcome.error, outcome.closed, words);
}

void dialer::drop_stream() noexcept
{
    limit_.cancel();
    interest_.remove();
    connecting_.reset();
}

// Returns the words, without the endpoint.
std::string dialer::tell(const dial_machine::action& outcome) const noexcept
{
    try {
        std::string words;
        switch (outcome.from) {
        case dial_machine::cause::system: break;
        case dial_machine::cause::look_up: words = "its name cannot be looked up"; break;
        case dial_machine::cause::overdue_agreement: words = connecting_->words_if_overdue(); break;
        case dial_machine::cause::stream:
            if (connecting_->tells_failed_connect()) return std::string(connecting_->failure_words());
            break;
        }
        if (words.empty()) words = words_of(outcome.error);
        tell_failure_of_connection(target_.text + ": " + words);
        return words;
    } catch (...) {  // then it goes untold
        return {};
    }
}

}  // namespace zlink::engine
