// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How messages of a lane become octets of a stream: a wire's outgoing half. It names the octets that go next, and takes
// from the lane those that the stream has accepted; it writes nothing itself.
#pragma once

#include "pipe/lane_reader.hpp"
#include "pipe/owed_credit.hpp"
#include "wire/shared_frames.hpp"
#include "wire/staging.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace zlink::wire {

/// The lane is in octet mode. One thread at a time: the thread that holds the connection's write token.
class outbound {
public:
    using boundary = pipe::lane_reader::boundary;

    struct limits {
        std::size_t batch;
        std::size_t batch_after_large;            ///< octets of others behind a large body that begins a batch
        std::size_t per_write = std::size_t(-1);  ///< octets of a batch that one write takes, at most
    };
    struct batch {
        int count = 0;  ///< pieces; 0: there is nothing to write
        std::size_t octets = 0;
        bool large = false;  ///< has a body by reference
    };

    /// `how`: null if frames go out as they lie in the lane (ZMTP 2.0 and 3.x). `seals`: null if frames are not sealed.
    /// May throw std::bad_alloc.
    explicit outbound(std::unique_ptr<frame_encoder> how, std::unique_ptr<zmtp::sealer> seals = nullptr,
                      frame_form form = lane_form)
        : staging_(how || seals || form ? std::make_unique<staging>(std::move(how), std::move(seals), form) : nullptr)
    {}

    /// Before the first gather(), of frames that go out as they lie in the lane: large bodies go by way of `arena`. Both
    /// are there for every gather(). May throw std::bad_alloc.
    void share_bodies(shm::sending_arena& arena, segment_maker& maker)
    {
        if (!staging_) shared_ = std::make_unique<shared_frames>(arena, maker);
    }

    /// Describes the octets that go next: the lane's writer has to be told of `credit` before they are written. May
    /// throw std::bad_alloc: nothing has changed then.
    [[nodiscard]] batch gather(pipe::lane_reader& lane, iovec* to, int max_count, const limits& l,
                               pipe::owed_credit& credit);

    /// The first `n` octets of the last batch are accepted; called after every write, also with 0. True: the lane's
    /// writer waits for the credit this gave.
    [[nodiscard]] bool accept(pipe::lane_reader& lane, std::size_t n) noexcept;

    /// All is accepted up to the end of a message (of one that was gathered).
    [[nodiscard]] bool at_boundary() const noexcept { return at_boundary_; }
    /// Octets that have to be accepted until a message, or a frame, ends; 0: one has just ended. The next batch ends
    /// there at the latest if that is its limit. Staged octets go out as a whole; before staging, the number counts
    /// octets in the lane.
    [[nodiscard]] std::size_t octets_to(boundary what, const pipe::lane_reader& lane) const noexcept
    {
        if (at_boundary_) return 0;
        // A frame that has gone out in part has not begun in the lane.
        if (const std::size_t begun = shared_ ? shared_->begun() : 0) return std::max(begun, lane.octets_to(what));
        const std::size_t staged = staging_ ? staging_->waiting().size() : 0;
        return staged != 0 ? staged : lane.octets_to(what);
    }

    /// Appends the octets of one more message, of one frame, to `to`; the message is in no lane. It goes out before the
    /// next batch. May throw std::bad_alloc: nothing has changed then.
    void encode(std::span<const std::byte> body, std::vector<std::byte>& to);
    /// The same for commands, which are whole frames, in the form of this wire.
    void encode_frames(std::vector<std::byte>& frames)
    {
        if (staging_) staging_->encode_commands(frames);
    }

private:
    /// A batch of so many octets and messages is about to be written.
    void announce_write(pipe::lane_reader& lane, std::size_t octets, std::uint64_t messages, std::size_t per_write,
                        pipe::owed_credit& credit) noexcept;
    void note_accepted(pipe::lane_reader& lane, std::size_t n) noexcept
    {
        const bool fell_short = n != announced_;
        expected_ = fell_short ? n : std::size_t(-1);
        if (fell_short) lane.write_fell_short();
    }

    [[nodiscard]] batch announce_references(pipe::lane_reader& lane, const iovec* pieces,
                                            const pipe::lane_reader::gathered& found, std::size_t per_write,
                                            pipe::owed_credit& credit) noexcept;

    std::unique_ptr<staging> staging_;
    std::unique_ptr<shared_frames> shared_;
    std::size_t gathered_ = 0;   ///< octets of the last batch that wait to be accepted
    std::size_t announced_ = 0;  ///< octets that the write takes if it does not fall short
    std::size_t expected_ =
        std::size_t(-1);             ///< octets that it is expected to take: as many as one that fell short took
    bool ends_at_boundary_ = false;  ///< of that batch
    bool at_boundary_ = true;
};

}  // namespace zlink::wire
