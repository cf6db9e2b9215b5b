// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Writes whole messages only, so that a reader of the pipe sees complete ones.
#include "cli/output_sink.hpp"

#include "support/failure.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

constexpr std::size_t enough_for_a_write = 64 * 1024;
constexpr mode_t readable_by_all = 0666;  // less the umask

}  // namespace

output_sink::output_sink(const traffic_options& options) : format_(options), descriptor_(STDOUT_FILENO)
{
    if (options.to.empty() || options.to == "-") {
        return;
    }
    name_ = options.to;
    descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readable_by_all);
    if (descriptor_ < 0) {
        throw failure(fmt::format("cannot write {}: {}; give --to the path of a file in a directory you may write",
                                  name_, std::strerror(errno)));
    }
    owned_ = true;
}

output_sink::~output_sink()
{
    if (owned_) {
        ::close(descriptor_);
    }
}

void output_sink::put(const message& frames)
{
    format_.append(buffer_, frames, ++messages_);
    if (buffer_.size() >= enough_for_a_write) {
        flush();
    }
}

void output_sink::flush()
{
    std::size_t written = 0;
    while (written < buffer_.size() && !closed_) {
        const ssize_t size = write(descriptor_, buffer_.data() + written, buffer_.size() - written);
        if (size >= 0) {
            written += static_cast<std::size_t>(size);
        } else if (errno == EPIPE) {
            closed_ = true;
        } else if (errno != EINTR) {
            throw failure(fmt::format("writing the messages to {} failed: {}; free some space or choose another file",
                                      name_, std::strerror(errno)));
        }
    }
    buffer_.clear();
}

}  // namespace zlink::tool
