// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The octets of one direction of a connection of TCP, in order, from segments in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// Segments that came too early are held: at most `most` octets. What never comes is a gap, with which it ends.
class tcp_stream {
public:
    using listener = std::function<void(std::string_view octets)>;

    explicit tcp_stream(listener told, std::size_t most = 16 * 1024 * 1024) : told_(std::move(told)), most_(most) {}

    // Octets from this number on. `syn`: the number is that of the SYN, before the first octet.
    void add(std::uint32_t sequence, std::string_view octets, bool syn, bool fin);

    // Its beginning has been seen, not only some later part.
    bool begun() const noexcept { return begun_; }
    bool started() const noexcept { return next_.has_value(); }

    // All octets up to the FIN have been told.
    bool complete() const noexcept { return end_ && next_ && *next_ == *end_; }

    // Octets are missing, and those after them are here.
    bool has_gap() const noexcept { return !held_.empty(); }

    // So many are held that the missing ones are not to be waited for.
    bool overflowed() const noexcept { return overflowed_; }

private:
    void hold(std::uint64_t at, std::string_view octets);
    void release();
    std::uint64_t position_of(std::uint32_t sequence) const;

    listener told_;
    std::size_t most_;
    bool begun_ = false;
    bool overflowed_ = false;
    std::uint32_t first_ = 0;            // number of the first octet
    std::optional<std::uint64_t> next_;  // position of the next octet to be told
    std::optional<std::uint64_t> end_;   // of the FIN
    std::map<std::uint64_t, std::string> held_;
    std::size_t held_size_ = 0;
};

}  // namespace zlink::tool
