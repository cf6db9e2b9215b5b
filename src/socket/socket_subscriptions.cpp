// socket: what keeps subscriptions in order with the rest of what programs tell each other, though messages are sent and
// read past the I/O threads. Both halves are needed: what a program sends after subscribing shall not leave before the
// subscription, and a publisher shall not answer before it has heard what came earlier.
#include "pipe/arrivals.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "socket/context.hpp"
#include "socket/socket.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::socket {

namespace {

// For an I/O thread that has to wait for a core, too.
constexpr std::chrono::milliseconds longest_telling{100};

}  // namespace

// There is an endpoint whose connections I/O threads read. (Over inproc the subscriber itself tells the publisher. Events of
// monitors, which come from I/O threads, go over inproc, so these do not wait for themselves.)
void socket::expect_subscriptions() noexcept
{
    if (!publishes(options_.type)) return;
    has_stream_peers_ = true;
    pipe::count_arrivals();
}

// Something was read since the last time, and may be why the program publishes: a subscription that came earlier counts
// first, though it comes by way of an I/O thread that may have read the other connection before. (Not asked for by the
// shortcut, whose only peer has subscribed to everything.)
errc socket::hear_subscriptions() noexcept
{
    arrivals_seen_ = pipe::arrivals();
    if (pipes_.empty()) return errc::none;
    context_.let_io_catch_up();
    return mailbox_->pending() ? process() : errc::none;
}

// Subscriptions are written by the thread that makes them, unless the I/O thread is at the connection just then, and
// writes them within microseconds. A publisher that does not take what it is sent is waited for once.
void socket::tell_subscriptions() noexcept
{
    const auto told = [this] {
        return std::none_of(pipes_.begin(), pipes_.end(), [](pipe::pipe_end* end) { return end->left_to_io_thread(); });
    };
    if (told()) {
        subscribes_late_ = false;
    } else if (!subscribes_late_) {
        subscribes_late_ = !runtime::brief_wait(runtime::clock::now() + longest_telling, told);
    }
    // A publisher of this program that sends next, while its I/O thread has not come to reading yet, hears of it.
    pipe::note_arrival();
}

// An XSUB's message counts as a subscription if it looks like one (RFC 29).
void socket::tell_subscription_of(const pipe::outgoing& frame) noexcept
{
    if (frame.size != 0 && (frame.data[0] == std::byte{0} || frame.data[0] == std::byte{1})) tell_subscriptions();
}

}  // namespace zlink::socket
