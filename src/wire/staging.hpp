// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of a lane on their way to a stream that uses another form: encoded, or sealed, or both, a batch at a time.
// They are taken from the lane as the stream accepts their octets. So a frame counts for the high-water mark until it
// has left. If a lost connection has cut a message, it is still in the lane, to be encoded or sealed again for the next
// connection.
//
// Used by the thread that holds the connection's write token. The lane is in octet mode.
#pragma once

#include "pipe/lane_reader.hpp"
#include "wire/frame_encoder.hpp"
#include "wire/frame_form.hpp"
#include "wire/sealed_octets.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace zlink::wire {

class lane_frames;

class staging {
public:
    /// `how`: null if frames are sealed as they lie in the lane. `seals`: null if they are not sealed. Not both. May
    /// throw std::bad_alloc.
    explicit staging(std::unique_ptr<frame_encoder> how, std::unique_ptr<zmtp::sealer> seals = nullptr,
                     frame_form form = lane_form);

    /// Encodes the frames in the lane, up to about `most` octets, if everything encoded before has been accepted. It
    /// takes at least one frame; and whole messages, unless they are sealed. False: nothing is left to be accepted. May
    /// throw std::bad_alloc: nothing has changed then.
    [[nodiscard]] bool fill(pipe::lane_reader& lane, std::size_t most);

    /// Octets that wait to be accepted. Frames that have no octets on this wire are not among them; accept(0) takes
    /// those from the lane.
    [[nodiscard]] std::span<const std::byte> waiting() const noexcept { return batch().subspan(accepted_); }
    /// The octets in the lane of the frames that wait.
    [[nodiscard]] std::size_t waiting_in_lane() const noexcept;
    /// The stream has taken the first `n` of them. True: the lane's writer waits for the credit this gave; tell it.
    [[nodiscard]] bool accept(pipe::lane_reader& lane, std::size_t n) noexcept;
    /// Everything up to here has been accepted, and a message ends here.
    [[nodiscard]] bool at_boundary() const noexcept { return accepted_ == batch().size() && !mid_message_; }

    /// Nothing was in the lane: memory of an earlier, large batch is freed.
    void shrink() noexcept;

    /// Appends the octets of one more message, of one frame, to `to`; the message is in no lane. The order of sealing
    /// stays: it goes out before the next batch. May throw std::bad_alloc: nothing has changed then.
    void encode(std::span<const std::byte> body, std::vector<std::byte>& to);
    /// The same for commands, whole frames in lane form, in place, if this wire has another form.
    void encode_commands(std::vector<std::byte>& frames)
    {
        if (form_) return form_->encode_commands(frames);
        if (sealed_) sealed_->seal_in_place(frames);
    }

private:
    /// The end of a frame in the encoded octets, and its octets in the lane.
    struct mark {
        std::size_t end;
        std::size_t in_lane;
    };

    [[nodiscard]] std::span<const std::byte> batch() const noexcept
    {
        return sealed_ ? sealed_->octets() : std::span<const std::byte>(octets_);
    }
    void encode_all(lane_frames& from, std::size_t most);
    void seal_all(lane_frames& from, std::size_t most);
    [[nodiscard]] bool seal_some(lane_frames& from, std::size_t most);

    const frame_form form_;
    std::unique_ptr<frame_encoder> encoder_;
    std::unique_ptr<sealed_octets> sealed_;
    std::vector<std::byte> octets_;  ///< the output of encoder_
    std::vector<mark> marks_;
    std::size_t accepted_ = 0;  ///< of the batch
    std::size_t taken_ = 0;     ///< marks whose frames have left the lane
    bool mid_message_ = false;  ///< the last frame encoded is not the last of its message
};

}  // namespace zlink::wire
