// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/world.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace zlink::sim {

world* world::the_one_ = nullptr;
std::int64_t points_left = INT64_MAX;

namespace {

constexpr std::size_t stack_size = 512 * 1024;

}  // namespace

// --- what is drawn --------------------------------------------------------------------------------------------------

circumstances circumstances::draw(random& from, bool faults)
{
    circumstances c;
    const auto one_of = [&](auto... values) {
        const double all[] = {double(values)...};
        return all[from.below(sizeof...(values))];
    };
    c.points_per_switch = one_of(3, 10, 30, 100, 400, 3000);
    c.switch_at_call = one_of(0.02, 0.1, 0.3, 0.6);
    c.stall = one_of(0, 0.0005, 0.005, 0.03);
    c.stall_time = nanos(one_of(20, 200, 2000, 20000)) * microsecond;
    c.delay = nanos(one_of(1, 20, 200, 5000)) * microsecond;
    c.least_delay = c.delay / 4;
    c.clogged = one_of(0, 0, 0.001, 0.02);
    c.short_read = one_of(0, 0, 0.02, 0.3);
    c.short_write = one_of(0, 0, 0.02, 0.3);
    c.blocked_write = one_of(0, 0, 0.02, 0.2);
    c.spurious = one_of(0, 0, 0.01);
    if (!faults) return c;
    c.reset = one_of(0, 0.0005, 0.005, 0.02);
    c.refused = one_of(0, 0.02, 0.3);
    c.no_files = one_of(0, 0, 0.01, 0.1);
    c.interrupted = one_of(0, 0, 0.01);
    c.partition = one_of(0, 0, 0.005, 0.05);
    c.no_memory = one_of(0, 0, 0.001, 0.02);
    return c;
}

std::string circumstances::words() const
{
    std::ostringstream s;
    s << "switch every " << points_per_switch << " accesses, at " << switch_at_call << " of calls; stall " << stall
      << " of " << stall_time / microsecond << " us; delay " << delay / microsecond << " us, clogged " << clogged
      << "; short reads " << short_read << ", writes " << short_write << ", blocked " << blocked_write << "; reset "
      << reset << ", refused " << refused << ", no descriptors " << no_files << ", interrupted " << interrupted
      << ", no memory " << no_memory << ", partition " << partition << ", spurious " << spurious;
    return s.str();
}

// --- waiting --------------------------------------------------------------------------------------------------------

void wait_queue::add(fiber& f)
{
    if (all_.size() > 64) {
        std::erase_if(all_, [](const auto& e) { return e.first->waits != e.second; });
    }
    all_.emplace_back(&f, f.waits);
}

void wait_queue::drop_stale()
{
    while (!all_.empty() && all_.front().first->waits != all_.front().second) all_.pop_front();
}

fiber* wait_queue::take()
{
    drop_stale();
    if (all_.empty()) return nullptr;
    fiber* const f = all_.front().first;
    all_.pop_front();
    return f;
}

bool wait_queue::empty()
{
    drop_stale();
    return all_.empty();
}

// --- fibers ---------------------------------------------------------------------------------------------------------

world::world(std::uint64_t seed, const circumstances& how) : seed_(seed), how_(how), chance_(seed ^ 0x5eed) {}

void fiber_entry() noexcept
{
    world& w = world::get();
    fiber& mine = w.current();
    w.draw_points();
    mine.result = mine.body();
    w.end_current();
}

void world::run(const std::function<void()>& body)
{
    auto first = std::make_unique<fiber>();
    first->name = "main";
    first->memory = std::make_unique<thread_memory>();
    current_ = first.get();
    all_.push_back(std::move(first));
    the_one_ = this;
    draw_points();
    body();
    points_left = INT64_MAX;
    depth = 1;
}

