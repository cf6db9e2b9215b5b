#include "engine/connection_reader.hpp"

#include "base/many_octets.hpp"
#include "engine/arrivals.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace zlink::engine {

namespace {

// Reads start at this size and grow after full reads. Also how far a read may overshoot the receive high-water mark.
constexpr std::size_t first_read = 8 * 1024;

// What a read of a large body's rest takes of the frames behind it.
constexpr std::size_t read_behind_body = 8 * 1024;

// Messages of this size on average are read one by one, each into its own memory; of smaller ones a read takes many.
constexpr std::size_t own_read_from = 32 * 1024;

// Commands are kept whole until they can be parsed; a longer one is refused. Data frames from here on are large.
constexpr std::size_t largest_kept = 1024 * 1024;

// What was kept of a frame is copied for each read that brings more of it, to lie before that. Where it is long, and reads
// bring little, they go behind it instead: a peer that sends an octet at a time costs no copy of everything each time.
constexpr std::size_t long_kept = 4 * 1024;
constexpr std::size_t little_of_kept = 8;

// What came in so small a read is copied out of a chunk that connections share, which costs no more than a span of its own.
constexpr std::size_t copied = 256;

// And what came in a read up to this size where the program has left what came before: unread messages of one connection do
// not keep what others have read in between. The first go into one chunk with others, the second get memory of their own.
constexpr std::size_t copied_if_behind = 2 * 1024;
constexpr std::size_t alone_if_behind = 8 * 1024;

// Memory of what was kept is kept itself up to this size.
constexpr std::size_t largest_reserve = first_read;

}  // namespace

connection_reader::connection_reader(std::unique_ptr<wire::frame_decoder> how, std::int64_t max_msg_size,
                                     std::size_t in_batch, std::size_t large_from, std::size_t max_transfer) noexcept
    : decoder_(std::move(how)),
      scanner_(max_msg_size),
      next_read_(first_read),
      largest_read_(max_transfer ? std::min(in_batch, max_transfer) : in_batch),
      large_from_(std::clamp<std::size_t>(large_from, 1, largest_kept)),
      max_transfer_(max_transfer)
{
    largest_read_ = std::max<std::size_t>(largest_read_, 1);
    next_read_ = std::min(next_read_, largest_read_);
}

connection_reader::outcome connection_reader::fail(errc why) noexcept
{
    error_ = why;
    return outcome::failed;
}

// One read of as many octets as `to` has room for. more: `got` have come.
connection_reader::outcome connection_reader::read_into(transport::stream& from, const iovec* to, int count,
                                                        std::size_t& got) noexcept
{
    using status = transport::io_outcome::status;
    const transport::io_outcome come = from.read(to, count);
    if (come.state == status::closed) return outcome::closed;
    full_ = come.state == status::more;
    if (come.state == status::failed) return fail(come.error);
    got = come.octets;
    octets_read_ += got;
    return got != 0 || full_ ? outcome::more : outcome::drained;
}

bool connection_reader::keep(const std::byte* begin, const std::byte* end) noexcept
{
    try {
        kept_.assign(begin, end);
        return true;
    } catch (...) {
        return false;
    }
}

bool connection_reader::feed(std::span<const std::byte> octets) noexcept
{
    unread_ = !octets.empty();
    return keep(octets.data(), octets.data() + octets.size());
}

std::size_t connection_reader::read_size(pipe::lane_writer& lane) const noexcept
{
    // Of a body that gets memory of its own, this read brings the header and what is copied for it.
    const std::size_t size = octets_per_message_ >= own_read_from ? std::min(next_read_, first_read) : next_read_;
    if (lane.hwm() == 0) return size;
    const std::uint64_t room = std::min<std::uint64_t>(lane.room(), largest_read_);
    return std::min<std::uint64_t>(size, room * octets_per_message_ + first_read);
}

void connection_reader::learn(std::size_t wanted, std::size_t got) noexcept
{
    if (got == wanted && wanted >= next_read_) {
        next_read_ = std::min(next_read_ * 2, largest_read_);
    } else if (got * 4 < next_read_) {
        next_read_ = std::max(next_read_ / 2, std::min(first_read, largest_read_));
    }
}

