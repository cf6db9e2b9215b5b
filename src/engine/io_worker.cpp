// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/io_worker.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/cancellation.hpp"
#include "base/invariant.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace zlink::engine {

namespace {

constexpr std::chrono::milliseconds after_shortage{50};

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

io_worker::io_worker(bool spin) : loop_(spin), queue_(new queue(loop_)), idle_(loop_), rest_(loop_)
{
    try {
        watched_.reserve(most_watched + 1);
        found_.reserve(most_watched + 1);
    } catch (...) {
        queue_->release();
        throw;
    }
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

result<void> io_worker::open()
{
    if (const auto opened = loop_.open(); !opened) return opened;
    if (!rest_.keep_place()) return errc::out_of_memory;
    return {};
}

result<void> io_worker::start(const runtime::thread_settings& settings, int index)
{
    if (const auto opened = open(); !opened) return opened;
    return thread_.start([this, settings, index] {
        runtime::apply_to_this_thread(settings, "io", index);
        loop_.run(*this);
    });
}

void io_worker::stop() noexcept
{
    const cancellation_held_off hold;
    if (thread_.joinable()) {
        loop_.stop();
        thread_.join();
    } else {
        loop_.end_steps();
    }
    // The loop may have left over ends that were closed.
    while (taken_ || (taken_ = queue_->take_all())) {
        pipe::pipe_end* const end = std::exchange(taken_, taken_->next_in_queue);
        (void)end->take_events();
        if (end->closed()) end->discard();
    }
}

void io_worker::rest_after_shortage() noexcept
{
    if (rest_.is_set()) return;
    [[maybe_unused]] const bool set = rest_.start_after(
        after_shortage, [this] { residents_.for_each([](resident& each) { each.go_on_after_shortage(); }); });
    invariant([&] { return set; });
}

void io_worker::watch(pipe::pipe_end& end) noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    // Ends that are about to be told are looked at anyway, and must not fall dormant before that.
    if (std::find(watched_.begin(), watched_.end(), &end) != watched_.end() ||
        std::find(found_.begin() + std::ptrdiff_t(found_at_), found_.end(), &end) != found_.end())
        return;
    watched_.push_back(&end);
    if (watched_.size() > most_watched) make_watched_dormant();
}

void io_worker::make_dormant(pipe::pipe_end& end) noexcept
{
    std::replace(found_.begin(), found_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
    watch(end);
    (void)make_watched_dormant();
}

void io_worker::forget(pipe::pipe_end& end) noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    idle_.forget(end);
    std::replace(watched_.begin(), watched_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
    std::replace(found_.begin(), found_.end(), &end, static_cast<pipe::pipe_end*>(nullptr));
}

bool io_worker::begin() noexcept
{
    messages_ = octets_ = 0;
    taken_ = queue_->take_all();
    if (!taken_) begin_watched();
    return more_ends();
}

bool io_worker::piece() noexcept
{
    if (taken_) {
        pipe::pipe_end* const end = std::exchange(taken_, taken_->next_in_queue);
        const std::uint32_t events = end->take_events();
        if (end->closed()) {
            end->discard();
        } else {
            end->client->on_pipe_events(events);
        }
        if (!taken_) begin_watched();
    } else {
        invariant([this] { return found_at_ < found_.size(); });
        // Forgotten, maybe, since the last piece.
        if (pipe::pipe_end* const end = found_[found_at_++]) end->client->on_pipe_events(pipe::event_data);
        pass_by_silent();
    }
    return more_ends();
}

bool io_worker::slice_is_over() noexcept
{
    return loop_.slice_is_over() && (more_ends() || !queue_->empty() || loop_.is_called_for());
}

// Clients add to watched_ and forget ends while they are told.
void io_worker::begin_watched() noexcept
{
    invariant([this] { return found_.empty() && found_at_ == 0; });
    found_.swap(watched_);
    pass_by_silent();
}

// While a sender writes messages that it has published (pipe_end::write_published), the lane belongs to it. The lane is
// looked at once more after that.
bool io_worker::has_news(pipe::pipe_end& end) noexcept
{
    return end.parent().io.write_token.look_if_free([&end] { return end.reader.has_news(); });
}

// Up to the next watched end that has news.
void io_worker::pass_by_silent() noexcept
{
    for (; found_at_ < found_.size(); ++found_at_) {
        pipe::pipe_end* const end = found_[found_at_];
        if (!end) continue;
        if (has_news(*end)) return;
        found_[found_at_] = nullptr;
        watch(*end);
    }
    found_.clear();
    found_at_ = 0;
}

// True: a message came meanwhile, or the barrier failed and all lanes are looked at once more.
//
// The write token is held from before a lane is dormant until it was looked at. The reason: an application thread that
// fills a dormant lane may also empty it (inline I/O). A thread that found the lane dormant earlier may still hold it:
// it tells when it has finished (event_token).
bool io_worker::make_watched_dormant() noexcept
{
    std::erase_if(watched_, [](pipe::pipe_end* end) { return !end || !end->parent().io.write_token.take_or_ask(); });
    if (watched_.empty()) return false;
    bool full_fence_does = true;
    for (pipe::pipe_end* end : watched_) {
        full_fence_does &= end->reader.go_dormant();
    }
    const bool fenced = asymmetric_fence::sleeper_fence(full_fence_does);
    bool found = false;
    for (pipe::pipe_end* end : watched_) {
        // If the barrier failed, all lanes count as having news: all threads use fences from here on. A sender that
        // read the old mode is past its check by the time the lane runs empty again.
        if ((!fenced || end->reader.has_news()) && end->reader.wake_up()) {
            // Told by way of this worker's own queue: the caller may be in the middle of serving another end.
            end->notify(pipe::event_data);
            found = true;
        }
        invariant([end] { return end->parent().io.write_token.with_io_thread(); });
        end->parent().io.write_token.give_back();
    }
    watched_.clear();
    return found;
}

bool io_worker::has_work() noexcept
{
    if (taken_ || !queue_->empty()) return true;
    for (pipe::pipe_end* const end : watched_) {
        if (end && has_news(*end)) return true;
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
