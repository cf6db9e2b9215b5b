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

int open_file(const std::string& name)
{
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readable_by_all);
    if (descriptor < 0) {
        throw failure(fmt::format("cannot write {}: {}; give --to the path of a file in a directory you may write",
                                  name, std::strerror(errno)));
    }
    return descriptor;
}

std::string_view cure(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "; free some space or choose another file";
    case EFBIG: return "; it is as large as files may be (see 'ulimit -f')";
    case EBADF: return "; it is closed, give the command an output or --to FILE";
    default: return "";
    }
}

}  // namespace

output_sink::output_sink(const traffic_options& options)
    : owned_(!options.to.empty() && options.to != "-"),
      name_(owned_ ? options.to : "standard output"),
      descriptor_(owned_ ? open_file(options.to) : STDOUT_FILENO),
      format_(options, isatty(descriptor_) == 1)
{}

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
            throw failure(
                fmt::format("writing the messages to {} failed: {}{}", name_, std::strerror(errno), cure(errno)));
        }
    }
    buffer_.clear();
}

}  // namespace zlink::tool
