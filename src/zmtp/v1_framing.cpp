// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMTP 1.0 frames.
#include "zmtp/v1_framing.hpp"

#include "base/byte_order.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace zlink::zmtp {

namespace {

constexpr std::uint8_t long_length_mark = 0xff;
constexpr std::uint8_t more_bit = 0x01;

/// A kept buffer larger than this is given back after its frame.
constexpr std::size_t kept_capacity = 64 * 1024;

constexpr auto largest_body = std::uint64_t(std::numeric_limits<std::ptrdiff_t>::max());

}  // namespace

std::size_t encode_v1_header(std::byte* to, bool more, std::uint64_t body_size) noexcept
{
    const std::uint64_t length = body_size + 1;
    if (length < long_length_mark) {
        to[0] = std::byte(length);
        to[1] = std::byte{more};
        return 2;
    }
    to[0] = std::byte{long_length_mark};
    store_be64(to + 1, length);
    to[9] = std::byte{more};
    return v1_max_header_size;
}

v1_decoder::step v1_decoder::advance(std::span<const std::byte> in) noexcept
{
    try {
        return take(in);
    } catch (const std::bad_alloc&) {
        return fail(errc::out_of_memory, 0);
    }
}

v1_decoder::step v1_decoder::take(std::span<const std::byte> in)
{
    if (phase_ == phase::failed) return {0, state::failed};
    if (phase_ == phase::length) {  // a new frame: the last one's body is not needed any more
        body_ = {};
        if (kept_.capacity() > kept_capacity) kept_ = {};
        kept_.clear();
    }

    std::size_t taken = 0;
    while (taken < in.size()) {
        switch (phase_) {
        case phase::length: {
            const auto length = std::uint8_t(in[taken++]);
            if (length == long_length_mark) {
                long_length_read_ = 0;
                phase_ = phase::long_length;
            } else if (!accept_length(length)) {
                return fail(error_, taken);
            }
            break;
        }
        case phase::long_length:
            long_length_[long_length_read_++] = in[taken++];
            if (long_length_read_ == long_length_.size() && !accept_length(load_be64(long_length_.data()))) {
                return fail(error_, taken);
            }
            break;
        case phase::flags:
            more_ = (std::uint8_t(in[taken++]) & more_bit) != 0;
            phase_ = phase::body;
            if (body_size_ == 0) {
                phase_ = phase::length;
                return {taken, state::frame};
            }
            break;
        case phase::body: {
            const auto rest = in.subspan(taken);
            const auto wanted = std::size_t(body_size_ - kept_.size());
            if (kept_.empty() && rest.size() >= wanted) {
                body_ = rest.first(wanted);
                phase_ = phase::length;
                return {taken + wanted, state::frame};
            }
            const auto part = rest.first(std::min(rest.size(), wanted));
            kept_.insert(kept_.end(), part.begin(), part.end());
            taken += part.size();
            if (kept_.size() == body_size_) {
                body_ = kept_;
                phase_ = phase::length;
                return {taken, state::frame};
            }
            break;
        }
        case phase::failed: return {taken, state::failed};
        }
    }
    return {taken, state::need_input};
}

bool v1_decoder::accept_length(std::uint64_t length) noexcept
{
    // The length counts the flags octet, so zero is not valid.
    if (length == 0) {
        error_ = errc::protocol_error;
        return false;
    }
    body_size_ = length - 1;
    if (body_size_ > largest_body || (max_msg_size_ >= 0 && body_size_ > std::uint64_t(max_msg_size_))) {
        error_ = errc::message_too_long;
        return false;
    }
    phase_ = phase::flags;
    return true;
}

v1_decoder::step v1_decoder::fail(errc error, std::size_t consumed) noexcept
{
    error_ = error;
    phase_ = phase::failed;
    body_ = {};
    return {consumed, state::failed};
}

std::vector<std::byte> v1_decoder::take_body() noexcept
{
    if (body_.empty() || body_.data() != kept_.data()) return {};
    body_ = {};
    return std::exchange(kept_, {});
}

}  // namespace zlink::zmtp
