// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/pipe.hpp"

#include "base/invariant.hpp"
#include "pipe/balance.hpp"
#include "pipe/conflation.hpp"
#include "pipe/drop_queue.hpp"

#include <new>
#include <utility>

namespace zlink::pipe {

// Relaxed: a thread that knows of a number takes a larger one (coherence of one atomic). More is not needed.
std::uint64_t next_sequence_number() noexcept
{
    static std::atomic<std::uint64_t> numbers{0};
    return numbers.fetch_add(1, std::memory_order_relaxed);
}

pipe_end::pipe_end(pipe& parent, lane& out, std::uint64_t out_hwm, std::size_t reference_threshold, lane& in,
                   std::uint64_t in_hwm) noexcept
    : writer(out, out_hwm, reference_threshold),
      reader(in, in_hwm),
      parent_(parent)
{}

// The reader will not see the message just published unless it is told. An idle connection can be written to right
// here. The lane stays dormant then, as this thread took out the messages it had put in.
void pipe_end::publish_to_sleeper() noexcept
{
    if (relay_) return wake_sleeper();
    if (!held.holder || !held.holder->hold(*this)) write_or_tell(false);
}

void pipe_end::wake_sleeper() noexcept
{
    if (relay_ ? relay_->pass(writer) : writer.take_wake()) peer().notify(event_data);
}

void pipe_end::write_or_tell(bool was_held) noexcept
{
    if (parent_.io.write_token.try_take()) return end_own_write(parent_.io.connection().write_inline(was_held));
    if (writer.take_wake()) peer().notify(event_data);
}

// Gives the token back, and tells the I/O thread if it has to go on.
void pipe_end::end_own_write(inline_io::write_outcome outcome) noexcept
{
    std::uint32_t tell = 0;
    if (parent_.io.write_token.give()) tell |= event_token;
    if (outcome != inline_io::write_outcome::done && writer.take_wake()) tell |= event_data;
    if (tell) peer().notify(tell);
}

// The lane need not be dormant: an I/O thread that is awake finds it empty, or finds the octets that the kernel did not
// take.
pipe_end::written pipe_end::write_published() noexcept
{
    if (!parent_.io.write_token.try_take()) return parent_.io.write_token.offered() ? written::busy : written::left;
    const auto outcome = parent_.io.connection().write_large(false);
    end_own_write(outcome);
    return outcome == inline_io::write_outcome::done ? written::all : written::left;
}

// A large message goes to an idle connection from the caller's memory: only octets that the kernel does not take are
// copied.
void pipe_end::publish_large() noexcept
{
    // Dormant: the lane is empty, or has messages that this thread held back. The token's holder acts for its reader.
    if (!writer.reader_sleeps() || !parent_.io.write_token.try_take()) {
        writer.publish();
        if (writer.reader_sleeps()) publish_to_sleeper();
        return;
    }
    const bool may_wait = !writer.large_may_not_wait();
    writer.publish_in_place();
    const auto outcome = parent_.io.connection().write_large(may_wait);
    writer.copy_published(peer().reader.has_news());
    end_own_write(outcome);
}

pipe_end::closing pipe_end::close() noexcept
{
    invariant([this] { return !closed_; });
    closed_ = true;
    pipe_end& other = peer();
    other.inbox_.peer_leaves(next_sequence_number());
    writer.close();
    if (relay_) relay_->end();
    // All other events have been told before. The owner only has to take in the closed end.
    other.inbox_.tell_departure(other, other.lane_shows_all());
    // In the queue: discard() does the rest.
    if (inbox_.close()) return closing::in_queue;
    parent_.release();
    return closing::done;
}

// The reader comes first, so that it has not taken what the writer has not put.
std::optional<flow> pipe_end::look_at_outbound() const noexcept
{
    const auto taken = peer().reader.look_at_read();
    if (!taken) return std::nullopt;
    const traffic replaced = relay_ ? relay_->look_at_replaced() : traffic{};
    const traffic refused = relay_ ? relay_->look_at_refused() : traffic{};
    const auto put = writer.look_at_written();
    if (!put) return std::nullopt;
    traffic gone = *taken;
    gone += replaced;
    gone += refused;
    return flow{*put, *taken, queued_between(*put, gone), replaced, refused, relay_ && relay_->of_reader};
}

std::uint64_t pipe_end::messages_queued() const noexcept
{
    const auto seen = look_at_outbound();
    return seen ? seen->queued.messages : 0;
}

void pipe_end::discard() noexcept
{
    invariant([this] { return closed_; });
    parent_.release();
}

namespace {

// False: one is needed, and memory is short.
bool make_relay(std::unique_ptr<relay>& made, bool conflates, const drop_rule& rule) noexcept
{
    if (conflates) {
        made.reset(new (std::nothrow) conflation);
    } else if (rule.drops()) {
        made.reset(new (std::nothrow) drop_queue(rule));
    } else {
        return true;
    }
    return made != nullptr;
}

// The lanes before and behind a relay have no mark.
std::uint64_t hwm_of_lane(const std::unique_ptr<relay>& between, std::uint64_t hwm) noexcept
{
    return between ? 0 : hwm;
}

}  // namespace

pipe* pipe::create(const limits& l) noexcept
{
    std::unique_ptr<relay> to_second, to_first;
    if (!make_relay(to_second, l.conflate, l.first_to_second)) return nullptr;
    if (!make_relay(to_first, l.conflate, l.second_to_first)) return nullptr;
    pipe* const made = new (std::nothrow) pipe(l, std::move(to_second), std::move(to_first));
    if (!made) return nullptr;
    if (l.cap && !l.conflate && !made->charge_lanes(l.cap)) {
        delete made;
        return nullptr;
    }
    made->set_marks(l);
    return made;
}

pipe::pipe(const limits& l, std::unique_ptr<relay> to_second, std::unique_ptr<relay> to_first) noexcept
    : relay_to_second_(std::move(to_second)),
      relay_to_first_(std::move(to_first)),
      first_(*this, relay_to_second_ ? relay_to_second_->written_lane() : first_to_second_,
             hwm_of_lane(relay_to_second_, l.hwm_first_to_second), l.reference_threshold,
             relay_to_first_ ? relay_to_first_->read_lane() : second_to_first_,
             hwm_of_lane(relay_to_first_, l.hwm_second_to_first)),
      second_(*this, relay_to_first_ ? relay_to_first_->written_lane() : second_to_first_,
              hwm_of_lane(relay_to_first_, l.hwm_second_to_first), l.reference_threshold,
              relay_to_second_ ? relay_to_second_->read_lane() : first_to_second_,
              hwm_of_lane(relay_to_second_, l.hwm_first_to_second))
{
    first_.relay_ = relay_to_second_.get();
    second_.relay_ = relay_to_first_.get();
}

// False: memory is short.
bool pipe::charge_lanes(const std::shared_ptr<queue_cap>& cap) noexcept
{
    charges_.reset(new (std::nothrow) charges(cap, *this));
    if (!charges_) return false;
    (relay_to_second_ ? relay_to_second_->read_lane() : first_to_second_).charge = &charges_->to_second;
    (relay_to_first_ ? relay_to_first_->read_lane() : second_to_first_).charge = &charges_->to_first;
    return true;
}

// Behind the constructor, as the readers begin with the steps of the messages.
void pipe::set_marks(const limits& l) noexcept
{
    if (relay_to_second_) relay_to_second_->set_hwm(l.hwm_first_to_second);
    if (relay_to_first_) relay_to_first_->set_hwm(l.hwm_second_to_first);
    if (l.first_sends_octets != 0 || charges_) first_.set_octet_mark(l.first_sends_octets);
    if (charges_) second_.set_octet_mark(0);
    if (l.first_receives_octets != 0) {
        first_.request_octet_mark(l.first_receives_octets);
        (void)second_.writer.apply_requested_hwm();
    }
}

void pipe::release() noexcept
{
    const int before = refs_.fetch_sub(1, std::memory_order_acq_rel);
    invariant([before] { return before > 0; });
    if (before != 1) return;
    if constexpr (checks_invariants) {
        const bool one = balances_when_drained(first_.writer, relay_to_second_.get(), second_.reader);
        const bool other = balances_when_drained(second_.writer, relay_to_first_.get(), first_.reader);
        invariant([&] { return one && other; });
    }
    delete this;
}

}  // namespace zlink::pipe
