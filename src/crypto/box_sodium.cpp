// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Boxes one at a time, by libsodium's stream (Salsa20) and one-time authenticator (Poly1305).
#include "base/byte_order.hpp"
#include "crypto/box_functions.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace zlink::crypto {
namespace {

constexpr std::size_t block_size = 64;
constexpr std::size_t key_size = 32;  // of the authenticator: the stream's first octets, before those for the text

unsigned char* octets_of(std::byte* at) noexcept
{
    return reinterpret_cast<unsigned char*>(at);
}

const unsigned char* octets_of(const std::byte* at) noexcept
{
    return reinterpret_cast<const unsigned char*>(at);
}

/// The beginning of a box's key stream, at least to the end of its first block: all of it if the box is small. The
/// stream cipher does the rest, from a block's beginning on. Wiped when it is destroyed.
class stream_head {
public:
    stream_head(const box_key& key, std::uint64_t number, std::size_t text_size) noexcept
        : key_(octets_of(key.octets().data())),
          size_(text_size <= sizeof octets_ - key_size ? std::max(key_size + text_size, block_size) : block_size)
    {
        store_be64(nonce_, number);
        (void)crypto_stream_salsa20(octets_, size_, octets_of(nonce_), key_);
    }

    stream_head(const stream_head&) = delete;
    stream_head& operator=(const stream_head&) = delete;
    ~stream_head() { sodium_memzero(octets_, size_); }

    [[nodiscard]] const unsigned char* authenticator_key() const noexcept { return octets_; }
    [[nodiscard]] std::uint8_t first() const noexcept { return octets_[key_size]; }

    /// Enciphers the text without its first octet: from `from` to `to`, which may begin before `from` and overlap it.
    void encipher_rest(const std::byte* from, std::byte* to, std::size_t size) const noexcept
    {
        const unsigned char* const stream = octets_ + key_size + 1;
        const std::size_t here = std::min(size, size_ - key_size - 1);
        for (std::size_t i = 0; i < here; ++i) to[i] = from[i] ^ std::byte(stream[i]);
        if (here == size) return;
        // The cipher takes texts that do not overlap, or that lie in the same place.
        const bool apart = std::less_equal<>{}(to + size, from) || std::less_equal<>{}(from + size, to);
        if (!apart) std::memmove(to + here, from + here, size - here);
        (void)crypto_stream_salsa20_xor_ic(octets_of(to + here), octets_of(apart ? from + here : to + here),
                                           size - here, octets_of(nonce_), size_ / block_size, key_);
    }

private:
    const unsigned char* key_;
    std::size_t size_;
    std::byte nonce_[8];
    unsigned char octets_[8 * block_size];
};

void seal_one(const box_key& key, const box_to_seal& box) noexcept
{
    const std::size_t text_size = 1 + box.rest.size();
    const stream_head stream(key, box.number, text_size);
    std::byte* const text = box.to + box_overhead;
    text[0] = std::byte(box.first ^ stream.first());
    stream.encipher_rest(box.rest.data(), text + 1, box.rest.size());
    (void)crypto_onetimeauth_poly1305(octets_of(box.to), octets_of(text), text_size, stream.authenticator_key());
}

bool open_one(const box_key& key, box_to_open& box) noexcept
{
    const std::span<const std::byte> text = box.sealed.subspan(box_overhead);
    const stream_head stream(key, box.number, text.size());
    if (crypto_onetimeauth_poly1305_verify(octets_of(box.sealed.data()), octets_of(text.data()), text.size(),
                                           stream.authenticator_key()) != 0) {
        return false;
    }
    box.first = std::uint8_t(text[0]) ^ stream.first();
    stream.encipher_rest(text.data() + 1, box.to, text.size() - 1);
    return true;
}

void seal_each(const box_key& key, std::span<const box_to_seal> boxes) noexcept
{
    for (const box_to_seal& box : boxes) seal_one(key, box);
}

std::size_t open_each(const box_key& key, std::span<box_to_open> boxes) noexcept
{
    std::size_t opened = 0;
    while (opened < boxes.size() && open_one(key, boxes[opened])) ++opened;
    return opened;
}

}  // namespace

const box_functions sodium_box{box_implementation::libsodium, seal_each, open_each};

}  // namespace zlink::crypto
