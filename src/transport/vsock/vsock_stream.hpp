// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a vsock connection.
#pragma once

#include "transport/descriptor_stream.hpp"
#include "transport/vsock/vsock_socket.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zlink::transport::vsock {

class vsock_stream final : public descriptor_stream {
public:
    /// `peer`: its address. The kernel tells it no longer once the connection is reset.
    vsock_stream(unique_fd fd, const std::optional<vsock_endpoint>& peer) noexcept
        : descriptor_stream(std::move(fd)),
          peer_(peer)
    {}

    [[nodiscard]] bool has_unread_octets() const noexcept override;
    [[nodiscard]] result<void> finish_connect() noexcept override { return vsock::finish_connect(descriptor()); }
    void tune(const stream_options& options) noexcept override { (void)tune_connection(descriptor(), options); }
    [[nodiscard]] std::string local_endpoint() const override;
    [[nodiscard]] std::string peer_endpoint() const override;
    /// "Peer-Address": the peer's context id.
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override;

private:
    std::optional<vsock_endpoint> peer_;
};

}  // namespace zlink::transport::vsock
