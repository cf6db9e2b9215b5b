// A timer whose handler runs for the deadline that was set last, and for no other: not after cancel(), not after the
// timer is gone, even when Asio had the handler on its way already.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace zlink::engine {

/// Everything on the thread of the io_context.
class deadline_timer {
public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit deadline_timer(boost::asio::io_context& context)
        : timer_(context),
          round_(std::make_shared<std::uint64_t>(0))
    {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;
    ~deadline_timer() { ++*round_; }

    /// Replaces an earlier deadline. False: memory is short, no deadline is set.
    template <class Handler>
    [[nodiscard]] bool start(time_point at, Handler handler) noexcept
    {
        const std::uint64_t mine = ++*round_;
        try {
            timer_.expires_at(at);
            timer_.async_wait(
                [mine, round = round_, handler = std::move(handler)](const boost::system::error_code&) mutable {
                    if (*round == mine) handler();
                });
            return true;
        } catch (...) {
            return false;
        }
    }

    void cancel() noexcept
    {
        ++*round_;
        try {
            timer_.cancel();
        } catch (...) {
            // The handler finds itself outdated.
        }
    }

private:
    boost::asio::steady_timer timer_;
    std::shared_ptr<std::uint64_t> round_;
};

}  // namespace zlink::engine
