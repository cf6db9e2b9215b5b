// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/io_worker.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/cancellation.hpp"

#include <algorithm>

namespace zlink::engine {

namespace {

// More lanes than this are not looked at in every round but made dormant at once.
constexpr std::size_t most_watched = 32;

}  // namespace

// Outlives the worker while pipes name it. Pushes come only for ends that are not closed, so never after stop().
class io_worker::queue final : public pipe::activation_queue {
public:
    explicit queue(runtime::event_loop& loop) noexcept : loop_(loop) {}

private:
    void wake() noexcept override { loop_.wake(); }
    runtime::event_loop& loop_;
};

io_worker::io_worker(bool spin) : loop_(spin), queue_(new queue(loop_)), idle_(loop_), look_timer_(loop_)
{
    watched_.reserve(most_watched + 1);
    found_.reserve(most_watched + 1);
}

pipe::activation_queue& io_worker::activations() noexcept
{
    return *queue_;
}

io_worker::~io_worker()
{
    stop();
    queue_->release();
}

result<void> io_worker::start(const runtime::thread_settings& settings, int index)
{
    if (const auto opened = loop_.open(); !opened) return opened;
    return thread_.start([this, settings, index] {
        runtime::apply_to_this_thread(settings, "io", index);
        loop_.run(*this);
    });
}

void io_worker::stop() noexcept
{
    if (!thread_.joinable()) return;
    const cancellation_held_off hold;
    loop_.stop();
    thread_.join();
}

void io_worker::watch(pipe::pipe_end& end) noexcept
{
    if (std::find(watched_.begin(), watched_.end(), &end) != watched_.end()) return;
    watched_.push_back(&end);
    if (watched_.size() > most_watched) make_watched_dormant();
}

void io_worker::make_dormant(pipe::pipe_end& end) noexcept
{
    watch(end);
    (void)make_watched_dormant();
}

void io_worker::look_after(pipe::pipe_end& end) noexcept
{
    try {
        left_.push_back(&end);
    } catch (...) {
        end.notify(pipe::event_look);  // memory is short: at once, then
    }
}

void io_worker::look_within(std::chrono::microseconds time) noexcept
{
    const auto at = runtime::clock::now() + time;
    if (next_look_ <= at) return;
    next_look_ = at;
    if (look_timer_.start(at, [this] { look_at_left(); })) return;
    // Memory is short: in the next round, then, and by way of the queue, as the caller may be looking just now.
    next_look_ = std::chrono::steady_clock::time_point::max();
    for (pipe::pipe_end* left : left_) left->notify(pipe::event_look);
    left_.clear();
}

void io_worker::look_at_left() noexcept
{
    next_look_ = std::chrono::steady_clock::time_point::max();
    looking_.swap(left_);
    for (std::size_t i = 0; i < looking_.size(); ++i) {
        pipe::pipe_end* end = looking_[i];
        if (!end) continue;
        end->client->on_pipe_events(pipe::event_look);
        loop_.did_piece();
    }
    looking_.clear();
}

void io_worker::forget(pipe::pipe_end& end) noexcept
{
    idle_.forget(end);
    std::erase(left_, &end);
    std::replace(looking_.begin(), looking_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
    std::replace(watched_.begin(), watched_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
    std::replace(found_.begin(), found_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
}

bool io_worker::run() noexcept
{
    messages_ = octets_ = 0;
    bool did = false;
    for (pipe::pipe_end* end = queue_->take_all(); end;) {
        pipe::pipe_end* after = end->next_in_queue;
        const std::uint32_t events = end->take_events();
        more_ends_ = after != nullptr;
        if (end->closed()) {
            end->discard();
        } else {
            end->client->on_pipe_events(events);
        }
        end = after;
        did = true;
        loop_.did_piece();
    }
    return look_at_watched() || did;
}

bool io_worker::turn_is_over() noexcept
{
    return loop_.turn_is_over() && (more_ends_ || !queue_->empty() || loop_.is_called_for());
}

bool io_worker::look_at_watched() noexcept
{
    more_ends_ = false;
    if (watched_.empty()) return false;
    // Clients add to watched_ and forget ends while they are told.
    found_.swap(watched_);
    bool did = false;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        pipe::pipe_end* end = found_[i];
        if (!end) continue;
        if (end->reader.has_news()) {
            did = true;
            more_ends_ = i + 1 < found_.size();
            end->client->on_pipe_events(pipe::event_data);
            loop_.did_piece();
        } else {
            watch(*end);
        }
    }
    found_.clear();
    more_ends_ = false;
    return did;
}

// True: something came meanwhile (or the barrier failed, and all lanes are looked at once more).
//
// The write token is held from before a lane is dormant until it was looked at: a dormant lane may be emptied by the
// application thread that fills it (inline I/O). A thread that found the lane dormant earlier may hold it still: it tells
// when it is through (event_token).
bool io_worker::make_watched_dormant() noexcept
{
    std::erase_if(watched_, [](pipe::pipe_end* end) { return !end || !end->parent().write_token.take_or_ask(); });
    if (watched_.empty()) return false;
    bool full_fence_does = true;
    for (pipe::pipe_end* end : watched_) {
        full_fence_does &= end->reader.go_dormant();
    }
    const bool fenced = asymmetric_fence::sleeper_fence(full_fence_does);
    bool found = false;
    for (pipe::pipe_end* end : watched_) {
        // Without the barrier all lanes count as having news: everybody uses fences from here on, and a sender that
        // read the old mode is past its check by the time the lane runs empty again.
        if ((!fenced || end->reader.has_news()) && end->reader.wake_up()) {
            // Told by way of our own queue: the caller may be in the middle of another end's business.
            end->notify(pipe::event_data);
            found = true;
        }
        end->parent().write_token.give_back();
    }
    watched_.clear();
    return found;
}

bool io_worker::has_work() noexcept
{
    if (!queue_->empty()) return true;
    for (const pipe::pipe_end* end : watched_) {
        if (end && end->reader.has_news()) return true;
    }
    return false;
}

bool io_worker::prepare_to_sleep() noexcept
{
    // After the loop has said that it sleeps; partner: queue::wake(), after a push.
    asymmetric_fence::full_fence();
    return !queue_->empty() || make_watched_dormant() || !queue_->empty();
}

}  // namespace zlink::engine
