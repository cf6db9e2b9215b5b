// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A line is shorter than PIPE_BUF, so that lines of two roles never mix.
#include "demo/control.hpp"

#include "demo/record.hpp"

#include "support/failure.hpp"
#include "support/stop_signal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace zlink::tool::demo {
namespace {

constexpr std::int64_t progress_interval_ns = 200'000'000;
constexpr unsigned calls_between_looks = 32;  // at the clock

}  // namespace

void control::say(std::string_view event, std::string_view text) const
{
    const std::string line = fmt::format("{} {} {}\n", role_, event, text);
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) {
        stop_signal::request();  // the demo is gone
    }
}

void control::progress(std::uint64_t messages)
{
    if (++calls_ % calls_between_looks != 0) {
        return;
    }
    if (stop_signal::requested()) {
        throw failure("stopped");
    }
    const std::int64_t now = now_ns();
    if (now - told_at_ >= progress_interval_ns) {
        told_at_ = now;
        say("progress", std::to_string(messages));
    }
}

bool control::go(int wait_ms)
{
    pollfd items[] = {{STDIN_FILENO, POLLIN, 0}, {stop_signal::descriptor(), POLLIN, 0}};
    if (poll(items, 2, wait_ms) <= 0) {
        return false;
    }
    char order = 0;
    if (items[1].revents != 0 || read(STDIN_FILENO, &order, 1) != 1) {
        throw failure("stopped");
    }
    return order == 'g';
}

}  // namespace zlink::tool::demo
