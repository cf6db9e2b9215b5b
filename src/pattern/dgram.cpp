// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/dgram.hpp"

namespace zlink::pattern {

errc dgram::send(const pipe::outgoing& frame)
{
    if (!port_) return errc::host_unreachable;
    if (frame.more == addressed()) return errc::invalid_argument;
    if (!can_send()) return errc::again;
    if (!port_->writer.write(frame)) [[unlikely]] {
        port_->writer.rollback();
        return errc::out_of_memory;
    }
    if (!frame.more) port_->publish();
    return errc::none;
}

bool dgram::can_receive()
{
    return port_ && port_->reader.readable();
}

errc dgram::receive(pipe::delivery& to)
{
    pipe::incoming f;
    if (!port_ || !port_->reader.next(f)) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    port_->pop(f);
    return errc::none;
}

bool dgram::attach(pipe::pipe_end& end, const attachment&)
{
    if (port_) {
        routing_of(end).rejected = true;
        return false;
    }
    port_ = &end;
    return true;
}

// The port ended by itself, which happens if the system is out of memory: what came before is lost, as datagrams are.
void dgram::on_peer_closed(pipe::pipe_end& end)
{
    detach(end);
    host_.give_up(end);
}

void dgram::detach(pipe::pipe_end& end)
{
    if (port_ != &end) return;
    port_->writer.rollback();
    port_ = nullptr;
}

bool dgram::confirm_sleep()
{
    if (!can_receive()) return false;
    port_->reader.wake_up();
    return true;
}

}  // namespace zlink::pattern
