// Writes whole lines only, so that a reader of the pipe sees complete messages.
#include "cli/output_sink.hpp"

#include "support/failure.hpp"
#include "support/text.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::size_t enough_for_a_write = 64 * 1024;

}  // namespace

output_sink::output_sink(const traffic_options& options)
    : hex_(options.hex),
      router_(options.type == ZMQ_ROUTER),
      separator_(options.output_separator)
{}

void output_sink::put(const message& frames)
{
    for (std::size_t at = 0; at < frames.size(); ++at) {
        if (at > 0) {
            buffer_ += separator_;
        }
        if (hex_) {
            buffer_ += to_hex(frames[at]);
        } else if (router_ && at == 0) {
            buffer_ += printable(frames[at]);  // ids that ROUTER made up are not text
        } else {
            buffer_ += frames[at];
        }
    }
    buffer_ += '\n';
    if (buffer_.size() >= enough_for_a_write) {
        flush();
    }
}

void output_sink::flush()
{
    std::size_t written = 0;
    while (written < buffer_.size() && !closed_) {
        const ssize_t size = write(STDOUT_FILENO, buffer_.data() + written, buffer_.size() - written);
        if (size >= 0) {
            written += static_cast<std::size_t>(size);
        } else if (errno == EPIPE) {
            closed_ = true;
        } else if (errno != EINTR) {
            throw failure(fmt::format("writing the messages failed: {}", std::strerror(errno)));
        }
    }
    buffer_.clear();
}

}  // namespace zlink::tool
