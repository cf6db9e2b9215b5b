// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A world of fibers with a time of its own. One fiber runs at a time. It may lose its turn at each atomic access of the
// library and at each call of the simulated kernel; a random number decides. When no fiber can run, time jumps to the
// next event. So one seed is one run, to the last step.
//
// A process simulates one run: tools fork for each. What is not in a world (main() before it, say) uses the real
// kernel.
#pragma once

#include "sim/context.hpp"
#include "sim/random.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zlink::sim {

/// Nanoseconds of virtual time.
using nanos = std::int64_t;
inline constexpr nanos microsecond = 1000, millisecond = 1'000'000, second = 1'000'000'000;
inline constexpr nanos never = INT64_MAX;

/// How threads run, and what goes wrong: probabilities are per call, times are means.
struct circumstances {
    double points_per_switch = 40;  ///< atomic accesses until a fiber loses its turn
    double switch_at_call = 0.2;    ///< probability to lose the turn at a call of the kernel
    double stall = 0.002;           ///< that a lost turn lasts
    nanos stall_time = 200 * microsecond;
    nanos delay = 50 * microsecond;  ///< of a network
    nanos least_delay = 5 * microsecond;
    double clogged = 0;  ///< that octets on the way take longer
    nanos clogged_time = 100 * millisecond;
    double partition = 0;  ///< that a link stops for a while, in one direction or in both; per write
    double short_read = 0, short_write = 0, blocked_write = 0;
    double reset = 0;        ///< of a connection, per read or write
    double refused = 0;      ///< of a connect
    double no_files = 0;     ///< EMFILE where a descriptor is made
    double interrupted = 0;  ///< EINTR of a sleep
    double no_memory = 0;    ///< of an allocation of the library, or of a call that makes something
    double spurious = 0;     ///< of a report of epoll
    std::uint64_t most_points = 400'000'000;
    nanos longest = 3600 * second;

    /// Without faults that lose messages, or with them.
    static circumstances draw(random& from, bool faults);
    [[nodiscard]] std::string words() const;
};

struct fiber;

/// Fibers that wait for the same thing. One that has been woken otherwise is passed over.
class wait_queue {
public:
    void add(fiber& f);
    /// Null: nobody waits.
    fiber* take();
    [[nodiscard]] bool empty();
    void clear() noexcept { all_.clear(); }

private:
    void drop_stale();
    std::deque<std::pair<fiber*, std::uint64_t>> all_;
};

/// What a thread has.
struct fiber {
    int id = 0;
    std::string name;
    std::function<void*()> body;
    void* result = nullptr;
    std::unique_ptr<stack> own_stack;
    context at;
    std::unique_ptr<thread_memory> memory;
    std::map<unsigned, void*> keys;
    std::vector<std::function<void()>> at_exit;  ///< destructors of thread_local objects
    wait_queue joiners;
    std::uint64_t waits = 0;  ///< counts them: what is to wake an earlier one does nothing
    nanos ran = 0;            ///< "processor time"
    const char* waits_for = nullptr;
    int depth = 0;      ///< world::depth, while it has not the turn
    double weight = 1;  ///< how readily it is given the turn
    enum class phase : std::uint8_t { runnable, waiting, ended } state = phase::runnable;
    bool detached = false, joined = false, timed_out = false, stalled = false;
    bool in_library = false;  ///< memory may be short
    int statics = 0;          ///< static objects that it makes now
};

/// Calls the destructors of its keys. False: there were none. (sim/calls/threads.cpp)
bool end_keys(fiber& f);

/// Also called from inlined code of the library at each atomic access, so the count is not in the class.
extern std::int64_t points_left;

class world {
public:
    world(std::uint64_t seed, const circumstances& how);

    /// There is a world, and it has begun.
    [[nodiscard]] static bool exists() noexcept { return the_one_ != nullptr; }
    [[nodiscard]] static world& get() noexcept { return *the_one_; }

    /// Runs `body` as the first fiber. Returns when it has ended.
    void run(const std::function<void()>& body);

    fiber& start(std::string name, std::function<void*()> body);
    [[nodiscard]] fiber& current() noexcept { return *current_; }
    [[nodiscard]] fiber* find(int id) noexcept;
    void join(fiber& other);

    [[nodiscard]] nanos now() const noexcept { return now_; }
    /// Reading the clock takes time as well, so waiting loops end.
    nanos read_clock() noexcept;
    void pass(nanos time) noexcept;

    /// A call of the kernel begins: may give the turn away. `what` goes into the trace.
    void call(const char* what, std::uint64_t detail = 0);
    void yield();
    /// False: the time was over before a wake-up.
    bool wait(wait_queue& q, nanos until, const char* what);
    /// The same for a fiber that is in several queues already.
    bool wait_in_queues(nanos until, const char* what);
    void sleep_until(nanos t, const char* what);
    void wake_one(wait_queue& q);
    void wake_all(wait_queue& q);
    void wake(fiber& f);

    /// `what` happens at `t`.
    void at(nanos t, std::function<void()> what);

    void lose_turn();  ///< points_left is used up

    [[nodiscard]] random& chance() noexcept { return chance_; }
    [[nodiscard]] circumstances& how() noexcept { return how_; }
    /// From now on nothing goes wrong, and nothing is late.
    void heal() noexcept;
    [[nodiscard]] bool healed() const noexcept { return healed_; }

    void trace(const char* what, std::uint64_t detail = 0) noexcept;
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
    [[nodiscard]] std::uint64_t switches() const noexcept { return switches_; }
    void print_trace() noexcept { prints_ = true; }
    [[nodiscard]] bool prints_trace() const noexcept { return prints_; }

    /// The run has found something: says so, and ends the process.
    [[noreturn]] void fail(const std::string& what);
    /// Called by fail() for what else is to be said.
    std::function<std::string()> describe;

    /// Of the wall clock, in the time of the steady one.
    nanos epoch = 1'800'000'000 * second;

    int depth = 0;  ///< inside the simulation itself, where no turn is lost

private:
    friend void fiber_entry() noexcept;
    struct event {
        nanos due;
        std::uint64_t number;
        bool operator<(const event& other) const noexcept
        {
            return due != other.due ? due < other.due : number < other.number;
        }
    };
    void switch_to(fiber& next) noexcept;
    void give_turn_away();
    fiber& choose();
    void fire_due();
    void draw_points() noexcept;
    void end_current() noexcept;
    std::string fibers() const;

    static world* the_one_;
    std::uint64_t seed_;
    circumstances how_;
    random chance_;
    nanos now_ = 1000 * second;
    nanos began_ = now_;
    std::vector<std::unique_ptr<fiber>> all_;
    std::vector<fiber*> runnable_;
    fiber* current_ = nullptr;
    std::map<event, std::function<void()>> events_at_;
    std::uint64_t event_number_ = 0, hash_ = 14695981039346656037U, events_ = 0, switches_ = 0;
    std::int64_t drawn_ = 0;
    bool healed_ = false, prints_ = false;
};

/// No turn is lost as long as it is there.
class inside {
public:
    inside() noexcept { ++world::get().depth; }
    ~inside() { --world::get().depth; }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
};

}  // namespace zlink::sim