connection_reader::outcome connection_reader::read_once(transport::stream& from, receive_arena& arena,
                                                        pipe::lane_writer& lane, command_handler* commands) noexcept
{
    if (error_ != errc::none) return outcome::failed;
    if (decoder_) return read_decoded(from, lane);
    if (large_.active()) return fill_large(from, arena, lane, commands);
    if (collects_) return collect(from, arena, lane, commands);
    const bool reread = unread_;
    const std::size_t wanted = reread ? 0 : read_size(lane);
    const std::size_t kept = kept_.size();
    if (!arena.reserve(kept + std::min(wanted, first_read))) return fail(errc::out_of_memory);
    // Rather a fresh chunk than a short read.
    if (arena.room() < kept + wanted && !arena.reserve(kept + wanted)) return fail(errc::out_of_memory);
    std::byte* begin = arena.at();
    std::size_t got = 0;
    if (!reread) {
        iovec to{begin + kept, wanted};
        if (const outcome read = read_into(from, &to, 1, got); read != outcome::more) return read;
    }
    copy_many_octets(begin, kept_.data(), kept);
    kept_.clear();
    if (kept_.capacity() > largest_reserve) std::vector<std::byte>().swap(kept_);
    unread_ = false;
    missing_ = 0;
    const outcome result = process(begin, begin + kept + got, arena, lane, commands);
    if (reread || result != outcome::more) return result;
    collects_ = missing_ != 0 && kept_.size() >= long_kept && got < kept_.size() / little_of_kept;
    learn(wanted, got);
    if (!full_) return outcome::drained;
    return large_.active() && !max_transfer_ ? fill_large(from, arena, lane, commands) : outcome::more;
}

connection_reader::outcome connection_reader::read_decoded(transport::stream& from, pipe::lane_writer& lane) noexcept
{
    std::array<std::byte, first_read> in;
    std::span<const std::byte> octets = kept_;
    const bool fed = std::exchange(unread_, false);
    if (!fed) {
        const iovec to{in.data(), max_transfer_ ? std::min(in.size(), max_transfer_) : in.size()};
        std::size_t got = 0;
        if (const outcome read = read_into(from, &to, 1, got); read != outcome::more) return read;
        octets = std::span(in).first(got);
    }
    note_arrival();
    const errc taken = decoder_->accept(octets, lane);
    if (fed) std::vector<std::byte>().swap(kept_);
    if (taken != errc::none) return fail(taken);
    return fed || full_ ? outcome::more : outcome::drained;
}

