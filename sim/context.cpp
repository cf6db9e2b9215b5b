// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/context.hpp"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

// The registers that a function has to preserve are pushed, the stacks change places, and those of the other are
// popped. The rounding modes are not kept: nobody changes them.
#if defined(__x86_64__)
asm(R"(
.text
.globl zlink_sim_switch
.type zlink_sim_switch,@function
zlink_sim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size zlink_sim_switch,.-zlink_sim_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl zlink_sim_switch
.type zlink_sim_switch,%function
zlink_sim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size zlink_sim_switch,.-zlink_sim_switch
)");
#else
#error "zlink's simulation knows how to change stacks on x86-64 and aarch64"
#endif

extern "C" void zlink_sim_switch(void** from, void* to) noexcept;

namespace zlink::sim {

extern "C" int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);  // NOLINT
extern "C" int __real_pthread_join(pthread_t, void**);                                             // NOLINT

namespace {

constexpr std::size_t guard = 4096;

[[noreturn]] void give_up(const char* why)
{
    std::fprintf(stderr, "zlink-sim: %s\n", why);
    std::abort();
}

void set_thread_pointer(void* to) noexcept
{
#if defined(__x86_64__)
    constexpr unsigned long has_instruction = 2;  // HWCAP2_FSGSBASE
    static const bool by_instruction = (::getauxval(AT_HWCAP2) & has_instruction) != 0;
    if (by_instruction) {
        asm volatile("wrfsbase %0" : : "r"(to) : "memory");
    } else {
        constexpr int set_fs = 0x1002;
        ::syscall(SYS_arch_prctl, set_fs, to);
    }
#else
    asm volatile("msr tpidr_el0, %0" : : "r"(to) : "memory");
#endif
}

}  // namespace

stack::stack(std::size_t size) : memory_(nullptr), size_(size + guard)
{
    memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED || ::mprotect(memory_, guard, PROT_NONE) != 0) {
        give_up("no memory for a stack");
    }
}

stack::~stack()
{
    ::munmap(memory_, size_);
}

void* stack::top() const noexcept
{
    return static_cast<char*>(memory_) + size_;
}

void make_context(context& to, const stack& on, void (*entry)()) noexcept
{
    auto* words = static_cast<std::uintptr_t*>(on.top());
#if defined(__x86_64__)
    *--words = 0;  // in place of a return address: the stack is aligned as if the entry had been called
    *--words = reinterpret_cast<std::uintptr_t>(entry);
    words -= 6;
    for (int i = 0; i < 6; ++i) words[i] = 0;
#else
    words -= 20;
    for (int i = 0; i < 20; ++i) words[i] = 0;
    words[11] = reinterpret_cast<std::uintptr_t>(entry);
#endif
    to.at = words;
}

thread_memory::thread_memory() noexcept : pointer_(__builtin_thread_pointer()) {}

thread_memory::thread_memory(of_new_thread)
{
    pthread_attr_t small;
    ::pthread_attr_init(&small);
    ::pthread_attr_setstacksize(&small, 64 * 1024);
    ::sem_init(&made_, 0, 0);
    ::sem_init(&ends_, 0, 0);
    if (__real_pthread_create(&owner_, &small, sleep, this) != 0) give_up("no more threads");
    ::pthread_attr_destroy(&small);
    while (::sem_wait(&made_) != 0) {
    }
    has_owner_ = true;
}

void* thread_memory::sleep(void* of)
{
    auto& mine = *static_cast<thread_memory*>(of);
    mine.pointer_ = __builtin_thread_pointer();
    ::sem_post(&mine.made_);
    while (::sem_wait(&mine.ends_) != 0) {
    }
    return nullptr;
}

thread_memory::~thread_memory()
{
    if (!has_owner_) return;
    ::sem_post(&ends_);
    __real_pthread_join(owner_, nullptr);
}

void switch_context(context& from, const context& to, const thread_memory& memory_of_to) noexcept
{
    set_thread_pointer(memory_of_to.pointer());
    zlink_sim_switch(&from.at, to.at);
}

}  // namespace zlink::sim
