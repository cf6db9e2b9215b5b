// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a tcp connection.
#pragma once

#include "transport/descriptor_stream.hpp"
#include "transport/tcp/tcp_socket.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zlink::transport::tcp {

class tcp_stream : public descriptor_stream {
public:
    /// `peer`: its address, for when the kernel does not know it, as the connection is not made yet or reset already.
    explicit tcp_stream(unique_fd fd, const std::optional<ip_address>& peer) noexcept
        : descriptor_stream(std::move(fd)),
          peer_(peer)
    {}

    [[nodiscard]] result<void> finish_connect() noexcept override { return tcp::finish_connect(descriptor()); }
    [[nodiscard]] bool short_read_takes_all() const noexcept final { return true; }
    void tune(const stream_options& options) noexcept final
    {
        (void)tune_connection(descriptor(), options);
        limit_writes(most_per_write(descriptor(), options));
    }
    [[nodiscard]] std::string local_endpoint() const final { return tcp::local_endpoint(descriptor()); }
    [[nodiscard]] std::string peer_endpoint() const final
    {
        const auto who = peer();
        return who ? tcp::endpoint_text(*who) : std::string{};
    }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const final
    {
        const auto who = peer();
        to.emplace_back("Peer-Address", who ? who->host_text() : std::string{});
    }

private:
    [[nodiscard]] std::optional<ip_address> peer() const
    {
        const result<ip_address> now = peer_address(descriptor());
        return now ? std::optional(*now) : peer_;
    }

    std::optional<ip_address> peer_;
};

}  // namespace zlink::transport::tcp
