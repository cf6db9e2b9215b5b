// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/lease.hpp"

#include "base/invariant.hpp"
#include "runtime/clock.hpp"

namespace zlink::engine {

void lease::begin() noexcept
{
    pipe::shared_io& io = at_.end->parent().io;
    io.parked.begin();
    io.held.begin();
    io.parked.end();
    io.held.end();
}

void lease::watch() noexcept
{
    invariant([this] { return at_.on_worker(); });
    pipe::shared_io& io = at_.end->parent().io;
    io.parked.begin();
    io.held.begin();
    checks_.begin(runtime::clock::now());
    check_later();
}

void lease::watch_if_resumed() noexcept
{
    pipe::shared_io& io = at_.end->parent().io;
    const bool parks = io.parked.resumed();
    if (io.held.resumed() || parks) watch();
}

void lease::check_later() noexcept
{
    const pipe::shared_io& io = at_.end->parent().io;
    const auto at = checks_.next(runtime::clock::now(), io.held.watched(), io.parked.allowed());
    if (timer_.start(at, [this] { look(); })) return;
    // If memory is short, the look comes in the next round.
    at_.end->notify(pipe::event_look);
}

void lease::look() noexcept
{
    invariant([this] { return at_.on_worker() && !at_.stopped(); });
    pipe::shared_io& io = at_.end->parent().io;
    const auto now = runtime::clock::now();
    load::check_facts facts;
    facts.parks = io.parked.back();
    facts.holds = io.held.back();
    facts.holds_watched = io.held.watched();
    facts.parks_watched = io.parked.watched();
    const bool held = checks_.takes_held(facts, now);
    const std::uint64_t taken_before = sends_.messages_taken();
    if (held && !owner_.write_held()) return;
    facts.holds_watched = io.held.watched();
    switch (checks_.looked(facts, sends_.messages_taken() != taken_before, io.parked.allowed(), now)) {
    case load::check_verdict::goes_on: return check_later();
    case load::check_verdict::holds_no_more: return end_holding();
    case load::check_verdict::gone: return take_over(held);
    }
}

// The application comes, and holds nothing back: it tells when it holds messages back again.
void lease::end_holding() noexcept
{
    pipe::shared_io& io = at_.end->parent().io;
    io.held.end();
    if (!owner_.write_held()) return;
    if (io.held.resumed()) return watch();
    check_later();
}

void lease::take_over(bool held) noexcept
{
    pipe::shared_io& io = at_.end->parent().io;
    io.parked.end();
    io.held.end();
    if (io.read_token.take_if_parked() && !owner_.read_parked()) return;
    if (held && !owner_.write_held()) return;
    watch_if_resumed();
}

}  // namespace zlink::engine
