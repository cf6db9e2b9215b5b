// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/lease.hpp"

#include "base/invariant.hpp"
#include "runtime/clock.hpp"

namespace zlink::engine {

void lease::begin() noexcept
{
    pipe::pipe& p = at_.end->parent();
    p.parked.begin();
    p.held.begin();
    p.parked.end();
    p.held.end();
}

void lease::watch() noexcept
{
    pipe::pipe& p = at_.end->parent();
    p.parked.begin();
    p.held.begin();
    looks_.begin(runtime::clock::now());
    look_later();
}

void lease::watch_if_resumed() noexcept
{
    pipe::pipe& p = at_.end->parent();
    const bool parks = p.parked.resumed();
    if (p.held.resumed() || parks) watch();
}

void lease::look_later() noexcept
{
    const pipe::pipe& p = at_.end->parent();
    const auto at = looks_.next(runtime::clock::now(), p.held.watched(), p.parked.allowed());
    if (timer_.start(at, [this] { look(); })) return;
    // If memory is short, the look comes in the next round.
    at_.end->notify(pipe::event_look);
}

void lease::look() noexcept
{
    invariant([this] { return !at_.stopped(); });
    pipe::pipe& p = at_.end->parent();
    const auto now = runtime::clock::now();
    load::look_facts facts;
    facts.parks = p.parked.back();
    facts.holds = p.held.back();
    facts.holds_watched = p.held.watched();
    facts.parks_watched = p.parked.watched();
    const bool held = looks_.takes_held(facts, now);
    const std::uint64_t taken_before = sends_.messages_taken();
    if (held && !owner_.write_held()) return;
    facts.holds_watched = p.held.watched();
    switch (looks_.looked(facts, sends_.messages_taken() != taken_before, p.parked.allowed(), now)) {
    case load::look_verdict::goes_on: return look_later();
    case load::look_verdict::holds_no_more: return end_holding();
    case load::look_verdict::gone: return take_over(held);
    }
}

// The application comes, and holds nothing back: it tells when it holds messages back again.
void lease::end_holding() noexcept
{
    pipe::pipe& p = at_.end->parent();
    p.held.end();
    if (!owner_.write_held()) return;
    if (p.held.resumed()) return watch();
    look_later();
}

void lease::take_over(bool held) noexcept
{
    pipe::pipe& p = at_.end->parent();
    p.parked.end();
    p.held.end();
    if (p.read_token.take_if_parked() && !owner_.read_parked()) return;
    if (held && !owner_.write_held()) return;
    watch_if_resumed();
}

}  // namespace zlink::engine
