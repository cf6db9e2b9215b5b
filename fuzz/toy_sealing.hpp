// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A mechanism that seals nothing worth a secret, for tests of what carries sealed frames. Its frames are as long as a
// MESSAGE command of CURVE, numbered, with a checksum, and not to be read as it is. It holds its callers to what
// zmtp/mechanism/sealing.hpp says.
#pragma once

#include "base/byte_order.hpp"
#include "message/frame_header.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::toy {

inline constexpr std::string_view name{"\7MESSAGE", 8};
inline constexpr std::size_t overhead = name.size() + 8 + 16 + 1;

/// What has been done.
struct tally {
    std::uint64_t frames = 0;
    std::uint64_t calls = 0;
};

inline std::byte mask(std::uint64_t number, std::size_t i) noexcept
{
    return std::byte((number + 1) * 151 + i * 29 + 0x5a);
}

inline std::uint64_t checksum(std::uint64_t number, std::span<const std::byte> sealed) noexcept
{
    std::uint64_t sum = 0xcbf29ce484222325u ^ number;
    for (const std::byte b : sealed) sum = (sum ^ std::uint64_t(b)) * 0x100000001b3u;
    return sum;
}

/// The order of what lies in different objects, too.
inline bool overlap(const std::byte* a, std::size_t a_size, const std::byte* b, std::size_t b_size) noexcept
{
    const std::less<> before;
    return a_size && b_size && before(a, b + b_size) && before(b, a + a_size);
}

inline void require(bool holds) noexcept
{
    if (!holds) std::abort();
}

inline void seal(std::uint64_t number, std::uint8_t flags, std::span<const std::byte> body, std::byte* to) noexcept
{
    std::memcpy(to, name.data(), name.size());
    store_be64(to + 8, number);
    std::byte* const text = to + 32;
    text[0] = std::byte(flags) ^ mask(number, 0);
    for (std::size_t i = 0; i < body.size(); ++i) text[i + 1] = body[i] ^ mask(number, i + 1);
    const std::uint64_t sum = checksum(number, {text, body.size() + 1});
    store_be64(to + 16, sum);
    store_be64(to + 24, ~sum);
}

/// The whole frame as it goes over a stream.
inline std::string frame(std::uint64_t number, std::uint8_t flags, std::string_view body)
{
    std::string out(message::long_header_size + body.size() + overhead, '\0');
    auto* const to = reinterpret_cast<std::byte*>(out.data());
    const std::size_t header = message::encode_header(to, 0, body.size() + overhead);
    seal(number, flags, std::as_bytes(std::span(body)), to + header);
    out.resize(header + body.size() + overhead);
    return out;
}

/// Frames in lane form as they go over a stream; the first has this number.
inline std::string frames(std::string_view plain, std::uint64_t& number, std::uint64_t step = 1)
{
    std::string out;
    while (!plain.empty()) {
        const message::frame_header h = message::decode_header(reinterpret_cast<const std::byte*>(plain.data()));
        out += frame(number, std::uint8_t(h.flags & ~message::flag_long), plain.substr(h.size, h.body_size));
        plain.remove_prefix(h.size + std::size_t(h.body_size));
        number += step;
    }
    return out;
}

class sealer final : public zmtp::sealer {
public:
    /// `step`: from one number to the next; 0 where tests want the same octets each time.
    explicit sealer(tally* counts = nullptr, std::uint64_t step = 1) noexcept : counts_(counts), step_(step) {}

    [[nodiscard]] std::size_t overhead() const noexcept override { return toy::overhead; }

    void seal(std::span<const zmtp::frame_to_seal> frames) noexcept override
    {
        require(!frames.empty());
        for (const zmtp::frame_to_seal& f : frames) {
            for (const zmtp::frame_to_seal& other : frames) {
                require(!overlap(f.to, f.body.size() + toy::overhead, other.body.data(), other.body.size()));
            }
            require(!(f.flags & ~(message::flag_more | message::flag_command)));
            toy::seal(number_, f.flags, f.body, f.to);
            number_ += step_;
        }
        if (!counts_) return;
        counts_->frames += frames.size();
        ++counts_->calls;
    }

private:
    tally* counts_;
    std::uint64_t step_;
    std::uint64_t number_ = 0;
};

class opener final : public zmtp::opener {
public:
    using reason = zmtp::handshake_error;
    // What it says of a frame.
    static constexpr reason bad_name = reason::zmtp_unexpected_command;
    static constexpr reason bad_size = reason::zmtp_malformed_command_message;
    static constexpr reason bad_number = reason::zmtp_malformed_command_unspecified;
    static constexpr reason bad_checksum = reason::zmtp_invalid_metadata;

    explicit opener(tally* counts = nullptr) noexcept : counts_(counts) {}

    [[nodiscard]] std::size_t overhead() const noexcept override { return toy::overhead; }

    // As a mechanism that opens several at a time: all are looked at before anything is written.
    [[nodiscard]] outcome open(std::span<zmtp::frame_to_open> frames) noexcept override
    {
        require(!frames.empty() && !failed_);
        for (std::size_t i = 0; i < frames.size(); ++i) check_place(frames, i);
        outcome out{0, reason::none};
        while (out.opened < frames.size() && (out.error = check(frames[out.opened].sealed)) == reason::none) {
            ++out.opened;
        }
        for (zmtp::frame_to_open& f : frames.first(out.opened)) {
            const std::uint64_t number = load_be64(f.sealed.data() + 8);
            const std::byte* const text = f.sealed.data() + 32;
            const std::size_t size = f.sealed.size() - toy::overhead;
            f.flags = std::uint8_t(text[0] ^ mask(number, 0));
            for (std::size_t k = 0; k < size; ++k) f.to[k] = text[k + 1] ^ mask(number, k + 1);
            f.size = size;
        }
        failed_ = out.opened != frames.size();
        if (counts_) {
            counts_->frames += out.opened;
            ++counts_->calls;
        }
        return out;
    }

private:
    // Before the end of its own box, and in no other that is behind.
    static void check_place(std::span<const zmtp::frame_to_open> frames, std::size_t i) noexcept
    {
        const zmtp::frame_to_open& f = frames[i];
        const std::size_t size = f.sealed.size() > toy::overhead ? f.sealed.size() - toy::overhead : 0;
        if (overlap(f.to, size, f.sealed.data(), f.sealed.size())) {
            require(!std::less<>()(f.sealed.data(), static_cast<const std::byte*>(f.to)));
        }
        for (const zmtp::frame_to_open& later : frames.subspan(i + 1)) {
            require(!overlap(f.to, size, later.sealed.data(), later.sealed.size()));
        }
    }

    reason check(std::span<const std::byte> sealed) noexcept
    {
        if (sealed.size() < name.size() || std::memcmp(sealed.data(), name.data(), name.size()) != 0) return bad_name;
        if (sealed.size() < toy::overhead) return bad_size;
        const std::uint64_t number = load_be64(sealed.data() + 8);
        if (number != number_) return bad_number;
        const std::uint64_t sum = checksum(number, sealed.subspan(32));
        if (load_be64(sealed.data() + 16) != sum || load_be64(sealed.data() + 24) != ~sum) return bad_checksum;
        ++number_;
        return reason::none;
    }

    tally* counts_;
    std::uint64_t number_ = 0;
    bool failed_ = false;  ///< nobody asks again
};

}  // namespace zlink::toy
