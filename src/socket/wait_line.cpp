// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/wait_line.hpp"

namespace zlink::socket {

void wait_line::join(place& p, runtime::waiter& thread, short wants) noexcept
{
    invariant([&] { return p.state_ == place::state::away; });
    p.thread_ = &thread;
    p.wants_ = wants;
    p.state_ = place::state::waits;
    p.before_ = last_;
    p.next_ = nullptr;
    (last_ ? last_->next_ : first_) = &p;
    last_ = &p;
    ++inside_;
}

void wait_line::leave(place& p) noexcept
{
    invariant([&] { return p.state_ != place::state::away && inside_ != 0; });
    if (p.state_ == place::state::waits) {
        unlink(p);
    } else if (p.wants_ & line_input) {
        invariant([&] { return called_for_input_ != 0; });
        --called_for_input_;
    }
    p.state_ = place::state::away;
    --inside_;
}

void wait_line::unlink(place& p) noexcept
{
    (p.before_ ? p.before_->next_ : first_) = p.next_;
    (p.next_ ? p.next_->before_ : last_) = p.before_;
}

void wait_line::call(place& p) noexcept
{
    unlink(p);
    p.state_ = place::state::called;
    if (p.wants_ & line_input) ++called_for_input_;
    p.thread_->wake();
}

bool wait_line::calls(const place& p, short found) const noexcept
{
    if (found & line_ended) return true;
    if (p.wants_ & found & (line_output | line_news)) return true;
    return (p.wants_ & found & line_input) && called_for_input_ == 0;
}

void wait_line::call_all(short found) noexcept
{
    for (place* p = first_; p;) {
        place& each = *p;
        p = p->next_;
        if (calls(each, found)) call(each);
    }
}

short wait_line::wanted() const noexcept
{
    short all = 0;
    for (const place* p = first_; p; p = p->next_) all = short(all | p->wants_);
    return all;
}

void wait_line::settle_all(awaited& what) noexcept
{
    while (first_) {
        const short wants = wanted();
        call_all(what.look(wants));
        if (!first_) break;
        armed_ = true;
        // While a thread is on its way for input, the lanes need not be watched: it settles again.
        if (what.arm(first_->thread_, (wanted() & line_input) && called_for_input_ == 0)) return;
    }
    armed_ = false;
    (void)what.arm(nullptr, false);
}

}  // namespace zlink::socket
