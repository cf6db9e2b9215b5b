// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zws_octets.hpp"

#include "message/frame_header.hpp"
#include "wire/control_command.hpp"
#include "zmtp/command.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace zlink::wire {

namespace {

// Octets that begin_zws_message() writes: header, mask, flags.
constexpr std::size_t header_size_of(bool client, std::uint64_t body) noexcept
{
    return zws::header_size(body + 1, client) + 1;
}

class zws_encoder : public frame_encoder {
public:
    explicit zws_encoder(bool client) noexcept : client_(client) {}

    void begin() noexcept override { masks_ = &zws::mask_source::of_this_thread(); }
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        append(what.body, what.more ? zws::flag_more : 0, to);
    }

protected:
    void append(std::span<const std::byte> body, std::uint8_t flags, std::vector<std::byte>& to)
    {
        const std::size_t at = to.size();
        to.resize(at + header_size_of(client_, body.size()) + body.size());
        const begun_zws_frame begun = begin_zws_message(to.data() + at, client_, flags, body.size(), *masks_);
        zws::copy_masked(begun.body, body.data(), body.size(), begun.key);
    }

private:
    const bool client_;
    zws::mask_source* masks_ = nullptr;  ///< for this batch
};

class zws_group_encoder final : public zws_encoder {
public:
    using zws_encoder::zws_encoder;

    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        if (const auto body = membership_command(what)) return append(*body, zws::flag_command, to);
        zws_encoder::encode(what, to);
    }
};

}  // namespace

void append_zws_frame(std::vector<std::byte>& to, bool client, zws::opcode what, std::span<const std::byte> first,
                      std::span<const std::byte> rest)
{
    const std::size_t at = to.size();
    const std::size_t payload = first.size() + rest.size();
    to.resize(at + zws::header_size(payload, client) + payload);
    const begun_zws_frame begun =
        begin_zws_frame(to.data() + at, client, what, payload, zws::mask_source::of_this_thread());
    zws::copy_masked(begun.body, first.data(), first.size(), begun.key);
    zws::copy_masked(begun.body + first.size(), rest.data(), rest.size(), zws::mask_behind(begun.key, first.size()));
}

namespace {

// A PING of ZMTP has a time to live, which WebSocket does not have.
void encode_controls(std::vector<std::byte>& frames, bool client)
{
    std::vector<std::byte> out;
    for (std::size_t at = 0; at != frames.size();) {
        const message::frame_header h = message::decode_header(frames.data() + at);
        const auto command = zmtp::parse_command(std::span(frames).subspan(at + h.size, std::size_t(h.body_size)));
        at += h.size + std::size_t(h.body_size);
        if (!command) continue;
        const bool ping = command->name == control_ping;
        const auto what = ping                             ? zws::opcode::ping
                          : command->name == control_close ? zws::opcode::close
                                                           : zws::opcode::pong;
        append_zws_frame(out, client, what, ping ? std::span<const std::byte>{} : command->data);
    }
    frames.swap(out);
}

class zws_message_form final : public foreign_form {
public:
    constexpr explicit zws_message_form(bool client) noexcept : client_(client) {}

    [[nodiscard]] std::size_t header_size(std::uint64_t body) const noexcept override
    {
        return header_size_of(client_, body);
    }
    [[nodiscard]] std::byte* begin_frame(std::byte* at, std::uint64_t body) const noexcept override
    {
        return begin_zws_message(at, client_, 0, body, zws::mask_source::of_this_thread()).body;
    }
    // The key is between the header and the flags.
    void finish_frame(std::byte* body, std::size_t size) const noexcept override
    {
        if (!client_) return;
        zws::mask key = 0;
        std::memcpy(&key, body - 1 - sizeof key, sizeof key);
        zws::copy_masked(body, body, size, zws::mask_behind(key, 1));
    }
    [[nodiscard]] std::unique_ptr<frame_encoder> make_encoder() const override
    {
        return std::make_unique<zws_encoder>(client_);
    }
    void encode_commands(std::vector<std::byte>& frames) const override { encode_controls(frames, client_); }

private:
    const bool client_;
};

constinit const zws_message_form form_of_client{true};
constinit const zws_message_form form_of_server{false};

}  // namespace

std::unique_ptr<frame_encoder> make_zws_group_encoder(bool client)
{
    return std::make_unique<zws_group_encoder>(client);
}

const foreign_form& zws_form(bool client) noexcept
{
    return client ? form_of_client : form_of_server;
}

}  // namespace zlink::wire
