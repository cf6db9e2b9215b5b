// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/fan_out.hpp"

#include "base/probes.hpp"
#include "message/frame.hpp"

namespace zlink::pattern::routing {

namespace {

// Over inproc a body is shared from this size on if that saves as many octets of copies as the second constant. A
// reference costs a span of the lane, two atomic operations, and a block that another thread frees. Below: two
// subscribers of 8 KB, four of 2 KB. Above: four of 4 KB, eight of 2 KB. Machine: copies within the caches, 10 GB/s
// (docs/performance/history.md).
constexpr std::size_t shared_from = 1024;
// Smaller bodies are copied for each connection, whatever its memory.
constexpr std::size_t numbered_from = 4096;
constexpr std::size_t spared_from = 12 * 1024;

// With many pipes each one's state is out of the cache when its turn comes. It is prefetched so many pipes ahead, and
// the data that it points to a little later (docs/decisions/0008).
constexpr std::size_t far_ahead = 8;
constexpr std::size_t near_ahead = 4;

}  // namespace

bool fan_out::attach(pipe::pipe_end& end, bool peer_is_socket) noexcept
{
    if (!pipes_.add(end)) return false;
    pipes_.to_back(end);
    routing_of(end).peer_is_socket = peer_is_socket;
    socket_peers_ += peer_is_socket;
    return true;
}

void fan_out::leave_message(pipe::pipe_end& end) noexcept
{
    if (!in_message_ || !pipes_.in_front(end)) return;
    end.writer.rollback();
    pipes_.to_back(end);
}

void fan_out::remove(pipe::pipe_end& end) noexcept
{
    leave_message(end);
    if (!pipes_.contains(end)) return;
    socket_peers_ -= routing_of(end).peer_is_socket;
    pipes_.remove(end);
}

bool fan_out::selected_have_room() noexcept
{
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) {
        if (!pipes_[i].writer.has_room_or_wait()) return false;
    }
    return true;
}

void fan_out::pass_over_those_who_left() noexcept
{
    for (std::size_t i = pipes_.front_size(); i-- > 0;) {
        if (i >= far_ahead) pipes_.prefetch(i - far_ahead);
        if (pipes_[i].peer_has_left()) pipes_.to_back(pipes_[i]);
    }
}

void fan_out::abandon() noexcept
{
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) pipes_[i].writer.rollback();
    pipes_.all_to_back();
    in_message_ = false;
}

bool fan_out::pays_to_share(std::size_t size) const noexcept
{
    if (size < shared_from || socket_peers_ < 2) return false;
    std::size_t sharers = pipes_.front_size();
    if (socket_peers_ != pipes_.size()) {
        for (std::size_t i = pipes_.front_size(); i-- > 0;) sharers -= !pipes_.record(i).peer_is_socket;
    }
    return sharers >= 2 && (sharers - 1) * size >= spared_from;
}

// `Shared`: pipes to sockets refer to the body, whatever its size.
template <bool Shared>
errc fan_out::write(const pipe::outgoing& f) noexcept
{
    const std::size_t count = pipes_.front_size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + far_ahead < count) pipes_[i + far_ahead].writer.prefetch();
        if (i + near_ahead < count) pipes_[i + near_ahead].writer.prefetch_room();
        pipe::lane_writer& lane = pipes_[i].writer;
        if (Shared && pipes_.record(i).peer_is_socket ? lane.write_shared(f) : lane.write(f)) [[likely]]
            continue;
        abandon();
        return errc::out_of_memory;
    }
    return errc::none;
}

// Connections that find the same number at a body may take it for the same. So each send has its own, also to one pipe.
void fan_out::number(const pipe::outgoing& f) noexcept
{
    message::buffer* const in = f.msg ? f.msg->shareable() : nullptr;
    if (in && (f.size >= numbered_from || in->distribution() != 0)) in->begin_distribution();
}

// Writes to several pipes, which share one body if that pays.
errc fan_out::write_shared(const pipe::outgoing& f) noexcept
{
    const bool held = f.msg && (f.msg->shareable() || f.msg->is_constant());
    const bool shared = pays_to_share(f.size);
    if (!shared && (held || !pipes_[0].writer.refers_to(f.size))) return write<false>(f);
    if (held) return write<true>(f);
    message::owned_frame body;
    if (!body.init_shared_copy_of(f.data, f.size)) {
        body.init();
        abandon();
        return errc::out_of_memory;
    }
    const auto of_body = pipe::outgoing::of(body, f.more);
    number(of_body);
    return shared ? write<true>(of_body) : write<false>(of_body);
}

// A whole message for one pipe: the case of most messages of a publisher.
errc fan_out::send_to_one(pipe::pipe_end& end, const pipe::outgoing& f, bool past_hwm) noexcept
{
    pipes_.all_to_back();
    if (!past_hwm && !end.writer.has_room()) [[unlikely]] {
        end.no_room.add(1);
        probes::drop(probes::drop_cause::full);
        return errc::none;
    }
    if (!end.writer.write(f)) [[unlikely]]
        return errc::out_of_memory;
    end.publish();
    return errc::none;
}

void fan_out::leave_out_full() noexcept
{
    for (std::size_t i = pipes_.front_size(); i-- > 0;) {
        if (!pipes_[i].writer.has_room()) [[unlikely]] {
            pipes_[i].no_room.add(1);
            probes::drop(probes::drop_cause::full);
            pipes_.to_back(pipes_[i]);
        }
    }
}

// The message ends, and with it the selection.
void fan_out::publish() noexcept
{
    const std::size_t count = pipes_.front_size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + near_ahead < count) pipes_[i + near_ahead].writer.prefetch_published();
        pipes_[i].publish();
    }
    pipes_.all_to_back();
}

errc fan_out::send(const pipe::outgoing& f, bool past_hwm) noexcept
{
    number(f);
    if (!in_message_ && !f.more && pipes_.front_size() == 1) return send_to_one(pipes_[0], f, past_hwm);
    if (!in_message_ && !past_hwm) leave_out_full();
    const errc error = f.size < shared_from || pipes_.front_size() < 2 ? write<false>(f) : write_shared(f);
    if (error != errc::none) return error;
    in_message_ = f.more;
    if (!f.more) publish();
    return errc::none;
}

errc fan_out::send_pair(const pipe::outgoing& first, const pipe::outgoing& last, bool past_hwm) noexcept
{
    if (last.size >= shared_from && pipes_.front_size() > 1) {
        const errc begun = send(first, past_hwm);
        return begun == errc::none ? send(last) : begun;
    }
    number(last);
    if (!past_hwm) leave_out_full();
    const std::size_t count = pipes_.front_size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + far_ahead < count) pipes_[i + far_ahead].writer.prefetch();
        if (i + near_ahead < count) pipes_[i + near_ahead].writer.prefetch_room();
        if (pipes_[i].writer.write_pair(first, last)) [[likely]]
            continue;
        abandon();
        return errc::out_of_memory;
    }
    publish();
    return errc::none;
}

errc fan_out::send_to_others(const pipe::outgoing& f) noexcept
{
    const pipe::outgoing whole{f.data, f.size, false};
    for (std::size_t i = pipes_.front_size(); i < pipes_.size(); ++i) {
        if (!pipes_[i].writer.write(whole)) return errc::out_of_memory;
        pipes_[i].publish();
    }
    return errc::none;
}

}  // namespace zlink::pattern::routing
