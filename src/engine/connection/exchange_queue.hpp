// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Commands about shared memory on their way to a peer, some with a descriptor. They go out one by one, as the kernel
// joins a descriptor to the octets of one call.
#pragma once

#include "base/unique_fd.hpp"

#include <atomic>
#include <cstddef>
#include <list>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace zlink::engine {

/// The worker puts commands in, and takes them up for the writer while it holds the write token; from there on they
/// belong to the token's holder.
class exchange_queue {
public:
    /// Commands that wait, at most: several for each segment that is being agreed upon. If a peer asks and takes no
    /// octets, nothing grows.
    static constexpr std::size_t most = 16;

    struct entry {
        std::vector<std::byte> frame;  ///< what has not been written
        unique_fd descriptor;          ///< goes with the first octet; empty: none does
    };

    /// Behind earlier ones; `descriptor` may be empty. False: it is lost, as too many wait, or memory is short.
    [[nodiscard]] bool put(std::span<const std::byte> frame, unique_fd descriptor) noexcept
    {
        // Of those that are ready, the worker knows the number alone.
        if (waiting_.load(std::memory_order_relaxed) >= most) return false;
        try {
            put_.push_back({{frame.begin(), frame.end()}, std::move(descriptor)});
            waiting_.fetch_add(1, std::memory_order_relaxed);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    /// The worker, which holds the write token: the writer gets all that were put in.
    void take_up() noexcept { ready_.splice(ready_.end(), put_); }

    // The writer

    [[nodiscard]] bool empty() const noexcept { return ready_.empty(); }
    /// Part of the next one is written.
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    [[nodiscard]] entry& next() noexcept { return ready_.front(); }
    /// The stream has taken the first `n` octets of it.
    void accept(std::size_t n) noexcept
    {
        if (n == 0) return;
        entry& e = ready_.front();
        e.descriptor.reset();
        e.frame.erase(e.frame.begin(), e.frame.begin() + std::ptrdiff_t(n));
        begun_ = !e.frame.empty();
        if (begun_) return;
        ready_.pop_front();
        waiting_.fetch_sub(1, std::memory_order_relaxed);
    }

private:
    std::list<entry> put_;                 ///< the worker's
    std::list<entry> ready_;               ///< of the token's holder
    bool begun_ = false;                   ///< likewise
    std::atomic<std::size_t> waiting_{0};  ///< in both; a bound alone, which orders nothing, so relaxed
};

}  // namespace zlink::engine
