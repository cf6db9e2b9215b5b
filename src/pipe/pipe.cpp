// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/pipe.hpp"

#include <new>
#include <utility>

namespace zlink::pipe {

// Relaxed: a thread that knows of a turn takes a later one (coherence of one atomic). More is not needed.
std::uint64_t next_turn() noexcept
{
    static std::atomic<std::uint64_t> turns{0};
    return turns.fetch_add(1, std::memory_order_relaxed);
}

void activation_queue::push(pipe_end& end) noexcept
{
    push_onto(head_, end);
    wake();
}

// The first end is loaded relaxed: the exchange tells whether it is still the first.
void activation_queue::push_onto(std::atomic<pipe_end*>& head, pipe_end& end) noexcept
{
    pipe_end* first = head.load(std::memory_order_relaxed);
    do {
        end.next_in_queue = first;
    } while (!head.compare_exchange_weak(first, &end, std::memory_order_seq_cst, std::memory_order_relaxed));
}

pipe_end* activation_queue::take_all() noexcept
{
    if (empty()) return nullptr;
    pipe_end* last_first = head_.exchange(nullptr, std::memory_order_seq_cst);
    pipe_end* in_order = nullptr;
    while (last_first) {
        pipe_end* after = last_first->next_in_queue;
        last_first->next_in_queue = in_order;
        in_order = last_first;
        last_first = after;
    }
    return in_order;
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
    if (newest_) return wake_sleeper();
    if (!holder || !holder->hold(*this)) write_or_tell(false);
}

void pipe_end::wake_sleeper() noexcept
{
    if (newest_ ? newest_->pass(writer) : writer.take_wake()) peer().notify(event_data);
}

void pipe_end::write_or_tell(bool was_held) noexcept
{
    if (parent_.write_token.try_take()) return end_own_write(parent_.io->write_inline(was_held));
    if (writer.take_wake()) peer().notify(event_data);
}

// Gives the token back, and tells the I/O thread if it has to go on.
void pipe_end::end_own_write(inline_io::write_outcome outcome) noexcept
{
    std::uint32_t tell = 0;
    if (parent_.write_token.give()) tell |= event_token;
    if (outcome != inline_io::write_outcome::done && writer.take_wake()) tell |= event_data;
    if (tell) peer().notify(tell);
}

// The lane need not be dormant: an I/O thread that is awake finds it empty, or finds the octets that the kernel did not
// take.
pipe_end::written pipe_end::write_published() noexcept
{
    if (!parent_.write_token.try_take()) return parent_.write_token.offered() ? written::busy : written::left;
    const auto outcome = parent_.io->write_large(false);
    end_own_write(outcome);
    return outcome == inline_io::write_outcome::done ? written::all : written::left;
}

// A large message goes to an idle connection from the caller's memory: only octets that the kernel does not take are
// copied.
void pipe_end::publish_large() noexcept
{
    // Dormant, so the lane is empty; the holder of the token may act for its reader.
    if (!writer.reader_sleeps() || !parent_.write_token.try_take()) {
        writer.publish();
        if (writer.reader_sleeps()) publish_to_sleeper();
        return;
    }
    const bool may_wait = !writer.large_is_hurried();
    writer.publish_in_place();
    const auto outcome = parent_.io->write_large(may_wait);
    writer.copy_published(peer().reader.has_news());
    end_own_write(outcome);
}

void pipe_end::notify(std::uint32_t events) noexcept
{
    // If the other party closes before this returns, nothing is freed: the caller holds the reference of the opposite
    // end.
    if (events_.fetch_or(events, std::memory_order_seq_cst) == 0) owner_->push(*this);
}

void pipe_end::attach(activation_queue& queue) noexcept
{
    invariant([this] { return owner_ == nullptr; });
    queue.add_ref();
    owner_ = &queue;
    const std::uint32_t before = events_.fetch_and(~bit_unattached, std::memory_order_seq_cst);
    if (before != bit_unattached)
        has_only_left(before & ~bit_unattached) ? owner_->push_leaver(*this) : owner_->push(*this);
}

std::uint32_t pipe_end::take_events() noexcept
{
    return events_.fetch_and(bit_closed, std::memory_order_seq_cst) & ~bit_closed;
}

pipe_end::closing pipe_end::close() noexcept
{
    invariant([this] { return !closed_; });
    closed_ = true;
    peer().peer_left_at_.store(next_turn(), std::memory_order_release);
    writer.close();
    if (newest_) newest_->end();
    // All other events have been told before. The owner only has to take in the closed end.
    pipe_end& other = peer();
    if (other.events_.fetch_or(leaves, std::memory_order_seq_cst) == 0) {
        other.has_only_left(leaves) ? other.owner_->push_leaver(other) : other.owner_->push(other);
    }
    const std::uint32_t before = events_.fetch_or(bit_closed, std::memory_order_seq_cst);
    // With bits pending this end stands in the owner's queue (or is about to): discard() does the rest.
    if (before != 0 && !(before & bit_unattached)) return closing::in_queue;
    parent_.release();
    return closing::done;
}

void pipe_end::discard() noexcept
{
    parent_.release();
}

pipe* pipe::create(const limits& l) noexcept
{
    if (!l.conflate) return new (std::nothrow) pipe(l, nullptr, nullptr);
    std::unique_ptr<conflation> to_second(new (std::nothrow) conflation);
    std::unique_ptr<conflation> to_first(new (std::nothrow) conflation);
    if (!to_second || !to_first) return nullptr;
    const limits unlimited{0, 0, l.reference_threshold, true};  // at most one message waits anyway
    return new (std::nothrow) pipe(unlimited, std::move(to_second), std::move(to_first));
}

pipe::pipe(const limits& l, std::unique_ptr<conflation> to_second, std::unique_ptr<conflation> to_first) noexcept
    : newest_to_second_(std::move(to_second)),
      newest_to_first_(std::move(to_first)),
      first_(*this, newest_to_second_ ? newest_to_second_->written : first_to_second_, l.hwm_first_to_second,
             l.reference_threshold, newest_to_first_ ? newest_to_first_->read : second_to_first_,
             l.hwm_second_to_first),
      second_(*this, newest_to_first_ ? newest_to_first_->written : second_to_first_, l.hwm_second_to_first,
              l.reference_threshold, newest_to_second_ ? newest_to_second_->read : first_to_second_,
              l.hwm_first_to_second)
{
    first_.newest_ = newest_to_second_.get();
    second_.newest_ = newest_to_first_.get();
}

pipe::~pipe()
{
    if (first_.owner_) first_.owner_->release();
    if (second_.owner_) second_.owner_->release();
}

void pipe::release() noexcept
{
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace zlink::pipe
