// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The source of a client's masks, which a party that chooses the payload cannot predict (RFC 6455 section 10.3). It is
// a ChaCha20 stream. Its first key comes from the kernel; each block of masks brings the next key. So it costs one
// system call for a thread, not one for a frame.
#pragma once

#include "base/process_generation.hpp"
#include "zws/masking.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace zlink::zws {

/// Eight blocks of ChaCha20 (RFC 8439) with that key, from block 0 on, with a nonce of zeros, one behind the other.
using chacha_key = std::array<std::uint32_t, 8>;
using chacha_blocks = std::array<std::uint32_t, 8 * 16>;
void fill_chacha_blocks(const chacha_key& key, chacha_blocks& out) noexcept;

/// The source of one thread, from of_this_thread(). A forked process has masks of its own.
class mask_source {
public:
    [[nodiscard]] static mask_source& of_this_thread() noexcept;

    [[nodiscard]] mask next() noexcept
    {
        if (at_ == octets_.size() || generation_ != process_generation()) [[unlikely]]
            return first_of_more();
        return octets_[at_++];
    }

    constexpr mask_source() noexcept = default;
    mask_source(const mask_source&) = delete;
    mask_source& operator=(const mask_source&) = delete;

private:
    [[nodiscard]] mask first_of_more() noexcept;
    void refill() noexcept;

    chacha_key key_{};
    chacha_blocks octets_{};
    std::size_t at_ = std::tuple_size_v<chacha_blocks>;
    std::uint64_t generation_ = 0;
    bool seeded_ = false;

    /// For threads without memory: a system call for each mask. Never written.
    static constinit mask_source of_the_kernel_;
};

}  // namespace zlink::zws
