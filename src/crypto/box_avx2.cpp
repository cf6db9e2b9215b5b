// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Boxes side by side in AVX2 lanes. Small boxes of a batch go in groups. A group's key streams come eight blocks at a
// time, whichever box a block belongs to, and its authenticators come four at a time. A large box goes by itself, with
// its own blocks in the lanes.
#include "crypto/box_functions.hpp"

#if defined(__x86_64__)

#include "crypto/poly1305_lanes.hpp"
#include "crypto/poly1305_lone.hpp"
#include "crypto/salsa20_lanes.hpp"

#include <sodium.h>

#include <algorithm>

namespace zlink::crypto {
namespace avx2 {
namespace {

constexpr std::size_t key_size = 32;      // of the authenticator: the stream's first octets, before those for the text
constexpr std::size_t group_boxes = 8;    // as many as lanes: each number of blocks per box fills the lanes
constexpr std::size_t group_blocks = 72;  // four boxes of 1 KB
constexpr std::size_t largest_size = 1ull << 37;  // counters have 32 bits

/// The number of stream blocks that a text needs.
constexpr std::size_t blocks_of(std::size_t text_size) noexcept
{
    return (key_size + text_size + block_size - 1) / block_size;
}

std::uint32_t nonce_word(std::uint64_t number, int shift) noexcept
{
    return __builtin_bswap32(std::uint32_t(number >> shift));
}

/// to[i] = from[i] ^ stream[i], from the front: `to` may begin before `from` and overlap it.
[[gnu::target("avx2"), gnu::always_inline]] inline void encipher(const std::byte* from, const std::byte* stream,
                                                                 std::byte* to, std::size_t size) noexcept
{
    std::size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        const __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(stream + i));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_xor_si256(text, key));
    }
    if (size & 16) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_xor_si128(load_part(from + i), load_part(stream + i)));
        i += 16;
    }
    if (size & 8) {
        std::uint64_t text, key;
        std::memcpy(&text, from + i, 8), std::memcpy(&key, stream + i, 8);
        text ^= key;
        std::memcpy(to + i, &text, 8);
        i += 8;
    }
    for (; i < size; ++i) to[i] = from[i] ^ stream[i];
}

/// The key streams of some boxes, one behind the other. Wiped when it is destroyed.
template <salsa20_blocks Blocks>
class key_streams {
public:
    key_streams() noexcept {}  // octets are written before they are read
    key_streams(const key_streams&) = delete;
    key_streams& operator=(const key_streams&) = delete;
    ~key_streams() { sodium_memzero(octets_, count_ * block_size); }

    /// Whether there is room for one more; the first one always fits if it is small.
    [[nodiscard]] bool fits(std::size_t text_size) const noexcept
    {
        return blocks_of(text_size) + count_ <= group_blocks;
    }

    /// Where this box's stream will begin.
    const std::byte* add(std::uint64_t number, std::size_t text_size) noexcept
    {
        const std::byte* const begin = octets_ + count_ * block_size;
        const std::size_t blocks = blocks_of(text_size);
        for (std::size_t i = 0; i < blocks; ++i, ++count_) {
            block_names& names = names_[count_ / block_lanes];
            names.nonce_front[count_ % block_lanes] = nonce_word(number, 32);
            names.nonce_back[count_ % block_lanes] = nonce_word(number, 0);
            names.counter[count_ % block_lanes] = std::uint32_t(i);
        }
        return begin;
    }

    [[gnu::target("avx2")]] void generate(const box_key& key) noexcept
    {
        for (std::size_t i = count_; i % block_lanes != 0; ++i) {  // unused lanes
            block_names& names = names_[i / block_lanes];
            names.nonce_front[i % block_lanes] = names.nonce_back[i % block_lanes] = names.counter[i % block_lanes] = 0;
        }
        count_ = (count_ + block_lanes - 1) / block_lanes * block_lanes;
        for (std::size_t i = 0; i < count_; i += block_lanes) {
            Blocks(key.octets().data(), names_[i / block_lanes], octets_ + i * block_size);
        }
    }

private:
    static_assert(group_blocks % block_lanes == 0);

    std::size_t count_ = 0;  ///< of blocks
    block_names names_[group_blocks / block_lanes];
    alignas(32) std::byte octets_[group_blocks * block_size];
};

/// Up to here 64-bit arithmetic is faster than preparing the lanes for one message (Zen 4: 85 against 91 ns).
constexpr std::size_t lone_parts = 10;

/// Whether four messages cost less side by side than one after the other. Side by side, all wait for the longest, and
/// steps for which some have no whole part are slow. In nanoseconds on Zen 4; only their ratio counts.
bool better_side_by_side(const authenticated* of) noexcept
{
    std::size_t shortest = of[0].parts(), longest = 0, alone = 0;
    for (std::size_t i = 0; i < text_lanes; ++i) {
        const std::size_t parts = of[i].parts();
        shortest = std::min(shortest, parts);
        longest = std::max(longest, parts);
        if (parts != 0) alone += parts <= lone_parts ? 20 + 7 * parts : 65 + 3 * parts;
    }
    return 45 + 10 * shortest + 16 * (longest - shortest) <= alone;
}

