#include "pipe/lane_writer.hpp"

#include "base/many_octets.hpp"
#include "message/placement.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::pipe {

namespace {

// Chunks start small (first_chunk_size), so that a quiet connection costs little, and grow while traffic fills them.
constexpr std::size_t largest_chunk_size = 64 * 1024;

// Copies of what came in small reads: the last chunk stays when the connection falls idle.
constexpr std::size_t largest_copied_chunk = 4 * 1024 - 128;

// Each chunk is larger than the last by this part of it: what the last chunk of a full queue leaves unused stays a small
// part of the whole, and a busy lane is at the largest size after some forty chunks.
constexpr std::size_t growth = 8;

// A frame above this that does not fit in the rest of a chunk gets a block of its own rather than leave a gap:
// what a full queue wastes stays below 2 %.
constexpr std::size_t largest_gap = 1024;

// Messages in a span, at most: the grain of exact credits for readers that move octets without counting frames.
constexpr std::uint32_t largest_mark = 32;

std::uint32_t mark_for(std::uint64_t hwm) noexcept
{
    return hwm == 0 ? largest_mark : std::uint32_t(std::min<std::uint64_t>(largest_mark, low_water_mark(hwm)));
}

constexpr std::size_t span_room = sizeof(span) + alignof(span);

// About `wanted` octets, cut to hold frames of `need` octets without a rest, and the spans that go with them.
std::size_t chunk_size(std::size_t wanted, std::size_t need, std::uint32_t messages_in_span,
                       std::uint64_t step) noexcept
{
    if (need == 0) return wanted;
    // Two at least, so that the spans of small chunks weigh little.
    const std::size_t frames = std::max<std::size_t>(2, (wanted - 2 * span_room) / need);
    // Those that end in between, where credit is due, as well.
    const std::size_t cut_short = step > messages_in_span ? 1 + frames / step : 0;
    return frames * need + (2 + frames / messages_in_span + cut_short) * span_room;
}

std::byte* place_span_below(std::byte* top) noexcept
{
    const auto at = (reinterpret_cast<std::uintptr_t>(top) - sizeof(span)) & ~std::uintptr_t(alignof(span) - 1);
    return reinterpret_cast<std::byte*>(at);
}

}  // namespace

lane_writer::lane_writer(lane& shared, std::uint64_t hwm, std::size_t reference_threshold) noexcept
    : lane_(shared),
      tail_(&shared.sentinel),
      published_span_(&shared.sentinel),
      hwm_(hwm),
      reference_threshold_(reference_threshold),
      most_small_(reference_threshold > most_small_octets ? most_small_octets : 0),
      seal_at_(mark_for(hwm)),
      span_limit_(mark_for(hwm)),
      next_chunk_size_(first_chunk_size)
{
    if (shared.conflate) {
        hwm_ = 0;
        seal_at_ = 0;  // every publish takes the slow way
    }
}

lane_writer::~lane_writer()
{
    const tail_held hold(*this);
    if (chunk_) tail_->releases_chunk = true;
    if (unpublished_) release_span(unpublished_);
    if (pending_metadata_) pending_metadata_->release();
    if (current_metadata_) current_metadata_->release();
}

bool lane_writer::look_for_credit() noexcept
{
    credited_ = lane_.credited.load(std::memory_order_acquire);
    return written_ - credited_ < hwm_;
}

bool lane_writer::wait_for_credit() noexcept
{
    // Readers that count by spans can credit sealed spans only.
    if (span_messages_ && chunk_ && !in_message_) {
        const tail_held hold(*this);
        if (chunk_ && !tail_->body) seal_tail();
    }
    lane_.writer_waiting.store(true, std::memory_order_relaxed);
    asymmetric_fence::
        full_fence();  // partner: lane_reader::give_credit(), which stores the credit and looks for a waiter
    if (!look_for_credit()) return false;
    lane_.writer_waiting.store(false, std::memory_order_relaxed);
    return true;
}

// Makes the tail constant. The lane's reference of the chunk goes with its last span.
void lane_writer::seal(bool ends_message) noexcept
{
    tail_->messages = span_messages_;
    tail_->ends_message = ends_message;
    tail_->end.store(cursor_, std::memory_order_release);
    span_messages_ = 0;
}

void lane_writer::start(span* s) noexcept
{
    s->begin = cursor_;
    s->chunk = chunk_;
    s->metadata = std::exchange(pending_metadata_, nullptr);
    s->published.store(cursor_, std::memory_order_relaxed);
    seal_at_ = next_mark();
    link(s);
}

// How many messages the tail may hold: up to the next one at which credit is given, so that a reader that counts by spans
// gives it then.
std::uint32_t lane_writer::next_mark() const noexcept
{
    const std::uint64_t step = credit_step(hwm_);
    return std::uint32_t(std::min<std::uint64_t>(span_limit_, span_messages_ + step - written_ % step));
}

