// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A pipe between two queues that nobody looks at, without high-water marks.
#pragma once

#include "pipe/pipe.hpp"

namespace zlink::socket::test {

class lone_pipe {
public:
    lone_pipe()
    {
        pipe::pipe* p = pipe::pipe::create({0, 0, 8192});
        near_ = &p->first();
        far_ = &p->second();
        near_->attach(*near_queue_);
        far_->attach(*far_queue_);
    }
    ~lone_pipe()
    {
        near_->close();
        far_->close();
        for (deaf_queue* q : {near_queue_, far_queue_}) {
            for (pipe::pipe_end* end = q->take_all(); end;) {
                pipe::pipe_end* const after = end->next_in_queue;
                end->discard();
                end = after;
            }
            q->release();
        }
    }
    lone_pipe(const lone_pipe&) = delete;
    lone_pipe& operator=(const lone_pipe&) = delete;

    [[nodiscard]] pipe::pipe_end& near() const { return *near_; }
    [[nodiscard]] pipe::pipe_end& far() const { return *far_; }

private:
    class deaf_queue final : public pipe::activation_queue {
    private:
        void wake() noexcept override {}
    };

    deaf_queue* near_queue_ = new deaf_queue;
    deaf_queue* far_queue_ = new deaf_queue;
    pipe::pipe_end* near_;
    pipe::pipe_end* far_;
};

/// A connection that neither reads nor writes.
class idle_io final : public pipe::inline_io {
public:
    write_outcome write_inline(bool) noexcept override { return write_outcome::done; }
    write_outcome write_large(bool) noexcept override { return write_outcome::hand_over; }
    read_outcome read_inline() noexcept override { return read_outcome::nothing; }
    bool waits_for_io() const noexcept override { return false; }
    bool has_more() const noexcept override { return false; }
    void pause_reading() noexcept override {}
    void resume_reading() noexcept override {}
    int descriptor() const noexcept override { return -1; }
    unsigned neighbours() const noexcept override { return 1; }
};

}  // namespace zlink::socket::test
