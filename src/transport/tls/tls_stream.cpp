// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/tls_stream.hpp"

#include "base/process_generation.hpp"
#include "transport/tls/record_pieces.hpp"
#include "transport/tls/work_space.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace zlink::transport::tls {

namespace {

// Reads may ask for so many octets more than the caller has room for.
constexpr std::size_t read_ahead = largest_record;

// One read of the stream reads below so often, at most. So a peer that sends a flood of empty records does not hold up
// other connections.
constexpr int most_turns = 8;

// Octets that wait to go out, as answers to the peer.
std::size_t answered(const exchange& through) noexcept
{
    return work_space::of_this_thread()->out().size() - through.out.size();
}

// The size that the header names, header included; 0: the record is not whole. If the octets are not a record, the
// machine judges them.
std::size_t size_of_record(std::span<const std::byte> octets) noexcept
{
    constexpr auto first_type = 20, last_type = 24, version_major = 3;
    if (octets.size() < record_header) return 0;
    const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(octets[i]); };
    const std::size_t size = record_header + (at(3) << 8 | at(4));
    const bool is_record =
        at(0) >= first_type && at(0) <= last_type && at(1) == version_major && size <= largest_record;
    if (!is_record) return octets.size();
    return size <= octets.size() ? size : 0;
}

}  // namespace

tls_stream::tls_stream(std::unique_ptr<stream> below, std::shared_ptr<context> with, tls::role role,
                       std::string_view scheme)
    : wrapping_stream(std::move(below), {scheme, {}}),
      with_(std::move(with)),
      role_(role),
      generation_(process_generation())
{}

tls_stream::~tls_stream()
{
    if (process_generation() != generation_ || !machine_ || phase_ == phase::failed || !out_.empty() ||
        write_error_ != errc::none)
        return;
    work_space* const space = work_space::of_this_thread();
    if (!space) return;
    exchange through{{}, space->out()};
    machine_->close(through);
    (void)flush(through);
}

// --- reading -----------------------------------------------------------------------------------------------------

io_outcome tls_stream::read(const iovec* to, int count) noexcept
{
    work_space* const space = work_space::of_this_thread();
    if (!space) return {status::failed, 0, errc::out_of_memory};
    exchange through{{}, space->out()};
    destination into(to, count);
    unread_ = in_;
    status below_is = status::more;
    for (int turns = 0;; ++turns) {
        take_steps(through, into);
        if (phase_ > phase::traffic || into.room() == 0 || below_is != status::more) break;
        if (turns == most_turns || has_work()) break;
        below_is = receive(into.room() + read_ahead);
    }
    if (below_is == status::closed && phase_ < phase::ended) {
        if (phase_ == phase::handshake) tell_failure("the peer has ended the connection during the TLS handshake");
        phase_ = phase::ended;
    }
    const std::size_t kept = out_.size();
    (void)flush(through);
    unasked_ += out_.size() - kept;
    keep_unread();
    if (unasked_ > most_unasked_octets && phase_ < phase::ended)
        fail(errc::no_buffer_space, "the peer does not read what it asks for");
    const bool goes_on = into.room() == 0 || below_is == status::more || has_work();
    return outcome(goes_on ? status::more : status::blocked, into.filled());
}

// Takes all steps that the received octets allow. If too many octets wait as answers, it stops: those answers go out
// first.
void tls_stream::take_steps(exchange& through, destination& to) noexcept
{
    while (has_work() && answered(through) <= most_unasked_octets) {
        if (phase_ == phase::handshake) {
            shake_hands(through);
        } else {
            if (to.room() == 0) return;
            open_one(through, to);
        }
    }
}

bool tls_stream::has_work() const noexcept
{
    if (phase_ > phase::traffic) return false;
    if (starts() || size_of_record(unread_) != 0) return true;
    return machine_ && machine_->opened() != 0;
}

void tls_stream::shake_hands(exchange& through) noexcept
{
    if (!machine_) machine_.reset(with_->make_machine());
    if (!machine_) return fail(errc::out_of_memory, "memory is short");
    const std::size_t size = size_of_record(unread_);
    through.in = unread_.first(size);
    const machine::step step = machine_->handshake(through);
    unread_ = unread_.subspan(size - through.in.size());
    if (step.what == machine::state::done) phase_ = phase::traffic;
    if (step.what == machine::state::closed) phase_ = phase::ended;
    if (step.what == machine::state::failed) fail(*machine_);
}

