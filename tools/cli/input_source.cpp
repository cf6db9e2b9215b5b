// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages are cut from a buffer that is filled by read() only when poll() says that bytes are there.
#include "cli/input_source.hpp"

#include "support/failure.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {

input_source::input_source(const traffic_options& options)
    : arguments_(options.messages),
      whole_(options.whole),
      chunk_(options.chunk),
      terminator_(options.null ? '\0' : '\n'),
      keeps_terminator_(options.type == ZMQ_STREAM),
      hex_(options.hex),
      separator_(options.separator)
{
    for (const auto& argument : arguments_) {
        to_message(argument);  // complains now rather than after half of the messages were sent
    }
    if (!arguments_.empty()) {
        return;
    }
    descriptor_ = STDIN_FILENO;
    if (!options.file.empty() && options.file != "-") {
        descriptor_ = open(options.file.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            throw failure(fmt::format("cannot read {}: {}; give --file the path of a readable file", options.file,
                                      std::strerror(errno)));
        }
        owned_ = true;
    }
    struct stat status {};
    if (fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
        throw failure(fmt::format("cannot read {}: it is a directory; give --file the path of a file", options.file));
    }
    pollable_ = !S_ISREG(status.st_mode);
    if (whole_ && !pollable_) {
        buffer_.reserve(static_cast<std::size_t>(status.st_size));
    }
}

input_source::~input_source()
{
    if (owned_) {
        ::close(descriptor_);
    }
}

input_source::state input_source::next(message& frames)
{
    std::string text;
    const state result = next_text(text);
    if (result == state::ready) {
        frames = to_message(std::move(text));
    }
    return result;
}

input_source::state input_source::next_text(std::string& text)
{
    if (!arguments_.empty()) {
        if (at_ == arguments_.size()) {
            return state::ended;
        }
        text = arguments_[at_++];
        return state::ready;
    }
    for (;;) {
        if (const auto end = message_end(); end != std::string::npos) {
            const bool drops_last = chunk_ == 0 && !keeps_terminator_;
            text = buffer_.substr(at_, end - at_ - (drops_last ? 1 : 0));
            at_ = end;
            return state::ready;
        }
        if (ended_) {
            const bool sent_whole = std::exchange(whole_was_given_, true);
            if (at_ == buffer_.size() && (!whole_ || sent_whole)) {
                return state::ended;
            }
            text = std::exchange(buffer_, {});  // a whole file is not held twice
            text.erase(0, std::exchange(at_, 0));
            return state::ready;
        }
        if (const state result = fill(); result == state::waiting) {
            return result;
        }
    }
}

// Where the message at at_ ends, its terminator included; npos when it isn't all there.
std::size_t input_source::message_end() const
{
    if (whole_) {
        return std::string::npos;
    }
    if (chunk_ > 0) {
        return buffer_.size() - at_ >= chunk_ ? at_ + chunk_ : std::string::npos;
    }
    const auto found = buffer_.find(terminator_, std::max(at_, searched_));
    return found == std::string::npos ? found : found + 1;
}

input_source::state input_source::fill()
{
    if (!readable_now()) {
        return state::waiting;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    searched_ = buffer_.size();
    std::array<char, 65536> chunk;
    const ssize_t size = read(descriptor_, chunk.data(), chunk.size());
    if (size < 0) {
        if (errno == EINTR || errno == EAGAIN) {
            return state::waiting;
        }
        throw failure(fmt::format("reading the messages failed: {}", std::strerror(errno)));
    }
    if (size == 0) {
        ended_ = true;
        return state::ended;
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(size));
    return state::ready;
}

bool input_source::readable_now() const
{
    if (!pollable_) {
        return true;
    }
    pollfd item{descriptor_, POLLIN, 0};
    return poll(&item, 1, 0) > 0;
}

message input_source::to_message(std::string text) const
{
    message frames;
    if (separator_.empty()) {
        frames.push_back(std::move(text));
    } else {
        frames = split(text, separator_);
    }
    if (hex_) {
        for (auto& frame : frames) {
            const auto bytes = from_hex(frame);
            if (!bytes) {
                throw usage_failure(
                    fmt::format("'{}' isn't hex: give two digits for each byte, like 68656c6c6f", frame));
            }
            frame = *bytes;
        }
    }
    return frames;
}

}  // namespace zlink::tool
