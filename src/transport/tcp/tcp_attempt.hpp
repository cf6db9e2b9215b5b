// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One attempt to connect to a host and port by tcp.
#pragma once

#include "transport/tcp/tcp_endpoint.hpp"
#include "transport/tcp/tcp_socket.hpp"
#include "transport/tcp/tcp_stream.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zlink::transport::tcp {

class tcp_attempt : public attempt {
public:
    /// `where` and `options` outlive it.
    tcp_attempt(const tcp_endpoint& where, const stream_options& options) : where_(where), options_(options) {}

    void add(const ip_address& literal) { candidates_.push_back(literal); }

    [[nodiscard]] std::string name_to_look_up() const final
    {
        return candidates_.empty() ? where_.host.host : std::string{};
    }
    void take_addresses(std::span<const runtime::socket_address> found) final
    {
        candidates_ = connect_candidates(where_.host, ip::addresses_of(found), options_.ipv6);
    }
    [[nodiscard]] bool has_next() const noexcept final { return next_ < candidates_.size(); }
    [[nodiscard]] result<connecting> open(int& number) final
    {
        const ip_address& peer = candidates_[next_++];
        std::optional<ip_address> source;
        if (where_.source) {
            const auto local = resolve_source(*where_.source, peer);
            if (!local) return local.error();
            source = *local;
        }
        auto opened = open_connection(peer, source, options_, &number);
        if (!opened) return opened.error();
        return streamed(std::move(*opened), peer);
    }

protected:
    [[nodiscard]] virtual connecting streamed(connecting_socket opened, const ip_address& peer)
    {
        return {std::make_unique<tcp_stream>(std::move(opened.fd), peer), opened.in_progress};
    }

private:
    const tcp_endpoint& where_;
    const stream_options& options_;
    std::vector<ip_address> candidates_;
    std::size_t next_ = 0;
};

}  // namespace zlink::transport::tcp
