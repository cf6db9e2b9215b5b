#include "engine/connection_writer.hpp"

#include "message/frame_header.hpp"

#include <algorithm>

namespace zlink::engine {

namespace {

constexpr std::size_t most_kept_when_idle = 4 * 1024;

// Pieces in one system call; large enough for a batch of referenced bodies.
constexpr int most_pieces = 64;

// Cuts the pieces down to `most` octets.
std::size_t cap(iovec* pieces, int& count, std::size_t bytes, std::size_t most) noexcept
{
    while (bytes > most) {
        iovec& last = pieces[count - 1];
        const std::size_t over = bytes - most;
        if (last.iov_len > over) {
            last.iov_len -= over;
            return most;
        }
        bytes -= last.iov_len;
        --count;
    }
    return bytes;
}

}  // namespace

connection_writer::connection_writer(std::unique_ptr<wire::frame_encoder> how, const limits& l)
    : staging_(how ? std::make_unique<wire::staging>(std::move(how)) : nullptr),
      limits_(l)
{}

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
    if (!staging_) {
        std::byte header[message::long_header_size];
        return send_first({header, message::encode_header(header, 0, body.size())}) && send_first(body);
    }
    const std::size_t before = first_.size();
    try {
        // Not as the first frame of a message: no subscription, whatever it begins with.
        staging_->encoder().encode({body, false, false}, first_);
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
                                                         bool& credit) noexcept
{
    if (sent_ == first_.size()) {
        first_.clear();
        sent_ = 0;
        if (!commands_.empty() && may_send_commands(lane) && !put_commands_first()) return fail(errc::out_of_memory);
    }
    if (!first_.empty()) return write_first(to);
    return staging_ ? write_staged(to, lane, credit) : write_lane(to, lane, credit);
}

// What is staged are whole messages, and goes out as a whole before commands do.
bool connection_writer::may_send_commands(const pipe::lane_reader& lane) noexcept
{
    if (staging_) return at_boundary_;
    to_boundary_ = at_boundary_ ? 0 : lane.octets_to(before_commands_);
    return to_boundary_ == 0;
}

bool connection_writer::put_commands_first() noexcept
{
    try {
        commands_.append_to(first_);
    } catch (...) {
        return false;
    }
    commands_.clear();
    return true;
}

// more: all of them are written.
connection_writer::outcome connection_writer::write_octets(transport::stream& to, std::span<const std::byte> octets,
                                                           std::size_t& written) noexcept
{
    if (limits_.max_transfer) octets = octets.first(std::min(octets.size(), limits_.max_transfer));
    const iovec piece{const_cast<std::byte*>(octets.data()), octets.size()};
    const transport::io_outcome come = to.write(&piece, 1);
    if (come.state == transport::io_outcome::status::failed) return fail(come.error);
    written = come.octets;
    octets_written_ += come.octets;
    return come.state == transport::io_outcome::status::blocked ? outcome::blocked : outcome::more;
}

connection_writer::outcome connection_writer::write_first(transport::stream& to) noexcept
{
    std::size_t written = 0;
    const outcome what = write_octets(to, std::span(first_).subspan(sent_), written);
    sent_ += written;
    if (sent_ == first_.size() && first_.capacity() > most_kept_when_idle) {
        std::vector<std::byte>().swap(first_);
        sent_ = 0;
    }
    return what;
}

connection_writer::outcome connection_writer::write_staged(transport::stream& to, pipe::lane_reader& lane,
                                                           bool& credit) noexcept
{
    try {
        if (lane.conflates()) credit |= lane.commit(0);  // fetches the newest message
        if (!staging_->fill(lane, limits_.out_batch)) {
            staging_->shrink();
            return outcome::idle;
        }
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    std::size_t written = 0;
    auto what = outcome::more;
    if (!staging_->waiting().empty()) what = write_octets(to, staging_->waiting(), written);
    credit |= staging_->accept(lane, written);
    at_boundary_ = staging_->at_boundary();
    return what;
}

connection_writer::outcome connection_writer::write_lane(transport::stream& to, pipe::lane_reader& lane,
                                                         bool& credit) noexcept
{
    iovec pieces[most_pieces];
    if (lane.conflates()) credit |= lane.commit(0);  // fetches the newest message
    const std::size_t most = to_boundary_ ? std::min(to_boundary_, limits_.out_batch) : limits_.out_batch;
    pipe::lane_reader::gathered batch = lane.gather(pieces, most_pieces, most, limits_.out_batch_small);
    to_boundary_ = 0;
    if (batch.count == 0) return outcome::idle;
    wrote_large_ = batch.large;
    if (limits_.max_transfer && batch.bytes > limits_.max_transfer) {
        batch.bytes = cap(pieces, batch.count, batch.bytes, limits_.max_transfer);
        batch.at_boundary = false;
    }
    const transport::io_outcome written = to.write(pieces, batch.count);
    if (written.state == transport::io_outcome::status::failed) return fail(written.error);
    octets_written_ += written.octets;
    if (written.octets != 0) {
        credit |= lane.commit(written.octets);
        at_boundary_ = written.octets == batch.bytes && batch.at_boundary;
    }
    return written.state == transport::io_outcome::status::blocked ? outcome::blocked : outcome::more;
}

}  // namespace zlink::engine
