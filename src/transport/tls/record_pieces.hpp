// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The caller's memory, in pieces, as tls_stream walks it. The contents of records go into it, and octets for records
// are cut out of it.
#pragma once

#include "transport/tls/tls_machine.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace zlink::transport::tls {

inline std::size_t size_of(const iovec* pieces, int count) noexcept
{
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
    return size;
}

/// The memory that a read fills.
class destination {
public:
    destination(const iovec* pieces, int count) noexcept : piece_(pieces), room_(size_of(pieces, count))
    {
        skip_full();
    }

    [[nodiscard]] std::size_t room() const noexcept { return room_; }
    [[nodiscard]] std::size_t filled() const noexcept { return filled_; }
    [[nodiscard]] std::byte* at() const noexcept { return static_cast<std::byte*>(piece_->iov_base) + in_piece_; }
    [[nodiscard]] std::size_t in_a_row() const noexcept { return piece_->iov_len - in_piece_; }
    void advance(std::size_t n) noexcept
    {
        in_piece_ += n;
        filled_ += n;
        room_ -= n;
        skip_full();
    }

private:
    void skip_full() noexcept
    {
        while (room_ != 0 && in_piece_ == piece_->iov_len) {
            ++piece_;
            in_piece_ = 0;
        }
    }

    const iovec* piece_;
    std::size_t in_piece_ = 0;
    std::size_t room_;
    std::size_t filled_ = 0;
};

/// The octets that a write takes, cut into records.
class source {
public:
    source(const iovec* pieces, int count) noexcept : piece_(pieces), octets_(size_of(pieces, count)) {}

    [[nodiscard]] bool empty() const noexcept { return octets_ == 0; }

    /// As much as a record holds. The octets stay in place if they lie in one piece; otherwise they are gathered in
    /// `spare`.
    std::span<const std::byte> next(std::span<std::byte> spare) noexcept
    {
        const std::size_t size = std::min(octets_, largest_plain_record);
        octets_ -= size;
        if (const auto whole = take(size); whole.size() == size) {
            return whole;
        } else {
            std::size_t gathered = 0;
            for (auto part = whole;; part = take(size - gathered)) {
                if (!part.empty()) std::memcpy(spare.data() + gathered, part.data(), part.size());
                gathered += part.size();
                if (gathered == size) return spare.first(size);
            }
        }
    }

private:
    // Of the next piece, at most so many.
    std::span<const std::byte> take(std::size_t most) noexcept
    {
        while (in_piece_ == piece_->iov_len) {
            ++piece_;
            in_piece_ = 0;
        }
        const std::size_t size = std::min(most, piece_->iov_len - in_piece_);
        const std::byte* const from = static_cast<const std::byte*>(piece_->iov_base) + in_piece_;
        in_piece_ += size;
        return {from, size};
    }

    const iovec* piece_;
    std::size_t in_piece_ = 0;
    std::size_t octets_;
};

/// Where records end that go out together, and the octets of the caller's that are in them.
class record_ends {
public:
    /// `before`: octets of the caller's that have gone out before.
    explicit record_ends(std::size_t before) noexcept : before_(before) {}

    /// A record ends `at`, and with it `octets` of the caller's are sealed. Of too many records, the last are one.
    void add(std::size_t at, std::size_t octets) noexcept
    {
        if (count_ == ends_.size()) --count_;
        ends_[count_++] = {at, octets};
    }
    /// The caller's octets in records that have gone out whole, if `went` octets have gone.
    [[nodiscard]] std::size_t octets_before(std::size_t went) const noexcept
    {
        std::size_t octets = before_;
        for (std::size_t i = 0; i < count_ && ends_[i].at <= went; ++i) octets = ends_[i].octets;
        return octets;
    }

private:
    struct end {
        std::size_t at, octets;
    };

    std::size_t before_;
    std::array<end, 32> ends_;
    std::size_t count_ = 0;
};

}  // namespace zlink::transport::tls
