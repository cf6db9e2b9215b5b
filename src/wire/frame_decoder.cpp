// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/frame_decoder.hpp"

#include "zmtp/v1_framing.hpp"

namespace zlink::wire {

namespace {

bool deliver(std::span<const std::byte> body, bool more, pipe::lane_writer& to) noexcept
{
    if (!to.write({body.data(), body.size(), more})) return false;
    if (!more) to.publish();
    return true;
}

class raw_decoder final : public frame_decoder {
public:
    [[nodiscard]] errc accept(std::span<const std::byte> octets, pipe::lane_writer& to) noexcept override
    {
        return deliver(octets, false, to) ? errc::none : errc::out_of_memory;
    }
};

class zmtp1_decoder final : public frame_decoder {
public:
    explicit zmtp1_decoder(std::int64_t max_msg_size) noexcept : framing_(max_msg_size) {}

    [[nodiscard]] errc accept(std::span<const std::byte> octets, pipe::lane_writer& to) noexcept override
    {
        using state = zmtp::v1_decoder::state;
        while (!octets.empty()) {
            const zmtp::v1_decoder::step step = framing_.advance(octets);
            octets = octets.subspan(step.consumed);
            if (step.state == state::failed) return framing_.error();
            if (step.state == state::need_input) break;
            if (!deliver(framing_.body(), framing_.more(), to)) return errc::out_of_memory;
        }
        return errc::none;
    }

private:
    zmtp::v1_decoder framing_;
};

}  // namespace

std::unique_ptr<frame_decoder> make_raw_decoder()
{
    return std::make_unique<raw_decoder>();
}

std::unique_ptr<frame_decoder> make_zmtp1_decoder(std::int64_t max_msg_size)
{
    return std::make_unique<zmtp1_decoder>(max_msg_size);
}

}  // namespace zlink::wire
