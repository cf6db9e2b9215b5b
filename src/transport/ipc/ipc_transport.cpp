// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ipc/ipc_transport.hpp"

#include "transport/descriptor_stream.hpp"
#include "transport/ipc/ipc_options.hpp"
#include "transport/ipc/ipc_socket.hpp"
#include "transport/ipc/passed_descriptors.hpp"

#include <utility>

namespace zlink::transport::ipc {

namespace {

class ipc_stream final : public descriptor_stream {
public:
    using descriptor_stream::descriptor_stream;

    [[nodiscard]] result<void> finish_connect() noexcept override { return ipc::finish_connect(descriptor()); }
    void tune(const stream_options& options) noexcept override { (void)tune_connection(descriptor(), options); }
    [[nodiscard]] std::string local_endpoint() const override { return ipc::local_endpoint(descriptor()); }
    [[nodiscard]] std::string peer_endpoint() const override { return ipc::peer_endpoint(descriptor()); }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override
    {
        to.emplace_back("Peer-Address", peer_address_property(descriptor()));
    }

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override
    {
        return keeps_ ? receive(descriptor(), to, count, kept_) : descriptor_stream::read(to, count);
    }
    [[nodiscard]] bool passes_descriptors() const noexcept override { return is_of_same_user(descriptor()); }
    [[nodiscard]] io_outcome write_with_descriptor(std::span<const std::byte> octets, int passed) noexcept override
    {
        return send(descriptor(), octets, passed);
    }
    void keep_descriptors(bool keeps) noexcept override
    {
        keeps_ = keeps;
        if (!keeps) kept_.clear();
    }
    [[nodiscard]] unique_fd take_descriptor() noexcept override { return kept_.take(); }

private:
    kept_descriptors kept_;
    bool keeps_ = false;
};

class ipc_acceptor final : public acceptor {
public:
    explicit ipc_acceptor(ipc_listener listener) noexcept : listener_(std::move(listener)) {}

    [[nodiscard]] int descriptor() const noexcept override { return listener_.get(); }
    [[nodiscard]] std::string endpoint_text() const override { return listener_.endpoint_text(); }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options& options) override
    {
        result<unique_fd> accepted = accept_connection(listener_.get(), options);
        if (!accepted) return accepted.error();
        return make_stream(std::move(*accepted));
    }

private:
    ipc_listener listener_;
};

class ipc_attempt final : public sole_attempt {
public:
    ipc_attempt(const ipc_endpoint& where, const stream_options& options) : where_(where), options_(options) {}

private:
    [[nodiscard]] result<connecting> open_sole(int& number) override
    {
        auto opened = open_connection(where_, options_, &number);
        if (!opened) return opened.error();
        return connecting{make_stream(std::move(opened->fd)), opened->in_progress};
    }

    const ipc_endpoint& where_;
    const stream_options& options_;
};

class ipc_transport final : public stream_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "ipc"; }
    [[nodiscard]] option_rows options() const noexcept override { return own_options; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return as_address<ipc_location>(ipc::parse_bind(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return as_address<ipc_location>(ipc::parse_connect(text));
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        auto opened = open_listener(parts_of(where), options, &number);
        if (!opened) return opened.error();
        return std::unique_ptr<acceptor>(std::make_unique<ipc_acceptor>(std::move(*opened)));
    }
    [[nodiscard]] bool names_failed_bind() const noexcept override { return true; }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view text,
                                         const stream_options&) const override
    {
        const ipc_endpoint& parts = parts_of(where);
        return parts.type == ipc_endpoint::kind::any ? std::string(text) : to_text(parts);
    }

    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        return std::unique_ptr<attempt>(std::make_unique<ipc_attempt>(parts_of(where), options));
    }
};

}  // namespace

std::unique_ptr<stream> make_stream(unique_fd connected)
{
    return std::make_unique<ipc_stream>(std::move(connected));
}

const stream_transport& the_transport() noexcept
{
    static const ipc_transport it;
    return it;
}

}  // namespace zlink::transport::ipc
