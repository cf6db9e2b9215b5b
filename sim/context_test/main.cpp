// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The change of stacks, alone: registers, floating point numbers, thread-local variables and exceptions stay with their
// fiber. For another processor: sim/context_test/run.sh.

#include "sim/context.hpp"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

// In zlink-sim the linker hands these out.
extern "C" int __real_pthread_create(pthread_t* to, const pthread_attr_t* how, void* (*body)(void*),
                                     void* of)  // NOLINT
{
    return ::pthread_create(to, how, body, of);
}
extern "C" int __real_pthread_join(pthread_t which, void** result)  // NOLINT
{
    return ::pthread_join(which, result);
}

namespace {

using namespace zlink::sim;

constexpr int fibers = 5, rounds = 2000;

struct fiber_state {
    context at;
    std::unique_ptr<stack> own;
    std::unique_ptr<thread_memory> memory;
    bool over = false;
};

std::array<fiber_state, fibers + 1> all;  // the last one is main's
int current = fibers, mistakes = 0;
thread_local std::int64_t mine = -1;
volatile double one_third = 1.0 / 3;

void give_turn_to(int next)
{
    const int before = current;
    current = next;
    switch_context(all[std::size_t(before)].at, all[std::size_t(next)].at, *all[std::size_t(next)].memory);
}

void check(bool holds, const char* what)
{
    if (holds) return;
    ++mistakes;
    std::printf("fiber %d: %s\n", current, what);
}

void throws(int round)
{
    if (round % 50 == 7) throw std::runtime_error("thrown in a fiber");
}

void body()
{
    const int me = current;
    check(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16 == 0, "the stack is not aligned");
    mine = me;
    // Many of each kind, so that some lie in registers that a function has to preserve.
    std::int64_t a = me, b = me * 3, c = me * 5, d = me * 7, e = me * 11, f = me * 13, g = me * 17, h = me * 19;
    double p = me + one_third, q = me * one_third, r = me - one_third, s = one_third, t = me;
    for (int i = 0; i < rounds; ++i) {
        errno = me;
        a += b, b += c, c ^= d, d += e, e ^= f, f += g, g += h, h += i;
        p += q, q = q * 0.5 + r, r = r * 0.25 + s, s += one_third / (i + 1), t = p - t;
        const std::int64_t whole = a + b + c + d + e + f + g + h;
        const double sum = p + q + r + s + t;
        try {
            throws(i);
            give_turn_to((me + 1) % fibers);
        } catch (const std::runtime_error&) {
            give_turn_to((me + 3) % fibers);  // while the exception is handled
            check(std::current_exception() != nullptr, "the exception that is handled is gone");
        }
        check(whole == a + b + c + d + e + f + g + h, "whole numbers have changed");
        check(sum == p + q + r + s + t, "floating point numbers have changed");
        check(mine == me && errno == me, "a thread-local variable is another fiber's");
    }
    all[std::size_t(me)].over = true;
    while (true) {
        int next = fibers;
        for (int i = 0; i < fibers; ++i) {
            if (!all[std::size_t(i)].over) next = i;
        }
        give_turn_to(next);
    }
}

}  // namespace

int main()
{
    all[fibers].memory = std::make_unique<thread_memory>();
    for (int i = 0; i < fibers; ++i) {
        fiber_state& f = all[std::size_t(i)];
        f.own = std::make_unique<stack>(256 * 1024);
        f.memory = std::make_unique<thread_memory>(thread_memory::of_new_thread());
        make_context(f.at, *f.own, body);
    }
    give_turn_to(0);
    for (int i = 0; i < fibers; ++i) check(all[std::size_t(i)].over, "a fiber has not come to its end");
    for (int i = 0; i < fibers; ++i) all[std::size_t(i)].memory.reset();
    std::printf("%d fibers of %d rounds, %d mistakes\n", fibers, rounds, mistakes);
    return mistakes == 0 ? 0 : 1;
}
