#include "engine/connection_handshake.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

namespace zlink::engine {

namespace {

zmtp::local_peer describe(const session_options& options)
{
    zmtp::local_peer local;
    local.type = options.type;
    const auto* id = reinterpret_cast<const std::byte*>(options.routing_id.data());
    local.routing_id.assign(id, id + options.routing_id.size());
    local.app_properties = options.connection.metadata;
    return local;
}

}  // namespace

connection_handshake::connection_handshake(const session_options& options, const host_ref& host,
                                           const endpoint_pair& endpoints, int fd, descriptor_interest& interest,
                                           runtime::event_loop& loop)
    : limit(loop),
      machine_(describe(options)),
      host_(host),
      endpoints_(endpoints),
      fd_(fd),
      interest_(interest)
{}

connection_handshake::outcome connection_handshake::start() noexcept
{
    interest_.change(EPOLLIN, 0);
    write();
    return read();
}

connection_handshake::outcome connection_handshake::on_ready(std::uint32_t events) noexcept
{
    if (events & EPOLLOUT) write();
    return read();
}

void connection_handshake::write() noexcept
{
    while (true) {
        const auto out = machine_.output();
        if (out.empty()) break;
        const ssize_t n = ::send(fd_, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            machine_.consume_output(std::size_t(n));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return interest_.change(EPOLLOUT, 0);
        // What the peer sent before it went may still tell why; reading finds the end.
        machine_.consume_output(out.size());
    }
    interest_.change(0, EPOLLOUT);
}

connection_handshake::outcome connection_handshake::read() noexcept
{
    while (true) {
        const ssize_t n = ::recv(fd_, in_.data(), in_.size(), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n <= 0) return fail_lost(n == 0 ? EPIPE : errno);
        const std::span<const std::byte> got{in_.data(), std::size_t(n)};
        const zmtp::handshake::step step = machine_.advance(got);
        if (step.state == zmtp::handshake::state::failed) return fail();
        if (step.state == zmtp::handshake::state::done) {
            unread_ = got.subspan(step.consumed);
            return outcome::done;
        }
        write();
    }
    interest_.rearm();
    return outcome::in_progress;
}

connection_handshake::outcome connection_handshake::fail_lost(int error) noexcept
{
    host_->report(monitor_event::handshake_failed_no_detail, std::uint64_t(error), endpoints_);
    ending_ = ending::handshake_failed;
    return outcome::failed;
}

connection_handshake::outcome connection_handshake::fail() noexcept
{
    // An ERROR command, if the peer takes it.
    for (auto out = machine_.output(); !out.empty(); out = machine_.output()) {
        (void)::send(fd_, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        machine_.consume_output(out.size());
    }
    ending_ = ending::handshake_failed;
    const zmtp::handshake_error error = machine_.error();
    if (zmtp::is_protocol_error(error)) {
        host_->report(monitor_event::handshake_failed_protocol, std::uint64_t(error), endpoints_);
        ending_ = ending::protocol_error;
    } else if (error == zmtp::handshake_error::auth) {
        host_->report(monitor_event::handshake_failed_auth, std::uint64_t(machine_.auth_status()), endpoints_);
    } else {
        host_->report(monitor_event::handshake_failed_no_detail, EPROTO, endpoints_);
    }
    return outcome::failed;
}

}  // namespace zlink::engine
