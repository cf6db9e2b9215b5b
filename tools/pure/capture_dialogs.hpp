// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The connections in captured packets, each decoded as ZMTP.
#pragma once

#include "pure/capture_reader.hpp"
#include "pure/connection_dialog.hpp"
#include "pure/tcp_packet.hpp"
#include "pure/tcp_stream.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zlink::tool {

// Takes the packets of a file in their order. Octets of the network are never trusted.
class capture_dialogs {
public:
    // Connections are numbered from 1. `at_ns` is of the packet that led to the sentence. The first sentence about a
    // connection names its ends; side 0 is the one that connected, as far as that is known.
    using listener = std::function<void(std::uint64_t at_ns, std::uint64_t connection, int side, const std::string&)>;

    struct wishes {
        std::optional<std::uint16_t> port;  // only connections from or to it
        std::size_t shown = 64;             // octets of each frame
    };

    capture_dialogs(listener told, wishes wanted) : told_(std::move(told)), wanted_(wanted) {}

    void take(const captured_packet& packet);

    // At the end of the file: what is incomplete.
    void end();

    std::uint64_t connections() const noexcept { return numbered_; }
    std::uint64_t packets() const noexcept { return packets_; }
    std::uint64_t segments() const noexcept { return segments_; }
    // Packets of networks that can't be read.
    std::uint64_t unknown_links() const noexcept { return unknown_links_; }

private:
    struct connection {
        std::uint64_t number = 0;
        tcp_address client;
        std::unique_ptr<connection_dialog> dialog;
        std::unique_ptr<tcp_stream> streams[2];
        bool opened[2] = {false, false};  // the dialog gets its octets
        bool ended[2] = {false, false};
    };

    connection& find(const tcp_segment& segment);
    std::unique_ptr<connection> start(const tcp_segment& segment);
    void finish(connection& one);
    void finish(connection& one, int side);

    listener told_;
    wishes wanted_;
    std::map<std::pair<tcp_address, tcp_address>, std::unique_ptr<connection>> open_;
    std::uint64_t numbered_ = 0;
    std::uint64_t packets_ = 0;
    std::uint64_t segments_ = 0;
    std::uint64_t unknown_links_ = 0;
    std::uint64_t now_ = 0;
};

}  // namespace zlink::tool