// Puts `s` behind the sealed tail. From then on the reader may leave (and free) the spans that are visible in full, so
// published_span_ is never one of those.
void lane_writer::link(span* s) noexcept
{
    if (published_span_ == tail_ &&
        tail_->published.load(std::memory_order_relaxed) == tail_->end.load(std::memory_order_relaxed)) {
        published_span_ = s;
    }
    tail_->next.store(s, std::memory_order_release);
    tail_ = s;
}

// Goes on behind a sealed tail in the same chunk. False when the chunk has no room for it (nothing changed).
bool lane_writer::next_span(bool ends_message) noexcept
{
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < span_room) return false;
    chunk_top_ = place_span_below(chunk_top_);
    auto* s = new (chunk_top_) span;
    seal(ends_message);
    start(s);
    top_ = chunk_top_;
    return true;
}

// Goes on in a new chunk that has room for `need` octets and one more span. False when memory is short.
bool lane_writer::next_chunk(std::size_t need, bool ends_message) noexcept
{
    // Chunks of equal size come back from the pool, also where a span rather than a frame finds no room.
    if (need != 0) usual_need_ = need;
    const std::size_t size = chunk_size(next_chunk_size_, usual_need_, span_limit_, credit_step(hwm_));
    message::buffer* fresh = message::buffer::allocate(size);
    if (!fresh) return false;
    next_chunk_size_ = std::min(next_chunk_size_ + next_chunk_size_ / growth, largest_chunk_size);
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(ends_message);
    }
    chunk_ = fresh;
    cursor_ = fresh->data();
    chunk_top_ = place_span_below(fresh->data() + fresh->capacity());
    auto* s = new (chunk_top_) span;
    start(s);
    top_ = chunk_top_;
    return true;
}

// Behind a message: makes the tail constant and goes on behind it. Without memory for what comes behind, the tail is the last
// span for now, and the next write tries again.
void lane_writer::seal_tail() noexcept
{
    if (next_span(true) || next_chunk(0, true)) return;
    tail_->releases_chunk = true;
    seal(true);
    forget_tail();
}

bool lane_writer::write_slow(const outgoing& f) noexcept
{
    if (lane_.conflate) return write_newest(f);
    const tail_held hold(*this);
    const bool at_boundary = !in_message_;
    const std::size_t header = message::header_size(f.size);
    if (tail_->body && chunk_ && !next_span(at_boundary) && !next_chunk(0, at_boundary)) return false;
    if (f.size >= reference_threshold_) return write_by_reference(f);
    // Not top_: a reader that was about to leave may take it away behind take_tail(), too.
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < header + f.size) {
        if (chunk_ && f.size > largest_gap && std::size_t(chunk_top_ - cursor_) >= header + span_room) {
            return write_by_reference(f);
        }
        if (!next_chunk(header + f.size, at_boundary)) return false;
    }
    std::byte* at = cursor_;
    at += message::encode_header(at, f.more ? message::flag_more : 0, f.size);
    copy_many_octets(at, f.data, f.size);
    cursor_ = at + f.size;
    in_message_ = f.more;
    return true;
}

bool lane_writer::write_by_reference(const outgoing& f) noexcept
{
    const bool at_boundary = !in_message_;
    if (!chunk_ || std::size_t(chunk_top_ - cursor_) < message::long_header_size + span_room) {
        if (!next_chunk(message::long_header_size, at_boundary)) return false;
    }
    message::buffer* body = f.msg ? f.msg->shareable() : nullptr;
    auto* data = const_cast<std::byte*>(f.data);
    if (body) {
        body->add_ref();
    } else if (f.msg && f.msg->is_constant()) {
        body = message::buffer::adopt(data, f.size, nullptr, nullptr);
        if (!body) return false;
    } else {
        body = message::buffer::allocate(f.size);
        if (!body) return false;
        data = body->data();
        if (f.stays && !f.more && f.size >= reference_threshold_ &&
            !message::placement::sends_slowly(f.data, f.size, message::header_size(f.size))) {
            late_ = f.data;
            late_span_ = tail_;
        } else {
            copy_many_octets(data, f.data, f.size);
        }
    }
    cursor_ = cursor_ + message::encode_header(cursor_, f.more ? message::flag_more : 0, f.size);
    tail_->body = body;
    tail_->body_data = data;
    tail_->body_size = f.size;
    large_written_ += f.size;
    top_ = static_cast<std::byte*>(cursor_);  // nothing may follow in this span
    seal_at_ = 0;
    in_message_ = f.more;
    large_ = large_ || f.size >= reference_threshold_;
    return true;
}

