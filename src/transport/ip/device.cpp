// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ip/device.hpp"

#include "transport/stream_socket.hpp"

namespace zlink::transport::ip {

result<void> bind_to_device([[maybe_unused]] int fd, const std::string& device) noexcept
{
    if (device.empty()) return {};
#ifdef SO_BINDTODEVICE
    return set_option(fd, SOL_SOCKET, SO_BINDTODEVICE, device.data(), static_cast<socklen_t>(device.size()));
#else
    return errc::not_supported;
#endif
}

}  // namespace zlink::transport::ip
