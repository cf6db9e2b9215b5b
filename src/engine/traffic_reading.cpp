// connection_traffic: from the kernel into the inbound lane.
#include "engine/connection_traffic.hpp"

#include "engine/arrivals.hpp"
#include "zmtp/handshake_error.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace zlink::engine {

namespace {

// Reads in one go before other connections get their turn.
constexpr int most_reads = 8;

// A publisher's peer that has so many in a row is not waited for; see event_loop::catch_up().
constexpr unsigned turns_of_a_flood = 8;

constexpr std::size_t decoded_read_size = 8 * 1024;

}  // namespace

void connection_traffic::tell_reader() noexcept
{
    if (end_->writer.reader_sleeps() && end_->writer.take_wake()) end_->peer().notify(pipe::event_data);
}

void connection_traffic::read() noexcept
{
    pipe::io_token& token = end_->parent().read_token;
    // An application that holds it reads itself, and switches our interest on again when it leaves, or tells us that it
    // left while we were here.
    if (!token.take_if_free()) return;
    if (writer_.how() == encoding::raw || v1_decoder_) return read_decoded();
    read_paused_ = false;
    bool drained = false;
    for (int i = 0; i < most_reads; ++i) {
        if (unheard()) return;
        if (rests_reading()) return;
        if (!end_->writer.has_room_for_next_or_wait()) {
            read_paused_ = true;
            break;
        }
        const std::uint64_t before = end_->writer.written();
        const std::uint64_t octets_before = reader_.octets_read();
        const connection_reader::outcome what = reader_.read_once(fd_, worker_.arena(), end_->writer, this);
        heartbeat_.end_read(reader_.octets_read() != octets_before);
        if (end_->writer.written() != before) {
            worker_.idle().note_pool();
            tell_reader();
        }
        drained = what == connection_reader::outcome::drained;
        if (drained) break;
        if (what == connection_reader::outcome::closed || what == connection_reader::outcome::failed) {
            token.give_back();
            return failed_reading(what);
        }
        if (worker_.turn_is_over()) break;
    }
    undrained_turns_ = drained ? 0 : undrained_turns_ + 1;
    if (undrained_turns_ >= turns_of_a_flood && publishes(options_.type)) worker_.loop().note_flood();
    const bool more_to_look_at = reader_.has_unread() && !read_paused_;
    want_reading();
    if (more_to_look_at) end_->notify(pipe::event_inline_stop);
}

// True: the application has large messages enough; it is looked at again in a moment.
bool connection_traffic::rests_reading() noexcept
{
    const pipe::lane_writer& lane = end_->writer;
    if (!read_easing_.wants_rest(lane.large_bytes_unread(), lane.large_bytes_read(), read_easing::clock::now)) {
        return false;
    }
    reading_rests_ = true;
    interest_.change_and_rearm(0, EPOLLIN);
    end_->parent().read_token.give_back();
    look_later();
    return true;
}

// True: nobody wants to hear the peer any more. The token stays here, so that no application reads either; what is left to
// write goes out, and the end of a peer that leaves before is seen.
bool connection_traffic::unheard() noexcept
{
    if (!end_->parent().unheard.load(std::memory_order_acquire)) return false;
    refused_ = read_paused_ = true;
    interest_.change_and_rearm(EPOLLRDHUP, EPOLLIN);
    return true;
}

// Leaves reading: interest is set while we still hold the token, so that the next holder finds it as it expects.
void connection_traffic::want_reading() noexcept
{
    if (read_paused_) {
        interest_.change_and_rearm(refused_ ? std::uint32_t{EPOLLRDHUP} : 0U, EPOLLIN);
    } else {
        interest_.change_and_rearm(EPOLLIN, 0);
    }
    end_->parent().read_token.give_back();
}

void connection_traffic::failed_reading(connection_reader::outcome what) noexcept
{
    if (what == connection_reader::outcome::closed) return over(ending::lost);
    refused(reader_.error());
}

void connection_traffic::refused(errc why) noexcept
{
    using reason = zmtp::handshake_error;
    if (why != errc::protocol_error && why != errc::message_too_long) return over(ending::lost);
    const reason value =
        why == errc::message_too_long ? reason::zmtp_malformed_command_message : reason::zmtp_unspecified;
    host_->report(monitor_event::handshake_failed_protocol, std::uint64_t(value), endpoints_);
    over(ending::protocol_error);
}

// Streams that are not ZMTP 2.0 or later: decoded frame by frame into the lane.
void connection_traffic::read_decoded() noexcept
{
    std::array<std::byte, decoded_read_size> in;
    read_paused_ = false;
    std::vector<std::byte> first = reader_.take_fed();
    for (int i = 0; i < most_reads; ++i) {
        if (unheard()) return;
        if (!end_->writer.has_room_for_next_or_wait()) {
            read_paused_ = true;
            break;
        }
        std::span<const std::byte> got{first};
        if (got.empty()) {
            const ssize_t n = ::recv(fd_, in.data(), in.size(), MSG_DONTWAIT);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
            if (n <= 0) return over(ending::lost);
            got = {in.data(), std::size_t(n)};
        }
        if (!decode(got)) return;
        first.clear();
        if (worker_.turn_is_over()) break;
    }
    if (!first.empty()) (void)reader_.feed(first);
    want_reading();
}

// False: the connection is over.
bool connection_traffic::decode(std::span<const std::byte> octets) noexcept
{
    const auto fail = [this](ending why) {
        over(why);
        return false;
    };
    if (!v1_decoder_) return deliver(octets, false) || fail(ending::lost);
    while (!octets.empty()) {
        const zmtp::v1_decoder::step step = v1_decoder_->advance(octets);
        octets = octets.subspan(step.consumed);
        if (step.state == zmtp::v1_decoder::state::failed) {
            refused(v1_decoder_->error());
            return false;
        }
        if (step.state == zmtp::v1_decoder::state::need_input) break;
        if (!deliver(v1_decoder_->body(), v1_decoder_->more())) return fail(ending::lost);
    }
    return true;
}

bool connection_traffic::deliver(std::span<const std::byte> body, bool more) noexcept
{
    if (!end_->writer.write({body.data(), body.size(), more})) return false;
    if (!more) {
        // Of a PUB the program sees nothing.
        if (options_.type != zmtp::socket_type::pub) note_arrival();
        end_->writer.publish();
        tell_reader();
    }
    return true;
}

}  // namespace zlink::engine
