// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/vsock/vsock_transport.hpp"

#include "transport/vsock/vsock_socket.hpp"
#include "transport/vsock/vsock_stream.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace zlink::transport::vsock {

namespace {

class vsock_acceptor final : public acceptor {
public:
    explicit vsock_acceptor(unique_fd fd) noexcept : fd_(std::move(fd)) {}

    [[nodiscard]] int descriptor() const noexcept override { return fd_.get(); }
    [[nodiscard]] std::string endpoint_text() const override
    {
        const auto bound = local_address(fd_.get());
        return bound ? to_text(*bound) : std::string{};
    }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options&) override
    {
        std::optional<vsock_endpoint> peer;
        result<unique_fd> accepted = accept_connection(fd_.get(), &peer);
        if (!accepted) return accepted.error();
        return std::unique_ptr<stream>(std::make_unique<vsock_stream>(std::move(*accepted), peer));
    }

private:
    unique_fd fd_;
};

class vsock_attempt final : public sole_attempt {
public:
    vsock_attempt(const vsock_endpoint& where, const stream_options& options) : where_(where), options_(options) {}

private:
    [[nodiscard]] result<connecting> open_sole(int& number) override
    {
        auto opened = open_connection(where_, options_, &number);
        if (!opened) return opened.error();
        return connecting{std::make_unique<vsock_stream>(std::move(opened->fd), where_), opened->in_progress};
    }

    const vsock_endpoint& where_;
    const stream_options& options_;
};

class vsock_transport final : public stream_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "vsock"; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return as_address<vsock_location>(vsock::parse_bind(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return as_address<vsock_location>(vsock::parse_connect(text));
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        auto opened = open_listener(parts_of(where), options, &number);
        if (!opened) return opened.error();
        return std::unique_ptr<acceptor>(std::make_unique<vsock_acceptor>(std::move(*opened)));
    }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view, const stream_options&) const override
    {
        return to_text(parts_of(where));
    }

    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        return std::unique_ptr<attempt>(std::make_unique<vsock_attempt>(parts_of(where), options));
    }
};

}  // namespace

const stream_transport& the_transport() noexcept
{
    static const vsock_transport it;
    return it;
}

}  // namespace zlink::transport::vsock
