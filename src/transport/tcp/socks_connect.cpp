// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tcp/socks_connect.hpp"

#include "base/last_error.hpp"
#include "socks/dialog.hpp"
#include "transport/tcp/tcp_attempt.hpp"
#include "transport/tcp/tcp_options.hpp"
#include "transport/tcp/tcp_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::transport::tcp {

namespace {

using status = io_outcome::status;

/// Works without the dialog once that is over: from then on it is a stream of tcp.
class socks_stream final : public tcp_stream {
public:
    socks_stream(unique_fd fd, const ip_address& proxy, socks::dialog with, std::string way)
        : tcp_stream(std::move(fd), proxy),
          dialog_(std::make_unique<dialog_state>(std::move(with), std::move(way)))
    {}

    [[nodiscard]] result<void> finish_connect() noexcept override
    {
        if (!dialog_->connected) {
            if (const auto outcome = tcp_stream::finish_connect(); !outcome) {
                tell("the proxy cannot be reached", outcome.error());
                return outcome;
            }
            dialog_->connected = true;
        }
        const auto outcome = go_on();
        if (outcome) dialog_.reset();
        return outcome;
    }
    [[nodiscard]] bool connect_waits_for_input() const noexcept override
    {
        return dialog_ && dialog_->with.output().empty();
    }
    [[nodiscard]] bool tells_failed_connect() const noexcept override { return true; }
    [[nodiscard]] std::string_view failure_words() const noexcept override
    {
        return dialog_ ? std::string_view(dialog_->told) : std::string_view();
    }
    [[nodiscard]] std::string_view words_if_overdue() const noexcept override
    {
        return "the proxy has not answered in time";
    }

private:
    struct dialog_state {
        dialog_state(socks::dialog d, std::string w) : with(std::move(d)), way(std::move(w)) {}

        socks::dialog with;
        std::string way;  ///< the way, for the words about a failure
        bool connected = false;
        std::string told;  ///< why the connect has failed
    };

    [[nodiscard]] result<void> go_on() noexcept
    {
        socks::dialog& with = dialog_->with;
        while (with.current() == socks::dialog::state::in_progress) {
            if (const auto outcome = with.output().empty() ? hear() : say(); !outcome) return outcome;
        }
        if (with.current() == socks::dialog::state::done) return {};
        tell(with.reason());
        return with.error();
    }

    [[nodiscard]] result<void> say() noexcept
    {
        const auto out = dialog_->with.output();
        const iovec piece{const_cast<std::byte*>(out.data()), out.size()};
        const io_outcome written = write(&piece, 1);
        if (written.state == status::failed) return broken_off(written.error);
        dialog_->with.consume_output(written.octets);
        return written.octets == 0 ? result<void>{errc::again} : result<void>{};
    }

    [[nodiscard]] result<void> hear() noexcept
    {
        std::array<std::byte, socks::longest_text + 2> come;
        const iovec piece{come.data(), std::min(come.size(), dialog_->with.wanted())};
        const io_outcome got = read(&piece, 1);
        if (got.state == status::failed) return broken_off(got.error);
        if (got.state == status::closed) return broken_off(errc::connection_reset);
        if (got.octets == 0) return errc::again;
        try {
            (void)dialog_->with.advance({come.data(), got.octets});
        } catch (...) {
            return errc::out_of_memory;
        }
        return {};
    }

    [[nodiscard]] errc broken_off(errc why) const noexcept
    {
        tell("the proxy ended the connection before it had answered");
        return why;
    }

    void tell(std::string_view words, errc why = errc::none) const noexcept
    {
        try {
            const std::string reason = why == errc::none ? "" : std::string(": ") + std::strerror(to_errno(why));
            dialog_->told = std::string(words) + reason;
            tell_failure_of_connection(dialog_->way + ": " + dialog_->told);
        } catch (...) {
            tell_failure_of_connection(words);
        }
    }

    std::unique_ptr<dialog_state> dialog_;  ///< until it is over
};

std::string text_of(const host_port& host)
{
    const bool v6 = host.host.find(':') != std::string::npos;
    return (v6 ? '[' + host.host + ']' : host.host) + ':' + std::to_string(host.port);
}

socks::destination destination_of(const host_port& peer)
{
    socks::destination to;
    to.port = peer.port;
    if (const auto literal = ip_address::from_literal(peer.host, peer.port)) {
        const auto octets = literal->address_bytes();
        to.address.assign(octets.begin(), octets.end());
    } else {
        to.name = peer.host;
    }
    return to;
}

/// The way to the proxy, which the base tcp_attempt uses: constructed before that base.
struct way_to_proxy {
    tcp_endpoint way;
};

class socks_attempt final : private way_to_proxy, public tcp_attempt {
public:
    socks_attempt(tcp_endpoint proxy, const tcp_endpoint& peer, const stream_options& options)
        : way_to_proxy{std::move(proxy)},
          tcp_attempt(way, options),
          peer_(peer.host),
          options_(options.of<tcp_options>().socks)
    {}

private:
    [[nodiscard]] connecting streamed(connecting_socket opened, const ip_address& proxy) override
    {
        socks::dialog with(destination_of(peer_), {options_.user_name, options_.password});
        std::string words = "tcp://" + text_of(peer_) + " by way of the SOCKS proxy " + text_of(way.host);
        // The connection may be made at once or not: in both cases there is a dialog to wait for.
        return {std::make_unique<socks_stream>(std::move(opened.fd), proxy, std::move(with), std::move(words)), true};
    }

    const host_port& peer_;
    const socks_options& options_;
};

/// The place of the proxy; with its address, if that needs no look-up.
struct found_proxy {
    tcp_endpoint way;
    std::optional<ip_address> literal;
};

result<found_proxy> find_proxy(const tcp_endpoint& peer, const stream_options& options)
{
    auto way = parse_connect(options.of<tcp_options>().socks.proxy);
    if (!way || way->host.port == 0) return errc::invalid_argument;
    const auto literal = resolve_peer(way->host, options.ipv6);
    if (!literal) return literal.error();
    if (!way->source) way->source = peer.source;
    return found_proxy{std::move(*way), *literal};
}

}  // namespace

result<void> check_socks(const tcp_endpoint& peer, const stream_options& options)
{
    if (!peer.host.zone.empty()) {
        tell_failure("a SOCKS proxy cannot be told the zone of an address: " + peer.host.host + '%' + peer.host.zone);
        return errc::invalid_argument;
    }
    if (peer.host.host.size() > socks::longest_text) {
        tell_failure("a SOCKS proxy cannot be told a name of more than 255 octets");
        return errc::invalid_argument;
    }
    if (!find_proxy(peer, options)) {
        tell_failure("the SOCKS proxy is not a host:port that can be connected to: " +
                     options.of<tcp_options>().socks.proxy);
        return errc::invalid_argument;
    }
    return {};
}

result<std::unique_ptr<attempt>> connect_by_socks(const tcp_endpoint& peer, const stream_options& options)
{
    auto proxy = find_proxy(peer, options);
    if (!proxy) return proxy.error();
    auto made = std::make_unique<socks_attempt>(std::move(proxy->way), peer, options);
    if (proxy->literal) made->add(*proxy->literal);
    return std::unique_ptr<attempt>(std::move(made));
}

}  // namespace zlink::transport::tcp
