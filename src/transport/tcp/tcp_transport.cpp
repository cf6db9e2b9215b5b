#include "transport/tcp/tcp_transport.hpp"

#include "transport/descriptor_stream.hpp"
#include "transport/tcp/tcp_address.hpp"
#include "transport/tcp/tcp_socket.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace zlink::transport::tcp {

namespace {

// A write costs tcp several times what it costs a unix socket.
constexpr std::size_t largest_write = 128 * 1024;

class tcp_stream final : public descriptor_stream {
public:
    using descriptor_stream::descriptor_stream;

    [[nodiscard]] result<void> finish_connect() noexcept override { return tcp::finish_connect(descriptor()); }
    void tune(const stream_options& options) noexcept override { (void)tune_connection(descriptor(), options); }
    [[nodiscard]] std::string local_endpoint() const override { return tcp::local_endpoint(descriptor()); }
    [[nodiscard]] std::string peer_endpoint() const override { return tcp::peer_endpoint(descriptor()); }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override
    {
        to.emplace_back("Peer-Address", peer_address_property(descriptor()));
    }
};

class tcp_acceptor final : public acceptor {
public:
    explicit tcp_acceptor(unique_fd fd) noexcept : fd_(std::move(fd)) {}

    [[nodiscard]] int descriptor() const noexcept override { return fd_.get(); }
    [[nodiscard]] std::string endpoint_text() const override { return local_endpoint(fd_.get()); }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options& options) override
    {
        result<unique_fd> accepted = accept_connection(fd_.get(), options);
        if (!accepted) return accepted.error();
        return make_stream(std::move(*accepted));
    }

private:
    unique_fd fd_;
};

class tcp_attempt final : public attempt {
public:
    tcp_attempt(const tcp_endpoint& where, const stream_options& options) : where_(where), options_(options) {}

    void add(const tcp_address& literal) { candidates_.push_back(literal); }

    [[nodiscard]] std::string name_to_look_up() const override
    {
        return candidates_.empty() ? where_.host.host : std::string{};
    }
    void take_addresses(std::span<const runtime::socket_address> found) override
    {
        std::vector<tcp_address> addresses;
        for (const runtime::socket_address& entry : found) {
            const auto a = tcp_address::from_sockaddr(entry.data(), entry.length);
            if (a) addresses.push_back(*a);
        }
        candidates_ = connect_candidates(where_.host, addresses, options_.tcp.ipv6);
    }
    [[nodiscard]] bool has_next() const noexcept override { return next_ < candidates_.size(); }
    [[nodiscard]] result<connecting> open(int& number) override
    {
        const tcp_address& peer = candidates_[next_++];
        std::optional<tcp_address> source;
        if (where_.source) {
            const auto local = resolve_source(*where_.source, peer);
            if (!local) return local.error();
            source = *local;
        }
        auto opened = open_connection(peer, source, options_, &number);
        if (!opened) return opened.error();
        return connecting{make_stream(std::move(opened->fd)), opened->in_progress};
    }

private:
    const tcp_endpoint& where_;
    const stream_options& options_;
    std::vector<tcp_address> candidates_;
    std::size_t next_ = 0;
};

class tcp_transport final : public stream_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "tcp"; }
    void adapt(data_path_settings& settings) const noexcept override { settings.out_batch = largest_write; }
    [[nodiscard]] bool obeys_transfer_cap() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return made_of(tcp::parse_bind(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return made_of(tcp::parse_connect(text));
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        const auto local = resolve_local(parts_of(where).host, options.tcp.ipv6);
        if (!local) return local.error();
        auto opened = open_listener(*local, options, &number);
        if (!opened) return opened.error();
        return std::unique_ptr<acceptor>(std::make_unique<tcp_acceptor>(std::move(*opened)));
    }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view,
                                         const stream_options& options) const override
    {
        const auto local = resolve_local(parts_of(where).host, options.tcp.ipv6);
        return local ? local->endpoint_text() : std::string{};
    }

    // Nonsense is told here, DNS is asked later.
    [[nodiscard]] result<void> check_peer(const address& where, const stream_options& options) const override
    {
        const auto literal = resolve_peer(parts_of(where).host, options.tcp.ipv6);
        return literal ? result<void>{} : result<void>{literal.error()};
    }
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        const tcp_endpoint& parts = parts_of(where);
        const auto literal = resolve_peer(parts.host, options.tcp.ipv6);
        if (!literal) return literal.error();
        auto made = std::make_unique<tcp_attempt>(parts, options);
        if (*literal) made->add(**literal);
        return std::unique_ptr<attempt>(std::move(made));
    }

private:
    static result<std::shared_ptr<const address>> made_of(result<tcp_endpoint> parsed)
    {
        if (!parsed) return parsed.error();
        return std::shared_ptr<const address>(std::make_shared<tcp_location>(std::move(*parsed)));
    }
};

}  // namespace

std::unique_ptr<stream> make_stream(unique_fd connected)
{
    return std::make_unique<tcp_stream>(std::move(connected));
}

const stream_transport& the_transport() noexcept
{
    static const tcp_transport it;
    return it;
}

}  // namespace zlink::transport::tcp
