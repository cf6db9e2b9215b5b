// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/zws_octets.hpp"

#include "message/frame_header.hpp"
#include "wire/frame_encoder.hpp"
#include "zmtp/command.hpp"

#include <algorithm>
#include <memory>

namespace zlink::wire {

namespace {

class zws_encoder final : public frame_encoder {
public:
    explicit zws_encoder(frame_form form) noexcept : form_(form) {}

    void begin() noexcept override { masks_ = &zws::mask_source::of_this_thread(); }
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        const std::size_t at = to.size();
        const std::size_t size = what.body.size();
        to.resize(at + zws_header_size(form_, size) + size);
        const begun_zws_frame begun =
            begin_zws_frame(to.data() + at, form_, what.more ? zws::flag_more : 0, size, *masks_);
        zws::copy_masked(begun.body, what.body.data(), size, begun.key);
    }

private:
    const frame_form form_;
    zws::mask_source* masks_ = nullptr;  ///< for this batch
};

}  // namespace

std::unique_ptr<frame_encoder> make_zws_encoder(bool client)
{
    return std::make_unique<zws_encoder>(client ? frame_form::zws_client : frame_form::zws_server);
}

std::vector<std::byte> zws_control(std::string_view name, std::span<const std::byte> payload)
{
    std::vector<std::byte> frame;
    frame.reserve(message::long_header_size + 1 + name.size() + payload.size());
    frame.push_back(std::byte(message::flag_command));
    frame.push_back(std::byte(1 + name.size() + payload.size()));
    frame.push_back(std::byte(name.size()));
    const auto* const text = reinterpret_cast<const std::byte*>(name.data());
    frame.insert(frame.end(), text, text + name.size());
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
}

// A PING of ZMTP has a time to live, which WebSocket does not know.
void make_zws_controls(std::vector<std::byte>& frames, frame_form form)
{
    std::vector<std::byte> out;
    for (std::size_t at = 0; at != frames.size();) {
        const message::frame_header h = message::decode_header(frames.data() + at);
        const auto command = zmtp::parse_command(std::span(frames).subspan(at + h.size, std::size_t(h.body_size)));
        at += h.size + std::size_t(h.body_size);
        if (!command) continue;
        const bool ping = command->name == zws_ping;
        const auto what = ping                         ? zws::opcode::ping
                          : command->name == zws_close ? zws::opcode::close
                                                       : zws::opcode::pong;
        const auto payload = ping ? std::span<const std::byte>{} : command->data;
        const bool client = form == frame_form::zws_client;
        const zws::mask key = client ? zws::mask_source::of_this_thread().next() : 0;
        const std::size_t begin = out.size();
        out.resize(begin + zws::header_size(payload.size(), client) + payload.size());
        std::byte* const to = out.data() + begin;
        const std::size_t header = zws::encode_header(to, what, payload.size(), client ? &key : nullptr);
        zws::copy_masked(to + header, payload.data(), payload.size(), key);
    }
    frames.swap(out);
}

}  // namespace zlink::wire
