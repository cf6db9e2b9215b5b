// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Credit that a lane's waiting writer has been given, and has not been told of yet. For the thread that reads the lane.
#pragma once

#include "pipe/pipe.hpp"

#include <utility>

namespace zlink::pipe {

class owed_credit {
public:
    /// `reader`: the end that reads the lane; null: a lane outside of a pipe; its writer is not told.
    explicit owed_credit(pipe_end* reader = nullptr) noexcept : reader_(reader) {}
    owed_credit(const owed_credit&) = delete;
    owed_credit& operator=(const owed_credit&) = delete;
    ~owed_credit() { tell(); }

    /// Adds what commit(), begin_write() and other functions of lane_reader return.
    void add(bool due) noexcept { due_ = due_ || due; }
    [[nodiscard]] bool due() const noexcept { return due_; }

    /// Tells the writer, if there is something to tell.
    void tell() noexcept
    {
        if (due_ && reader_ && std::exchange(due_, false)) reader_->peer().notify(event_credit);
    }

private:
    pipe_end* const reader_;
    bool due_ = false;
};

}  // namespace zlink::pipe
