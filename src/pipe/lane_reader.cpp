#include "pipe/lane_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace zlink::pipe {

lane::~lane()
{
    if (span* s = newest.load(std::memory_order_acquire)) release_span(s);
    for (span* s = head; s;) {
        span* after = s->next.load(std::memory_order_acquire);
        release_span(s);
        s = after;
    }
}

lane_reader::lane_reader(lane& shared, std::uint64_t hwm) noexcept
    : lane_(shared),
      current_(&shared.sentinel),
      resume_span_(&shared.sentinel)
{
    shared.credit_step.store(credit_step(hwm), std::memory_order_relaxed);
}

lane_reader::~lane_reader()
{
    if (metadata_) metadata_->release();
}

namespace {

// A real fence costs a writer some 8 ns, a membarrier some microseconds on each of the cores: with fewer messages than this
// between two sleeps, several times in a row, fences are cheaper. Figures: docs/decisions/0009.
constexpr std::uint64_t few_between_sleeps = 128;
constexpr std::uint8_t short_runs_before_fences = 4;

}  // namespace

// Before the lane is dormant: the heavy fence that follows a switch shows it to the writer.
void lane_reader::learn_fences() noexcept
{
    const bool few = read_ - read_at_sleep_ < few_between_sleeps;
    read_at_sleep_ = read_;
    if (!few) return spare_fences();
    if (writer_fences_ != fences::none || ++short_runs_ < short_runs_before_fences) return;
    writer_fences_ = fences::learned;
    lane_.fenced.store(true, std::memory_order_seq_cst);
}

void lane_reader::spare_fences() noexcept
{
    short_runs_ = 0;
    if (writer_fences_ != fences::learned) return;
    writer_fences_ = fences::none;
    fences_shown_ = false;
    lane_.fenced.store(false, std::memory_order_relaxed);
}

bool lane_reader::give_credit() noexcept
{
    // A stream that does not let its reader sleep.
    if (read_ - read_at_sleep_ >= few_between_sleeps) spare_fences();
    // From step to step, though octet mode counts several messages at once: the writer ends its spans there.
    credited_ = read_ - read_ % lane_.credit_step.load(std::memory_order_relaxed);
    lane_.credited.store(read_, std::memory_order_release);
    asymmetric_fence::full_fence();  // partner: lane_writer::wait_for_credit()
    return lane_.writer_waiting.load(std::memory_order_relaxed) &&
           lane_.writer_waiting.exchange(false, std::memory_order_acq_rel);
}

void lane_reader::drop_body() noexcept
{
    message::buffer* body = std::exchange(current_->body, nullptr);
    lane_.bytes_read.store(lane_.bytes_read.load(std::memory_order_relaxed) + current_->body_size,
                           std::memory_order_relaxed);
    if (body) body->release();
}

// Frees whole spans whose messages are done with, and counts those messages.
void lane_reader::release_head_until(span* s) noexcept
{
    std::uint64_t body_bytes = 0;
    while (lane_.head != s) {
        span* done = lane_.head;
        lane_.head = done->next.load(std::memory_order_relaxed);
        read_ += done->messages - counted_;
        counted_ = 0;
        if (done->body) body_bytes += done->body_size;
        release_span(done);
    }
    if (body_bytes) {
        lane_.bytes_read.store(lane_.bytes_read.load(std::memory_order_relaxed) + body_bytes,
                               std::memory_order_relaxed);
    }
}

void lane_reader::enter(span* s) noexcept
{
    current_ = s;
    cursor_ = limit_ = s->begin;
    body_sent_ = 0;
    if (s->metadata) {
        if (metadata_) metadata_->release();
        metadata_ = std::exchange(s->metadata, nullptr);
    }
    if (s->closes_lane) closed_ = true;
}

// Conflating lanes: puts what is newest, or else the end, behind the current span. Null if there is neither.
span* lane_reader::link_newest() noexcept
{
    const bool ended = lane_.ended.load(std::memory_order_acquire);  // first, as the newest comes before the end
    span* s = nullptr;
    if (lane_.newest.load(std::memory_order_relaxed)) {
        s = lane_.newest.exchange(nullptr, std::memory_order_acq_rel);
    } else if (ended && !closed_) {
        s = &lane_.closing;
    }
    if (s) current_->next.store(s, std::memory_order_relaxed);
    return s;
}

