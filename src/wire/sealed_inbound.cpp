// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/sealed_inbound.hpp"

#include <utility>

namespace zlink::wire {

sealed_inbound::sealed_inbound(std::unique_ptr<zmtp::opener> how, const frame_limits& l) noexcept
    : opening_inbound(l),
      opener_(std::move(how), l.max_msg_size)
{}

inbound::outcome sealed_inbound::process(octets there, receive_arena& arena, pipe::lane_writer& lane,
                                         command_handler* commands) noexcept
{
    std::byte* const sealed = there.begin + take_opened();
    const frame_opener::opening found = opener_.open_all({sealed, there.end});
    const octets rest{found.rest, there.end};
    const outcome result = deliver({there.begin, found.opened}, rest, arena, lane, commands);
    if (result != outcome::done) return result;
    return opener_.error() == errc::none ? keep_partial(rest, found) : fail(opener_.error(), opener_.reason());
}

inbound::outcome sealed_inbound::keep_partial(octets there, const frame_opener::opening& found) noexcept
{
    if (there.begin == there.end) return outcome::done;
    std::uint64_t missing = 0;
    if (found.next == frame_opener::presence::no_body) {
        const message::frame_header& h = found.header;
        if (h.body_size > opener_.overhead() && intake_.is_large(h.body_size - opener_.overhead())) {
            const bool begun = intake_.begin_large(h, {there.begin + h.size, there.end});
            return begun ? outcome::done : fail(errc::out_of_memory);
        }
        missing = h.size + h.body_size - std::uint64_t(there.end - there.begin);
    }
    return intake_.keep_partial(there, missing) ? outcome::done : fail(errc::out_of_memory);
}

}  // namespace zlink::wire
