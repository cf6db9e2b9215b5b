// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A port of datagrams without a system: what it is given comes out, and the test says when it has no room.
#pragma once

#include "transport/datagram_port.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine::test {

class scripted_port final : public transport::datagram_port {
public:
    using text_pair = std::pair<std::string, std::string>;

    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] bool sends() const noexcept override { return can_send; }
    [[nodiscard]] bool receives() const noexcept override { return true; }

    [[nodiscard]] sent send(std::span<const transport::datagram> some) noexcept override
    {
        sent result;
        for (const auto& d : some) {
            result.blocked = went.size() == room;
            if (result.blocked) break;
            ++result.taken;
            const text_pair one{text_of(d.head), text_of(d.body)};
            if (one.first == refused) {
                ++result.dropped;
            } else {
                went.push_back(one);
            }
        }
        return result;
    }

    [[nodiscard]] received receive(std::span<transport::datagram> to) noexcept override
    {
        received result;
        shown.clear();
        while (result.count < to.size() && !come.empty()) {
            shown.push_back(come.front());
            come.erase(come.begin());
            ++result.count;
        }
        for (std::size_t i = 0; i < result.count; ++i) to[i] = {octets_of(shown[i].first), octets_of(shown[i].second)};
        result.malformed = std::exchange(malformed, 0);
        result.more = !come.empty();
        return result;
    }

    bool can_send = true;
    std::size_t room = std::numeric_limits<std::size_t>::max();  ///< datagrams until it is blocked
    std::string refused = "refused";                             ///< a head that is dropped
    std::vector<text_pair> went;
    std::vector<text_pair> come;
    std::size_t malformed = 0;

private:
    static std::string text_of(std::span<const std::byte> octets)
    {
        return {reinterpret_cast<const char*>(octets.data()), octets.size()};
    }
    static std::span<const std::byte> octets_of(const std::string& text) { return std::as_bytes(std::span(text)); }

    std::vector<text_pair> shown;
};

}  // namespace zlink::engine::test
