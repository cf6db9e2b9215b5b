// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zws_octets.hpp"

#include "message/frame_header.hpp"
#include "wire/control_command.hpp"
#include "wire/frame_encoder.hpp"
#include "zmtp/command.hpp"

#include <algorithm>
#include <memory>

namespace zlink::wire {

namespace {

class zws_encoder final : public frame_encoder {
public:
    explicit zws_encoder(bool client) noexcept : client_(client) {}

    void begin() noexcept override { masks_ = &zws::mask_source::of_this_thread(); }
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        const std::size_t at = to.size();
        const std::size_t size = what.body.size();
        to.resize(at + zws_header_size(client_, size) + size);
        const begun_zws_frame begun =
            begin_zws_message(to.data() + at, client_, what.more ? zws::flag_more : 0, size, *masks_);
        zws::copy_masked(begun.body, what.body.data(), size, begun.key);
    }

private:
    const bool client_;
    zws::mask_source* masks_ = nullptr;  ///< for this batch
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

std::unique_ptr<frame_encoder> make_zws_encoder(bool client)
{
    return std::make_unique<zws_encoder>(client);
}

// A PING of ZMTP has a time to live, which WebSocket does not have.
void make_zws_controls(std::vector<std::byte>& frames, bool client)
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

}  // namespace zlink::wire
