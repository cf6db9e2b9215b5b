// The frames of ZMTP 2.0 and 3.x (RFC 15, 23, 37), which lie in the lane as they come: octets go into a chunk that connections
// share, are scanned there, and are handed over as spans. Large bodies get memory of their own.
#pragma once

#include "wire/inbound.hpp"
#include "wire/large_body.hpp"
#include "zmtp/frame_scanner.hpp"

#include <vector>

namespace zlink::wire {

class zmtp_inbound final : public inbound {
public:
    struct limits {
        std::int64_t max_msg_size = -1;  ///< negative: none
        std::size_t most_at_once = 512 * 1024;
        std::size_t large_from = 32 * 1024;  ///< bodies from here on get memory of their own
        std::size_t max_transfer = 0;        ///< octets per read, at most; 0: no cap
    };

    explicit zmtp_inbound(const limits& l) noexcept;

    [[nodiscard]] bool prepare(receive_arena& arena, pipe::lane_writer& lane, scratch& spare,
                               room& to) noexcept override;
    [[nodiscard]] outcome accept(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                                 const scratch& spare, command_handler* commands) noexcept override;
    [[nodiscard]] bool feed(std::span<const std::byte> octets) noexcept override;
    [[nodiscard]] bool has_unread() const noexcept override { return unread_; }

private:
    [[nodiscard]] bool prepare_large(receive_arena& arena, room& to) noexcept;
    outcome collect(std::size_t got, const scratch& spare) noexcept;
    outcome accept_large(std::size_t got, receive_arena& arena, pipe::lane_writer& lane,
                         command_handler* commands) noexcept;
    outcome accept_frames(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                          command_handler* commands) noexcept;
    outcome process(std::byte* begin, std::byte* end, receive_arena& arena, pipe::lane_writer& lane,
                    command_handler* commands) noexcept;
    bool hand_over(std::byte* begin, const zmtp::frame_scanner::outcome& found, receive_arena& arena,
                   pipe::lane_writer& lane, const std::byte* in_use) noexcept;
    bool deliver_large(receive_arena& arena, pipe::lane_writer& lane) noexcept;
    bool keep(const std::byte* begin, const std::byte* end) noexcept;
    [[nodiscard]] std::size_t read_size(pipe::lane_writer& lane) const noexcept;
    void learn(std::size_t wanted, std::size_t got) noexcept;

    zmtp::frame_scanner scanner_;
    large_body large_;
    std::vector<std::byte> kept_;  ///< an incomplete frame, or what a hand-over left
    std::size_t missing_ = 0;      ///< of the frame in kept_, where that is known
    bool collects_ = false;        ///< octets go to kept_ until the frame is whole
    bool unread_ = false;          ///< kept_ may hold whole frames
    std::size_t wanted_ = 0;       ///< octets that prepare() had room for
    std::size_t next_read_;
    std::size_t largest_read_;
    std::size_t large_from_;
    std::size_t max_transfer_;
    std::size_t octets_per_message_ = 64;  ///< running estimate, for reads that must not overshoot the high-water mark
};

}  // namespace zlink::wire
