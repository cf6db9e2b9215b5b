// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Finds a pipe by the routing id of its peer. Open addressing; the key is the string in the pipe's record, so an
// entry is one pointer and part of the hash.
#pragma once

#include "base/small_octets.hpp"
#include "pattern/routing_record.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::pattern::routing {

class routing_table {
public:
    /// Null if unknown. One probe, in general; none for the id that was found last.
    [[nodiscard]] pipe::pipe_end* find(std::string_view routing_id) noexcept
    {
        if (last_found_ && last_name_->size() == routing_id.size() &&
            equal_octets(last_name_->data(), routing_id.data(), routing_id.size())) {
            return last_found_;
        }
        return look_up(routing_id);
    }

    /// By the routing id in its record, which is not in use and must not change while it is here. False when memory is
    /// short.
    [[nodiscard]] bool insert(pipe::pipe_end& end) noexcept;

    /// No-op if exactly this pipe is not here.
    void erase(const pipe::pipe_end& end) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// Whether `accepts(pipe)` is true for any.
    template <class F>
    [[nodiscard]] bool any(F&& accepts) const
    {
        for (const slot& s : slots_) {
            if (s.end && accepts(*s.end)) return true;
        }
        return false;
    }

private:
    struct slot {
        pipe::pipe_end* end = nullptr;
        std::uint32_t hash = 0;
    };

    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    pipe::pipe_end* look_up(std::string_view routing_id) noexcept;
    bool grow() noexcept;

    std::vector<slot> slots_;  ///< a power of two of them, at most three quarters used
    std::size_t count_ = 0;
    pipe::pipe_end* last_found_ = nullptr;
    const std::string* last_name_ = nullptr;  ///< its routing id
};

}  // namespace zlink::pattern::routing
