// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Datagrams made ready for one sendmmsg(): where their octets lie, and where each goes. Small ones are copied side by
// side. A run of them that have one size and one destination can be one message, which the system cuts (UDP_SEGMENT).
// Makes no system call.
#pragma once

#include "transport/datagram_port.hpp"
#include "transport/ip/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <netinet/udp.h>
#include <sys/socket.h>

namespace zlink::transport::udp {

class send_batch {
public:
    /// Datagrams of one batch, at most.
    static constexpr std::size_t most = 128;
    /// Datagrams in one message, at most: a limit of the system.
    static constexpr std::size_t most_segments = 64;
    /// A larger datagram is neither copied nor merged. No link is expected to carry less.
    static constexpr std::size_t largest_copied = 1024;

    /// To `target`; the heads are groups. May throw std::bad_alloc.
    explicit send_batch(const ip::ip_address& target);
    /// The heads are addresses, for a socket of `family`. May throw std::bad_alloc.
    explicit send_batch(int family);

    /// Makes the first datagrams of `some` ready, and forgets those before. Returns how many; 0: the first one cannot
    /// be sent, as its head has no meaning here. The octets of large ones stay where they are until they have been
    /// sent. `merges`: runs become one message.
    [[nodiscard]] std::size_t prepare(std::span<const datagram> some, bool merges) noexcept;

    /// The messages from `first` on; null: there are no more.
    [[nodiscard]] std::span<mmsghdr> from(std::size_t first) noexcept { return {&headers_[first], count_ - first}; }
    [[nodiscard]] std::size_t datagrams_in(std::size_t at) const noexcept { return messages_[at].datagrams; }

private:
    struct prepared {
        ip::ip_address to = ip::ip_address::any(false, 0);
        iovec pieces[2];
        std::size_t datagrams;
        std::size_t size;  ///< of each datagram, if others can follow; else 0
        alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(std::uint16_t))];
    };

    [[nodiscard]] std::optional<ip::ip_address> destination(const datagram& d) const noexcept;
    [[nodiscard]] bool add(const datagram& d, bool merges) noexcept;
    [[nodiscard]] bool extend_last(const ip::ip_address& to, std::size_t size) noexcept;
    void begin_message(const ip::ip_address& to, iovec front, std::span<const std::byte> rest) noexcept;
    static void cut(msghdr& of, prepared& what) noexcept;

    const int family_;
    const std::optional<ip::ip_address> target_;
    std::unique_ptr<std::byte[]> copies_;
    std::size_t copied_ = 0;
    std::size_t count_ = 0;
    std::array<mmsghdr, most> headers_;
    std::array<prepared, most> messages_;
};

}  // namespace zlink::transport::udp
