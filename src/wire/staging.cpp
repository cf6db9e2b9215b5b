// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/staging.hpp"

#include "base/grow.hpp"
#include "base/invariant.hpp"
#include "wire/lane_frames.hpp"

#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

namespace zlink::wire {

namespace {

// Memory that an idle connection keeps.
constexpr std::size_t most_kept = 4 * 1024;

// The first marks of a batch, in memory that an idle connection may keep.
constexpr std::size_t first_marks = 32;

// As many frames as are sealed in one call. A frame does not exist before it is constructed.
union some_frames {
    some_frames() noexcept {}
    zmtp::frame_to_seal at[sealed_octets::most_at_once];
};

}  // namespace

staging::staging(std::unique_ptr<frame_encoder> how, std::unique_ptr<zmtp::sealer> seals, frame_form form)
    : form_(form),
      encoder_(std::move(how)),
      sealed_(seals ? std::make_unique<sealed_octets>(std::move(seals), form) : nullptr)
{
    if (form && !encoder_ && !sealed_) encoder_ = form->make_encoder();
}

bool staging::fill(pipe::lane_reader& lane, std::size_t most)
{
    if (taken_ != marks_.size()) return true;
    octets_.clear();
    marks_.clear();
    accepted_ = taken_ = 0;
    lane_frames from(lane);
    if (sealed_) {
        seal_all(from, most);
    } else {
        encode_all(from, most);
    }
    return !marks_.empty();
}

void staging::encode_all(lane_frames& from, std::size_t most)
{
    lane_frames::found f{};
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
}

void staging::seal_all(lane_frames& from, std::size_t most)
{
    sealed_->clear();
    while (seal_some(from, most)) {
    }
}

// If memory is short, the frames that are sealed already go out, as they cannot be sealed again.
bool staging::seal_some(lane_frames& from, std::size_t most)
{
    some_frames group;
    std::size_t count = 0;
    const std::size_t marks_before = marks_.size();
    const bool was_mid_message = mid_message_;
    const std::size_t begin = sealed_->octets().size();
    std::size_t end = begin;
    octets_.clear();
    try {
        if (marks_.capacity() == 0) marks_.reserve(first_marks);
        lane_frames::found f{};
        while (count < sealed_octets::most_at_once && end < most && from.next(f)) {
            zmtp::frame_to_seal one{std::uint8_t(f.more ? message::flag_more : 0), f.body, nullptr};
            if (encoder_) {
                if (marks_.empty()) encoder_->begin();
                const std::size_t at = octets_.size();
                encoder_->encode({f.body, f.more, !mid_message_}, octets_);
                one = sealed_octets::frame_at(octets_, at);
            }
            end += sealed_->size_of(one.body.size());
            marks_.push_back({end, f.octets});
            mid_message_ = f.more;
            std::construct_at(&group.at[count++], one);
        }
        if (count == 0) return false;
        // The encoded frames may have moved.
        for (std::size_t i = 0, at = 0; at != octets_.size(); ++i) {
            group.at[i] = sealed_octets::frame_at(octets_, at);
            at = std::size_t(group.at[i].body.data() - octets_.data()) + group.at[i].body.size();
        }
        // If there are many frames, the rest of the batch is going to be as large as it may be.
        if (count == sealed_octets::most_at_once && end < most) sealed_->reserve(most - begin);
        sealed_->append({group.at, count}, end - begin);
    } catch (...) {
        marks_.resize(marks_before);
        mid_message_ = was_mid_message;
        if (marks_before == 0) throw;
        return false;
    }
    return count == sealed_octets::most_at_once;
}

std::size_t staging::waiting_in_lane() const noexcept
{
    return std::accumulate(marks_.begin() + std::ptrdiff_t(taken_), marks_.end(), std::size_t{0},
                           [](std::size_t sum, const mark& m) { return sum + m.in_lane; });
}

bool staging::accept(pipe::lane_reader& lane, std::size_t n) noexcept
{
    invariant([&] { return n <= waiting().size(); });
    accepted_ += n;
    std::size_t left = 0;
    while (taken_ != marks_.size() && marks_[taken_].end <= accepted_) left += marks_[taken_++].in_lane;
    return left != 0 && lane.commit(left);
}

void staging::shrink() noexcept
{
    if (octets_.capacity() > most_kept) std::vector<std::byte>().swap(octets_);
    if (marks_.capacity() * sizeof(mark) > most_kept) std::vector<mark>().swap(marks_);
    if (sealed_) sealed_->shrink(most_kept);
}

void staging::encode(std::span<const std::byte> body, std::vector<std::byte>& to)
{
    // Not as the first frame of a message: it is not a subscription, whatever octets it begins with.
    const frame one{body, false, false};
    if (!sealed_) {
        if (form_) encoder_->begin();
        return encoder_->encode(one, to);
    }
    std::vector<std::byte> own;
    if (encoder_) {
        encoder_->encode(one, own);
    } else {
        own.resize(message::header_size(body.size()));
        message::encode_header(own.data(), 0, body.size());
        own.insert(own.end(), body.begin(), body.end());
    }
    grow_for(to, sealed_->size_of(body.size()));
    sealed_->seal_in_place(own);
    to.insert(to.end(), own.begin(), own.end());
}

}  // namespace zlink::wire
