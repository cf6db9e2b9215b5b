// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "load/counters.hpp"

#include <new>

namespace zlink::load {

namespace {

constexpr rule_text texts[rules] = {
    {"held", "messages that were held back to go out with others"},
    {"held_late", "those of them that were late by more than 100 us; time: of each batch's first"},
    {"held_excused", "the same, of threads that had lost their processor, or were not watched; time: the same"},
    {"held_due", "times that everything held had to go out, though more was expected"},
    {"not_held", "messages that were not held, as some had been late"},
    {"held_left", "batches that were left to the I/O thread, as to look after them would cost more"},
    {"yield_found", "waits that yielding ended before a sleep; time: yielding"},
    {"yield_in_vain", "waits that yielding did not end, or ended late; time: yielding"},
    {"yield_for_little", "waits whose yielding or nap found a lone message, or few"},
    {"yield_left_out", "waits without yielding, as it was in vain before or other programs want the cores"},
    {"nap", "waits that began with a sleep of 100 us, as threads of the program kept the core; time: that"},
    {"gather", "yields after a wake-up for input, so that more of it gathers; time: yielding"},
    {"gather_in_vain", "series of such yields that brought too little"},
    {"other_programs", "times that yielding ended for 500 ms, as other programs want the cores"},
    {"own_write", "messages, or batches of them, that their sender wrote itself"},
    {"own_write_left", "messages that their sender left to a sleeping I/O thread, as in a flood"},
    {"own_write_busy", "own writes that were left to an I/O thread after all, as their sender never rests"},
    {"lease_parked", "waits behind which a thread kept its connections' read tokens"},
    {"lease_returned", "waits behind which a thread gave them back to the I/O threads"},
    {"lease_denied", "waits in which I/O threads read, as taking the tokens had not paid yet"},
    {"lease_ended", "times that a thread gave parked tokens back before it waited again"},
    {"lease_sparse", "times that a thread stopped reading many connections itself, as few of them had something"},
    {"look", "looks of I/O threads at applications that have left something and were back"},
    {"look_wrote", "looks that found held messages and wrote them; time: since a sign of their sender"},
    {"look_gone", "looks that found an application gone, and took over from it"},
    {"fences_learned", "lanes whose writer pays for a fence a message from then on"},
    {"fences_spared", "lanes whose reader pays for a membarrier a sleep from then on"},
    {"pause", "pauses of senders behind large messages, beyond yielding; time: that"},
    {"pause_in_vain", "times that a peer turned out not to drain fast in pauses"},
    {"read_pause", "times that reading large messages rested; time: that"},
    {"io_wait", "sends that waited at a full queue for an I/O thread that was late; time: that"},
    {"io_wait_in_vain", "those of them in which that thread did not have its turn"},
    {"datagrams_malformed", "datagrams that came and were dropped, as they have not the form of a message"},
    {"datagrams_lost", "datagrams that came and were dropped, as memory was short"},
    {"datagrams_refused",
     "messages that were dropped, as the system does not send them: too long, no route, no memory"},
};

// All counters that ever existed: as many as threads at one time. Never freed, as threads may be left when the process
// ends. take() adds one with release; partners: the acquiring loads of take() and total().
std::atomic<thread_counters*> all{nullptr};

}  // namespace

const rule_text& text_of(rule what) noexcept
{
    return texts[std::size_t(what)];
}

// Without a lock, as a fork would leave the lock held in the child.
thread_counters* thread_counters::take() noexcept
{
    for (auto* of = all.load(std::memory_order_acquire); of; of = of->next_) {
        if (!of->taken_.load(std::memory_order_relaxed) && !of->taken_.exchange(true, std::memory_order_acquire))
            return of;
    }
    auto* const made = new (std::nothrow) thread_counters;
    if (!made) return nullptr;
    made->next_ = all.load(std::memory_order_relaxed);
    while (!all.compare_exchange_weak(made->next_, made, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return made;
}

void thread_counters::give(thread_counters& of) noexcept
{
    of.taken_.store(false, std::memory_order_release);
}

count_of total(rule what) noexcept
{
    count_of sum;
    for (auto* of = all.load(std::memory_order_acquire); of; of = of->next_) {
        sum.times += of->times_[std::size_t(what)].load(std::memory_order_relaxed);
        sum.waited += std::chrono::nanoseconds(of->waited_[std::size_t(what)].load(std::memory_order_relaxed));
    }
    return sum;
}

}  // namespace zlink::load
