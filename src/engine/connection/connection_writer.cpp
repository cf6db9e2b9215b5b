// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/connection_writer.hpp"

#include <algorithm>

namespace zlink::engine {

namespace {

constexpr std::size_t most_kept_when_idle = 4 * 1024;

// Pieces in one system call; large enough for a batch of referenced bodies.
constexpr int most_pieces = 64;

// Cuts the pieces down to `most` octets.
void cap(iovec* pieces, int& count, std::size_t octets, std::size_t most) noexcept
{
    while (octets > most) {
        iovec& last = pieces[count - 1];
        const std::size_t over = octets - most;
        if (last.iov_len > over) {
            last.iov_len -= over;
            return;
        }
        octets -= last.iov_len;
        --count;
    }
}

}  // namespace

bool connection_writer::send_first(std::span<const std::byte> octets) noexcept
{
    try {
        first_.insert(first_.end(), octets.begin(), octets.end());
        return true;
    } catch (...) {
        return false;
    }
}

bool connection_writer::send_first_message(std::span<const std::byte> body) noexcept
{
    const std::size_t before = first_.size();
    try {
        wire_.encode(body, first_);
        return true;
    } catch (...) {
        first_.resize(before);
        return false;
    }
}

connection_writer::outcome connection_writer::fail(errc why) noexcept
{
    error_ = why;
    return outcome::failed;
}

connection_writer::outcome connection_writer::write_once(transport::stream& to, pipe::lane_reader& lane,
                                                         pipe::owed_credit& credit) noexcept
{
    std::size_t to_boundary = 0;
    if (sent_ == first_.size()) {
        first_.clear();
        sent_ = 0;
        if (exchange_ && exchange_->begun()) return write_exchange(to);
        if (!commands_.empty() || exchanges()) {
            to_boundary = wire_.octets_to(before_commands_, lane);
            if (to_boundary == 0 && !put_commands_first()) return fail(errc::out_of_memory);
            if (to_boundary == 0 && first_.empty()) return write_exchange(to);
        }
    }
    return first_.empty() ? write_lane(to, lane, to_boundary, credit) : write_first(to);
}

bool connection_writer::put_commands_first() noexcept
{
    try {
        commands_.append_to(first_);
        wire_.encode_frames(first_);
    } catch (...) {
        first_.clear();
        return false;
    }
    commands_.clear();
    return true;
}

// The first of them.
connection_writer::outcome connection_writer::write_exchange(transport::stream& to) noexcept
{
    exchange_queue::entry& next = exchange_->next();
    const iovec piece{next.frame.data(), next.frame.size()};
    std::size_t written = 0;
    const outcome what = next.descriptor ? note(to.write_with_descriptor(next.frame, next.descriptor.get()), written)
                                         : write_pieces(to, &piece, 1, written);
    exchange_->accept(written);
    return what;
}

connection_writer::outcome connection_writer::write_pieces(transport::stream& to, const iovec* pieces, int count,
                                                           std::size_t& written) noexcept
{
    return note(to.write(pieces, count), written);
}

connection_writer::outcome connection_writer::note(const transport::io_outcome& come, std::size_t& written) noexcept
{
    if (calls_) calls_->add(1);
    if (come.state == transport::io_outcome::status::failed) return fail(come.error);
    written = come.octets;
    octets_written_ += come.octets;
    return come.state == transport::io_outcome::status::blocked ? outcome::blocked : outcome::more;
}

connection_writer::outcome connection_writer::write_first(transport::stream& to) noexcept
{
    std::size_t size = first_.size() - sent_;
    if (limits_.max_transfer) size = std::min(size, limits_.max_transfer);
    const iovec piece{first_.data() + sent_, size};
    std::size_t written = 0;
    const outcome what = write_pieces(to, &piece, 1, written);
    sent_ += written;
    if (sent_ == first_.size() && first_.capacity() > most_kept_when_idle) {
        std::vector<std::byte>().swap(first_);
        sent_ = 0;
    }
    return what;
}

// `to_boundary`: octets that go before the commands that wait; 0: none wait.
connection_writer::outcome connection_writer::write_lane(transport::stream& to, pipe::lane_reader& lane,
                                                         std::size_t to_boundary, pipe::owed_credit& credit) noexcept
{
    iovec pieces[most_pieces];
    wire::outbound::limits most = limits_.batch;
    if (to_boundary != 0) most.batch = std::min(most.batch, to_boundary);
    if (limits_.max_transfer) most.per_write = limits_.max_transfer;
    wire::outbound::batch batch;
    try {
        batch = wire_.gather(lane, pieces, most_pieces, most, credit);
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    if (batch.count == 0) return outcome::idle;
    wrote_large_ = batch.large;
    if (limits_.max_transfer && batch.octets > limits_.max_transfer) {
        cap(pieces, batch.count, batch.octets, limits_.max_transfer);
    }
    // The lane's writer may have the peer's answer before this thread goes on.
    credit.tell();
    std::size_t written = 0;
    const outcome what = write_pieces(to, pieces, batch.count, written);
    credit.add(wire_.accept(lane, written));
    if (what == outcome::blocked) lane.note_taken();
    return what;
}

}  // namespace zlink::engine
