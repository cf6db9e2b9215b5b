// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMQ_FD tells of changes alone. So what is there already is asked for before the sleep.
#include "support/precise_sleep.hpp"

#include "support/stop_signal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <poll.h>
#include <sys/prctl.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::size_t most_sockets = 3;

int option_of(void* socket, int option)
{
    int value = 0;
    std::size_t size = sizeof value;
    return zmq_getsockopt(socket, option, &value, &size) == 0 ? value : 0;
}

// By default the kernel may be 50 us late, to spare wake-ups.
void ask_for_punctuality()
{
    static const int asked = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    (void)asked;
}

}  // namespace

void sleep_until(std::initializer_list<awaited_socket> sockets,
                 std::optional<std::chrono::steady_clock::time_point> moment)
{
    ask_for_punctuality();
    std::array<pollfd, most_sockets + 1> descriptors{};
    std::size_t count = 0;
    descriptors[count++] = {stop_signal::descriptor(), POLLIN, 0};
    for (const auto& each : sockets) {
        if ((option_of(each.handle, ZMQ_EVENTS) & each.events) != 0) {
            return;
        }
        descriptors[count++] = {option_of(each.handle, ZMQ_FD), POLLIN, 0};
    }
    timespec left{};
    if (moment) {
        const auto nanoseconds = std::max<std::chrono::nanoseconds::rep>(
            0, std::chrono::nanoseconds(*moment - std::chrono::steady_clock::now()).count());
        left = {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
    }
    ppoll(descriptors.data(), static_cast<nfds_t>(count), moment ? &left : nullptr, nullptr);
}

}  // namespace zlink::tool