void tls_stream::open_one(exchange& through, destination& to) noexcept
{
    const std::size_t size = machine_->opened() == 0 ? size_of_record(unread_) : 0;
    through.in = unread_.first(size);
    const machine::step step = machine_->open(through, to.at(), to.in_a_row());
    unread_ = unread_.subspan(size - through.in.size());
    to.advance(step.octets);
    if (step.what == machine::state::closed) phase_ = phase::ended;
    if (step.what == machine::state::failed) fail(*machine_);
}

// Behind the octets that are unread already, which are less than a record.
io_outcome::status tls_stream::receive(std::size_t most) noexcept
{
    const std::span<std::byte> memory = work_space::of_this_thread()->in();
    const std::size_t kept = unread_.size();
    if (kept != 0) std::memmove(memory.data(), unread_.data(), kept);
    const iovec piece{memory.data() + kept, std::min(most, memory.size() - kept)};
    const io_outcome come = below().read(&piece, 1);
    unread_ = memory.first(kept + come.octets);
    if (come.state == status::failed)
        fail(come.error, phase_ == phase::handshake ? "the connection broke during the TLS handshake" : "");
    return come.state;
}

void tls_stream::keep_unread() noexcept
{
    try {
        // The octets may lie in in_ already, in part.
        if (unread_.empty()) {
            std::vector<std::byte>().swap(in_);
        } else if (unread_.data() != in_.data() || unread_.size() != in_.size()) {
            std::vector<std::byte> rest(unread_.begin(), unread_.end());
            in_.swap(rest);
        }
    } catch (...) {
        fail(errc::out_of_memory, "memory is short");
    }
    unread_ = in_;
}

bool tls_stream::pending() const noexcept
{
    return phase_ > phase::traffic || has_work() || below().pending();
}

bool tls_stream::has_unread_octets() const noexcept
{
    // A part of a record counts as a sign of life if it has grown since the last call.
    const bool grows = std::exchange(part_seen_, in_.size()) != in_.size() && !in_.empty();
    return pending() || grows || below().has_unread_octets();
}

// --- writing -----------------------------------------------------------------------------------------------------

io_outcome tls_stream::write(const iovec* from, int count) noexcept
{
    if (phase_ == phase::failed) return {status::failed, 0, error_};
    if (write_error_ != errc::none) return {status::failed, 0, write_error_};
    work_space* const space = work_space::of_this_thread();
    if (!space) return {status::failed, 0, errc::out_of_memory};
    if (const status kept = flush_kept(); kept != status::more) return {kept, 0, error_};
    if (below().has_pending_output()) {
        const io_outcome turn = below().write(nullptr, 0);
        if (turn.state != status::more) return {turn.state, 0, turn.error};
    }
    if (phase_ == phase::handshake) {
        exchange through{{}, space->out()};
        destination nowhere(nullptr, 0);
        unread_ = in_;
        take_steps(through, nowhere);
        keep_unread();
        const status flushed = flush(through);
        if (phase_ == phase::failed) return {status::failed, 0, error_};
        if (phase_ == phase::handshake || flushed != status::more) return {status::blocked};
    }
    source what(from, count);
    std::size_t taken = 0;
    reads_first_ = false;
    while (!what.empty()) {
        exchange through{{}, space->out()};
        record_ends ends(taken);
        while (!what.empty() && through.out.size() >= work_space::room_to_seal) {
            const auto record = what.next(space->plain());
            const auto did = machine_->seal(through, record.data(), record.size()).what;
            reads_first_ = did == machine::state::wants_input;
            if (reads_first_) break;
            if (did != machine::state::done) {
                fail(*machine_);
                return failed_behind(ends.octets_before(0));
            }
            taken += record.size();
            ends.add(answered(through), taken);
        }
        std::size_t went = 0;
        const status flushed = flush(through, went);
        if (flushed == status::failed) return failed_behind(ends.octets_before(went));
        if (flushed != status::more || reads_first_) return {status::blocked, taken};
    }
    return {status::more, taken};
}

// The peer may read what has gone out before the failure. If that did not count as taken, it would be sent again on the
// next connection, and come twice. The next call tells of the failure.
io_outcome tls_stream::failed_behind(std::size_t taken) noexcept
{
    write_error_ = error_;
    return taken == 0 ? io_outcome{status::failed, 0, error_} : io_outcome{status::blocked, taken};
}

io_outcome::status tls_stream::flush(const exchange& through) noexcept
{
    std::size_t went = 0;
    return flush(through, went);
}

