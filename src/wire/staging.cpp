#include "wire/staging.hpp"

#include "message/frame_header.hpp"

#include <limits>

namespace zlink::wire {

namespace {

// Pieces of the lane that are looked at for one batch.
constexpr int most_pieces = 64;

// Memory that an idle connection keeps.
constexpr std::size_t most_kept = 4 * 1024;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max() / 2;

}  // namespace

// The whole frames in what the lane shows: a header, and behind it or in a piece of its own the body.
class staging::frames {
public:
    explicit frames(pipe::lane_reader& lane) noexcept
        : count_(lane.gather(pieces_, most_pieces, no_limit, no_limit).count)
    {}

    struct found {
        std::span<const std::byte> body;
        bool more;
        std::size_t octets;  ///< with the header
    };

    /// False: no whole frame is left.
    [[nodiscard]] bool next(found& f) noexcept
    {
        if (at_ == count_) return false;
        const iovec& piece = pieces_[at_];
        const std::byte* const header = static_cast<const std::byte*>(piece.iov_base) + offset_;
        const message::frame_header h = message::decode_header(header);
        const auto size = std::size_t(h.body_size);
        f.more = h.flags & message::flag_more;
        f.octets = h.size + size;
        const std::size_t left = piece.iov_len - offset_ - h.size;
        if (size <= left) {
            f.body = {header + h.size, size};
            move_to(at_, offset_ + f.octets);
            return true;
        }
        if (at_ + 1 == count_) return false;
        f.body = {static_cast<const std::byte*>(pieces_[at_ + 1].iov_base), size};
        move_to(at_ + 1, size);
        return true;
    }

private:
    void move_to(int piece, std::size_t offset) noexcept
    {
        at_ = piece;
        offset_ = offset;
        if (offset_ != pieces_[at_].iov_len) return;
        ++at_;
        offset_ = 0;
    }

    iovec pieces_[most_pieces];
    const int count_;
    int at_ = 0;
    std::size_t offset_ = 0;
};

bool staging::fill(pipe::lane_reader& lane, std::size_t most)
{
    if (taken_ != marks_.size()) return true;
    octets_.clear();
    marks_.clear();
    accepted_ = taken_ = 0;
    frames from(lane);
    frames::found f{};
    const bool was_mid_message = mid_message_;
    try {
        while ((octets_.size() < most || mid_message_) && from.next(f)) {
            if (marks_.empty()) encoder_->begin();
            marks_.push_back({0, f.octets});
            encoder_->encode({f.body, f.more, !mid_message_}, octets_);
            marks_.back().end = octets_.size();
            mid_message_ = f.more;
        }
    } catch (...) {
        octets_.clear();
        marks_.clear();
        mid_message_ = was_mid_message;
        throw;
    }
    return !marks_.empty();
}

bool staging::accept(pipe::lane_reader& lane, std::size_t n) noexcept
{
    accepted_ += n;
    std::size_t left = 0;
    while (taken_ != marks_.size() && marks_[taken_].end <= accepted_) left += marks_[taken_++].in_lane;
    return left != 0 && lane.commit(left);
}

void staging::shrink() noexcept
{
    if (octets_.capacity() > most_kept) std::vector<std::byte>().swap(octets_);
    if (marks_.capacity() * sizeof(mark) > most_kept) std::vector<mark>().swap(marks_);
}

}  // namespace zlink::wire
