#include "runtime/deadline_timer.hpp"

#include "runtime/event_loop.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>

namespace zlink::runtime {

struct deadline_timer::state {
    explicit state(boost::asio::io_context& context) : timer(context) {}

    boost::asio::steady_timer timer;
    std::uint64_t round = 0;  ///< tells an earlier deadline's handler from the current one's
    bool pending = false;     ///< the current one's has not run
};

void deadline_timer::set(time_point at, std::function<void()> handler)
{
    if (!state_) state_ = std::make_shared<state>(loop_.context());
    state_->timer.expires_at(at);
    state_->timer.async_wait(
        [mine = ++state_->round, state = state_, handler = std::move(handler)](const boost::system::error_code&) {
            if (!state->pending || state->round != mine) return;
            state->pending = false;
            handler();
        });
    state_->pending = true;
}

void deadline_timer::cancel() noexcept
{
    if (!state_ || !std::exchange(state_->pending, false)) return;
    try {
        state_->timer.cancel();
    } catch (...) {
        // The handler finds itself outdated.
    }
}

}  // namespace zlink::runtime