void lane_reader::skip_to_newest() noexcept
{
    incoming stale;
    if (!lane_.conflate || cursor_ == limit_ || !lane_.newest.load(std::memory_order_relaxed)) return;
    if (next(stale)) (void)pop(stale);  // no writer of such a lane waits for credit
}

// The span behind a finished one, or null.
bool lane_reader::next_span() noexcept
{
    if (cursor_ != current_->end.load(std::memory_order_acquire)) return false;
    span* s = lane_.conflate ? link_newest() : current_->next.load(std::memory_order_acquire);
    if (!s) return false;
    enter(s);
    return true;
}

// Finds more visible octets in frame mode.
bool lane_reader::advance() noexcept
{
    while (true) {
        limit_ = current_->published.load(std::memory_order_acquire);
        if (limit_ != cursor_) {
            sealed_at_ = current_->end.load(std::memory_order_relaxed) == limit_ ? limit_ : nullptr;
            return true;
        }
        if (!next_span()) return false;
        release_head_until(current_);
    }
}

bool lane_reader::has_news() const noexcept
{
    const span* s = current_;
    const std::byte* at = cursor_;
    std::size_t body_sent = body_sent_;
    while (true) {
        if (s->published.load(std::memory_order_acquire) != at) return true;
        if (s->end.load(std::memory_order_acquire) != at) return false;
        if (s->body && octets_ && body_sent < s->body_size) return true;
        if (lane_.conflate) return lane_.newest.load(std::memory_order_acquire) || (lane_.ended && !closed_);
        s = s->next.load(std::memory_order_acquire);
        if (!s) return false;
        if (s->closes_lane) return !closed_;
        at = s->begin;
        body_sent = 0;
    }
}

std::uint64_t lane_reader::messages_waiting() const noexcept
{
    std::uint64_t n = 0;
    const span* s = current_;
    const std::byte* at = cursor_;
    while (true) {
        const std::byte* visible = s->published.load(std::memory_order_acquire);
        while (at != visible) {
            const message::frame_header h = message::decode_header(at);
            at += h.size;
            // The body of a span's last frame may lie beside it.
            if (h.body_size <= std::uint64_t(visible - at)) at += h.body_size;
            if (!(h.flags & message::flag_more)) ++n;
        }
        if (at != s->end.load(std::memory_order_acquire)) return n;
        if (lane_.conflate) return n + (lane_.newest.load(std::memory_order_acquire) != nullptr);
        s = s->next.load(std::memory_order_acquire);
        if (!s) return n;
        at = s->begin;
    }
}

void lane_reader::begin_octets() noexcept
{
    (void)readable();
    octets_ = true;
    resume_span_ = current_;
    resume_at_ = cursor_;
}

lane_reader::gathered lane_reader::gather(iovec* to, int max_count, std::size_t max_bytes,
                                          std::size_t max_after_large) noexcept
{
    gathered out;
    span* s = current_;
    std::byte* at = cursor_;
    std::size_t body_sent = body_sent_;
    while (out.count < max_count && out.bytes < max_bytes) {
        const std::byte* end = s->end.load(std::memory_order_acquire);
        std::byte* visible = s->published.load(std::memory_order_acquire);
        if (at != visible) {
            const std::size_t n = std::min(std::size_t(visible - at), max_bytes - out.bytes);
            if (out.count && static_cast<std::byte*>(to[out.count - 1].iov_base) + to[out.count - 1].iov_len == at) {
                to[out.count - 1].iov_len += n;
            } else {
                to[out.count++] = {at, n};
            }
            out.bytes += n;
            at += n;
            out.at_boundary = at == visible;  // of an open span; a sealed one is looked at below
        }
        if (at != end) break;
        if (s->body && body_sent < s->body_size) {
            if (out.count == max_count) {
                out.at_boundary = false;
                break;
            }
            // Never cut by the batch size: the kernel takes as much as it can in one call.
            const bool first = out.bytes <= message::long_header_size;
            to[out.count++] = {s->body_data + body_sent, s->body_size - body_sent};
            out.bytes += s->body_size - body_sent;
            out.large = true;
            if (first) max_bytes = std::min(max_bytes, out.bytes + max_after_large);
        }
        out.at_boundary = s->ends_message;
        s = s->next.load(std::memory_order_acquire);
        if (!s || s->closes_lane) break;
        at = s->begin;
        body_sent = 0;
    }
    return out;
}

