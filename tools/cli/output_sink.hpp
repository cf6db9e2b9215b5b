// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Received messages on standard output or in a file, buffered until the loop has nothing better to do.
#pragma once

#include "cli/message_format.hpp"
#include "cli/traffic_options.hpp"

#include <cstdint>
#include <string>

namespace zlink::tool {

class output_sink {
public:
    // Opens the file of --to, which loses what it had; throws a failure when it can't.
    explicit output_sink(const traffic_options& options);
    ~output_sink();
    output_sink(const output_sink&) = delete;
    output_sink& operator=(const output_sink&) = delete;

    // Appends the message; writes out when much has gathered.
    void put(const message& frames);

    // Writes out what has gathered. A reader that went away sets closed(); other errors throw a failure.
    void flush();

    // True once the reader of the output is gone: nothing more is worth receiving.
    bool closed() const noexcept { return closed_; }

private:
    bool owned_;
    std::string name_;
    int descriptor_;
    message_format format_;
    std::uint64_t messages_ = 0;
    std::string buffer_;
    bool closed_ = false;
};

}  // namespace zlink::tool
