// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The messages to send: from arguments, or from a file or standard input, by lines, by NULs, in chunks or as a whole.
#pragma once

#include "cli/traffic_options.hpp"

#include <cstddef>
#include <string>

namespace zlink::tool {

// Reads without blocking the loop: when nothing is ready yet, descriptor() can be polled.
class input_source {
public:
    enum class state { ready, waiting, ended };

    // Opens the file; throws a failure when it can't.
    explicit input_source(const traffic_options& options);
    ~input_source();
    input_source(const input_source&) = delete;
    input_source& operator=(const input_source&) = delete;

    // Gives the next message; waiting means: poll descriptor() first.
    state next(message& frames);

    // To poll while waiting, else -1.
    int descriptor() const noexcept { return descriptor_; }

    // True when it is fed by arguments, which --count repeats.
    bool repeatable() const noexcept { return !arguments_.empty(); }
    void rewind() noexcept { at_ = 0; }

private:
    state next_text(std::string& text);
    std::size_t message_end() const;
    state fill();
    bool readable_now() const;
    message to_message(std::string text) const;

    std::vector<std::string> arguments_;
    std::size_t at_ = 0;  // in arguments_ or in buffer_
    int descriptor_ = -1;
    bool owned_ = false;
    bool pollable_ = false;
    bool ended_ = false;
    bool whole_was_given_ = false;  // an empty file is an empty message, once
    bool whole_;
    std::size_t chunk_;
    char terminator_;
    bool keeps_terminator_;  // STREAM: octets go out as they are
    bool hex_;
    std::string separator_;
    std::string buffer_;
    std::size_t searched_ = 0;  // no terminator before
};

}  // namespace zlink::tool
