// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Files of tcpdump and Wireshark: pcap in both orders of octets, with micro- or nanoseconds, and pcapng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zlink::tool {

struct captured_packet {
    std::uint64_t at_ns = 0;  // since 1970
    std::uint32_t link = 0;   // what kind of network it is of: LINKTYPE_...
    std::string octets;
    std::uint32_t whole_size = 0;  // on the network; more than there are octets if the capture cut it
};

// Reads a file from its beginning. Whatever the file says about sizes, no more memory is taken than it has octets.
class capture_reader {
public:
    // Fills the buffer and returns how many octets it got; 0 at the end.
    using source = std::function<std::size_t(char*, std::size_t)>;

    explicit capture_reader(source from) : source_(std::move(from)) {}

    // False at the end of the file, or if there is an error().
    bool next(captured_packet& packet);

    // What is wrong with the file, and where; empty: nothing.
    const std::string& error() const noexcept { return error_; }

private:
    enum class kind { unknown, classic, blocks };
    struct interface {
        std::uint32_t link = 0;
        std::uint64_t ticks_per_second = 1'000'000;
    };

    bool begin();
    bool next_classic(captured_packet& packet);
    bool next_of_blocks(captured_packet& packet);
    bool read_block(std::uint32_t& type);
    bool begin_section();
    bool take_interface();
    bool take_packet(std::uint32_t type, captured_packet& packet);
    bool read(std::size_t size);
    bool fail(const std::string& what);
    std::uint16_t number16(std::size_t at) const;
    std::uint32_t number32(std::size_t at) const;
    std::uint64_t time_of(std::uint64_t ticks, std::uint64_t per_second) const;

    source source_;
    kind kind_ = kind::unknown;
    bool swapped_ = false;  // numbers have their least significant octet first
    std::uint64_t ticks_per_second_ = 1'000'000;
    std::uint32_t link_ = 0;
    std::vector<interface> interfaces_;
    std::string buffer_;
    std::string error_;
    std::uint64_t offset_ = 0;  // of what is behind the buffer
};

}  // namespace zlink::tool
