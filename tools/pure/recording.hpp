// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The files of zlink record and zlink replay. docs/tool.md has the format; numbers are in network order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

struct recording_header {
    std::uint64_t start_ns = 0;  // since 1970
    std::string type;            // of the socket that received: "SUB"
};

struct recorded_message {
    std::uint64_t at_ns = 0;  // since the start
    std::vector<std::string> frames;
};

inline constexpr std::size_t recording_header_size = 32;

// The header; the type is cut at 12 characters.
std::string encode(const recording_header& header);

// One record. Nothing if the message is too long for the format: 4 GiB with its lengths.
std::optional<std::string> encode(const recorded_message& message);

// Reads a file from its beginning. Whatever the file says about sizes, no more memory is taken than it has octets.
class recording_reader {
public:
    // Fills the buffer and returns how many octets it got; 0 at the end.
    using source = std::function<std::size_t(char*, std::size_t)>;

    explicit recording_reader(source from) : source_(std::move(from)) {}

    // To be called first. False: see error().
    bool read_header(recording_header& header);

    // False at the end of the file, or if there is an error().
    bool next(recorded_message& message);

    // What is wrong with the file, and where; empty: nothing.
    const std::string& error() const noexcept { return error_; }
    std::uint64_t records() const noexcept { return records_; }

private:
    std::size_t read(std::size_t size);
    bool fail(const std::string& what);

    source source_;
    std::string buffer_;
    std::string error_;
    std::uint64_t offset_ = 0;  // of the record in the file
    std::uint64_t records_ = 0;
};

}  // namespace zlink::tool
