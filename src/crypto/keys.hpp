// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keys of CURVE: Curve25519 key pairs, the keys that two of them agree on, and keys for one purpose. Everything secret
// lies in key memory, is moved and not copied, and is wiped when it is destroyed.
#pragma once

#include "crypto/box.hpp"
#include "crypto/key_memory.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace zlink::crypto {

using key_view = std::span<const std::byte, key_size>;
using public_key = std::array<std::byte, key_size>;

/// Overwrites octets that must not be found in memory any more.
void wipe(std::span<std::byte> octets) noexcept;

/// True if they are the same; takes the same time if they are not. Both have the same size.
[[nodiscard]] bool same_octets(std::span<const std::byte> one, std::span<const std::byte> other) noexcept;

/// Octets of a plain text, for as long as it is needed.
template <std::size_t Size>
class wiped_octets : public std::array<std::byte, Size> {
public:
    wiped_octets() noexcept : std::array<std::byte, Size>{} {}
    wiped_octets(const wiped_octets&) = delete;
    wiped_octets& operator=(const wiped_octets&) = delete;
    ~wiped_octets() { wipe(*this); }
};

/// A source of unpredictable octets. Tests have their own. The destructor does nothing: I/O threads may go on while the
/// process ends.
class random_source {
public:
    virtual void fill(std::span<std::byte> octets) noexcept = 0;

protected:
    ~random_source() = default;
};

/// The system's source. Any thread; in the child of a fork it goes on with other octets.
[[nodiscard]] random_source& system_random() noexcept;

/// A secret key, or none.
class secret_key {
public:
    secret_key() noexcept = default;
    /// May throw std::bad_alloc, as the other constructors.
    explicit secret_key(key_view octets);
    static secret_key random(random_source& source);

    secret_key(secret_key&& from) noexcept : octets_(std::exchange(from.octets_, nullptr)) {}
    secret_key& operator=(secret_key&& from) noexcept
    {
        if (this != &from) forget();
        octets_ = std::exchange(from.octets_, nullptr);
        return *this;
    }
    ~secret_key() { forget(); }

    explicit operator bool() const noexcept { return octets_ != nullptr; }
    /// There has to be a key.
    [[nodiscard]] key_view octets() const noexcept { return key_view(octets_, key_size); }

    void forget() noexcept
    {
        if (octets_ != nullptr) give_key_memory_back(std::exchange(octets_, nullptr));
    }

private:
    friend secret_key agree(const public_key& theirs, key_view ours);
    struct zero {};
    explicit secret_key(zero) : octets_(take_key_memory()) {}

    std::byte* octets_ = nullptr;
};

struct key_pair {
    public_key open{};  ///< the public half
    secret_key secret;
};

[[nodiscard]] key_pair make_key_pair(random_source& source);
[[nodiscard]] key_pair key_pair_of(key_view secret);
[[nodiscard]] public_key public_key_of(key_view secret) noexcept;

/// The key that the owners of both secret halves share (crypto_box_beforenm). None if `theirs` is a point that gives a
/// key which can be guessed. May throw std::bad_alloc.
[[nodiscard]] secret_key agree(const public_key& theirs, key_view ours);

struct box_key_deleter {
    void operator()(box_key* key) const noexcept;
};
using box_key_ptr = std::unique_ptr<box_key, box_key_deleter>;

/// A key of boxes that lies in key memory. May throw std::bad_alloc.
[[nodiscard]] box_key_ptr make_box_key(key_view shared, std::span<const std::byte, 16> nonce_prefix);

}  // namespace zlink::crypto
