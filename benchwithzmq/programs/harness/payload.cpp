// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See payload.hpp.
#include "harness/payload.hpp"

#include <algorithm>

namespace bench {

namespace {

aligned_octets content(std::size_t size)
{
    aligned_octets octets(size);
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < size; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        octets.data()[i] = static_cast<char>(state >> 56);
    }
    return octets;
}

}  // namespace

payload::payload(std::size_t size) : size_(size), octets_(content(buffer_size(size))) {}

void payload::number_short(std::uint64_t sequence)
{
    std::memcpy(octets_.data(), &sequence, size_);
}

inbox::inbox(std::size_t size) : size_(size), expected_(content(size)), octets_(buffer_size(size)) {}

bool inbox::holds_short(std::uint64_t sequence)
{
    const bool same = std::memcmp(message_, &sequence, size_) == 0;
    if (message_ == octets_.data()) std::fill_n(octets_.data(), size_, static_cast<char>(~octets_.data()[0]));
    return same;
}

bool inbox::holds_long(std::uint64_t sequence)
{
    constexpr std::size_t head = sizeof sequence;
    const char* const in = message_;
    const char* const expected = expected_.data();
    const bool whole = size_ <= fully_checked || sequence % rare == 0;
    const bool same = std::memcmp(in + head, expected + head, (whole ? size_ : edge) - head) == 0 &&
                      (whole || std::memcmp(in + size_ - edge, expected + size_ - edge, edge) == 0);
    if (message_ == octets_.data()) mark(sequence);
    return same;
}

// The next message that is compared as a whole finds no old octets to pass for its own. For small messages that is the
// next one, for large ones the 64th from here.
void inbox::mark(std::uint64_t sequence)
{
    char* const in = octets_.data();
    if (size_ <= fully_checked || sequence % rare == rare - 1) {
        std::memset(in, 0, size_);
    } else if (sequence % rare != 0) {
        in[size_ - 1] = static_cast<char>(~in[size_ - 1]);
    }
}

}  // namespace bench
