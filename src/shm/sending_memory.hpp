// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The segments in which bodies lie for peers: those of one connection, or those of a publisher, for all its connections.
// A publisher's body is copied once, and each subscriber gets a reference. A slot is free again once every peer that
// knows of its body has returned it.
//
// Threads: any; the lock is held for the choice of a slot, and while a publisher's body is copied: who else wants the
// lock wants that body.
#pragma once

#include "base/fork_safe_mutex.hpp"
#include "message/buffer.hpp"
#include "shm/sending_segment.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

namespace zlink::shm {

class budget;

class sending_memory final : public std::enable_shared_from_this<sending_memory> {
public:
    enum class readers : std::uint8_t { one, many };

    sending_memory(std::shared_ptr<budget> of, readers who) noexcept : budget_(std::move(of)), who_(who) {}
    sending_memory(const sending_memory&) = delete;
    sending_memory& operator=(const sending_memory&) = delete;
    ~sending_memory();

    /// A place of `size` octets for a body that the program writes; one reference, for the caller. While the program
    /// has it, the slot is in use. Null: there is no segment for that size, no slot is free, or memory is short.
    [[nodiscard]] message::buffer* lend(std::size_t size) noexcept;

private:
    friend class sending_arena;
    struct loan;

    [[nodiscard]] std::unique_lock<fork_safe_mutex> hold() noexcept { return std::unique_lock(lock_); }
    static void end_loan(void* data, void* hint) noexcept;

    // Under the lock

    /// A thread has filled the slot at `at`.
    void end_filling(const std::byte* at) noexcept;

    /// A peer that has more slots than this gets its bodies through the stream.
    [[nodiscard]] std::uint32_t share_of(const sending_segment& s) const noexcept;
    /// The one that new bodies of this size go to. Null: there is none.
    [[nodiscard]] sending_segment* segment_for(std::size_t size) noexcept;
    /// The segment that these octets lie in.
    [[nodiscard]] sending_segment* segment_at(const std::byte* body) noexcept;
    /// If nobody has anything of it, its memory goes.
    void drop_if_unused(sending_segment& s) noexcept;

    const std::shared_ptr<budget> budget_;
    const readers who_;
    fork_safe_mutex lock_;
    std::list<sending_segment> segments_;
    std::uint32_t next_id_ = 1;
    std::uint32_t arenas_ = 0;  ///< connections
    bool growing_ = false;      ///< a connection is making a segment
};

}  // namespace zlink::shm
