// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/radio.hpp"

#include "message/frame.hpp"
#include "message/group_key.hpp"

#include <span>
#include <string_view>

namespace zlink::pattern {

errc radio::send(const pipe::outgoing& frame)
{
    if (frame.more) return errc::invalid_argument;
    const std::string_view group = frame.msg ? frame.msg->group() : std::string_view{};
    const message::group_key key(std::as_bytes(std::span(group)));
    const errc begun = publisher_.send({key.group().data(), key.group().size(), true}, key.octets());
    return begun == errc::none ? publisher_.send(frame) : begun;
}

}  // namespace zlink::pattern