// A last frame that stays is copied when the message is published, as that may turn out not to be needed.
void lane_writer::copy_late() noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    copy_many_octets(late_span_->body_data, from, late_span_->body_size);
}

void lane_writer::publish_in_place() noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    if (from) late_span_->body_data = const_cast<std::byte*>(from);
    publish();
    late_ = from;
}

void lane_writer::settle(bool needed) noexcept
{
    const std::byte* from = std::exchange(late_, nullptr);
    if (!from || !needed) return;
    late_span_->body_data = late_span_->body->data();
    copy_many_octets(late_span_->body_data, from, late_span_->body_size);
}

// Stores in an order that shows the reader all spans of a message at once: it leaves the first unpublished span only
// after that span's store, which comes last.
void lane_writer::publish_chain(std::byte* visible_end) noexcept
{
    span* first = published_span_;
    if (first != tail_) {
        for (span* s = first->next.load(std::memory_order_relaxed); s != tail_;
             s = s->next.load(std::memory_order_relaxed)) {
            s->published.store(s->end.load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        tail_->published.store(visible_end, std::memory_order_relaxed);
        visible_end = first->end.load(std::memory_order_relaxed);
    }
    first->published.store(visible_end, std::memory_order_release);
    published_span_ = tail_;
}

void lane_writer::publish_slow() noexcept
{
    if (lane_.conflate) return publish_newest();
    if (late_) copy_late();
    large_ = false;
    // Sealed before it is shown, so that the reader finds a large frame's header and body together.
    std::byte* visible_end = cursor_;
    if (span_messages_ >= seal_at_) {
        seal_tail();
        if (chunk_) visible_end = cursor_;
        // Before all is shown: nobody leaves until then.
        give_tail();
    }
    publish_chain(visible_end);
}

// A conflating lane carries single frames: of a multipart message the last one counts, as in libzmq.
bool lane_writer::write_newest(const outgoing& f) noexcept
{
    const std::size_t frame_size = message::header_size(f.size) + f.size;
    message::buffer* chunk = message::buffer::allocate(frame_size + span_room);
    if (!chunk) return false;
    auto* s = new (place_span_below(chunk->data() + chunk->capacity())) span;
    std::byte* at = chunk->data();
    s->begin = at;
    at += message::encode_header(at, 0, f.size);
    copy_many_octets(at, f.data, f.size);
    at += f.size;
    s->published.store(at, std::memory_order_relaxed);
    s->end.store(at, std::memory_order_relaxed);
    s->chunk = chunk;
    s->releases_chunk = true;
    s->messages = 1;
    if (unpublished_) release_span(unpublished_);
    unpublished_ = s;
    in_message_ = f.more;
    return true;
}

void lane_writer::publish_newest() noexcept
{
    span_messages_ = 0;
    if (!unpublished_) return;
    if (current_metadata_) {
        current_metadata_->add_ref();
        unpublished_->metadata = current_metadata_;
    }
    if (span* old = lane_.newest.exchange(std::exchange(unpublished_, nullptr), std::memory_order_acq_rel)) {
        release_span(old);
    }
}

// Spans that came encoded, for a conflating lane: the last frame of the last message is what counts.
void lane_writer::append_newest(const std::byte* begin, const std::byte* end, const message::buffer* body,
                                const std::byte* body_data, std::size_t body_size) noexcept
{
    outgoing last{nullptr, 0, false};
    for (const std::byte* at = begin; at != end;) {
        const message::frame_header h = message::decode_header(at);
        at += h.size;
        const bool inside = h.body_size <= std::uint64_t(end - at);
        if (!inside && !body) break;
        last.data = inside ? at : body_data;
        last.size = inside ? std::size_t(h.body_size) : body_size;
        if (inside) at += h.body_size;
    }
    if (last.data && write_newest(last)) publish_newest();
}

// Room for octets of frames in the tail, behind a span that a body closes if need be.
bool lane_writer::make_room(std::size_t octets) noexcept
{
    const bool at_boundary = !in_message_;
    next_chunk_size_ = std::min(next_chunk_size_, largest_copied_chunk);
    if (tail_->body && chunk_ && !next_span(at_boundary) && !next_chunk(octets, at_boundary)) return false;
    return (chunk_ && std::size_t(chunk_top_ - cursor_) >= octets) || next_chunk(octets, at_boundary);
}

bool lane_writer::append_copy(const std::byte* begin, const std::byte* end, std::uint32_t messages) noexcept
{
    const auto size = std::size_t(end - begin);
    if (lane_.conflate) return false;
    {
        const tail_held hold(*this);
        if (!make_room(size)) return false;
        cursor_ = cursor_ + size;
    }
    copy_many_octets(cursor_ - size, begin, size);
    in_message_ = messages == 0;
    if (messages) publish_all(messages);
    return true;
}

void lane_writer::append_span(message::buffer* chunk, void* place, std::byte* begin, std::byte* messages_end,
                              std::byte* end, std::uint32_t messages, message::buffer* body, std::byte* body_data,
                              std::size_t body_size) noexcept
{
    if (lane_.conflate) {
        if (messages) append_newest(begin, messages_end, body, body_data, body_size);
        written_ += messages;
        in_message_ = messages_end != end;
        if (body) body->release();
        return chunk->release();
    }
    take_tail();
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(!in_message_);
        forget_tail();
        next_chunk_size_ = first_chunk_size;  // of the next one, too, little may be used
    }
    auto* s = new (place) span;
    s->begin = begin;
    s->published.store(begin, std::memory_order_relaxed);
    s->end.store(end, std::memory_order_relaxed);
    s->chunk = chunk;
    s->releases_chunk = true;
    s->messages = messages;
    s->ends_message = messages_end == end;
    s->body = body;
    s->body_data = body_data;
    s->body_size = body_size;
    s->metadata = std::exchange(pending_metadata_, nullptr);
    large_written_ += body_size;
    in_message_ = messages_end != end;
    link(s);
    give_tail();
    if (messages) {
        written_ += messages;
        publish_chain(messages_end);
    }
}

void lane_writer::forget_tail() noexcept
{
    chunk_ = nullptr;
    cursor_ = nullptr;
    top_ = nullptr;
    chunk_top_ = nullptr;
    span_messages_ = 0;
}

bool lane_writer::has_unpublished() const noexcept
{
    if (lane_.conflate) return unpublished_ != nullptr;
    if (in_message_ || published_span_ != tail_) return true;
    return chunk_ && tail_->published.load(std::memory_order_relaxed) != cursor_;
}

void lane_writer::drop_unpublished() noexcept
{
    if (!has_unpublished()) return;
    in_message_ = false;
    large_ = false;
    late_ = nullptr;
    if (lane_.conflate) {
        release_span(std::exchange(unpublished_, nullptr));
        return;
    }
    span* keep = published_span_;
    std::byte* visible = keep->published.load(std::memory_order_relaxed);
    const auto drop_body = [this](span* s) {
        if (!s->body) return;
        large_written_ -= s->body_size;
        s->body->release();
        s->body = nullptr;
    };
    if (keep == tail_ && chunk_) {
        drop_body(keep);
        cursor_ = visible;
        top_ = chunk_top_;
        seal_at_ = next_mark();
        return;
    }
    if (keep->end.load(std::memory_order_relaxed) != visible) drop_body(keep);
    message::buffer* open_chunk = chunk_;
    for (span* s = keep->next.load(std::memory_order_relaxed); s;) {
        span* after = s->next.load(std::memory_order_relaxed);
        drop_body(s);
        if (s->metadata) s->metadata->release();
        message::buffer* chunk = s->releases_chunk ? s->chunk : (s == tail_ ? open_chunk : nullptr);
        if (chunk && chunk == keep->chunk && !keep->releases_chunk) {
            keep->releases_chunk = true;
        } else if (chunk) {
            chunk->release();
        }
        s = after;
    }
    keep->ends_message = true;
    keep->next.store(nullptr, std::memory_order_relaxed);
    keep->end.store(visible, std::memory_order_release);
    tail_ = published_span_ = keep;
    forget_tail();
}

bool lane_writer::set_metadata(message::metadata* m) noexcept
{
    const tail_held hold(*this);
    drop_unpublished();
    if (lane_.conflate) {
        if (current_metadata_) current_metadata_->release();
        current_metadata_ = m;
        return true;
    }
    if (pending_metadata_) pending_metadata_->release();
    pending_metadata_ = m;
    return next_span(true) || next_chunk(0, true);
}

void lane_writer::close() noexcept
{
    if (closed_) return;
    closed_ = true;
    const tail_held hold(*this);
    drop_unpublished();
    lane_.closing.closes_lane = true;
    if (lane_.conflate) {
        lane_.ended.store(true, std::memory_order_release);
        return;
    }
    if (chunk_) {
        tail_->releases_chunk = true;
        seal(true);
        forget_tail();
    }
    tail_->next.store(&lane_.closing, std::memory_order_release);
    tail_ = published_span_ = &lane_.closing;
}

void lane_writer::set_hwm(std::uint64_t hwm) noexcept
{
    if (lane_.conflate) return;
    hwm_ = hwm;
    span_limit_ = mark_for(hwm);
    lane_.credit_step.store(credit_step(hwm), std::memory_order_relaxed);
    const tail_held hold(*this);
    if (tail_->body == nullptr) seal_at_ = next_mark();
    if (span_messages_ && chunk_ && !in_message_) seal_tail();
}

}  // namespace zlink::pipe
