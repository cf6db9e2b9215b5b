// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The sessions that live on an I/O thread: for reports of what each has still to do, for an end that waits for none, and for
// those that go on once memory was short.
//
// Threads: the worker's.
#pragma once

#include "base/invariant.hpp"
#include "base/socket_types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace zlink::engine {

class session_host;

/// Messages that are not written yet.
struct unwritten {
    const session_host* host;  ///< only to be compared: it may have ended by the time that this is read
    socket_type type;
    std::string endpoint;
    std::uint64_t messages;
    bool at_most;  ///< some of the messages may be written: the connection counts them in steps
    bool lingers;  ///< its socket or endpoint has ended
    int linger;    ///< then: the time for the messages in ms, from that end on; -1: no limit
};

class resident {
public:
    resident() = default;
    resident(const resident&) = delete;
    resident& operator=(const resident&) = delete;

    /// Adds what it has to write, if anything, or if it lingers. May throw std::bad_alloc.
    virtual void describe(std::vector<unwritten>& to) = 0;
    /// Ends now, without what is not written yet.
    virtual void drop() noexcept = 0;
    /// A rest for want of memory is over (io_worker::rest_after_shortage()).
    virtual void go_on_after_shortage() noexcept {}

protected:
    ~resident()
    {
        invariant([this] { return !place_; });
    }

private:
    friend class resident_list;
    resident* next_ = nullptr;
    resident** place_ = nullptr;  ///< the pointer to this one; null: it is in no list
};

class resident_list {
public:
    void add(resident& r) noexcept
    {
        invariant([&] { return !r.place_; });
        r.next_ = first_;
        if (first_) first_->place_ = &r.next_;
        r.place_ = &first_;
        first_ = &r;
    }
    /// Without effect for one that was not added.
    void remove(resident& r) noexcept
    {
        if (!r.place_) return;
        *r.place_ = r.next_;
        if (r.next_) r.next_->place_ = r.place_;
        r.place_ = nullptr;
    }
    /// The action may remove the resident that it is called with.
    template <class Action>
    void for_each(Action action)
    {
        for (resident* r = first_; r;) {
            resident* const next = r->next_;
            action(*r);
            r = next;
        }
    }

private:
    resident* first_ = nullptr;
};

}  // namespace zlink::engine
