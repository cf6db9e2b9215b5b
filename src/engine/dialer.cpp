#include "engine/dialer.hpp"

#include "transport/ipc/ipc_socket.hpp"
#include "transport/tcp/tcp_socket.hpp"

#include <sys/epoll.h>

#include <chrono>
#include <optional>
#include <utility>

namespace zlink::engine {

dialer::dialer(io_worker& worker, dialer_owner& owner, const session_options& options,
               const transport::endpoint& target)
    : worker_(worker),
      owner_(owner),
      options_(options),
      target_(target),
      resolver_(worker.loop()),
      limit_(worker.loop())
{}

void dialer::start() noexcept
{
    candidates_.clear();
    next_candidate_ = 0;
    try {
        if (target_.scheme() == transport::scheme::tcp) {
            const auto literal = transport::tcp::resolve_peer(target_.tcp().host, options_.stream.ipv6);
            if (!literal) return fail(literal.error());
            if (!*literal) return resolve();
            candidates_.push_back(**literal);
        }
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    try_next();
}

void dialer::cancel() noexcept
{
    limit_.cancel();
    resolver_.cancel();
    drop_connecting();
}

void dialer::resolve() noexcept
{
    const auto answered = [this](const runtime::resolver::answer& found) {
        if (!found) return fail(found.error());
        if (!take_addresses(*found)) return fail(errc::out_of_memory);
        try_next();
    };
    if (!resolver_.start(target_.tcp().host.host, answered, owner_.keep_alive())) fail(errc::out_of_memory);
}

// False: memory is short.
bool dialer::take_addresses(std::span<const runtime::socket_address> found) noexcept
{
    try {
        std::vector<transport::tcp::tcp_address> addresses;
        for (const auto& entry : found) {
            const auto a = transport::tcp::tcp_address::from_sockaddr(entry.data(), entry.length);
            if (a) addresses.push_back(*a);
        }
        candidates_ = transport::tcp::connect_candidates(target_.tcp().host, addresses, options_.stream.ipv6);
    } catch (...) {
        return false;
    }
    return true;
}

// Tries the next address; the last one's failure is the attempt's.
void dialer::try_next() noexcept
{
    errc error = errc::host_unreachable;
    int closed = -1;
    const bool tcp = target_.scheme() == transport::scheme::tcp;
    while (!tcp || next_candidate_ < candidates_.size()) {
        result<transport::connecting> opened = open(closed);
        if (opened && !opened->in_progress) return owner_.on_connected(std::move(opened->fd));
        if (opened) {
            error = wait_for(std::move(*opened));
            if (error == errc::none) return;
            break;
        }
        error = opened.error();
        if (!tcp) break;
    }
    fail(error, closed);
}

// For tcp, of the next candidate.
result<transport::connecting> dialer::open(int& closed) noexcept
{
    try {
        if (target_.scheme() != transport::scheme::tcp) {
            return transport::ipc::open_connection(target_.ipc(), options_.stream, &closed);
        }
        const transport::tcp::tcp_address& peer = candidates_[next_candidate_++];
        std::optional<transport::tcp::tcp_address> source;
        if (target_.tcp().source) {
            const auto local = transport::tcp::resolve_source(*target_.tcp().source, peer);
            if (!local) return local.error();
            source = *local;
        }
        return transport::tcp::open_connection(peer, source, options_.stream, &closed);
    } catch (...) {
        return errc::out_of_memory;
    }
}

errc dialer::wait_for(transport::connecting opened) noexcept
{
    connecting_ = std::move(opened.fd);
    owner_.on_connect_delayed();
    if (!worker_.loop().add(connecting_.get(), *this)) return errc::out_of_memory;
    added_ = true;
    worker_.loop().arm(connecting_.get(), *this, EPOLLOUT);
    return limit_try() ? errc::none : errc::out_of_memory;
}

bool dialer::limit_try() noexcept
{
    const auto limit = options_.connection.connect_timeout;
    if (limit.count() <= 0) return true;
    return limit_.start_after(limit, [this] { fail(errc::timed_out); });
}

void dialer::on_ready(std::uint32_t) noexcept
{
    const auto outcome = target_.scheme() == transport::scheme::tcp ? transport::tcp::finish_connect(connecting_.get())
                                                                    : transport::ipc::finish_connect(connecting_.get());
    if (!outcome) {
        if (next_candidate_ == candidates_.size()) return fail(outcome.error());
        drop_connecting();
        return try_next();
    }
    worker_.loop().remove(connecting_.get(), *this);
    added_ = false;
    limit_.cancel();
    owner_.on_connected(std::move(connecting_));
}

void dialer::drop_connecting() noexcept
{
    if (!connecting_) return;
    limit_.cancel();
    if (added_) worker_.loop().remove(connecting_.get(), *this);
    added_ = false;
    connecting_.reset();
}

void dialer::fail(errc why, int closed) noexcept
{
    limit_.cancel();
    if (connecting_) closed = connecting_.get();
    drop_connecting();
    owner_.on_connect_failed(why, closed);
}

}  // namespace zlink::engine
