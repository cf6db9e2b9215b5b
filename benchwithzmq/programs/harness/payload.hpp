// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Content of messages: octets that look random, the first eight of them (or all, if there are fewer) replaced by the
// sequence number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

// A message that is not one of the measurement has one of these sizes.
[[nodiscard]] constexpr std::size_t hello_size(std::size_t size)
{
    return size + 2;
}  // until the peers have met
[[nodiscard]] constexpr std::size_t end_size(std::size_t size)
{
    return size + 1;
}  // nothing comes behind it
[[nodiscard]] constexpr std::size_t buffer_size(std::size_t size)
{
    return size + 64;
}

// Octets at the beginning of a cache line. Where a copy starts within its line can make a quarter of the time of a
// small message, and must not be left to the allocator.
class aligned_octets {
public:
    explicit aligned_octets(std::size_t size) : lines_((size + sizeof(line) - 1) / sizeof(line)), size_(size) {}

    [[nodiscard]] char* data() { return lines_.data()->octets; }
    [[nodiscard]] const char* data() const { return lines_.data()->octets; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct alignas(64) line {
        char octets[64];
    };
    std::vector<line> lines_;
    std::size_t size_;
};

// One buffer with one message in it.
class payload {
public:
    explicit payload(std::size_t size);

    void number(std::uint64_t sequence)
    {
        if (size_ >= sizeof sequence) {
            std::memcpy(octets_.data(), &sequence, sizeof sequence);
        } else {
            number_short(sequence);
        }
    }

    [[nodiscard]] const char* data() const { return octets_.data(); }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    void number_short(std::uint64_t sequence);

    std::size_t size_;
    aligned_octets octets_;
};

// What was received last and what must be in it. Up to 4 KB the whole content of each message is compared. Above that,
// the first and last 64 octets of each are compared, and the whole content of every 64th. The checks leave marks behind
// them, so that octets of the message before, left standing by a library that did not deliver them, are seen.
class inbox {
public:
    explicit inbox(std::size_t size);

    ~inbox() { give_back(); }
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;

    // A buffer to receive into.
    [[nodiscard]] char* data() { return octets_.data(); }
    [[nodiscard]] std::size_t capacity() const { return octets_.size(); }

    // The message may also stay where a library has it: lend() gives memory for the library's handle of it. `release`
    // is called with that handle before the next message or at the end, and look_at() says where its octets are. They
    // are not written to, for others may read them, too: there is no mark then.
    [[nodiscard]] void* lend(void (*release)(void* handle))
    {
        give_back();
        release_ = release;
        return handle_;
    }
    void look_at(const void* octets)
    {
        message_ = static_cast<const char*>(octets);
        mark_ = &no_mark_;
    }

    // Where the message is.
    [[nodiscard]] const char* message() const { return message_; }

    // True if message number `sequence` is in the buffer, complete and unharmed.
    [[nodiscard]] bool holds(std::uint64_t sequence)
    {
        std::uint64_t number = 0;
        if (size_ < sizeof number) [[unlikely]]
            return holds_short(sequence);
        std::memcpy(&number, message_, sizeof number);
        if (number != sequence) [[unlikely]]
            return false;
        if (size_ > fully_checked || sequence % rare == 0) [[unlikely]]
            return holds_long(sequence);
        const bool same = same_behind_number();
        *mark_ = static_cast<char>(~*mark_);
        return same;
    }

private:
    static constexpr std::size_t fully_checked = 4096;
    static constexpr std::size_t edge = 64;
    static constexpr std::uint64_t rare = 64;

    // Whether octets are what they should be, from the ninth on. What has just been copied into the buffer is not all
    // in the cache yet. A load that covers parts of two stores, as memcmp's do at this offset, would wait for that.
    // Here loads are no larger and no less aligned than the stores of any copy. Large messages have no time to win by
    // that.
    [[nodiscard]] bool same_behind_number() const
    {
        const char* const in = message_;
        const char* const expected = expected_.data();
        if (size_ < 2 * sizeof(block) || size_ > most_in_blocks) {
            constexpr std::size_t head = sizeof(std::uint64_t);
            return std::memcmp(in + head, expected + head, size_ - head) == 0;
        }
        block differ{load<std::uint64_t>(in + 8) ^ load<std::uint64_t>(expected + 8), 0};
        const auto compare = [&](std::size_t at) { differ |= load<block>(in + at) ^ load<block>(expected + at); };
        compare(16);
        if (size_ >= 48) compare(32);
        compare(size_ - sizeof(block));
        return (differ[0] | differ[1]) == 0;
    }

    using block [[gnu::vector_size(16)]] = std::uint64_t;
    static constexpr std::size_t most_in_blocks = 64;

    template <class Type>
    static Type load(const char* from)
    {
        Type loaded;
        std::memcpy(&loaded, from, sizeof loaded);
        return loaded;
    }

    bool holds_short(std::uint64_t sequence);
    bool holds_long(std::uint64_t sequence);
    void mark(std::uint64_t sequence);

    void give_back()
    {
        if (release_ != nullptr) release_(handle_);
        release_ = nullptr;
        message_ = octets_.data();
        mark_ = octets_.data() + size_ - 1;
    }

    std::size_t size_;
    aligned_octets expected_;
    aligned_octets octets_;
    const char* message_ = octets_.data();
    char* mark_ = octets_.data() + size_ - 1;  // the last octet of the message, if it may be written to
    char no_mark_ = 0;
    void (*release_)(void* handle) = nullptr;
    alignas(std::max_align_t) char handle_[64];
};

}  // namespace bench
