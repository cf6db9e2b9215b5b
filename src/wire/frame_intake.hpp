// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory for the frames of a stream as they come, in any form. Octets go into a chunk that connections share, and from
// there to the lane as spans, without a copy. The body of a large frame goes into memory of its own. Of an incomplete
// frame that is not large, a copy is kept between two reads. The class does not parse frames itself.
#pragma once

#include "base/invariant.hpp"
#include "base/many_octets.hpp"
#include "wire/inbound.hpp"
#include "wire/large_body.hpp"
#include "zmtp/frame_scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::wire {

/// The limits for reading frames.
struct frame_limits {
    std::int64_t max_msg_size = -1;  ///< negative: none
    std::size_t most_at_once = 512 * 1024;
    std::size_t large_from = 32 * 1024;  ///< bodies from here on get memory of their own
    std::size_t max_transfer = 0;        ///< octets per read, at most; 0: no cap
    /// octets in lane form may be more than those that came: by 4 for 260; there is room before them
    bool grows = false;
};

/// One thread at a time: the thread that holds the connection's read token.
class frame_intake {
public:
    /// Commands are kept whole until they can be parsed; a longer one is refused. Data frames from here on are large.
    static constexpr std::size_t largest_kept = 1024 * 1024;

    explicit frame_intake(const frame_limits& l) noexcept;

    [[nodiscard]] bool prepare(receive_arena& arena, pipe::lane_writer& lane, inbound::scratch& spare,
                               inbound::room& to) noexcept;

    // The octets that have come into that room: one of the three ways ------------------------------------------------

    struct octets {
        std::byte* begin;
        std::byte* end;
    };

    /// A large body arrives: octets go to add_to_large().
    [[nodiscard]] bool in_large() const noexcept { return large_.active(); }
    /// True: the body is complete, for take_large(); `behind` came with its end.
    [[nodiscard]] bool add_to_large(std::size_t got, const receive_arena& arena, octets& behind) noexcept;
    /// The caller takes over the reference of the buffer.
    [[nodiscard]] message::buffer* take_large(message::frame_header& h) noexcept
    {
        h = large_.header();
        return large_.release();
    }

    /// The rest of a frame that comes slowly is put together: octets go to collect(). Its outcomes: `again` if the
    /// frame is whole and waits to be looked at, `failed` if memory is short.
    [[nodiscard]] bool collects() const noexcept { return kept_is_ == keeping::collected; }
    [[nodiscard]] inbound::outcome collect(std::size_t got, const inbound::scratch& spare) noexcept;

    /// Otherwise: all octets that are there, the kept ones first. looked_at() has to follow.
    [[nodiscard]] octets place(std::size_t got, const receive_arena& arena) noexcept
    {
        invariant([this] { return !collects(); });
        reread_ = has_unread();
        std::byte* const begin = arena.at() + front_;
        const std::size_t kept = kept_.size();
        copy_many_octets(begin, kept_.data(), kept);
        drop_kept();
        kept_is_ = keeping::partial;
        missing_ = 0;
        return {begin, begin + kept + got};
    }
    /// True: there is more to read of a large body, at once.
    [[nodiscard]] bool looked_at(std::size_t got, bool full) noexcept
    {
        if (reread_) return false;
        if (missing_ != 0 && kept_.size() >= long_kept && got < kept_.size() / little_of_kept) {
            invariant([this] { return !has_unread(); });
            kept_is_ = keeping::collected;
        }
        learn(got);
        return full && large_.active() && !max_transfer_;
    }

    // The next place of the octets ----------------------------------------------------------------------------------

    /// Whole frames, in lane form, which end at `found.frames_end`, go into the lane as one span. Octets up to `in_use`
    /// still have to be looked at. False: memory is short.
    [[nodiscard]] bool hand_over(std::byte* begin, const zmtp::frame_scanner::outcome& found, receive_arena& arena,
                                 pipe::lane_writer& lane, const std::byte* in_use) noexcept;
    /// A large frame: its header goes into the arena. Its body stays in its own memory; the reference is taken over.
    /// `h`: in lane form, the body not empty. False: memory is short.
    [[nodiscard]] bool hand_over_large(const message::frame_header& h, message::buffer* body, receive_arena& arena,
                                       pipe::lane_writer& lane) noexcept;

    /// A frame whose body did not come with the octets of the stream; its reference is taken over. False: memory is
    /// short.
    [[nodiscard]] static bool hand_over_lent(bool more, message::buffer* body, pipe::lane_writer& lane) noexcept;

    [[nodiscard]] bool is_large(std::uint64_t body_size) const noexcept { return body_size >= large_from_; }
    /// The body of `h` comes into memory of its own from now on; `there` is its beginning. False: memory is short.
    [[nodiscard]] bool begin_large(const message::frame_header& h, octets there) noexcept;

    /// An incomplete frame stays for the next read: `missing` octets more, if that is known, else 0. False: memory is
    /// short.
    [[nodiscard]] bool keep_partial(octets there, std::uint64_t missing) noexcept;
    /// Octets that have to be looked at again, in another call, before any others; `more` behind them. False: memory is
    /// short.
    [[nodiscard]] bool keep_unread(octets there, octets more = {}) noexcept;
    [[nodiscard]] bool feed(std::span<const std::byte> some) noexcept;
    [[nodiscard]] bool has_unread() const noexcept { return kept_is_ == keeping::unread; }

private:
    // The kept octets of a frame are copied for each read that brings more of it, to lie before the new ones. If the
    // kept part is long, and reads bring little, new octets go behind it instead. So a peer that sends an octet at a
    // time does not cause a copy of everything each time.
    static constexpr std::size_t long_kept = 4 * 1024;
    static constexpr std::size_t little_of_kept = 8;

    enum class keeping : std::uint8_t {
        partial,    ///< the beginning of a frame, or nothing: copied before the octets of the next read
        collected,  ///< the same, but octets go behind it until the frame is whole
        unread,     ///< whole frames, maybe
    };

    [[nodiscard]] std::size_t growth_of(std::size_t come) const noexcept { return grows_ ? come / 65 + 8 : 0; }
    [[nodiscard]] bool prepare_large(receive_arena& arena, inbound::room& to) noexcept;
    [[nodiscard]] std::size_t read_size(pipe::lane_writer& lane) const noexcept;
    void learn(std::size_t got) noexcept;
    void drop_kept() noexcept;

    large_body large_;
    std::vector<std::byte> kept_;  ///< an incomplete frame, or the octets that a hand-over left
    std::size_t missing_ = 0;      ///< octets of the frame in kept_ that are missing, if that is known
    keeping kept_is_ = keeping::partial;
    bool reread_ = false;     ///< kept_ was unread before place()
    std::size_t wanted_ = 0;  ///< octets that prepare() had room for
    std::size_t next_read_;
    std::size_t largest_read_;
    std::size_t large_from_;
    std::size_t max_transfer_;
    const bool grows_;
    std::size_t front_ = 0;                ///< octets left free before those that come
    std::size_t octets_per_message_ = 64;  ///< running estimate, for reads that must not overshoot the high-water mark
};

}  // namespace zlink::wire
