// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The answers of most socket types to the rarer calls of the pattern interface.
#pragma once

#include "pattern/pattern.hpp"

namespace zlink::pattern {

class pattern_defaults : public pattern {
public:
    bool drop(const pipe::outgoing&) noexcept override { return false; }
    bool may_drop() const noexcept override { return false; }
    bool may_end_after(std::size_t) const noexcept override { return true; }
    pipe::pipe_end* sole_target() noexcept override { return nullptr; }
    pipe::pipe_end* sole_source() noexcept override { return nullptr; }
    void identified(pipe::pipe_end&, const std::string&) override {}
    void on_data(pipe::pipe_end&) override {}
    void on_credit(pipe::pipe_end&) override {}
    void on_disconnected(pipe::pipe_end&) override {}
    void on_reconnected(pipe::pipe_end&) override {}
    bool announce_sleep() override { return true; }
    bool confirm_sleep() override { return false; }
    void options_changed(const pattern_options&) override {}
    errc subscribe(std::span<const std::byte>, bool) override { return errc::invalid_argument; }
    int topics_count() override { return -1; }
    result<std::size_t> subscribers(const std::optional<topic_text>&) override { return errc::not_supported; }
    std::uint32_t last_connected() const noexcept override { return 0; }
    errc disconnect_peer(std::uint32_t) override { return errc::not_supported; }
    result<peer_state> state_of(std::string_view) override { return errc::not_supported; }
};

}  // namespace zlink::pattern
