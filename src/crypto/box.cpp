// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/box.hpp"

#include "crypto/box_functions.hpp"
#include "crypto/libsodium.hpp"
#include "crypto/stack_wiping.hpp"

#include <sodium.h>

#include <atomic>

namespace zlink::crypto {
namespace {

// Partners: the loads in this file. Relaxed: the object that it points to is constant.
constinit std::atomic<const box_functions*> in_use{nullptr};

const box_functions* find(box_implementation which) noexcept
{
    switch (which) {
    case box_implementation::avx512: return avx512_box();
    case box_implementation::avx2: return avx2_box();
    default: return &sodium_box;
    }
}

const box_functions& use(box_implementation which) noexcept
{
    const box_functions* found = find(which);
    if (found == nullptr) found = avx2_box();
    if (found == nullptr) found = &sodium_box;
    in_use.store(found, std::memory_order_relaxed);
    return *found;
}

const box_functions& chosen() noexcept
{
    const box_functions* const functions = in_use.load(std::memory_order_relaxed);
    return functions != nullptr ? *functions : use(box_implementation::avx512);
}

const unsigned char* octets_of(const std::byte* from) noexcept
{
    return reinterpret_cast<const unsigned char*>(from);
}

}  // namespace

box_key::box_key(std::span<const std::byte, 32> shared, std::span<const std::byte, 16> nonce_prefix) noexcept
{
    start_libsodium();
    (void)crypto_core_hsalsa20(reinterpret_cast<unsigned char*>(octets_.data()), octets_of(nonce_prefix.data()),
                               octets_of(shared.data()), nullptr);
    wipe_stack();
}

box_key::~box_key()
{
    sodium_memzero(octets_.data(), octets_.size());
}

void seal(const box_key& key, std::span<const box_to_seal> boxes) noexcept
{
    chosen().seal(key, boxes);
    wipe_stack();
}

std::size_t open(const box_key& key, std::span<box_to_open> boxes) noexcept
{
    const std::size_t opened = chosen().open(key, boxes);
    wipe_stack();
    return opened;
}

bool is_available(box_implementation which) noexcept
{
    return find(which) != nullptr;
}

void use_box_implementation(box_implementation which) noexcept
{
    (void)use(which);
}

box_implementation box_implementation_in_use() noexcept
{
    return chosen().which;
}

}  // namespace zlink::crypto
