#include "engine/connection_writer.hpp"

#include "message/frame_header.hpp"
#include "zmtp/subscription.hpp"
#include "zmtp/v1_framing.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace zlink::engine {

namespace {

constexpr std::size_t most_staged_when_idle = 4 * 1024;

// Pieces in one system call; large enough for a batch of referenced bodies.
constexpr int most_pieces = 64;

ssize_t send_some(int fd, iovec* pieces, int count) noexcept
{
    msghdr m{};
    m.msg_iov = pieces;
    m.msg_iovlen = std::size_t(count);
    ssize_t n = 0;
    do {
        n = ::sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n;
}

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

bool connection_writer::append(std::vector<std::byte>& to, std::span<const std::byte> octets) noexcept
{
    try {
        to.insert(to.end(), octets.begin(), octets.end());
        return true;
    } catch (...) {
        return false;
    }
}

connection_writer::outcome connection_writer::fail(errc why) noexcept
{
    error_ = why;
    return outcome::failed;
}

connection_writer::outcome connection_writer::write_once(int fd, pipe::lane_reader& lane, bool& credit) noexcept
{
    if (sent_ == staged_.size()) {
        staged_.clear();
        sent_ = 0;
        if (!commands_.empty() && may_send_commands(lane) && !stage_commands()) return fail(errc::out_of_memory);
    }
    if (!staged_.empty()) return write_staged(fd);
    if (encoding_ == encoding::plain) return write_lane(fd, lane, credit);
    try {
        if (!transcode(lane, credit)) {
            if (staged_.capacity() > most_staged_when_idle) std::vector<std::byte>().swap(staged_);
            return outcome::idle;
        }
    } catch (...) {
        return fail(errc::out_of_memory);
    }
    return write_staged(fd);
}

bool connection_writer::may_send_commands(const pipe::lane_reader& lane) noexcept
{
    to_boundary_ = at_boundary_ ? 0 : lane.octets_to(before_commands_);
    return to_boundary_ == 0;
}

bool connection_writer::stage_commands() noexcept
{
    try {
        commands_.append_to(staged_);
    } catch (...) {
        return false;
    }
    commands_.clear();
    return true;
}

connection_writer::outcome connection_writer::write_staged(int fd) noexcept
{
    std::size_t size = staged_.size() - sent_;
    if (limits_.max_transfer) size = std::min(size, limits_.max_transfer);
    iovec piece{staged_.data() + sent_, size};
    const ssize_t n = send_some(fd, &piece, 1);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? outcome::blocked : fail(from_errno(errno));
    sent_ += std::size_t(n);
    octets_written_ += std::size_t(n);
    return std::size_t(n) < size ? outcome::blocked : outcome::more;
}

connection_writer::outcome connection_writer::write_lane(int fd, pipe::lane_reader& lane, bool& credit) noexcept
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
    const ssize_t n = send_some(fd, pieces, batch.count);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? outcome::blocked : fail(from_errno(errno));
    octets_written_ += std::size_t(n);
    credit |= lane.commit(std::size_t(n));
    const bool all = std::size_t(n) == batch.bytes;
    at_boundary_ = all && batch.at_boundary;
    return all ? outcome::more : outcome::blocked;
}

// Fills the staging buffer with whole messages, up to about a batch. False: the lane is empty.
bool connection_writer::transcode(pipe::lane_reader& lane, bool& credit)
{
    pipe::incoming f;
    if (lane.next(f)) only_subscriptions_ = encoding_ == encoding::subscriptions;
    while ((staged_.size() < limits_.out_batch || mid_message_) && lane.next(f)) {
        transcode_frame({f.data, f.size}, f.more, !mid_message_);
        mid_message_ = f.more;
        credit |= lane.pop(f);
    }
    return !staged_.empty();
}

bool connection_writer::send_first_message(std::span<const std::byte> body) noexcept
{
    const std::size_t before = staged_.size();
    try {
        transcode_frame(body, false, false);
        return true;
    } catch (...) {
        staged_.resize(before);
        return false;
    }
}

void connection_writer::transcode_frame(std::span<const std::byte> body, bool more, bool first)
{
    std::byte header[std::max({message::long_header_size, zmtp::v1_max_header_size, zmtp::max_subscription_prefix})];
    std::size_t header_size = 0;
    switch (encoding_) {
    case encoding::raw: break;
    case encoding::zmtp_1_0: header_size = zmtp::encode_v1_header(header, more, body.size()); break;
    case encoding::subscriptions:
        if (first && !more) {
            if (const auto s = zmtp::subscription_from_message(body)) {
                header_size = zmtp::encode_subscription_prefix(header, s->subscribe, s->topic.size(),
                                                               zmtp::protocol_version::zmtp_3_1);
                body = s->topic;
                break;
            }
        }
        only_subscriptions_ = false;
        [[fallthrough]];
    case encoding::plain:
        header_size = message::encode_header(header, more ? message::flag_more : 0, body.size());
        break;
    }
    staged_.insert(staged_.end(), header, header + header_size);
    staged_.insert(staged_.end(), body.begin(), body.end());
}

}  // namespace zlink::engine
