// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/few_topics.hpp"

#include <algorithm>

namespace zlink::pattern::routing {

bool few_topics::add(topic_octets topic, id number) noexcept
{
    if (count_ == most) return false;
    const std::size_t last_at = std::max<std::size_t>(topic.size(), 8) - 8;
    const item fresh{
        word_at(topic, 0),      word_at(topic, last_at),     first_octets(std::min<std::size_t>(topic.size(), 8)),
        std::uint32_t(last_at), std::uint32_t(topic.size()), number};
    item* const end = items_.data() + count_;
    const auto is_alike = [&](const item& i) {
        return i.length == fresh.length && i.first == fresh.first && i.last == fresh.last;
    };
    if (std::any_of(items_.data(), end, is_alike)) return false;
    item* const place = std::find_if(items_.data(), end, [&](const item& i) { return i.length > fresh.length; });
    std::move_backward(place, end, end + 1);
    *place = fresh;
    ++count_;
    return true;
}

void few_topics::remove(id number) noexcept
{
    item* const end = items_.data() + count_;
    item* const place = std::find_if(items_.data(), end, [&](const item& i) { return i.number == number; });
    std::move(place + 1, end, place);
    --count_;
}

}  // namespace zlink::pattern::routing
