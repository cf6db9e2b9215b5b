// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/live_screen.hpp"

#include "pure/stats_table.hpp"
#include "support/stop_signal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

// The terminal as it was. One screen lives at a time.
termios saved_terminal;

winsize size_of_terminal()
{
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        size = {};
    }
    return size;
}

std::string styled(const screen_line& line, std::size_t width)
{
    static const bool has_colour = std::getenv("NO_COLOR") == nullptr;
    const std::string text = cut_to_width(line.text, width);
    if (!has_colour || (!line.strong && !line.warning)) {
        return text;
    }
    return (line.strong ? "\x1b[1m" : "\x1b[31m") + text + "\x1b[0m";
}

}  // namespace

live_screen::live_screen() : is_terminal_(::isatty(STDOUT_FILENO) == 1)
{
    // In the background, reading or setting the terminal would stop the process.
    if (!is_terminal_ || ::isatty(STDIN_FILENO) != 1 || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp() ||
        ::tcgetattr(STDIN_FILENO, &saved_terminal) != 0) {
        return;
    }
    termios keys = saved_terminal;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    reads_keys_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

live_screen::~live_screen()
{
    if (reads_keys_) {
        ::tcsetattr(STDIN_FILENO, TCSANOW, &saved_terminal);
    }
}

void live_screen::show(const std::vector<screen_line>& lines)
{
    std::string all;
    if (is_terminal_) {
        const winsize size = size_of_terminal();
        const std::size_t rows = size.ws_row > 1 ? size.ws_row - 1u : lines.size();
        const std::size_t shown = lines.size() <= rows ? lines.size() : rows - 1;
        all = has_shown_ ? "\x1b[H" : "\x1b[2J\x1b[H";
        for (std::size_t i = 0; i < shown; ++i) {
            all += styled(lines[i], size.ws_col) + "\x1b[K\n";
        }
        if (shown < lines.size()) {
            all += fmt::format("... {} lines more\x1b[K\n", lines.size() - shown);
        }
        all += "\x1b[J";
    } else {
        all = has_shown_ ? "\n" : "";
        for (const auto& line : lines) {
            all += line.text + "\n";
        }
    }
    has_shown_ = true;
    if (std::fwrite(all.data(), 1, all.size(), stdout) != all.size() || std::fflush(stdout) != 0) {
        stop_signal::request();  // nobody reads it any more
    }
}

bool live_screen::wait_until(std::chrono::steady_clock::time_point moment)
{
    while (!stop_signal::requested()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(moment - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return true;
        }
        pollfd fds[] = {{stop_signal::descriptor(), POLLIN, 0}, {reads_keys_ ? STDIN_FILENO : -1, POLLIN, 0}};
        ::poll(fds, 2, static_cast<int>(std::min<std::chrono::milliseconds::rep>(left.count(), 1'000'000)));
        char key = 0;
        if (fds[1].revents != 0 && (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q')) {
            return false;
        }
    }
    return false;
}

}  // namespace zlink::tool