// The octets that have been put out go below, or are kept. `went`: how many of them have gone.
io_outcome::status tls_stream::flush(const exchange& through, std::size_t& went) noexcept
{
    const std::span<std::byte> memory = work_space::of_this_thread()->out();
    std::span<const std::byte> out = memory.first(memory.size() - through.out.size());
    status is = out_.empty() ? status::more : status::blocked;
    while (!out.empty() && is == status::more) {
        const iovec piece{const_cast<std::byte*>(out.data()), out.size()};
        const io_outcome written = below().write(&piece, 1);
        if (written.state == status::failed) {
            error_ = written.error;
            return status::failed;
        }
        went += written.octets;
        out = out.subspan(written.octets);
        is = written.state;
    }
    if (out.empty()) return out_.empty() ? status::more : status::blocked;
    try {
        out_.insert(out_.end(), out.begin(), out.end());
    } catch (...) {
        fail(errc::out_of_memory, "memory is short");
        return status::failed;
    }
    return status::blocked;
}

io_outcome::status tls_stream::flush_kept() noexcept
{
    while (sent_ < out_.size()) {
        const iovec piece{out_.data() + sent_, out_.size() - sent_};
        const io_outcome went = below().write(&piece, 1);
        if (went.state == status::failed) {
            error_ = went.error;
            return status::failed;
        }
        sent_ += went.octets;
        if (went.state != status::more && sent_ < out_.size()) return status::blocked;
    }
    sent_ = unasked_ = 0;
    std::vector<std::byte>().swap(out_);
    return status::more;
}

bool tls_stream::write_waits_for_input() const noexcept
{
    if (!out_.empty() || below().has_pending_output()) return below().write_waits_for_input();
    return phase_ == phase::handshake || reads_first_ || below().write_waits_for_input();
}

bool tls_stream::has_pending_output() const noexcept
{
    return phase_ != phase::failed && (!out_.empty() || starts() || below().has_pending_output());
}

// --- failures ----------------------------------------------------------------------------------------------------

void tls_stream::fail(const machine& which) noexcept
{
    class words final : public text_sink {
    public:
        explicit words(tls_stream& of) noexcept : of_(of) {}
        void put(std::string_view text) noexcept override
        {
            of_.tell_failure(text.empty() ? "TLS failed, and does not say why" : text);
        }

    private:
        tls_stream& of_;
    };
    words to(*this);
    which.tell_failure(to);
    // Once there is traffic, the failure is a lost connection, unless it is a refusal: a client may be refused that
    // late.
    const errc error = which.failure();
    error_ = phase_ == phase::handshake || error == errc::access_denied ? error : errc::connection_reset;
    phase_ = phase::failed;
}

void tls_stream::fail(errc why, std::string_view words) noexcept
{
    if (!words.empty()) tell_failure(words);
    error_ = why;
    phase_ = phase::failed;
}

// Octets that came before an end or a failure are read first.
io_outcome tls_stream::outcome(status otherwise, std::size_t octets) const noexcept
{
    if (phase_ <= phase::traffic) return {otherwise, octets};
    if (octets != 0) return {status::more, octets};
    if (phase_ == phase::ended) return {status::closed};
    return {status::failed, 0, error_};
}

std::optional<shown_certificate> tls_stream::client_certificate() const
{
    class sink final : public text_sink {
    public:
        void put(std::string_view text) noexcept override
        {
            try {
                const auto all = std::as_bytes(std::span(text));
                octets.assign(all.begin(), all.end());
            } catch (...) {
                lost = true;
            }
        }

        std::vector<std::byte> octets;
        bool lost = false;
    };
    if (role_ != tls::role::server || !machine_ || phase_ == phase::handshake) return {};
    sink to;
    if (!machine_->tell_certificate(to) || to.lost) throw std::bad_alloc();
    return shown_certificate{"TLS", std::move(to.octets)};
}

void tls_stream::add_properties(std::vector<std::pair<std::string, std::string>>& to) const
{
    class sink final : public property_sink {
    public:
        explicit sink(std::vector<std::pair<std::string, std::string>>& list) : list_(list) {}
        void put(std::string_view name, std::string_view value) override { list_.emplace_back(name, value); }

    private:
        std::vector<std::pair<std::string, std::string>>& list_;
    };
    wrapping_stream::add_properties(to);
    if (!machine_) return;
    sink properties(to);
    machine_->tell_properties(properties);
}

}  // namespace zlink::transport::tls
