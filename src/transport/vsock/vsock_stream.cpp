// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/vsock/vsock_stream.hpp"

#include <sys/socket.h>

namespace zlink::transport::vsock {

namespace {

std::string text_of(const std::optional<vsock_endpoint>& address)
{
    return address ? to_text(*address) : std::string{};
}

}  // namespace

// Kernels before 6.17 cannot tell the number of octets.
bool vsock_stream::has_unread_octets() const noexcept
{
    char octet = 0;
    return ::recv(descriptor(), &octet, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

std::string vsock_stream::local_endpoint() const
{
    return text_of(local_address(descriptor()));
}

std::string vsock_stream::peer_endpoint() const
{
    return text_of(peer_);
}

void vsock_stream::add_properties(std::vector<std::pair<std::string, std::string>>& to) const
{
    to.emplace_back("Peer-Address", peer_ ? std::to_string(peer_->cid) : std::string{});
}

}  // namespace zlink::transport::vsock