fiber& world::start(std::string name, std::function<void*()> body)
{
    const inside here;
    auto f = std::make_unique<fiber>();
    f->id = int(all_.size());
    f->name = std::move(name);
    f->body = std::move(body);
    f->own_stack = std::make_unique<stack>(stack_size);
    f->weight = chance_.chance(0.2) ? 0.05 + chance_.part() * 0.3 : 1;
    f->memory = std::make_unique<thread_memory>(thread_memory::of_new_thread());
    make_context(f->at, *f->own_stack, fiber_entry);
    runnable_.push_back(f.get());
    trace("start", std::uint64_t(f->id));
    all_.push_back(std::move(f));
    return *all_.back();
}

fiber* world::find(int id) noexcept
{
    return id >= 0 && std::size_t(id) < all_.size() ? all_[std::size_t(id)].get() : nullptr;
}

void world::end_current() noexcept
{
    fiber& mine = *current_;
    // As a thread ends: destructors of thread_local objects, then those of keys, in at most four rounds.
    while (!mine.at_exit.empty()) {
        const auto last = std::move(mine.at_exit.back());
        mine.at_exit.pop_back();
        last();
    }
    for (int round = 0; round < 4 && end_keys(mine); ++round) {
    }
    depth = 1;
    trace("end", std::uint64_t(mine.id));
    mine.state = fiber::phase::ended;
    ++mine.waits;
    wake_all(mine.joiners);
    give_turn_away();
    std::abort();  // never comes back
}

void world::join(fiber& other)
{
    const inside here;
    while (other.state != fiber::phase::ended) {
        (void)wait(other.joiners, never, "a thread's end");
    }
    other.body = nullptr;
    other.own_stack.reset();
    other.memory.reset();
}

void world::switch_to(fiber& next) noexcept
{
    if (&next == current_) return;
    ++switches_;
    trace("turn", std::uint64_t(next.id));
    fiber& before = *current_;
    before.depth = depth;
    current_ = &next;
    depth = next.depth;
    switch_context(before.at, next.at, *next.memory);
}

fiber& world::choose()
{
    for (int tries = 0;; ++tries) {
        fiber& f = *runnable_[chance_.below(runnable_.size())];
        if (f.weight >= 1 || tries > 20 || chance_.chance(f.weight)) return f;
    }
}

// The current fiber is runnable, and then among the runnable ones, or it is not.
void world::give_turn_away()
{
    fire_due();
    while (runnable_.empty()) {
        if (events_at_.empty()) fail("all threads sleep, and nothing is to come");
        const nanos next = events_at_.begin()->first.due;
        if (next > now_) now_ = next;
        if (now_ - began_ > how_.longest) fail("the run does not end: virtual time is over");
        fire_due();
    }
    fiber& next = choose();
    std::erase(runnable_, &next);
    switch_to(next);
}

void world::yield()
{
    const inside here;
    runnable_.push_back(current_);
    give_turn_away();
}

void world::lose_turn()
{
    events_ += std::uint64_t(drawn_);
    draw_points();
    if (depth != 0) return;
    if (events_ > how_.most_points) fail("the run does not end: it has used up all its steps");
    now_ += std::min<nanos>(drawn_ * 2, 20 * microsecond);
    current_->ran += 100;
    if (!healed_ && chance_.chance(how_.stall)) {
        const inside here;
        current_->stalled = true;
        sleep_until(now_ + chance_.exponential(double(how_.stall_time)), "its turn (stalled)");
        current_->stalled = false;
        return;
    }
    yield();
}

void world::draw_points() noexcept
{
    drawn_ = 1 + chance_.exponential(how_.points_per_switch);
    points_left = drawn_;
}

void world::call(const char* what, std::uint64_t detail)
{
    ++events_;
    trace(what, detail);
    pass(chance_.between(200, 2000));
    if (depth != 0) return;
    if (events_ > how_.most_points) fail("the run does not end: it has used up all its steps");
    if (chance_.chance(how_.switch_at_call)) yield();
}

nanos world::read_clock() noexcept
{
    now_ += 40;
    current_->ran += 40;
    return now_;
}

