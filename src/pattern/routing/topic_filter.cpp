// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/topic_filter.hpp"

#include <algorithm>
#include <new>

namespace zlink::pattern::routing {

namespace {

// The most places of a stride at which topics may end before lengths are marked by prefix.
constexpr int most_lengths = 2;

// The place of a topic's end.
struct end_place {
    std::size_t stride;
    std::size_t further;
};

end_place end_of(std::size_t length) noexcept
{
    const std::size_t stride = length == 0 ? 0 : (length - 1) / prefix_hasher::stride;
    return {stride, length - stride * prefix_hasher::stride};
}

}  // namespace

bool topic_filter::reset(std::size_t room) noexcept
{
    huge_page_vector<std::uint64_t> words;
    try {
        words.resize(std::bit_ceil((room + most_per_word - 1) / most_per_word));
    } catch (const std::bad_alloc&) {
        return false;
    }
    words_.swap(words);
    count_ = 0;
    return true;
}

void topic_filter::release() noexcept
{
    huge_page_vector<std::uint64_t>().swap(words_);
    count_ = longest_ = 0;
    has_empty_ = by_prefix_ = false;
    lengths_ = {};
}

bool topic_filter::covers(std::size_t length) const noexcept
{
    const auto [stride, further] = end_of(length);
    if (by_prefix_ || length == 0) return true;
    return stride < known_strides && std::popcount(lengths_[stride] | 1u << (further - 1)) <= most_lengths;
}

void topic_filter::expect(std::size_t length) noexcept
{
    if (!covers(length)) by_prefix_ = true;
    longest_ = std::max(longest_, length);
    const auto [stride, further] = end_of(length);
    if (length == 0) {
        has_empty_ = true;
    } else if (stride < known_strides) {
        lengths_[stride] = std::uint8_t(lengths_[stride] | 1u << (further - 1));
    }
}

void topic_filter::mark(std::uint64_t hash, std::size_t bit) noexcept
{
    const std::uint64_t bits =
        std::rotl(std::uint64_t(1) << bit, int(hash & 63)) | std::rotl(std::uint64_t(1) << bit, int(hash >> 6 & 63));
    std::uint64_t& word = words_[place(hash)];
    count_ += (word & bits) != bits;
    word |= bits;
}

void topic_filter::add(prefix_hasher topic) noexcept
{
    expect(topic.octets().size());
    for (; topic.left() > prefix_hasher::stride; topic.advance()) mark(topic.state(), 0);
    if (by_prefix_) mark(topic.state(), topic.left());
    mark(topic.of(topic.left()), 0);
}

}  // namespace zlink::pattern::routing
