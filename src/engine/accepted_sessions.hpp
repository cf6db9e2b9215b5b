// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The sessions that a listener has started, until they have ended. A session ends on its own worker, so any thread may
// call.
#pragma once

#include "base/invariant.hpp"
#include "engine/session.hpp"

#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace zlink::engine {

class accepted_sessions {
public:
    using set = std::unordered_set<std::shared_ptr<session>>;

    /// Once a session. May throw std::bad_alloc.
    void add(std::shared_ptr<session> s)
    {
        const std::lock_guard lock(mutex_);
        [[maybe_unused]] const bool added = sessions_.insert(std::move(s)).second;
        invariant([added] { return added; });
    }
    /// The session has ended, whether it is still in the set or was taken.
    void remove(session& s) noexcept
    {
        const std::lock_guard lock(mutex_);
        sessions_.erase(s.shared_from_this());
    }
    /// Returns all sessions of the set, which belong to the caller from then on.
    [[nodiscard]] set take() noexcept
    {
        const std::lock_guard lock(mutex_);
        return std::exchange(sessions_, {});
    }

private:
    std::mutex mutex_;
    set sessions_;
};

}  // namespace zlink::engine
