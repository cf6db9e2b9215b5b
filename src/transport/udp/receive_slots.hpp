// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory that one recvmmsg() fills, a slot for each message, and the datagrams in it. A slot holds several
// datagrams of one size if the system has merged them on their way (UDP_GRO). Makes no system call.
#pragma once

#include "transport/datagram_port.hpp"
#include "transport/udp/address_text.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <sys/socket.h>

namespace zlink::transport::udp {

class receive_slots {
public:
    /// Slots of one recvmmsg(). Each may take several merged datagrams, so they bring as much as a batch sends. The
    /// memory that is not used is never touched.
    static constexpr std::size_t count = 32;

    /// May throw std::bad_alloc.
    explicit receive_slots(datagram_head form);
    receive_slots(const receive_slots&) = delete;
    receive_slots& operator=(const receive_slots&) = delete;

    /// The headers to be filled. Only if there is nothing to take.
    [[nodiscard]] std::span<mmsghdr, count> prepare() noexcept;
    /// The first `n` of them have been.
    void fill(std::size_t n) noexcept { filled_ = n; }

    /// There are datagrams that take() has not looked at.
    [[nodiscard]] bool any() const noexcept { return slot_ < filled_; }

    struct taken {
        std::size_t count = 0;
        std::size_t malformed = 0;
    };
    /// The next datagrams, in order, until `to` is full or none is left. They are valid until prepare().
    taken take(std::span<datagram> to) noexcept;

private:
    [[nodiscard]] std::span<const std::byte> next_octets() noexcept;
    [[nodiscard]] bool decode(std::span<const std::byte> octets, datagram& to) const noexcept;
    void enter_slot() noexcept;

    // Any datagram fits: IP has none above. Slots begin at different lines of the processor's cache.
    static constexpr std::size_t slot_size = 65'536;
    static constexpr std::size_t from_slot_to_slot = slot_size + 64;

    struct beside {
        sockaddr_storage from;
        alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(int))];
        std::array<char, longest_address_text> text;
    };

    const datagram_head form_;
    std::unique_ptr<std::byte[]> octets_;
    std::size_t filled_ = 0;
    std::size_t slot_ = 0;       ///< the one that is taken from
    bool entered_ = false;       ///< then: the following three are its
    std::size_t offset_ = 0;     ///< where its next datagram begins
    std::size_t segment_ = 0;    ///< the size of its datagrams, except for the last one
    std::size_t text_size_ = 0;  ///< of the sender's address; 0: there is none
    std::array<mmsghdr, count> headers_{};
    std::array<iovec, count> pieces_;
    std::array<beside, count> beside_;
};

}  // namespace zlink::transport::udp
