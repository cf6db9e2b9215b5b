// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/tcp_transport.hpp"

#include "runtime/look_up.hpp"
#include "transport/ip/ip_address.hpp"
#include "transport/ip/ip_options.hpp"
#include "transport/tcp/socks_connect.hpp"
#include "transport/tcp/tcp_attempt.hpp"
#include "transport/tcp/tcp_options.hpp"
#include "transport/tcp/tcp_socket.hpp"
#include "transport/tcp/tcp_stream.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace zlink::transport::tcp {

namespace {

// A write costs several times as much on tcp as on a unix socket.
constexpr std::size_t largest_write = 128 * 1024;

constexpr transfer_cap cap{"ZMQ_ASIO_TCP_MAX_TRANSFER", "cap in bytes per system call on tcp"};

/// The address to bind to. If the host is neither an address nor an interface, it is a name, which is looked up: its
/// first address.
result<ip_address> find_local(const host_port& host, bool ipv6)
{
    const auto local = resolve_local(host, ipv6);
    if (local || local.error() != errc::no_device || host.host.empty()) return local;
    const auto found = runtime::look_up(host.host);
    if (!found) return found.error() == errc::out_of_memory ? errc::out_of_memory : errc::no_device;
    const auto candidates = connect_candidates(host, ip::addresses_of(*found), ipv6);
    return candidates.empty() ? result<ip_address>{errc::no_device} : result<ip_address>{candidates.front()};
}

class tcp_acceptor final : public acceptor {
public:
    explicit tcp_acceptor(unique_fd fd) noexcept : fd_(std::move(fd)) {}

    [[nodiscard]] int descriptor() const noexcept override { return fd_.get(); }
    [[nodiscard]] std::string endpoint_text() const override { return local_endpoint(fd_.get()); }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options& options) override
    {
        std::optional<ip_address> peer;
        result<unique_fd> accepted = accept_connection(fd_.get(), options, &peer);
        if (!accepted) return accepted.error();
        return std::unique_ptr<stream>(std::make_unique<tcp_stream>(std::move(*accepted), peer));
    }

private:
    unique_fd fd_;
};

class tcp_transport final : public stream_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "tcp"; }
    void adapt(data_path_settings& settings) const noexcept override { settings.out_batch = largest_write; }
    [[nodiscard]] const transfer_cap* obeyed_transfer_cap() const noexcept override { return &cap; }
    [[nodiscard]] option_rows options() const noexcept override { return own_options; }
    [[nodiscard]] option_rows shared_options() const noexcept override { return ip::common_options; }
    [[nodiscard]] bool has_hosts() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return as_address<tcp_location>(tcp::parse_bind(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return as_address<tcp_location>(tcp::parse_connect(text));
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        const auto local = find_local(parts_of(where).host, options.ipv6);
        if (!local) return local.error();
        auto opened = open_listener(*local, options, &number);
        if (!opened) return opened.error();
        return std::unique_ptr<acceptor>(std::make_unique<tcp_acceptor>(std::move(*opened)));
    }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view,
                                         const stream_options& options) const override
    {
        const auto local = find_local(parts_of(where).host, options.ipv6);
        return local ? tcp::endpoint_text(*local) : std::string{};
    }

    [[nodiscard]] host_and_port host_of(const address& where) const noexcept override
    {
        const host_port& peer = parts_of(where).host;
        return {peer.host, peer.port};
    }
    // A malformed address is reported here, DNS is asked later.
    [[nodiscard]] result<void> check_peer(const address& where, const stream_options& options) const override
    {
        if (by_socks(options)) return check_socks(parts_of(where), options);
        const auto literal = resolve_peer(parts_of(where).host, options.ipv6);
        return literal ? result<void>{} : result<void>{literal.error()};
    }
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        const tcp_endpoint& parts = parts_of(where);
        if (by_socks(options)) return connect_by_socks(parts, options);
        const auto literal = resolve_peer(parts.host, options.ipv6);
        if (!literal) return literal.error();
        auto made = std::make_unique<tcp_attempt>(parts, options);
        if (*literal) made->add(**literal);
        return std::unique_ptr<attempt>(std::move(made));
    }

private:
    static bool by_socks(const stream_options& options) noexcept
    {
        return !options.of<tcp_options>().socks.proxy.empty();
    }
};

}  // namespace

const stream_transport& the_transport() noexcept
{
    static const tcp_transport it;
    return it;
}

}  // namespace zlink::transport::tcp
