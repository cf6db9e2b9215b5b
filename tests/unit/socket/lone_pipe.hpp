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

}  // namespace zlink::socket::test
