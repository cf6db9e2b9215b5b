// Frames of a lane on their way to a stream that wants them in another form: encoded a batch at a time, and taken from the
// lane as the stream accepts their octets. So a frame counts for the high-water mark until it has left, and the message that
// a lost connection has cut is still in the lane, to be encoded again for the next one.
//
// Used by whoever holds the connection's write token. The lane is in octet mode.
#pragma once

#include "pipe/lane_reader.hpp"
#include "wire/frame_encoder.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace zlink::wire {

class staging {
public:
    explicit staging(std::unique_ptr<frame_encoder> how) noexcept : encoder_(std::move(how)) {}

    /// Encodes what is in the lane, whole messages up to about `most` octets (one message at least), if all that was encoded
    /// before has been accepted. False: nothing is left to be accepted. May throw std::bad_alloc: nothing has changed then.
    [[nodiscard]] bool fill(pipe::lane_reader& lane, std::size_t most);

    /// Octets that wait to be accepted; none of frames that have none on this wire, which accept(0) takes from the lane.
    [[nodiscard]] std::span<const std::byte> waiting() const noexcept { return std::span(octets_).subspan(accepted_); }
    /// The stream has taken the first `n` of them. True: the lane's writer waits for the credit this gave; tell it.
    [[nodiscard]] bool accept(pipe::lane_reader& lane, std::size_t n) noexcept;
    /// Everything up to here has been accepted, and a message ends here.
    [[nodiscard]] bool at_boundary() const noexcept { return accepted_ == octets_.size() && !mid_message_; }

    /// Nothing was in the lane: memory of an earlier, large batch goes.
    void shrink() noexcept;

    [[nodiscard]] frame_encoder& encoder() noexcept { return *encoder_; }
    [[nodiscard]] const frame_encoder& encoder() const noexcept { return *encoder_; }

private:
    class frames;

    /// Where a frame ends, in what was encoded, and its octets in the lane.
    struct mark {
        std::size_t end;
        std::size_t in_lane;
    };

    std::unique_ptr<frame_encoder> encoder_;
    std::vector<std::byte> octets_;
    std::vector<mark> marks_;
    std::size_t accepted_ = 0;  ///< of octets_
    std::size_t taken_ = 0;     ///< of marks_: their frames have left the lane
    bool mid_message_ = false;  ///< the last frame encoded is not the last of its message
};

}  // namespace zlink::wire
