// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealing and opening of MESSAGE commands.
#include "zmtp/mechanism/curve_sealing.hpp"

#include "base/byte_order.hpp"
#include "base/process_generation.hpp"
#include "message/frame_header.hpp"
#include "zmtp/command.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace zlink::zmtp::curve {

namespace {

constexpr std::size_t batch_size = 16;  // boxes handed over at a time: enough for all lanes, and little on the stack

std::uint8_t to_box_flags(std::uint8_t frame_flags) noexcept
{
    return std::uint8_t((frame_flags & message::flag_more ? box_flag_more : 0) |
                        (frame_flags & message::flag_command ? box_flag_command : 0));
}

/// Other flags have no meaning, and libzmq ignores them.
std::uint8_t to_frame_flags(std::uint8_t box_flags) noexcept
{
    return std::uint8_t((box_flags & box_flag_more ? message::flag_more : 0) |
                        (box_flags & box_flag_command ? message::flag_command : 0));
}

/// In the child of a fork an inherited sealer seals nothing: the parent goes on with the same numbers, and the key is
/// wiped. The child writes zeros, which no peer takes for a MESSAGE.
class box_sealer final : public sealer {
public:
    box_sealer(crypto::box_key_ptr key, std::uint64_t last) noexcept : key_(std::move(key)), last_(last) {}

    [[nodiscard]] std::size_t overhead() const noexcept override { return message_overhead; }
    void seal(std::span<const frame_to_seal> frames) noexcept override;

private:
    void seal_batch(std::span<const frame_to_seal> frames) noexcept;

    crypto::box_key_ptr key_;
    std::uint64_t last_;  ///< the last number used
    std::uint64_t process_ = process_generation();
};

void box_sealer::seal(std::span<const frame_to_seal> frames) noexcept
{
    if (process_ != process_generation()) {
        for (const frame_to_seal& f : frames) std::fill_n(f.to, f.body.size() + message_overhead, std::byte{0});
        return;
    }
    while (!frames.empty()) {
        const std::size_t count = std::min(frames.size(), batch_size);
        seal_batch(frames.first(count));
        frames = frames.subspan(count);
    }
}

void box_sealer::seal_batch(std::span<const frame_to_seal> frames) noexcept
{
    crypto::box_to_seal boxes[batch_size];
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const frame_to_seal& f = frames[i];
        std::memcpy(f.to, message_name.data(), message_name.size());
        store_be64(f.to + message_name.size(), ++last_);
        boxes[i] = {last_, to_box_flags(f.flags), f.body, f.to + message_prefix_size};
    }
    crypto::seal(*key_, std::span(boxes).first(frames.size()));
}

class box_opener final : public opener {
public:
    box_opener(crypto::box_key_ptr key, std::uint64_t last) noexcept : key_(std::move(key)), last_(last) {}

    [[nodiscard]] std::size_t overhead() const noexcept override { return message_overhead; }
    [[nodiscard]] outcome open(std::span<frame_to_open> frames) noexcept override;

private:
    outcome open_batch(std::span<frame_to_open> frames) noexcept;

    crypto::box_key_ptr key_;
    std::uint64_t last_;  ///< the last number that the peer used
    std::uint64_t process_ = process_generation();
};

/// The fault of a frame that is found before its box is opened. In the order of libzmq.
handshake_error fault_of(std::span<const std::byte> sealed, std::uint64_t last) noexcept
{
    if (!begins_with(sealed, message_name)) {
        return parse_command(sealed) ? handshake_error::zmtp_unexpected_command
                                     : handshake_error::zmtp_malformed_command_unspecified;
    }
    if (sealed.size() < message_overhead) return handshake_error::zmtp_malformed_command_message;
    const std::uint64_t number = load_be64(sealed.data() + message_name.size());
    return number > last ? handshake_error::none : handshake_error::zmtp_invalid_sequence;
}

opener::outcome box_opener::open(std::span<frame_to_open> frames) noexcept
{
    if (process_ != process_generation()) return {0, handshake_error::zmtp_cryptographic};
    std::size_t opened = 0;
    while (opened < frames.size()) {
        const outcome batch = open_batch(frames.subspan(opened, std::min(frames.size() - opened, batch_size)));
        opened += batch.opened;
        if (batch.error != handshake_error::none) return {opened, batch.error};
    }
    return {opened, handshake_error::none};
}

opener::outcome box_opener::open_batch(std::span<frame_to_open> frames) noexcept
{
    crypto::box_to_open boxes[batch_size];
    std::uint64_t numbered = last_;
    handshake_error fault = handshake_error::none;
    std::size_t sound = 0;
    for (; sound < frames.size(); ++sound) {
        const std::span<const std::byte> sealed = frames[sound].sealed;
        fault = fault_of(sealed, numbered);
        if (fault != handshake_error::none) break;
        numbered = load_be64(sealed.data() + message_name.size());
        boxes[sound] = {numbered, sealed.subspan(message_prefix_size), frames[sound].to};
    }

    const std::size_t opened = crypto::open(*key_, std::span(boxes).first(sound));
    for (std::size_t i = 0; i < opened; ++i) {
        frames[i].flags = to_frame_flags(boxes[i].first);
        frames[i].size = frames[i].sealed.size() - message_overhead;
        last_ = boxes[i].number;
    }
    return {opened, opened < sound ? handshake_error::zmtp_cryptographic : fault};
}

sealing make_sealing(const crypto::secret_key& shared, std::string_view own_prefix, std::uint64_t own_number,
                     std::string_view peer_prefix, std::uint64_t peer_number)
{
    const auto key = [&](std::string_view prefix) {
        return crypto::make_box_key(shared.octets(), std::as_bytes(std::span(prefix)).first<16>());
    };
    sealing made;
    made.out = std::make_unique<box_sealer>(key(own_prefix), own_number);
    made.in = std::make_unique<box_opener>(key(peer_prefix), peer_number);
    return made;
}

}  // namespace

sealing make_server_sealing(const crypto::secret_key& shared, std::uint64_t own_number, std::uint64_t peer_number)
{
    return make_sealing(shared, server_message_prefix, own_number, client_message_prefix, peer_number);
}

sealing make_client_sealing(const crypto::secret_key& shared, std::uint64_t own_number, std::uint64_t peer_number)
{
    return make_sealing(shared, client_message_prefix, own_number, server_message_prefix, peer_number);
}

}  // namespace zlink::zmtp::curve
