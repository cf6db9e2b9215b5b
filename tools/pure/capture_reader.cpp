// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
#include "pure/capture_reader.hpp"

#include "pure/network_order.hpp"

#include <algorithm>
#include <limits>

namespace zlink::tool {
namespace {

constexpr std::uint32_t micro_magic = 0xa1b2c3d4;
constexpr std::uint32_t nano_magic = 0xa1b23c4d;
constexpr std::uint32_t section_block = 0x0a0d0d0a;  // the same in both orders
constexpr std::uint32_t order_magic = 0x1a2b3c4d;
constexpr std::uint32_t interface_block = 1;
constexpr std::uint32_t old_packet_block = 2;
constexpr std::uint32_t simple_packet_block = 3;
constexpr std::uint32_t packet_block = 6;

constexpr std::size_t classic_header = 24;
constexpr std::size_t classic_packet_header = 16;
constexpr std::uint32_t largest_packet = 16 * 1024 * 1024;  // more is no packet of any network
constexpr std::size_t most_interfaces = 10'000;
constexpr std::size_t largest_read = std::size_t{1} << 20;
constexpr std::uint64_t ns_per_second = 1'000'000'000;

}  // namespace

bool capture_reader::fail(const std::string& what)
{
    error_ = what;
    return false;
}

std::uint16_t capture_reader::number16(std::size_t at) const
{
    return swapped_ ? little_number_at<std::uint16_t>(buffer_, at) : number_at<std::uint16_t>(buffer_, at);
}

std::uint32_t capture_reader::number32(std::size_t at) const
{
    return swapped_ ? little_number_at<std::uint32_t>(buffer_, at) : number_at<std::uint32_t>(buffer_, at);
}

// Replaces the buffer; false if there are fewer octets, which are in it then.
bool capture_reader::read(std::size_t size)
{
    buffer_.clear();
    while (buffer_.size() < size) {
        const std::size_t had = buffer_.size();
        const std::size_t wanted = std::min(largest_read, size - had);
        buffer_.resize(had + wanted);
        const std::size_t got = source_(buffer_.data() + had, wanted);
        buffer_.resize(had + std::min(got, wanted));
        if (got == 0) {
            break;
        }
    }
    offset_ += buffer_.size();
    return buffer_.size() == size;
}

std::uint64_t capture_reader::time_of(std::uint64_t ticks, std::uint64_t per_second) const
{
    const std::uint64_t seconds = ticks / per_second;
    const std::uint64_t rest = ticks % per_second;
    const double part = double(rest) / double(per_second) * double(ns_per_second);
    const bool fits = seconds < std::numeric_limits<std::uint64_t>::max() / ns_per_second;
    return (fits ? seconds * ns_per_second : 0) +
           (ns_per_second % per_second == 0 ? rest * (ns_per_second / per_second) : std::uint64_t(part));
}

bool capture_reader::begin()
{
    if (!read(4)) {
        return fail(buffer_.empty() ? "it is empty" : "it is not a capture of packets: pcap and pcapng are read");
    }
    const auto big = number_at<std::uint32_t>(buffer_, 0);
    const auto little = little_number_at<std::uint32_t>(buffer_, 0);
    if (big == section_block) {
        kind_ = kind::blocks;
        return begin_section();
    }
    swapped_ = little == micro_magic || little == nano_magic;
    const std::uint32_t magic = swapped_ ? little : big;
    if (magic != micro_magic && magic != nano_magic) {
        return fail("it is not a capture of packets: pcap and pcapng are read");
    }
    ticks_per_second_ = magic == nano_magic ? ns_per_second : 1'000'000;
    if (!read(classic_header - 4)) {
        return fail("it ends within its header; the capture was cut off");
    }
    link_ = number32(16) & 0x0fffffff;  // above: about checksums
    kind_ = kind::classic;
    return true;
}

bool capture_reader::next(captured_packet& packet)
{
    if (!error_.empty() || (kind_ == kind::unknown && !begin())) {
        return false;
    }
    return kind_ == kind::classic ? next_classic(packet) : next_of_blocks(packet);
}

bool capture_reader::next_classic(captured_packet& packet)
{
    const std::string where = "at octet " + std::to_string(offset_);
    if (!read(classic_packet_header)) {
        return buffer_.empty() ? false : fail("it ends within a packet " + where + "; the capture was cut off there");
    }
    const std::uint32_t size = number32(8);
    if (size > largest_packet) {
        return fail("it is damaged " + where + ": a packet of " + std::to_string(size) + " octets");
    }
    packet.at_ns = number32(0) * ns_per_second + time_of(number32(4), ticks_per_second_);
    packet.link = link_;
    packet.whole_size = number32(12);
    if (!read(size)) {
        return fail("it ends within a packet " + where + "; the capture was cut off there");
    }
    packet.octets = buffer_;
    return true;
}

// A section header's type has been read; what follows decides about the order of octets.
bool capture_reader::begin_section()
{
    const std::string where = "at octet " + std::to_string(offset_ - 4);
    if (!read(8)) {
        return fail("it ends within a section header " + where + "; the capture was cut off there");
    }
    swapped_ = little_number_at<std::uint32_t>(buffer_, 4) == order_magic;
    if (number32(4) != order_magic) {
        return fail("it is damaged " + where + ": a section of neither order of octets");
    }
    const std::uint32_t size = number32(0);
    if (size < 28 || size > largest_packet || size % 4 != 0) {
        return fail("it is damaged " + where + ": a block of " + std::to_string(size) + " octets");
    }
    if (!read(size - 12)) {
        return fail("it ends within a section header " + where + "; the capture was cut off there");
    }
    interfaces_.clear();
    return true;
}

// The body of the next block into the buffer, without its sizes.
bool capture_reader::read_block(std::uint32_t& type)
{
    const std::string where = "at octet " + std::to_string(offset_);
    if (!read(4)) {
        return buffer_.empty() ? false : fail("it ends within a block " + where + "; the capture was cut off there");
    }
    type = number32(0);
    if (type == section_block) {
        return begin_section();
    }
    if (!read(4)) {
        return fail("it ends within a block " + where + "; the capture was cut off there");
    }
    const std::uint32_t size = number32(0);
    if (size < 12 || size > largest_packet || size % 4 != 0) {
        return fail("it is damaged " + where + ": a block of " + std::to_string(size) + " octets");
    }
    if (!read(size - 8)) {
        return fail("it ends within a block " + where + "; the capture was cut off there");
    }
    buffer_.resize(buffer_.size() - 4);  // the size again
    return true;
}

bool capture_reader::next_of_blocks(captured_packet& packet)
{
    std::uint32_t type = 0;
    while (read_block(type)) {
        if (type == interface_block && !take_interface()) {
            return false;
        }
        const bool has_packet = type == packet_block || type == simple_packet_block || type == old_packet_block;
        if (has_packet) {
            return take_packet(type, packet);
        }
    }
    return false;
}

bool capture_reader::take_interface()
{
    constexpr std::uint16_t resolution_option = 9;
    if (buffer_.size() < 8 || interfaces_.size() == most_interfaces) {
        return fail("it is damaged before octet " + std::to_string(offset_) + ": an interface without a description");
    }
    interface added{number16(0), 1'000'000};
    for (std::size_t at = 8; at + 4 <= buffer_.size();) {
        const std::uint16_t option = number16(at);
        const std::size_t size = number16(at + 2);
        if (option == 0 || buffer_.size() - at - 4 < size) {
            break;
        }
        if (option == resolution_option && size == 1) {
            const auto value = static_cast<unsigned char>(buffer_[at + 4]);
            const unsigned power = value & 0x7fU;
            std::uint64_t ticks = 1;
            if ((value & 0x80U) != 0 ? power > 40 : power > 12) {
                return fail("it is damaged before octet " + std::to_string(offset_) + ": an unknown unit of time");
            }
            for (unsigned step_of = 0; step_of < power; ++step_of) {
                ticks *= (value & 0x80U) != 0 ? 2 : 10;
            }
            added.ticks_per_second = ticks;
        }
        at += 4 + (size + 3) / 4 * 4;
    }
    interfaces_.push_back(added);
    return true;
}

bool capture_reader::take_packet(std::uint32_t type, captured_packet& packet)
{
    const std::string where = "it is damaged before octet " + std::to_string(offset_) + ": ";
    const bool simple = type == simple_packet_block;
    const std::size_t header = simple ? 4 : 20;
    if (buffer_.size() < header) {
        return fail(where + "a packet without a header");
    }
    const std::uint32_t index = simple ? 0 : type == old_packet_block ? number16(0) : number32(0);
    if (index >= interfaces_.size()) {
        return fail(where + "a packet of an interface that is not described");
    }
    const auto& from = interfaces_[index];
    packet.link = from.link;
    packet.whole_size = number32(simple ? 0 : 16);
    const std::size_t room = buffer_.size() - header;
    const std::size_t size = simple ? std::min<std::size_t>(packet.whole_size, room) : number32(12);
    if (size > room) {
        return fail(where + "a packet longer than its block");
    }
    const std::uint64_t ticks = simple ? 0 : (std::uint64_t{number32(4)} << 32) | number32(8);
    packet.at_ns = time_of(ticks, from.ticks_per_second);
    packet.octets.assign(buffer_, header, size);
    return true;
}

}  // namespace zlink::tool
