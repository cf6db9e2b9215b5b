// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stream of a tcp connection.
#pragma once

#include "transport/descriptor_stream.hpp"
#include "transport/tcp/tcp_socket.hpp"

#include <string>
#include <utility>
#include <vector>

namespace zlink::transport::tcp {

class tcp_stream : public descriptor_stream {
public:
    using descriptor_stream::descriptor_stream;

    [[nodiscard]] result<void> finish_connect() noexcept override { return tcp::finish_connect(descriptor()); }
    void tune(const stream_options& options) noexcept final { (void)tune_connection(descriptor(), options); }
    [[nodiscard]] std::string local_endpoint() const final { return tcp::local_endpoint(descriptor()); }
    [[nodiscard]] std::string peer_endpoint() const final { return tcp::peer_endpoint(descriptor()); }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const final
    {
        to.emplace_back("Peer-Address", peer_address_property(descriptor()));
    }
};

}  // namespace zlink::transport::tcp