bool lane_reader::commit(std::size_t n) noexcept
{
    while (true) {
        std::byte* visible = current_->published.load(std::memory_order_acquire);
        const std::size_t bytes = std::min(n, std::size_t(visible - cursor_));
        cursor_ += bytes;
        n -= bytes;
        if (cursor_ != current_->end.load(std::memory_order_acquire)) break;
        if (current_->body && body_sent_ < current_->body_size) {
            const std::size_t rest = std::min(n, current_->body_size - body_sent_);
            body_sent_ += rest;
            n -= rest;
            if (body_sent_ < current_->body_size) break;
        }
        span* left = current_;
        if (!next_span()) {
            // The last for now (memory was short): the messages in it are done with, and no other may come before their credit.
            read_ += left->messages - std::exchange(counted_, left->messages);
            break;
        }
        read_ += left->messages - std::exchange(counted_, 0u);
        left->messages = 0;
        if (left->ends_message) {
            resume_span_ = current_;
            resume_at_ = cursor_;
        } else {
            // A message goes on into this span: what lies before it can go, or a stream whose messages never end with
            // a span would keep all of its memory.
            std::byte* at = nullptr;
            resume_span_ = position_boundary(at);
            resume_at_ = at;
        }
        release_head_until(resume_span_);
    }
    limit_ = cursor_;
    return read_ - credited_ >= lane_.credit_step.load(std::memory_order_relaxed) && give_credit();
}

// Walks frames from the last known boundary to the last boundary at or before the cursor.
span* lane_reader::position_boundary(std::byte*& at) const noexcept
{
    span* s = resume_span_;
    std::byte* c = resume_at_;
    span* last = s;
    at = c;
    while (s != current_ || c < cursor_) {
        if (c == s->end.load(std::memory_order_acquire)) {
            s = s->next.load(std::memory_order_acquire);
            c = s->begin;
            continue;
        }
        const message::frame_header h = message::decode_header(c);
        std::byte* body = c + h.size;
        std::byte* visible = s->published.load(std::memory_order_acquire);
        if (h.body_size <= std::uint64_t(visible - body)) {
            c = body + h.body_size;
            if (s == current_ && c > cursor_) break;
        } else {
            c = body;
            if (s == current_ && (cursor_ < body || body_sent_ < s->body_size)) break;
        }
        if (!(h.flags & message::flag_more)) {
            last = s;
            at = c;
        }
    }
    return last;
}

bool lane_reader::at_message_boundary() noexcept
{
    std::byte* at = nullptr;
    const span* s = position_boundary(at);
    return s == current_ && at == cursor_;
}

std::size_t lane_reader::octets_to(boundary what) const noexcept
{
    std::byte* start = nullptr;
    const span* s = position_boundary(start);
    const std::byte* at = start;
    if (s == current_ && at == cursor_) return 0;
    std::size_t octets = 0;
    bool passed = false;  // the walk has come to the cursor
    while (true) {
        if (at == s->end.load(std::memory_order_acquire)) {
            if (s == current_ && !passed) {
                if (what == boundary::frame) return 0;
                passed = true;
            }
            s = s->next.load(std::memory_order_acquire);
            if (!s || s->closes_lane) return octets;
            at = s->begin;
            continue;
        }
        const message::frame_header h = message::decode_header(at);
        const std::byte* body = at + h.size;
        const bool beside = h.body_size > std::uint64_t(s->published.load(std::memory_order_acquire) - body);
        const std::byte* behind = beside ? body : body + h.body_size;
        octets += passed ? h.size + std::size_t(h.body_size) : 0;
        if (!passed && s == current_ && (behind > cursor_ || (beside && body_sent_ < s->body_size))) {
            const std::size_t sent = std::size_t(cursor_ - at) + (behind > cursor_ ? 0 : body_sent_);
            if (sent == 0 && what == boundary::frame) return 0;
            octets = h.size + std::size_t(h.body_size) - sent;
            passed = true;
        }
        if (passed && (what == boundary::frame || !(h.flags & message::flag_more))) return octets;
        at = behind;
    }
}

void lane_reader::rewind() noexcept
{
    std::byte* at = nullptr;
    span* s = position_boundary(at);
    current_ = s;
    cursor_ = limit_ = at;
    // Behind a large body that was sent whole, if that is where the boundary is.
    body_sent_ = at == s->end.load(std::memory_order_acquire) && s->body ? s->body_size : 0;
    resume_span_ = s;
    resume_at_ = at;
    release_head_until(s);
}

}  // namespace zlink::pipe
