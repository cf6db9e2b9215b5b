// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Transports whose streams wrap those of another. Their acceptor and attempt pass on the results of the transport
// below, and put each of its streams into another. They compose: wss wraps the streams of tls, which wrap those of tcp.
#pragma once

#include "transport/transport.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::transport {

/// The difference between the endpoints of a wrapping transport and those below: "tcp://1.2.3.4:5" below is
/// "ws://1.2.3.4:5/path" here.
struct wrapped_name {
    std::string_view scheme;  ///< of static storage
    std::string suffix;       ///< behind the address below

    /// Empty for an empty one: if it is unknown below, it is unknown here.
    [[nodiscard]] std::string of(const std::string& below) const
    {
        const std::size_t delimiter = below.find("://");
        if (delimiter == std::string::npos) return {};
        return std::string(scheme) + below.substr(delimiter) + suffix;
    }
};

/// A stream over another, which it owns. Calls about the descriptor are passed on to the stream below. Reading, writing
/// and waiting belong to the derived class.
class wrapping_stream : public stream {
public:
    wrapping_stream(std::unique_ptr<stream> below, wrapped_name name) noexcept
        : below_(std::move(below)),
          name_(std::move(name))
    {}

    [[nodiscard]] int descriptor() const noexcept override { return below_->descriptor(); }
    [[nodiscard]] result<void> finish_connect() noexcept override { return below_->finish_connect(); }
    [[nodiscard]] bool connect_waits_for_input() const noexcept override { return below_->connect_waits_for_input(); }
    [[nodiscard]] bool tells_failed_connect() const noexcept override { return below_->tells_failed_connect(); }
    [[nodiscard]] std::string_view failure_words() const noexcept override
    {
        return words_.empty() ? below_->failure_words() : words_;
    }
    [[nodiscard]] std::string_view words_if_overdue() const noexcept override { return below_->words_if_overdue(); }
    void tune(const stream_options& options) noexcept override { below_->tune(options); }
    [[nodiscard]] std::string local_endpoint() const override { return name_.of(below_->local_endpoint()); }
    [[nodiscard]] std::string peer_endpoint() const override { return name_.of(below_->peer_endpoint()); }
    [[nodiscard]] std::optional<shown_certificate> client_certificate() const override
    {
        return below_->client_certificate();
    }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override
    {
        below_->add_properties(to);
    }

protected:
    /// For a handshake that failed: tells zlink_connection_error(), with the peer in front, and failure_words().
    void tell_failure(std::string_view words) noexcept;

    [[nodiscard]] stream& below() noexcept { return *below_; }
    [[nodiscard]] const stream& below() const noexcept { return *below_; }

private:
    std::unique_ptr<stream> below_;
    wrapped_name name_;
    std::string words_;  ///< told last
};

/// Puts a stream that is connected, or about to be, into another. Owned by an acceptor or an attempt: called on one I/O
/// thread at a time. May throw std::bad_alloc; after an error the stream passed in is closed.
using stream_wrapper = std::function<result<std::unique_ptr<stream>>(std::unique_ptr<stream>)>;

class wrapping_acceptor final : public acceptor {
public:
    wrapping_acceptor(std::unique_ptr<acceptor> below, wrapped_name name, stream_wrapper wrap)
        : below_(std::move(below)),
          name_(std::move(name)),
          wrap_(std::move(wrap))
    {}

    [[nodiscard]] int descriptor() const noexcept override { return below_->descriptor(); }
    [[nodiscard]] std::string endpoint_text() const override { return name_.of(below_->endpoint_text()); }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options& options) override
    {
        auto accepted = below_->accept(options);
        if (!accepted) return accepted.error();
        return wrap_(std::move(*accepted));
    }

private:
    std::unique_ptr<acceptor> below_;
    wrapped_name name_;
    stream_wrapper wrap_;
};

class wrapping_attempt final : public attempt {
public:
    wrapping_attempt(std::unique_ptr<attempt> below, stream_wrapper wrap)
        : below_(std::move(below)),
          wrap_(std::move(wrap))
    {}

    [[nodiscard]] std::string name_to_look_up() const override { return below_->name_to_look_up(); }
    void take_addresses(std::span<const runtime::socket_address> found) override { below_->take_addresses(found); }
    [[nodiscard]] bool has_next() const noexcept override { return below_->has_next(); }
    [[nodiscard]] result<connecting> open(int& number) override
    {
        auto opened = below_->open(number);
        if (!opened) return opened.error();
        auto wrapped = wrap_(std::move(opened->made));
        if (!wrapped) return wrapped.error();
        return connecting{std::move(*wrapped), opened->in_progress};
    }

private:
    std::unique_ptr<attempt> below_;
    stream_wrapper wrap_;
};

}  // namespace zlink::transport