/// The tags of up to group_boxes messages.
[[gnu::target("avx2")]] void authenticate(authenticated* of, std::size_t count, std::byte* tags) noexcept
{
    for (std::size_t i = count; i % text_lanes != 0; ++i) of[i] = {of[0].key, of[0].text, 0};  // unused lanes
    for (std::size_t i = 0; i < count; i += text_lanes) {
        if (better_side_by_side(of + i)) {
            authenticate_four(of + i, tags + i * box_overhead);
        } else {
            for (std::size_t j = i; j < std::min(count, i + text_lanes); ++j) {
                if (of[j].parts() <= lone_parts) {
                    authenticate_lone(of[j].key, of[j].text, of[j].size, tags + j * box_overhead);
                } else {
                    authenticator(of[j].key, of[j].text, of[j].size).finish(tags + j * box_overhead);
                }
            }
        }
    }
}

/// Reads all octets of both, whatever the result.
bool equal_tags(const std::byte* a, const std::byte* b) noexcept
{
    std::uint64_t x[2], y[2];
    std::memcpy(x, a, sizeof x);
    std::memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

// --- small boxes -----------------------------------------------------------------------------------------------------

/// Seals as many as fit a group, at least one, which is small; returns how many.
template <salsa20_blocks Blocks>
[[gnu::target("avx2")]] std::size_t seal_group(const box_key& key, std::span<const box_to_seal> boxes) noexcept
{
    key_streams<Blocks> streams;
    authenticated texts[group_boxes];
    std::size_t count = 0;
    for (; count < std::min(group_boxes, boxes.size()) && streams.fits(1 + boxes[count].rest.size()); ++count) {
        const std::size_t size = 1 + boxes[count].rest.size();
        texts[count] = {streams.add(boxes[count].number, size), boxes[count].to + box_overhead, size};
    }
    streams.generate(key);
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const stream = texts[i].key + key_size;
        std::byte* const to = boxes[i].to + box_overhead;
        to[0] = std::byte(boxes[i].first) ^ stream[0];
        encipher(boxes[i].rest.data(), stream + 1, to + 1, boxes[i].rest.size());
    }
    std::byte tags[group_boxes * box_overhead];
    authenticate(texts, count, tags);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(boxes[i].to, tags + i * box_overhead, box_overhead);
    return count;
}

struct opened_group {
    std::size_t opened;
    std::size_t tried;
};

template <salsa20_blocks Blocks>
[[gnu::target("avx2")]] opened_group open_group(const box_key& key, std::span<box_to_open> boxes) noexcept
{
    key_streams<Blocks> streams;
    authenticated texts[group_boxes];
    std::size_t count = 0;
    for (; count < std::min(group_boxes, boxes.size()) && streams.fits(boxes[count].sealed.size() - box_overhead);
         ++count) {
        const auto text = boxes[count].sealed.subspan(box_overhead);
        texts[count] = {streams.add(boxes[count].number, text.size()), text.data(), text.size()};
    }
    streams.generate(key);
    std::byte tags[group_boxes * box_overhead];
    authenticate(texts, count, tags);
    // All tags are computed by now, and the streams do not overlap the boxes: boxes before this one may be overwritten.
    std::size_t opened = 0;
    for (; opened < count && equal_tags(tags + opened * box_overhead, boxes[opened].sealed.data()); ++opened) {
        box_to_open& box = boxes[opened];
        const std::byte* const stream = texts[opened].key + key_size;
        box.first = std::uint8_t(texts[opened].text[0] ^ stream[0]);
        encipher(texts[opened].text + 1, stream + 1, box.to, texts[opened].size - 1);
    }
    sodium_memzero(tags, sizeof tags);  // the tag of a refused box is what a forger lacks
    return {opened, count};
}

// --- large boxes -----------------------------------------------------------------------------------------------------

/// The key stream of one box, eight blocks at a time. Wiped when it is destroyed.
template <salsa20_blocks Blocks>
class long_stream {
public:
    [[gnu::target("avx2")]] long_stream(const box_key& key, std::uint64_t number) noexcept : key_(key)
    {
        for (std::size_t i = 0; i < block_lanes; ++i) {
            names_.nonce_front[i] = nonce_word(number, 32);
            names_.nonce_back[i] = nonce_word(number, 0);
            names_.counter[i] = std::uint32_t(i);
        }
        Blocks(key.octets().data(), names_, octets_);
        std::memcpy(authenticator_key_, octets_, key_size);
    }

    long_stream(const long_stream&) = delete;
    long_stream& operator=(const long_stream&) = delete;
    ~long_stream()
    {
        sodium_memzero(octets_, sizeof octets_);
        sodium_memzero(authenticator_key_, sizeof authenticator_key_);
    }

