// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pipes for tests of the routing classes: the test holds the far end, the class under test gets the near one.
#pragma once

#include "unit/pattern/joined_sockets.hpp"

#include <span>

namespace zlink::pattern::routing::test {

using zlink::pattern::test::frame_of;
using zlink::pattern::test::parts;
using zlink::pattern::test::quiet_queue;

/// What a subscriber says when it wants a topic, and when it does not any more.
inline std::string on(std::string_view topic)
{
    return std::string(1, '\1').append(topic);
}
inline std::string off(std::string_view topic)
{
    return std::string(1, '\0').append(topic);
}

inline std::span<const std::byte> octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

class loose_pipe {
public:
    explicit loose_pipe(std::uint64_t hwm = 0) : queue_(new quiet_queue)
    {
        pipe::pipe* p = pipe::pipe::create({hwm, hwm, 8192});
        near_ = &p->first();
        far_ = &p->second();
        near_->record = std::make_unique<routing_record>();
        near_->attach(*queue_);
        far_->attach(*queue_);
    }
    loose_pipe(const loose_pipe&) = delete;
    loose_pipe& operator=(const loose_pipe&) = delete;
    ~loose_pipe()
    {
        near_->close();
        close_far();
        for (pipe::pipe_end* end = queue_->take_all(); end;) {
            pipe::pipe_end* const after = end->next_in_queue;
            if (end->closed()) end->discard();
            end = after;
        }
        queue_->release();
    }

    pipe::pipe_end& near() { return *near_; }
    pipe::pipe_end& far() { return *far_; }

    void close_far()
    {
        if (!std::exchange(far_closed_, true)) far_->close();
    }

    void send(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            ASSERT_TRUE(far_->writer.write(frame_of(message[i], i + 1 < message.size())));
        }
        far_->publish();
    }

    /// All frames that have come out of the far end since the last call.
    parts received()
    {
        parts frames;
        pipe::incoming f;
        while (far_->reader.next(f)) {
            frames.emplace_back(reinterpret_cast<const char*>(f.data), f.size);
            far_->pop(f);
        }
        return frames;
    }

    /// What the near end was told since the last call.
    std::uint32_t events()
    {
        std::uint32_t told = 0;
        for (pipe::pipe_end* end = queue_->take_all(); end;) {
            pipe::pipe_end* const after = end->next_in_queue;
            if (end->closed()) {
                end->discard();
            } else if (const std::uint32_t news = end->take_events(); end == near_) {
                told |= news;
            }
            end = after;
        }
        return told;
    }

private:
    quiet_queue* queue_;
    pipe::pipe_end* near_;
    pipe::pipe_end* far_;
    bool far_closed_ = false;
};

}  // namespace zlink::pattern::routing::test
