// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Somebody who may sleep until there is something to do, as whoever has that sees it.
#pragma once

namespace zlink::runtime {

/// A thread (waiter.hpp), a descriptor that a program watches, a coroutine to be resumed.
class sleeper {
public:
    /// Any thread: what was announced before is seen by the sleeper after this.
    virtual void wake() noexcept = 0;

protected:
    ~sleeper() = default;
};

}  // namespace zlink::runtime
