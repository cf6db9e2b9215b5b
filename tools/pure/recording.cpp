// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/recording.hpp"

#include "pure/network_order.hpp"

#include <algorithm>
#include <limits>

namespace zlink::tool {
namespace {

constexpr std::string_view magic = "ZLINKREC";
constexpr std::uint16_t format_version = 1;
constexpr std::size_t version_at = 8;
constexpr std::size_t start_at = 12;
constexpr std::size_t type_at = 20;
constexpr std::size_t type_size = recording_header_size - type_at;
constexpr std::size_t smallest_record = 12;  // time and number of frames
constexpr std::size_t read_at_once = std::size_t{1} << 20;

}  // namespace

std::string encode(const recording_header& header)
{
    std::string octets(magic);
    append_number<std::uint16_t>(octets, format_version);
    append_number<std::uint16_t>(octets, 0);
    append_number(octets, header.start_ns);
    octets += header.type.substr(0, type_size);
    octets.resize(recording_header_size);
    return octets;
}

std::optional<std::string> encode(const recorded_message& message)
{
    std::size_t size = smallest_record;
    for (const auto& frame : message.frames) {
        size += 4 + frame.size();
    }
    if (size > std::numeric_limits<std::uint32_t>::max()) {
        return std::nullopt;
    }
    std::string octets;
    octets.reserve(4 + size);
    append_number(octets, std::uint32_t(size));
    append_number(octets, message.at_ns);
    append_number(octets, std::uint32_t(message.frames.size()));
    for (const auto& frame : message.frames) {
        append_number(octets, std::uint32_t(frame.size()));
        octets += frame;
    }
    return octets;
}

// Into the buffer, in steps: a size that is a lie takes no memory.
std::size_t recording_reader::read(std::size_t size)
{
    buffer_.clear();
    while (buffer_.size() < size) {
        const std::size_t had = buffer_.size();
        const std::size_t wanted = std::min(read_at_once, size - had);
        buffer_.resize(had + wanted);
        const std::size_t got = source_(buffer_.data() + had, wanted);
        buffer_.resize(had + std::min(got, wanted));
        if (got == 0) {
            break;
        }
    }
    return buffer_.size();
}

bool recording_reader::fail(const std::string& what)
{
    error_ = what;
    return false;
}

bool recording_reader::read_header(recording_header& header)
{
    const std::size_t got = read(recording_header_size);
    if (got == 0) {
        return fail("it is empty");
    }
    if (!std::string_view(buffer_).starts_with(magic.substr(0, got))) {
        return fail("it is not a recording: it does not begin with ZLINKREC");
    }
    if (got < recording_header_size) {
        return fail("it ends within its header; the recording was cut off");
    }
    const auto has = number_at<std::uint16_t>(buffer_, version_at);
    if (has != format_version) {
        return fail("it is a recording of version " + std::to_string(has) + "; this tool reads version " +
                    std::to_string(format_version));
    }
    header.start_ns = number_at<std::uint64_t>(buffer_, start_at);
    header.type = buffer_.substr(type_at, type_size);
    header.type.erase(std::min(header.type.find('\0'), header.type.size()));
    offset_ = recording_header_size;
    return true;
}

bool recording_reader::next(recorded_message& message)
{
    if (!error_.empty()) {
        return false;
    }
    const std::string where = "record " + std::to_string(records_ + 1) + " at octet " + std::to_string(offset_);
    const std::size_t got = read(4);
    if (got == 0) {
        return false;
    }
    if (got < 4) {
        return fail("it ends within " + where + "; the recording was cut off there");
    }
    const std::size_t size = number_at<std::uint32_t>(buffer_, 0);
    if (size < smallest_record) {
        return fail(where + " is damaged: its size is " + std::to_string(size));
    }
    if (read(size) < size) {
        return fail("it ends within " + where + "; the recording was cut off there");
    }
    message.at_ns = number_at<std::uint64_t>(buffer_, 0);
    const std::size_t frames = number_at<std::uint32_t>(buffer_, 8);
    message.frames.clear();
    std::size_t at = smallest_record;
    for (std::size_t frame = 0; frame < frames; ++frame) {
        if (size - at < 4) {
            return fail(where + " is damaged: it has fewer frames than it says");
        }
        const std::size_t length = number_at<std::uint32_t>(buffer_, at);
        at += 4;
        if (size - at < length) {
            return fail(where + " is damaged: a frame is longer than the record");
        }
        message.frames.emplace_back(buffer_, at, length);
        at += length;
    }
    if (at != size || frames == 0) {
        return fail(where +
                    (frames == 0 ? " is damaged: it has no frames" : " is damaged: something follows its frames"));
    }
    offset_ += 4 + size;
    ++records_;
    return true;
}

}  // namespace zlink::tool
