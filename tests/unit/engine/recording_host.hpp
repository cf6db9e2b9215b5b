// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket's stand-in for the engine. It notes what it is told, lets the test wait for it, and writes and reads the
// pipes it is given.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "engine/session_host.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::engine::test {

using pipe::test::encode;
using pipe::test::parts;
using pipe::test::pattern_of;

/// How long a test waits for what has to come.
inline constexpr std::chrono::milliseconds patience{10000};

/// Takes all ends out of the queue, and ends the closed ones.
inline void drain(pipe::activation_queue& queue)
{
    for (pipe::pipe_end* end = queue.take_all(); end;) {
        pipe::pipe_end* const after = end->next_in_queue;
        (void)end->take_events();
        if (end->closed()) end->discard();
        end = after;
    }
}

/// Waiting methods return at once when what they wait for is there, and with a failure when patience is at its end.
class recording_host final : public session_host {
public:
    struct event {
        monitor_event what;
        std::uint64_t value;
        endpoint_pair endpoints;
        std::string reason;
    };
    struct attachment {
        pipe::pipe_end* end;
        std::string routing_id;
        std::uint64_t endpoint_id;
    };
    struct identification {
        std::string routing_id;
        bool again;
    };

    recording_host() : queue_(new queue(*this)) {}
    ~recording_host() { queue_->release(); }

    /// The n-th event of its kind.
    [[nodiscard]] std::optional<event> wait_for(monitor_event what, std::size_t n = 1)
    {
        std::optional<event> found;
        (void)wait([&] {
            std::size_t left = n;
            for (const event& e : events_) {
                if (e.what == what && --left == 0) found = e;
            }
            return found.has_value();
        });
        return found;
    }

    /// How often it was reported so far.
    [[nodiscard]] std::size_t count(monitor_event what)
    {
        const std::lock_guard lock(mutex_);
        return std::size_t(
            std::count_if(events_.begin(), events_.end(), [&](const event& e) { return e.what == what; }));
    }

    /// The n-th pipe the engine made.
    [[nodiscard]] std::optional<attachment> wait_for_pipe(std::size_t n = 1)
    {
        if (!wait([&] { return attachments_.size() >= n; })) return std::nullopt;
        return attachments_[n - 1];
    }
    [[nodiscard]] std::size_t pipes()
    {
        const std::lock_guard lock(mutex_);
        return attachments_.size();
    }

    [[nodiscard]] std::optional<identification> wait_for_identification(std::size_t n = 1)
    {
        if (!wait([&] { return identifications_.size() >= n; })) return std::nullopt;
        return identifications_[n - 1];
    }

    [[nodiscard]] bool wait_for_disconnections(std::size_t n)
    {
        return wait([&] { return disconnections_ >= n; });
    }
    [[nodiscard]] bool wait_for_ended(std::uint64_t endpoint_id)
    {
        return wait([&] { return std::find(ended_.begin(), ended_.end(), endpoint_id) != ended_.end(); });
    }
    /// Whatever refers to the host is gone.
    [[nodiscard]] bool wait_for_release()
    {
        return wait([&] { return references_ == 0; });
    }

    // Pipes, by the test's thread

    /// Takes over the socket's end of a pipe that the test made.
    void adopt(pipe::pipe_end& end)
    {
        end.reader.use_fences();
        end.attach(*queue_);
        const std::lock_guard lock(mutex_);
        open_.push_back(&end);
    }

    static void send(pipe::pipe_end& end, const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            const bool more = i + 1 < message.size();
            ASSERT_TRUE(end.writer.write({pipe::test::bytes(message[i]), message[i].size(), more}));
        }
        end.publish();
    }

    /// The next message; none when the pipe was closed by the engine, or none came.
    [[nodiscard]] std::optional<parts> receive(pipe::pipe_end& end)
    {
        parts message;
        pipe::incoming f{};
        do {
            if (!wait_until_readable(end) || !end.reader.next(f)) return std::nullopt;
            message.push_back(pipe::test::text(f.data, f.size));
            end.pop(f);
        } while (f.more);
        return message;
    }

    /// True once the engine has closed its end, with nothing left to be read.
    [[nodiscard]] bool wait_for_close(pipe::pipe_end& end) { return !wait_until_readable(end) && end.reader.closed(); }

    void close(pipe::pipe_end& end)
    {
        note([&] { std::erase(open_, &end); });
        (void)end.close();  // drain() discards it, if it stands in the queue
    }

    /// Ends all pipes. Once the worker has stopped: nobody puts ends into the queue any more.
    void close_all()
    {
        while (!open_.empty()) close(*open_.back());
        drain();
    }

    // session_host
    [[nodiscard]] errc attach(pipe::pipe_end& end, peer_attachment peer, std::uint64_t endpoint_id) noexcept override
    {
        adopt(end);
        note([&] { attachments_.push_back({&end, std::move(peer.routing_id), endpoint_id}); });
        return errc::none;
    }
    [[nodiscard]] bool identified(pipe::pipe_end&, peer_attachment peer, bool again) noexcept override
    {
        note([&] { identifications_.push_back({std::move(peer.routing_id), again}); });
        return true;
    }
    void disconnected(pipe::pipe_end&) noexcept override
    {
        note([&] { ++disconnections_; });
    }
    void ended(std::uint64_t endpoint_id) noexcept override
    {
        note([&] { ended_.push_back(endpoint_id); });
    }
    [[nodiscard]] result<pipe::pipe_end*> reach_zap_handler() noexcept override { return nullptr; }
    void leave_zap_handler(pipe::pipe_end&) noexcept override {}
    void report(monitor_event what, std::uint64_t value, const endpoint_pair& endpoints,
                std::string_view reason) noexcept override
    {
        note([&] { events_.push_back({what, value, endpoints, std::string(reason)}); });
    }
    void report_peer(const message::metadata&, const endpoint_pair&) noexcept override {}
    void count(session_count, std::uint64_t) noexcept override {}
    void note_error(std::string_view, const endpoint_pair&) noexcept override {}
    void add_ref() noexcept override
    {
        note([&] { ++references_; });
    }
    void release() noexcept override
    {
        note([&] { --references_; });
    }

private:
    // Ends of pipes that have news stand here.
    class queue final : public pipe::activation_queue {
    public:
        explicit queue(recording_host& host) noexcept : host_(host) {}

    private:
        void wake() noexcept override
        {
            host_.note([this] { ++host_.wakes_; });
        }
        recording_host& host_;
    };

    template <class Function>
    void note(Function what)
    {
        const std::lock_guard lock(mutex_);
        what();
        changed_.notify_all();
    }

    template <class Predicate>
    [[nodiscard]] bool wait(Predicate until)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, until);
    }

    [[nodiscard]] bool wait_until_readable(pipe::pipe_end& end)
    {
        while (!end.reader.readable()) {
            if (end.reader.closed()) return false;
            std::uint64_t seen = 0;
            note([&] { seen = wakes_; });
            drain();
            end.reader.go_dormant();
            asymmetric_fence::full_fence();
            if (end.reader.has_news()) {
                (void)end.reader.wake_up();
            } else if (!wait([&] { return wakes_ != seen; })) {
                return false;
            }
        }
        return true;
    }

    void drain() { test::drain(*queue_); }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<event> events_;
    std::vector<attachment> attachments_;
    std::vector<identification> identifications_;
    std::vector<std::uint64_t> ended_;
    std::vector<pipe::pipe_end*> open_;
    std::size_t disconnections_ = 0;
    int references_ = 0;
    std::uint64_t wakes_ = 0;
    queue* queue_;
};

}  // namespace zlink::engine::test
