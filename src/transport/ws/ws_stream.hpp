// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a WebSocket connection: first the upgrade, then the octets of frames as they are, in the caller's
// memory. Of the upgrade, the engine notices only that it takes a while. The wire zws (src/wire) knows the frames.
#pragma once

#include "base/process_generation.hpp"
#include "transport/stream_wrapping.hpp"
#include "zws/upgrade.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace zlink::transport::ws {

/// Once upgraded it may be read by one thread and written by another, if the stream below may.
class ws_stream final : public wrapping_stream {
public:
    ws_stream(std::unique_ptr<stream> below, wrapped_name name, zws::upgrade how)
        : wrapping_stream(std::move(below), std::move(name)),
          upgrade_(std::make_unique<zws::upgrade>(std::move(how)))
    {}

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override;
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept override;
    [[nodiscard]] bool write_waits_for_input() const noexcept override;
    [[nodiscard]] bool has_pending_output() const noexcept override
    {
        return has_output() || below().has_pending_output();
    }
    [[nodiscard]] bool pending() const noexcept override { return !early_.empty() || below().pending(); }
    [[nodiscard]] bool has_unread_octets() const noexcept override
    {
        return !early_.empty() || below().has_unread_octets();
    }
    [[nodiscard]] bool supports_inline_io() const noexcept override
    {
        return agreed() && early_.empty() && !has_output() && below().supports_inline_io();
    }
    [[nodiscard]] const negotiation* negotiates() const noexcept override { return &negotiation_; }
    /// `last`: a close frame. It is not written before frames may go out, or in a child of this process.
    void end_with(std::span<const std::byte> last) noexcept override;

private:
    [[nodiscard]] bool agreed() const noexcept { return negotiation_.now == negotiation::state::agreed; }
    [[nodiscard]] bool has_output() const noexcept { return upgrade_ && !upgrade_->output().empty(); }
    [[nodiscard]] io_outcome read_head() noexcept;
    [[nodiscard]] io_outcome take_head(std::span<const std::byte> come) noexcept;
    [[nodiscard]] io_outcome read_early(const iovec* to, int count) noexcept;
    [[nodiscard]] io_outcome write_output() noexcept;
    void say_why_not() noexcept;

    const std::uint64_t generation_ = process_generation();
    std::unique_ptr<zws::upgrade> upgrade_;  ///< until all of it is written and read
    negotiation negotiation_;
    std::vector<std::byte> early_;  ///< came with the end of the upgrade
};

}  // namespace zlink::transport::ws
