// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/memory.hpp"

#include "sim/symbols.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

extern "C" {
void* __real_malloc(std::size_t);  // NOLINT: the linker's name
}

namespace zlink::sim {

namespace {

// In front of each block. All of the world are in a ring.
struct head {
    head* next = nullptr;
    head* before = nullptr;
    std::size_t size = 0, room = 0;  // room: from the beginning of the memory to the block
    std::uint64_t number = 0;
    void* caller = nullptr;
};
constexpr std::size_t room_for_head = 64;
static_assert(sizeof(head) <= room_for_head);

constinit head ring{&ring, &ring};
std::uint64_t numbers = 0;

// ZLINK_SIM_ALLOCATION=N: the run stops in a debugger where allocation N is made.
std::uint64_t watched() noexcept
{
    static const char* const text = std::getenv("ZLINK_SIM_ALLOCATION");
    static const std::uint64_t number = text ? std::strtoull(text, nullptr, 0) : 0;
    return number;
}

bool is_short() noexcept
{
    if (!world::exists()) return false;
    world& w = world::get();
    if (w.depth != 0 || w.how().no_memory <= 0 || !w.current().in_library) return false;
    if (!w.chance().chance(w.how().no_memory)) return false;
    w.trace("ENOMEM");
    if (w.prints_trace()) {
        const inside in;
        print_callers();
    }
    return true;
}

void* take(std::size_t size, std::size_t alignment, void* caller) noexcept
{
    if (is_short()) return nullptr;
    const std::size_t room = std::max(room_for_head, alignment);
    void* const whole = alignment <= alignof(std::max_align_t)
                            ? __real_malloc(room + size)
                            : std::aligned_alloc(alignment, (room + size + alignment - 1) / alignment * alignment);
    if (!whole) return nullptr;
    char* const block = static_cast<char*>(whole) + room;
    head* const h = ::new (static_cast<void*>(block - room_for_head)) head;
    h->size = size;
    h->room = room;
    if (world::exists() && world::get().depth == 0 && world::get().current().statics == 0) {
        h->number = ++numbers;
        h->caller = caller;
        h->next = ring.next;
        h->before = &ring;
        ring.next->before = h;
        ring.next = h;
        if (h->number == watched()) [[unlikely]]
            ::raise(SIGTRAP);
    }
    return block;
}

void give(void* block) noexcept
{
    if (!block) return;
    const head* const h = reinterpret_cast<head*>(static_cast<char*>(block) - room_for_head);
    if (h->next) {
        h->next->before = h->before;
        h->before->next = h->next;
    }
    std::free(static_cast<char*>(block) - h->room);
}

// What the library keeps for the next one who needs it, in lists of its own.
bool is_kept(const void* caller)
{
    constexpr std::string_view keepers[] = {"13socket_memory4takeE",
                                            "15thread_counters4takeE",
                                            "13waiter_lender4lendE",
                                            "12live_sockets3addE",
                                            "3tls11credentials",
                                            "11tls_optionsC",
                                            "7openssl12_GLOBAL__N_112make_context"};
    const std::string& name = symbol_at(caller);
    return std::ranges::any_of(keepers, [&](std::string_view k) { return name.find(k) != std::string::npos; });
}

void* take_or_throw(std::size_t size, std::size_t alignment, void* caller)
{
    if (void* const block = take(size, alignment, caller)) return block;
    throw std::bad_alloc();
}

}  // namespace

memory_left left_in_memory()
{
    const inside in;
    memory_left all;
    for (const head* h = ring.next; h != &ring; h = h->next) {
        if (is_kept(h->caller)) continue;
        ++all.blocks;
        all.octets += h->size;
        if (all.blocks > 20) continue;
        all.places += "  " + std::to_string(h->size) + " octets, allocation " + std::to_string(h->number) + ", by " +
                      function_at(h->caller) + '\n';
    }
    return all;
}

library_call::library_call() noexcept : before_(std::exchange(world::get().current().in_library, true)) {}

library_call::~library_call()
{
    world::get().current().in_library = before_;
}

}  // namespace zlink::sim

// NOLINTBEGIN: the names and forms are the language's
using zlink::sim::give;
using zlink::sim::take;
using zlink::sim::take_or_throw;

#define ZLINK_SIM_CALLER __builtin_return_address(0)

void* operator new(std::size_t size)
{
    return take_or_throw(size, 1, ZLINK_SIM_CALLER);
}
void* operator new[](std::size_t size)
{
    return take_or_throw(size, 1, ZLINK_SIM_CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return take_or_throw(size, std::size_t(alignment), ZLINK_SIM_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment)
{
    return take_or_throw(size, std::size_t(alignment), ZLINK_SIM_CALLER);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return take(size, 1, ZLINK_SIM_CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    return take(size, 1, ZLINK_SIM_CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return take(size, std::size_t(alignment), ZLINK_SIM_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return take(size, std::size_t(alignment), ZLINK_SIM_CALLER);
}
void operator delete(void* block) noexcept
{
    give(block);
}
void operator delete[](void* block) noexcept
{
    give(block);
}
void operator delete(void* block, std::size_t) noexcept
{
    give(block);
}
void operator delete[](void* block, std::size_t) noexcept
{
    give(block);
}
void operator delete(void* block, std::align_val_t) noexcept
{
    give(block);
}
void operator delete[](void* block, std::align_val_t) noexcept
{
    give(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept
{
    give(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept
{
    give(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept
{
    give(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept
{
    give(block);
}
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept
{
    give(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept
{
    give(block);
}
// NOLINTEND

extern "C" void* __wrap_malloc(std::size_t size)  // NOLINT
{
    return zlink::sim::is_short() ? nullptr : __real_malloc(size);
}
