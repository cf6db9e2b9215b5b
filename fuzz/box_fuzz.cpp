// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Boxes: all implementations open the same boxes of a peer, whatever was altered, write the same and nothing else. What
// they seal is the same, and opens.
#include "crypto/box.hpp"

#include "fuzz_input.hpp"

#include <vector>

using namespace zlink;
using crypto::box_implementation;
using crypto::box_overhead;

namespace {

constexpr std::size_t most_boxes = 12;

struct opened {
    std::size_t count = 0;
    std::vector<std::uint8_t> firsts;
    std::vector<std::byte> memory;

    bool operator==(const opened&) const = default;
};

struct sealed_boxes {
    std::vector<std::byte> memory;
    std::vector<std::size_t> begins;
    std::vector<std::size_t> sizes;
    std::uint64_t number = 0;
};

/// Seals parts of `text` one behind the other.
sealed_boxes seal_parts(const crypto::box_key& key, std::span<const std::byte> text, std::uint8_t seed,
                        std::uint64_t number)
{
    sealed_boxes out;
    std::vector<crypto::box_to_seal> boxes;
    std::vector<std::span<const std::byte>> texts;
    std::size_t size = 0;
    for (fuzz::parts parts(text, seed); !parts.empty() && texts.size() < most_boxes;) {
        texts.push_back(parts.next());
        out.begins.push_back(size);
        out.sizes.push_back(texts.back().size() + box_overhead);
        size += out.sizes.back();
    }
    out.number = number;
    out.memory.resize(size);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        boxes.push_back(
            {number + i, std::uint8_t(texts[i][0]), texts[i].subspan(1), out.memory.data() + out.begins[i]});
    }
    crypto::seal(key, boxes);
    return out;
}

/// Opens them in place, each rest `back` octets in front of its box as far as there is room behind the rest before.
opened open_parts(const crypto::box_key& key, const sealed_boxes& in, std::size_t back)
{
    opened out;
    out.memory = in.memory;
    std::vector<crypto::box_to_open> boxes;
    std::size_t free_from = 0;
    for (std::size_t i = 0; i < in.begins.size(); ++i) {
        const std::size_t to = in.begins[i] - std::min(back, in.begins[i] - free_from);
        boxes.push_back({in.number + i, {out.memory.data() + in.begins[i], in.sizes[i]}, out.memory.data() + to});
        free_from = to + in.sizes[i] - box_overhead - 1;
    }
    out.count = crypto::open(key, boxes);
    for (const auto& box : boxes) out.firsts.push_back(box.first);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice(), back = in.choice();
    const std::size_t altered = in.choice() * 256u + in.choice();
    const auto how = std::byte(in.choice());
    std::byte secret[32]{}, prefix[16]{};
    std::ranges::copy(in.take(4), secret);
    std::ranges::copy(in.take(4), prefix);
    const crypto::box_key key(secret, prefix);
    const std::uint64_t number = in.choice() - std::uint64_t{6};  // around zero

    constexpr box_implementation others[] = {box_implementation::avx2, box_implementation::avx512};
    crypto::use_box_implementation(box_implementation::libsodium);
    sealed_boxes sealed = seal_parts(key, in.rest(), seed, number);
    const opened all = open_parts(key, sealed, back);
    fuzz::require(all.count == sealed.begins.size());
    for (const box_implementation other : others) {
        crypto::use_box_implementation(other);
        fuzz::require(seal_parts(key, in.rest(), seed, number).memory == sealed.memory);
        fuzz::require(open_parts(key, sealed, back) == all);
    }

    if (sealed.memory.empty() || how == std::byte{}) return 0;
    const std::size_t at = altered % sealed.memory.size();
    sealed.memory[at] ^= how;
    crypto::use_box_implementation(box_implementation::libsodium);
    const opened some = open_parts(key, sealed, back);
    for (const box_implementation other : others) {
        crypto::use_box_implementation(other);
        fuzz::require(open_parts(key, sealed, back) == some);
    }
    // The box that holds the altered octet, and nothing before it, is refused.
    fuzz::require(some.count < sealed.begins.size());
    fuzz::require(at >= sealed.begins[some.count] && at < sealed.begins[some.count] + sealed.sizes[some.count]);
    return 0;
}