void world::pass(nanos time) noexcept
{
    now_ += time;
    current_->ran += time;
    if (!events_at_.empty() && events_at_.begin()->first.due <= now_) {
        const inside here;
        fire_due();
    }
}

void world::at(nanos t, std::function<void()> what)
{
    const inside here;
    events_at_.emplace(event{std::max(t, now_), event_number_++}, std::move(what));
}

void world::fire_due()
{
    while (!events_at_.empty() && events_at_.begin()->first.due <= now_) {
        const auto what = std::move(events_at_.begin()->second);
        events_at_.erase(events_at_.begin());
        what();
    }
}

bool world::wait(wait_queue& q, nanos until, const char* what)
{
    q.add(*current_);
    return wait_in_queues(until, what);
}

bool world::wait_in_queues(nanos until, const char* what)
{
    const inside here;
    fiber& mine = *current_;
    if (until <= now_) {
        ++mine.waits;
        return false;
    }
    mine.state = fiber::phase::waiting;
    mine.timed_out = false;
    mine.waits_for = what;
    if (until != never) {
        at(until, [this, &mine, number = mine.waits] {
            if (mine.waits != number) return;
            mine.timed_out = true;
            wake(mine);
        });
    }
    give_turn_away();
    mine.waits_for = nullptr;
    return !mine.timed_out;
}

void world::sleep_until(nanos t, const char* what)
{
    wait_queue nobody;
    (void)wait(nobody, t, what);
}

void world::wake(fiber& f)
{
    if (f.state != fiber::phase::waiting) return;
    ++f.waits;
    f.state = fiber::phase::runnable;
    runnable_.push_back(&f);
}

void world::wake_one(wait_queue& q)
{
    if (fiber* const f = q.take()) wake(*f);
}

void world::wake_all(wait_queue& q)
{
    while (fiber* const f = q.take()) wake(*f);
}

void world::heal() noexcept
{
    healed_ = true;
    how_.clogged = how_.reset = how_.refused = how_.no_files = how_.interrupted = how_.spurious = how_.stall = 0;
    how_.no_memory = how_.partition = 0;
    how_.short_read = how_.short_write = how_.blocked_write = 0;
}

// --- what is told ---------------------------------------------------------------------------------------------------

void world::trace(const char* what, std::uint64_t detail) noexcept
{
    const auto mix = [this](std::uint64_t v) { hash_ = (hash_ ^ v) * 1099511628211U; };
    mix(std::uint64_t(now_));
    mix(std::uint64_t(current_->id));
    for (const char* c = what; *c; ++c) mix(std::uint64_t(*c));
    mix(detail);
    if (prints_) {
        std::fprintf(stderr, "%12.6f ms  %-14s %-10s %llu\n", double(now_ - began_) / 1e6, current_->name.c_str(), what,
                     static_cast<unsigned long long>(detail));
    }
}

std::string world::fibers() const
{
    std::ostringstream s;
    for (const auto& f : all_) {
        if (f->state == fiber::phase::ended) continue;
        s << "  thread " << f->id << " (" << f->name << "): ";
        if (f->state == fiber::phase::waiting) {
            s << "waits for " << (f->waits_for ? f->waits_for : "something") << '\n';
        } else {
            s << (f.get() == current_ ? "runs" : "could run") << '\n';
        }
    }
    return s.str();
}

void world::fail(const std::string& what)
{
    depth = 1;
    std::fflush(stdout);
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed_), what.c_str());
    std::fprintf(stderr, "  after %.6f s of virtual time, %llu events\n%s", double(now_ - began_) / 1e9,
                 static_cast<unsigned long long>(events_), fibers().c_str());
    if (describe) std::fprintf(stderr, "%s", describe().c_str());
    std::fprintf(stderr, "  circumstances: %s\n", how_.words().c_str());
    if (std::getenv("ZLINK_SIM_ABORT")) std::abort();
    ::_exit(1);
}

}  // namespace zlink::sim
