// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_port.hpp"

#include "transport/stream_socket.hpp"

#include <cerrno>
#include <utility>

#include <netinet/udp.h>
#include <sys/socket.h>

namespace zlink::transport::udp {

namespace {

bool waits_for_room(int error) noexcept
{
    return error == EAGAIN || error == EWOULDBLOCK;
}

// The errors of a system, or of an interface, that does not cut messages; and of a path on which the pieces are too
// large.
bool is_about_merging(int error) noexcept
{
    return error == EINVAL || error == EIO || error == EMSGSIZE || error == EOPNOTSUPP || error == ENOPROTOOPT;
}

}  // namespace

udp_port::udp_port(unique_fd fd, std::unique_ptr<send_batch> sends, std::unique_ptr<receive_slots> receives) noexcept
    : fd_(std::move(fd)),
      batch_(std::move(sends)),
      slots_(std::move(receives))
{
    // Best effort: without it each datagram comes alone.
    if (slots_) (void)set_option(fd_.get(), SOL_UDP, UDP_GRO, 1);
}

datagram_port::sent udp_port::send(std::span<const datagram> some) noexcept
{
    sent so_far;
    while (so_far.taken < some.size()) {
        if (batch_->prepare(some.subspan(so_far.taken), merges_) == 0) {
            ++so_far.taken;
            ++so_far.dropped;
        } else if (!send_prepared(so_far)) {
            break;
        }
    }
    return so_far;
}

// False: the system has no room. True: all is done with, or the rest has to be prepared again.
bool udp_port::send_prepared(sent& so_far) noexcept
{
    std::size_t done = 0;
    while (true) {
        const auto left = batch_->from(done);
        if (left.empty()) return true;
        const int n = ::sendmmsg(fd_.get(), left.data(), unsigned(left.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
        for (const std::size_t end = done + std::size_t(n > 0 ? n : 0); done < end; ++done)
            so_far.taken += batch_->datagrams_in(done);
        if (n > 0 || errno == EINTR) continue;
        so_far.blocked = waits_for_room(errno);
        if (so_far.blocked) return false;
        const std::size_t refused = batch_->datagrams_in(done++);
        if (take_back_merging(refused, errno)) return true;
        so_far.taken += refused;
        so_far.dropped += refused;
    }
}

// True: the message was refused because several datagrams are in it. From now on each is sent alone.
bool udp_port::take_back_merging(std::size_t datagrams, int error) noexcept
{
    if (datagrams == 1 || !is_about_merging(error)) return false;
    merges_ = false;
    return true;
}

datagram_port::received udp_port::receive(std::span<datagram> to) noexcept
{
    if (!slots_->any()) slots_->fill(receive_more());
    const auto taken = slots_->take(to);
    return {taken.count, taken.malformed, slots_->any() || full_};
}

// An error is one of an earlier datagram, and this call has cleared it.
std::size_t udp_port::receive_more() noexcept
{
    const auto headers = slots_->prepare();
    int n = 0;
    do {
        n = ::recvmmsg(fd_.get(), headers.data(), unsigned(headers.size()), MSG_DONTWAIT, nullptr);
    } while (n < 0 && errno == EINTR);
    full_ = n == int(headers.size());
    return n > 0 ? std::size_t(n) : 0;
}

}  // namespace zlink::transport::udp
