// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sizes from 0 B to 1 MB: most are small, as in life. The first few numbers visit the extremes, so that even a short
// run has them.
#include "demo/record.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace zlink::tool::demo {
namespace {

constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15ULL;

std::uint64_t scatter(std::uint64_t value)
{
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

// Order matters to it: moved, swapped and changed bytes all show.
class checksum {
public:
    void add(std::string_view bytes)
    {
        mix(bytes.size());
        while (bytes.size() >= 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), 8);
            mix(word);
            bytes.remove_prefix(8);
        }
        std::uint64_t rest = 0;
        std::memcpy(&rest, bytes.data(), bytes.size());
        mix(rest);
    }

    std::uint64_t value() const { return scatter(state_); }

private:
    void mix(std::uint64_t word)
    {
        state_ = (state_ ^ word) * multiplier;
        state_ ^= state_ >> 32U;
    }

    std::uint64_t state_ = 0x7A6C696E6BULL;
};

std::uint64_t sum_of(record_header header, std::span<const std::string_view> content)
{
    header.checksum = 0;
    checksum sum;
    sum.add({reinterpret_cast<const char*>(&header), sizeof header});
    for (const auto piece : content) {
        sum.add(piece);
    }
    return sum.value();
}

std::size_t within(std::uint64_t dice, std::size_t least, std::size_t most)
{
    return least + dice % (most - least + 1);
}

std::size_t content_size(std::uint64_t sequence, record_kind kind)
{
    const std::uint64_t dice = scatter(sequence * multiplier);
    const std::uint64_t size_dice = dice >> 16U;
    switch (kind) {
    case record_kind::hello:
    case record_kind::end: return 0;
    case record_kind::paced: return within(size_dice, 16, 200);
    case record_kind::burst: break;
    }
    const auto share = dice % 1000;
    if (share < 30 || sequence % 1000 == 100) {
        return 0;
    }
    if (share == 999 || sequence % 10'000 == 110) {
        return largest_content;
    }
    return share < 650   ? within(size_dice, 1, 256)
           : share < 920 ? within(size_dice, 257, 4096)
           : share < 990 ? within(size_dice, 4097, 32'768)
                         : within(size_dice, 32'769, 262'144);
}

// Cuts into frames at places given by the dice; some frames stay empty.
void cut_frames(std::vector<std::string_view>& pieces, std::string_view content, std::size_t frames, std::uint64_t dice)
{
    for (std::size_t at = 1; at < frames; ++at) {
        const std::size_t size = at == 2 ? 0 : dice % (content.size() + 1);
        pieces.push_back(content.substr(0, size));
        content.remove_prefix(size);
        dice = scatter(dice);
    }
    pieces.push_back(content);
}

}  // namespace

void make(record& into, const corpus& source, std::uint64_t sequence, record_kind kind, bool in_one_frame)
{
    const std::uint64_t dice = scatter(~sequence * multiplier);
    const std::size_t size = content_size(sequence, kind);
    const bool several = kind == record_kind::burst && !in_one_frame && dice % 3 == 0;
    const std::size_t frames = several ? within(dice >> 8U, 1, 5) : 0;
    const std::string_view content = source.cut(dice >> 3U, size);
    into.content.clear();
    if (frames == 0) {
        into.content.push_back(content);
    } else {
        cut_frames(into.content, content, frames, dice >> 16U);
    }
    into.header = {};
    std::memcpy(into.header.magic, topic.data(), topic.size());
    into.header.sequence = sequence;
    into.header.sent_at = now_ns();
    into.header.content_size = static_cast<std::uint32_t>(size);
    into.header.frames = static_cast<std::uint16_t>(frames);
    into.header.kind = kind;
    into.header.checksum = sum_of(into.header, into.content);
}

std::optional<record_header> read_header(std::string_view bytes)
{
    record_header header{};
    if (bytes.size() < sizeof header || !bytes.starts_with(topic)) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

bool intact(const record_header& header, std::span<const std::string_view> frames)
{
    std::size_t size = 0;
    if (header.frames == 0) {
        if (frames.size() != 1) {
            return false;
        }
        const std::string_view content = frames[0].substr(sizeof header);
        return content.size() == header.content_size && sum_of(header, std::span(&content, 1)) == header.checksum;
    }
    const auto content = frames.subspan(1);
    for (const auto piece : content) {
        size += piece.size();
    }
    return frames[0].size() == sizeof header && content.size() == header.frames && size == header.content_size &&
           sum_of(header, content) == header.checksum;
}

std::int64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace zlink::tool::demo
