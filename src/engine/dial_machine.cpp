// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/dial_machine.hpp"

#include "base/invariant.hpp"

namespace zlink::engine {

namespace {

template <class... Events>
bool is_one_of(const dial_machine::event& what) noexcept
{
    return (std::holds_alternative<Events>(what) || ...);
}

}  // namespace

bool dial_machine::expects(const event& what) const noexcept
{
    switch (state_) {
    case state::idle: return is_one_of<started, unable>(what);
    case state::resolving: return is_one_of<resolved, unable>(what);
    case state::opening: return is_one_of<opened, unable>(what);
    case state::limiting_connect:
    case state::limiting_agreement_input:
    case state::limiting_agreement_output: return is_one_of<limit_armed, unable>(what);
    case state::connecting:
    case state::agreeing: return is_one_of<ready, limit_reached>(what);
    }
    return false;
}

dial_machine::action dial_machine::resume(const event& what, time_point now) noexcept
{
    invariant([&] { return expects(what); });
    return std::visit([&](const auto& e) { return on(e, now); }, what);
}

dial_machine::action dial_machine::on(const started& e, time_point) noexcept
{
    tried_ = -1;
    if (!e.by_name) return try_next(e.more, errc::host_unreachable);
    state_ = state::resolving;
    return {action::kind::resolve};
}

dial_machine::action dial_machine::on(const resolved& e, time_point) noexcept
{
    if (e.error != errc::none) return fail(e.error, cause::look_up);
    return try_next(e.more, errc::host_unreachable);
}

dial_machine::action dial_machine::try_next(bool more, errc otherwise) noexcept
{
    if (!more) return fail(otherwise);
    state_ = state::opening;
    return {action::kind::open};
}

dial_machine::action dial_machine::on(const opened& e, time_point now) noexcept
{
    if (e.descriptor >= 0) tried_ = e.descriptor;
    if (e.how == opened::outcome::connected) return end_connected();
    if (e.how == opened::outcome::failed) return try_next(e.more, e.error);

    latest_ = time_point::max();
    if (limits_.connecting.count() <= 0) return wait_for_connect();
    latest_ = now + limits_.connecting;
    state_ = state::limiting_connect;
    return {action::kind::arm_limit, latest_};
}

dial_machine::action dial_machine::on(const limit_armed&, time_point) noexcept
{
    if (state_ == state::limiting_connect) return wait_for_connect();
    return agree(state_ == state::limiting_agreement_input);
}

dial_machine::action dial_machine::on(const ready& e, time_point now) noexcept
{
    switch (e.how) {
    case ready::outcome::connected: return end_connected();
    case ready::outcome::wants_input:
    case ready::outcome::wants_output: {
        const bool by_input = e.how == ready::outcome::wants_input;
        return state_ == state::agreeing ? agree(by_input) : limit_agreement(by_input, now);
    }
    case ready::outcome::failed: break;
    }
    if (state_ == state::agreeing || !e.more) return fail(e.error, cause::stream);
    tried_ = -1;
    return try_next(e.more, e.error);
}

dial_machine::action dial_machine::wait_for_connect() noexcept
{
    state_ = state::connecting;
    return {action::kind::wait_writable};
}

dial_machine::action dial_machine::agree(bool by_input) noexcept
{
    state_ = state::agreeing;
    return {by_input ? action::kind::wait_readable : action::kind::wait_writable};
}

// The earlier limit counts.
dial_machine::action dial_machine::limit_agreement(bool by_input, time_point now) noexcept
{
    if (limits_.agreeing.count() <= 0 || latest_ <= now + limits_.agreeing) return agree(by_input);
    latest_ = now + limits_.agreeing;
    state_ = by_input ? state::limiting_agreement_input : state::limiting_agreement_output;
    return {action::kind::arm_limit, latest_};
}

dial_machine::action dial_machine::on(const limit_reached&, time_point) noexcept
{
    return fail(errc::timed_out, state_ == state::agreeing ? cause::overdue_agreement : cause::system);
}

dial_machine::action dial_machine::on(const unable& e, time_point) noexcept
{
    if (state_ == state::idle) tried_ = -1;
    if (e.descriptor >= 0) tried_ = e.descriptor;
    return fail(e.error);
}

dial_machine::action dial_machine::end_connected() noexcept
{
    state_ = state::idle;
    return {action::kind::connected};
}

dial_machine::action dial_machine::fail(errc error, cause from) noexcept
{
    state_ = state::idle;
    return {action::kind::failed, {}, error, from, tried_};
}

}  // namespace zlink::engine