    [[nodiscard]] const std::byte* authenticator_key() const noexcept { return authenticator_key_; }
    [[nodiscard]] std::uint8_t first() const noexcept { return std::uint8_t(octets_[key_size]); }

    /// Enciphers the text after its first octet: at most as much as this stretch of the stream holds. Returns the
    /// number of octets.
    [[gnu::target("avx2")]] std::size_t encipher_some(const std::byte* from, std::byte* to, std::size_t size) noexcept
    {
        if (at_ == sizeof octets_) {
            for (std::uint32_t& counter : names_.counter) counter += block_lanes;
            Blocks(key_.octets().data(), names_, octets_);
            at_ = 0;
        }
        const std::size_t some = std::min(size, sizeof octets_ - at_);
        encipher(from, octets_ + at_, to, some);
        at_ += some;
        return some;
    }

private:
    const box_key& key_;
    std::size_t at_ = key_size + 1;
    block_names names_;
    alignas(32) std::byte octets_[block_lanes * block_size];
    std::byte authenticator_key_[key_size];
};

template <salsa20_blocks Blocks>
[[gnu::target("avx2")]] void seal_large(const box_key& key, const box_to_seal& box) noexcept
{
    long_stream<Blocks> stream(key, box.number);
    std::byte* const text = box.to + box_overhead;
    authenticator tag(stream.authenticator_key(), text, 1 + box.rest.size());
    text[0] = std::byte(box.first ^ stream.first());
    for (std::size_t at = 0; at < box.rest.size();) {
        at += stream.encipher_some(box.rest.data() + at, text + 1 + at, box.rest.size() - at);
        tag.advance(1 + at);
    }
    tag.finish(box.to);
}

template <salsa20_blocks Blocks>
[[gnu::target("avx2")]] bool open_large(const box_key& key, box_to_open& box) noexcept
{
    long_stream<Blocks> stream(key, box.number);
    const std::span<const std::byte> text = box.sealed.subspan(box_overhead);
    std::byte tag[box_overhead];
    authenticator(stream.authenticator_key(), text.data(), text.size()).finish(tag);
    const bool authentic = equal_tags(tag, box.sealed.data());
    sodium_memzero(tag, sizeof tag);
    if (!authentic) return false;
    box.first = std::uint8_t(text[0]) ^ stream.first();
    for (std::size_t at = 1; at < text.size();) {
        at += stream.encipher_some(text.data() + at, box.to + at - 1, text.size() - at);
    }
    return true;
}

// --- batches ---------------------------------------------------------------------------------------------------------

bool is_small(std::size_t text_size) noexcept
{
    return blocks_of(text_size) <= group_blocks;
}

template <salsa20_blocks Blocks>
void seal_batch(const box_key& key, std::span<const box_to_seal> boxes) noexcept
{
    while (!boxes.empty()) {
        const std::size_t size = 1 + boxes[0].rest.size();
        std::size_t sealed = 1;
        if (is_small(size)) {
            sealed = seal_group<Blocks>(key, boxes);
        } else if (size < largest_size) {
            seal_large<Blocks>(key, boxes[0]);
        } else {
            sodium_box.seal(key, boxes.first(1));
        }
        boxes = boxes.subspan(sealed);
    }
}

template <salsa20_blocks Blocks>
std::size_t open_batch(const box_key& key, std::span<box_to_open> boxes) noexcept
{
    std::size_t opened = 0;
    while (opened < boxes.size()) {
        const auto rest = boxes.subspan(opened);
        const std::size_t size = rest[0].sealed.size() - box_overhead;
        opened_group group{0, 1};
        if (is_small(size)) {
            group = open_group<Blocks>(key, rest);
        } else if (size < largest_size) {
            group.opened = open_large<Blocks>(key, rest[0]) ? 1 : 0;
        } else {
            group.opened = sodium_box.open(key, rest.first(1));
        }
        opened += group.opened;
        if (group.opened < group.tried) break;
    }
    return opened;
}

template <box_implementation Which, salsa20_blocks Blocks>
constexpr box_functions functions{Which, seal_batch<Blocks>, open_batch<Blocks>};

}  // namespace
}  // namespace avx2

const box_functions* avx2_box() noexcept
{
    return __builtin_cpu_supports("avx2") ? &avx2::functions<box_implementation::avx2, avx2::salsa20_by_avx2> : nullptr;
}

const box_functions* avx512_box() noexcept
{
    const bool has =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    return has ? &avx2::functions<box_implementation::avx512, avx2::salsa20_by_avx512> : nullptr;
}

}  // namespace zlink::crypto

#else

namespace zlink::crypto {

const box_functions* avx2_box() noexcept
{
    return nullptr;
}

const box_functions* avx512_box() noexcept
{
    return nullptr;
}

}  // namespace zlink::crypto

#endif
