// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/connection_reader.hpp"

namespace zlink::engine {

connection_reader::outcome connection_reader::fail(errc why) noexcept
{
    error_ = why;
    return outcome::failed;
}

// As many octets as `to` has room for. more: `got` have come.
connection_reader::outcome connection_reader::read_into(transport::stream& from, const iovec* to, int count,
                                                        std::size_t& got) noexcept
{
    using status = transport::io_outcome::status;
    const transport::io_outcome come = from.read(to, count);
    if (calls_) calls_->add(1);
    if (come.state == status::closed) return outcome::closed;
    full_ = come.state == status::more;
    if (come.state == status::failed) return fail(come.error);
    got = come.octets;
    octets_read_ += got;
    return got != 0 || full_ ? outcome::more : outcome::drained;
}

connection_reader::outcome connection_reader::read_once(transport::stream& from, wire::receive_arena& arena,
                                                        pipe::lane_writer& lane,
                                                        wire::command_handler* commands) noexcept
{
    if (error_ != errc::none) return outcome::failed;
    wire::inbound::scratch spare;
    while (true) {
        wire::inbound::room to;
        if (!wire_->prepare(arena, lane, spare, to)) return fail(errc::out_of_memory);
        std::size_t got = 0;
        if (to.count != 0) {
            const outcome read = read_into(from, to.pieces, to.count, got);
            // If the stream wraps another, a read may bring no octets of the connection.
            if (read != outcome::more || got == 0) return read;
        }
        switch (wire_->accept(got, full_, arena, lane, spare, commands)) {
        case wire::inbound::outcome::done: return to.count == 0 || full_ ? outcome::more : outcome::drained;
        case wire::inbound::outcome::again: break;
        case wire::inbound::outcome::command: return outcome::hand_over;
        case wire::inbound::outcome::failed: return fail(wire_->error());
        }
    }
}

}  // namespace zlink::engine
