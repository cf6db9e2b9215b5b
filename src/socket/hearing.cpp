#include "socket/hearing.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <cstdint>
#include <optional>

namespace zlink::socket {

namespace {

// The sum changes if any of them does, as all of them only grow. None: a reading is under way.
std::optional<std::uint64_t> sum_of_readings(hearing::workers all) noexcept
{
    std::uint64_t sum = 0;
    for (const auto& w : all) {
        const std::uint64_t n = w->loop().readings();
        if (n % 2 != 0) return {};
        sum += n;
    }
    return sum;
}

}  // namespace

void hearing::open(workers all) noexcept
{
    unique_fd set(::epoll_create1(EPOLL_CLOEXEC));
    if (!set) return;
    for (const auto& w : all) {
        epoll_event input{};
        input.events = EPOLLIN;
        if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, w->loop().awaited_descriptor(), &input) != 0) return;
    }
    set_ = std::move(set);
}

bool hearing::silent(workers all) const noexcept
{
    const auto before = sum_of_readings(all);
    if (!before || !set_) return false;
    pollfd set{set_.get(), POLLIN, 0};
    return ::poll(&set, 1, 0) == 0 && sum_of_readings(all) == before;
}

}  // namespace zlink::socket