// Reads no further than to the end of the frame, which is then dealt with like octets that were there before.
connection_reader::outcome connection_reader::collect(transport::stream& from, receive_arena& arena,
                                                      pipe::lane_writer& lane, command_handler* commands) noexcept
{
    std::array<std::byte, first_read> in;
    const std::size_t most = std::min(missing_, in.size());
    const std::size_t wanted = max_transfer_ ? std::min(most, max_transfer_) : most;
    iovec to{in.data(), wanted};
    std::size_t got = 0;
    if (const outcome read = read_into(from, &to, 1, got); read != outcome::more) return read;
    try {
        kept_.insert(kept_.end(), in.data(), in.data() + got);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    missing_ -= got;
    if (missing_ != 0) return full_ ? outcome::more : outcome::drained;
    collects_ = false;
    unread_ = true;
    return read_once(from, arena, lane, commands);
}

connection_reader::outcome connection_reader::fill_large(transport::stream& from, receive_arena& arena,
                                                         pipe::lane_writer& lane, command_handler* commands) noexcept
{
    if (!arena.reserve(message::long_header_size + 2 * sizeof(pipe::span) + read_behind_body)) {
        return fail(errc::out_of_memory);
    }
    std::size_t room = 0;
    std::byte* to = large_.space(room);
    if (!room) return fail(errc::out_of_memory);
    // The body's header and span come first in the arena, then what follows the body.
    std::byte* behind = arena.at() + message::long_header_size;
    std::size_t wanted = large_.last_space() ? room + read_behind_body : room;
    if (max_transfer_) wanted = std::min(wanted, max_transfer_);
    iovec parts[2] = {{to, std::min(room, wanted)}, {behind, wanted - std::min(room, wanted)}};
    std::size_t got = 0;
    const outcome read = read_into(from, parts, parts[1].iov_len ? 2 : 1, got);
    if (read != outcome::more) return read;
    const std::size_t body = std::min(got, room);
    large_.arrived(body);
    if (!large_.complete()) return full_ ? outcome::more : outcome::drained;
    if (!deliver_large(arena, lane)) return fail(errc::out_of_memory);
    const outcome result = process(behind, behind + (got - body), arena, lane, commands);
    if (result != outcome::more) return result;
    return full_ ? outcome::more : outcome::drained;
}

// Puts the complete large frame into the lane: its header into the arena, its body beside it.
bool connection_reader::deliver_large(receive_arena& arena, pipe::lane_writer& lane) noexcept
{
    std::byte* header = arena.at();
    const message::frame_header h = large_.header();
    void* place = arena.take_span(header + message::long_header_size + read_behind_body);
    if (!place) return false;
    const auto more = std::uint8_t(h.flags & message::flag_more);
    std::byte* end = header + message::encode_header(header, more, h.body_size);
    arena.take(header + message::long_header_size);
    arena.chunk()->add_ref();
    message::buffer* body = large_.release();
    octets_per_message_ = std::max<std::size_t>(1, (octets_per_message_ * 3 + h.body_size) / 4);
    if (!more) note_arrival();
    lane.append_span(arena.chunk(), place, header, more ? header : end, end, more ? 0 : 1, body, body->data(),
                     std::size_t(h.body_size));
    return true;
}

// Gives scanned frames to the lane as one span.
bool connection_reader::hand_over(std::byte* begin, const zmtp::frame_scanner::outcome& found, receive_arena& arena,
                                  pipe::lane_writer& lane, const std::byte* in_use) noexcept
{
    auto* end = const_cast<std::byte*>(found.frames_end);
    auto* visible = found.messages_end ? const_cast<std::byte*>(found.messages_end) : begin;
    if (found.messages) {
        octets_per_message_ = std::max<std::size_t>(1, std::size_t(visible - begin) / found.messages);
        note_arrival();
    }
    // Where many connections share a chunk, little of one that nobody reads would keep all of it.
    std::uint32_t messages = found.messages;
    const bool behind = arena.shared() && lane.reader_is_behind();
    if (arena.shared() && std::size_t(end - begin) <= (behind ? copied_if_behind : copied)) {
        if (messages && lane.append_copy(begin, visible, messages)) {
            begin = visible;
            messages = 0;
        }
        // Nothing refers to the arena's octets then: the next ones may take their place.
        if (begin == end || (messages == 0 && lane.append_copy(begin, end, 0))) return true;
    }
    const auto size = std::size_t(end - begin);
    void* const place = behind && size <= alone_if_behind ? nullptr : arena.take_span(in_use);
    if (place) {
        arena.chunk()->add_ref();
        arena.take(end);
        lane.append_span(arena.chunk(), place, begin, messages ? visible : begin, end, messages);
        return true;
    }
    // A chunk of its own; also if many commands between the frames used up the room for spans.
    message::buffer* own = message::buffer::allocate(size + 2 * sizeof(pipe::span));
    if (!own) return false;
    copy_many_octets(own->data(), begin, size);
    const auto above = reinterpret_cast<std::uintptr_t>(own->data() + size) + alignof(pipe::span) - 1;
    lane.append_span(own, reinterpret_cast<void*>(above & ~(alignof(pipe::span) - 1)), own->data(),
                     messages ? own->data() + (visible - begin) : own->data(), own->data() + size, messages);
    return true;
}

// `more`: all was dealt with.
connection_reader::outcome connection_reader::process(std::byte* begin, std::byte* end, receive_arena& arena,
                                                      pipe::lane_writer& lane, command_handler* commands) noexcept
{
    using stop = zmtp::frame_scanner::stop;
    while (true) {
        const zmtp::frame_scanner::outcome found = scanner_.scan(begin, end);
        auto* rest = const_cast<std::byte*>(found.frames_end);
        if (rest != begin && !hand_over(begin, found, arena, lane, end)) return fail(errc::out_of_memory);
        switch (found.why) {
        case stop::end: return outcome::more;
        case stop::reserved_bits: return fail(errc::protocol_error);
        case stop::too_long: return fail(errc::message_too_long);
        case stop::partial_body:
            if (found.header.body_size >= large_from_ && !(found.header.flags & message::flag_command)) {
                const std::byte* body = rest + found.header.size;
                if (!large_.begin(found.header) ||
                    large_.take(body, std::size_t(end - body)) != std::size_t(end - body)) {
                    return fail(errc::out_of_memory);
                }
                return outcome::more;
            }
            if (found.header.body_size > largest_kept) return fail(errc::protocol_error);
            missing_ = found.header.size + std::size_t(found.header.body_size) - std::size_t(end - rest);
            [[fallthrough]];
        case stop::partial_header:
            if (!keep(rest, end)) return fail(errc::out_of_memory);
            // A command, or a frame below the large size, that is longer than a read.
            if (found.why == stop::partial_body) next_read_ = std::min(std::max(next_read_, first_read), largest_read_);
            return outcome::more;
        case stop::command: {
            if (!commands) {
                unread_ = true;
                return keep(rest, end) ? outcome::hand_over : fail(errc::out_of_memory);
            }
            std::byte* body = rest + found.header.size;
            // Inside a message, too: libzmq sends PING and PONG between two frames of it.
            if (!commands->on_command({body, std::size_t(found.header.body_size)})) return fail(errc::protocol_error);
            begin = body + found.header.body_size;
            break;
        }
        }
    }
}

}  // namespace zlink::engine
