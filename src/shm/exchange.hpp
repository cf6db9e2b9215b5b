// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Agrees with a peer on segments of shared memory, in both directions (command.hpp shows the order). Descriptors that
// come with a stream's octets are lost unless the reader asks for them; so it asks for them as long as one is expected,
// and no longer.
//
// Threads: the I/O thread of the connection, which holds the read token while a command is handled.
#pragma once

#include "base/unique_fd.hpp"
#include "shm/command.hpp"
#include "shm/receiving_arena.hpp"
#include "shm/sending_arena.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::shm {

/// The connection, as the exchange sees it.
class exchange_owner {
public:
    /// A command has to go to the peer, and a descriptor with it unless `descriptor` is empty. False: memory is short.
    [[nodiscard]] virtual bool send_exchange(const command& what, unique_fd descriptor) noexcept = 0;
    /// Whether descriptors that come have to be kept. For the holder of the read token.
    virtual void expect_descriptors(bool expects) noexcept = 0;
    /// The descriptor that has come. None: there is none.
    [[nodiscard]] virtual unique_fd take_descriptor() noexcept = 0;

protected:
    ~exchange_owner() = default;
};

class exchange {
public:
    /// May throw std::bad_alloc.
    exchange(const std::shared_ptr<budget>& of, exchange_owner& owner,
             incoming_bodies incoming = incoming_bodies::copied,
             sending_memory::readers readers = sending_memory::readers::one)
        : owner_(owner),
          incoming_(incoming),
          out_(of, readers),
          in_(of, incoming)
    {}

    [[nodiscard]] sending_arena& out() noexcept { return out_; }
    [[nodiscard]] receiving_arena& in() noexcept { return in_; }

    /// A body has found no slot: makes another segment, if one may be made, and offers it. True: that is not done; it
    /// has to be called again soon.
    [[nodiscard]] bool offer_segment() noexcept;
    /// A command of the peer whose name begins with name_prefix. False: the peer violates the protocol, or memory is
    /// short.
    [[nodiscard]] bool on_command(std::string_view name, std::span<const std::byte> data) noexcept;
    /// Gives up segments that have not been used since the last call.
    void retire_unused() noexcept;

private:
    [[nodiscard]] bool on_offer(const segment_layout& l) noexcept;
    [[nodiscard]] bool on_accept(std::uint32_t id) noexcept;
    [[nodiscard]] bool on_arena(std::uint32_t id) noexcept;
    [[nodiscard]] bool on_returns(std::uint32_t id) noexcept;
    [[nodiscard]] bool send(command_kind kind, std::uint32_t id, unique_fd descriptor = {}) noexcept
    {
        return owner_.send_exchange({kind, {id, 0, 0}}, std::move(descriptor));
    }
    void expect() noexcept { owner_.expect_descriptors(expected_ || awaits_returns_); }

    exchange_owner& owner_;
    const incoming_bodies incoming_;
    sending_arena out_;
    receiving_arena in_;
    std::optional<segment_layout> expected_;  ///< a segment that was accepted, and has not come
    bool awaits_returns_ = false;             ///< a segment has gone out, and its page of returns has not come
};

}  // namespace zlink::shm
