// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// socket: the part for sharing. Threads take and give whole messages, and never single frames of them. The
// threads that hold the socket wait on its behalf: arm() begins a wait, and show_at_descriptor() tells event loops.
#include "socket/socket.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/at_end.hpp"
#include "base/option_values.hpp"
#include "runtime/pause.hpp"
#include "socket/handle_gate.hpp"

#include <chrono>
#include <exception>

namespace zlink::socket {

// Sharing

void socket::check_threads() noexcept
{
    if (is_shared()) return;
    handle_gate::of(this).open();
    tag_.store(handle_tag::checked);
}

// The last act of its making: a thread with an old handle for this address may come at once.
void socket::open_handle(new_handle kind) noexcept
{
    if (kind == new_handle::none) return;
    if (traits(options_.type).thread_safe) return share();
    if (kind == new_handle::checked || handle_gate::of(this).was_shared()) return check_threads();
    tag_.store(handle_tag::live);
}

void socket::share() noexcept
{
    options_.shared = true;
    handle_gate::of(this).note_shared();
    handle_gate::of(this).open();
    tag_.store(handle_tag::shared);
}

// Before it has peers or a descriptor: those count on one thread at a time.
errc socket::set_shared(const void* value, std::size_t size) noexcept
{
    const auto wanted = option_input{value, size}.as<int>();
    if (!wanted || (*wanted != 0 && *wanted != 1)) return errc::invalid_argument;
    if (bool(*wanted) == is_shared()) return errc::none;
    constexpr std::uint64_t first_id = 1;
    const bool is_new = endpoints_.next_id() == first_id && pipes_.size() == 0 && !mailbox_->has_descriptor();
    if (!*wanted || !is_new) return errc::invalid_argument;
    share();
    return errc::none;
}

// Both stores, the sleeper and the dormant lanes, have partners: mailbox::wake() and the lanes' writers. Those store
// their news first, and look for a sleeper behind a fence.
bool socket::arm(waiter* leader, bool input) noexcept
{
    mailbox_->set_sleeper(leader);
    if (!leader) return true;
    reading_.unpark();  // it sleeps without a look at connections
    const bool fenced = asymmetric_fence::sleeper_fence(!input || pattern_->announce_sleep());
    // The barrier was rejected, for the first time in this process. From now on all threads use fences; before the next
    // look, everything is visible that they stored without.
    if (!fenced) runtime::nap(std::chrono::milliseconds(1));
    const bool input_came = input && pattern_->confirm_sleep();
    return fenced && !input_came && !mailbox_->pending();
}

// One round of the lease for each wait: what follows in the same wait is no sign of a thread that comes back soon.
bool socket::read_between_yields() noexcept
{
    if (reading_.parks()) {
        if (!reading_.begin_parked()) return false;
        reading_.read_now();
        end_reading_parked();
    } else {
        if (!reading_.begin()) return false;
        reading_.read_now();
        end_reading();
    }
    return mailbox_->pending() || pattern_->can_receive();
}

void socket::show_at_descriptor(bool news) noexcept
{
    // The line has been settled, so its leader need not wake up for this.
    const bool input = rest_.any() || pattern_->can_receive();
    if (news || input) mailbox_->raise_descriptor();
    if (input) return mailbox_->raise_level();
    if (!news || mailbox_->shows_level()) announce_for_descriptor();
}

// Whole messages

errc socket::send_parts(std::span<message::frame> parts, bool dontwait)
{
    if (!pattern_->may_end_after(parts.size())) return errc::invalid_argument;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool more = i + 1 < parts.size();
        // Once the first frame is taken, the others are, or memory is short and the pattern takes back the message.
        if (const errc e = send(pipe::outgoing::of(parts[i], more), dontwait); e != errc::none) return e;
    }
    return errc::none;
}

// Takes a message out of its pipe. The other frames are there if the first one is.
errc socket::gather(bool dontwait)
{
    while (!rest_.any() || rest_.unfinished()) {
        if (!rest_.reserve()) return errc::out_of_memory;
        message::owned_frame part;
        pipe::delivery to(part);
        const errc e = rest_.any() ? pattern_->receive(to) : receive(to, dontwait);
        if (e != errc::none) return e;
        rest_.add(part);
        more_ = false;
        housekeeping_ = true;
    }
    return errc::none;
}

errc socket::receive_rest(pipe::delivery& to) noexcept
{
    const bool more = rest_.first().more();
    if (!to.deliver(rest_.first(), more)) return errc::out_of_memory;
    more_ = more;
    rest_.take();
    return errc::none;
}

namespace {

/// False: memory is short. Otherwise `frames` hold nothing that has to be closed.
bool set_aside(std::span<message::frame> frames, spent_frames& spent) noexcept
{
    try {
        for (message::frame& f : frames) {
            if (!f.plain()) spent.emplace_back().init_move(f);
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

errc socket::receive_parts(std::span<message::frame> room, std::size_t& count, bool dontwait, spent_frames& spent)
{
    const at_end shown([this] {
        if (mailbox_->shows_level() && !options_.shared) show_level();
    });
    if (const errc e = gather(dontwait); e != errc::none) return e;
    count = rest_.count();
    if (count > room.size()) return errc::message_too_long;
    if (!set_aside(room.first(count), spent)) return errc::out_of_memory;
    for (std::size_t i = 0; i < count; ++i) {
        room[i].init_move(rest_.first());
        rest_.take();
    }
    more_ = false;
    return errc::none;
}

errc socket::receive_sole(pipe::delivery& to, message::frame& f, bool dontwait)
{
    if (!rest_.reserve()) [[unlikely]]
        return errc::out_of_memory;
    if (!rest_.any()) [[likely]] {
        const errc e = receive(to, dontwait);
        if (e != errc::none || !to.more()) [[likely]]
            return e;
        rest_.add(f);
        more_ = false;
        housekeeping_ = true;
    }
    return receive_sole_rest(to);
}

// A message of one frame, or what says that it is none.
errc socket::receive_sole_rest(pipe::delivery& to)
{
    const at_end shown([this] {
        if (mailbox_->shows_level() && !options_.shared) show_level();
    });
    if (const errc e = gather(true); e != errc::none) return e;
    if (rest_.count() != 1) return errc::message_too_long;
    return receive_rest(to);
}

}  // namespace zlink::socket
