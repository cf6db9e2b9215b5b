// Counts what is alive, so that the end of a context can wait until all of it is gone.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace zlink::runtime {

class latch {
public:
    void add() noexcept
    {
        const std::lock_guard lock(mutex_);
        ++count_;
    }

    void remove() noexcept
    {
        const std::lock_guard lock(mutex_);
        if (--count_ == 0) none_left_.notify_all();
    }

    void wait() noexcept
    {
        std::unique_lock lock(mutex_);
        none_left_.wait(lock, [this] { return count_ == 0; });
    }

    [[nodiscard]] std::size_t count() const noexcept
    {
        const std::lock_guard lock(mutex_);
        return count_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable none_left_;
    std::size_t count_ = 0;
};

}  // namespace zlink::runtime
