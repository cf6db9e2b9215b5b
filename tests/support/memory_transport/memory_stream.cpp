// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/memory_transport/memory_stream.hpp"

#include "support/memory_transport/readiness.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

namespace zlink::transport::memory {

namespace {

// Octets that an end takes in at a time, before it gives them out.
constexpr std::size_t record = 16 * 1024;

// What goes one way.
struct lane_of_octets {
    std::vector<std::byte> octets;  ///< on their way, from taken on
    std::size_t taken = 0;
    std::size_t room = 0;
    std::size_t acknowledged = 0;  ///< the writer has not heard of it yet
    bool ended = false;            ///< nobody writes any more
    bool deaf = false;             ///< nobody reads any more

    [[nodiscard]] std::size_t size() const noexcept { return octets.size() - taken; }
};

// Both ends share it. `ways[i]` leads to end i.
struct link {
    std::mutex mutex;
    std::array<lane_of_octets, 2> ways;
    std::array<readiness, 2> ready;
    std::array<bool, 2> broken{};  ///< that end finds nothing but an error, or the end
    std::array<bool, 2> acknowledges{};

    void tell() noexcept
    {
        for (std::size_t i = 0; i < 2; ++i) {
            const lane_of_octets& in = ways[i];
            const lane_of_octets& out = ways[1 - i];
            ready[i].set(in.size() != 0 || in.ended || out.acknowledged != 0 || broken[i],
                         out.size() < out.room || out.deaf || broken[i]);
        }
    }
};

class memory_stream final : public stream {
public:
    memory_stream(std::shared_ptr<link> shared, std::size_t end, const stream_script& script, std::string endpoint)
        : link_(std::move(shared)),
          end_(end),
          script_(script),
          endpoint_(std::move(endpoint)),
          random_(script.seed * 2654435761u + 1)
    {}
    ~memory_stream() override
    {
        const std::lock_guard lock(link_->mutex);
        out().ended = true;
        in().deaf = true;
        link_->ready[end_].close();
        link_->ready[1 - end_].end_input();
        link_->tell();
    }

    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override
    {
        const std::lock_guard lock(link_->mutex);
        const io_outcome came = read_some(to, count);
        link_->tell();
        return came;
    }
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept override
    {
        const std::lock_guard lock(link_->mutex);
        const io_outcome went = write_some(from, count);
        link_->tell();
        return went;
    }
    [[nodiscard]] bool write_waits_for_input() const noexcept override { return waits_for_acknowledgement_; }
    [[nodiscard]] bool has_pending_output() const noexcept override { return owed_ != 0 || !held_.empty(); }
    [[nodiscard]] bool pending() const noexcept override { return given_ != come_.size(); }
    [[nodiscard]] bool has_unread_octets() const noexcept override
    {
        const std::lock_guard lock(link_->mutex);
        return pending() || in().size() != 0;
    }
    [[nodiscard]] int descriptor() const noexcept override { return link_->ready[end_].descriptor(); }
    [[nodiscard]] std::string local_endpoint() const override { return endpoint_; }
    [[nodiscard]] std::string peer_endpoint() const override { return endpoint_; }
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override
    {
        to.emplace_back("Peer-Address", "memory");
    }

private:
    using status = io_outcome::status;

    [[nodiscard]] lane_of_octets& in() const noexcept { return link_->ways[end_]; }
    [[nodiscard]] lane_of_octets& out() const noexcept { return link_->ways[1 - end_]; }

    // One of two things, by turns that nobody foresees.
    [[nodiscard]] bool heads() noexcept
    {
        random_ = random_ * 1664525u + 1013904223u;
        return random_ >> 31;
    }

    [[nodiscard]] bool nothing_now(std::size_t& calls) const noexcept
    {
        return script_.again != 0 && ++calls % script_.again == 0;
    }

    // Octets until something happens to the stream.
    [[nodiscard]] std::size_t still_to_pass() const noexcept { return std::min(script_.fail, script_.close) - passed_; }
    void pass(std::size_t n) noexcept { passed_ += n; }

    // What is to happen does, once so many octets have passed.
    bool over() noexcept
    {
        if (still_to_pass() != 0) return false;
        if (!link_->broken[end_]) {
            link_->broken[end_] = true;
            out().ended = true;
            in().deaf = true;
            link_->ready[end_].hang_up();
            link_->ready[1 - end_].end_input();
        }
        return true;
    }

    io_outcome read_some(const iovec* to, int count) noexcept
    {
        unacknowledged_ -= std::exchange(out().acknowledged, 0);
        if (over()) {
            if (script_.fail <= script_.close) return {status::failed, 0, errc::connection_reset};
            return {status::closed};
        }
        if (!pending() && !take_record()) return {status::failed, 0, errc::out_of_memory};
        if (!pending()) return {in().ended ? status::closed : status::blocked};
        if (nothing_now(reads_)) return {status::blocked};
        const std::size_t most = std::min({script_.read, still_to_pass(), come_.size() - given_});
        std::size_t n = 0;
        for (int i = 0; i < count && n != most; ++i) {
            const std::size_t part = std::min(to[i].iov_len, most - n);
            std::memcpy(to[i].iov_base, come_.data() + given_ + n, part);
            n += part;
        }
        given_ += n;
        pass(n);
        if (link_->acknowledges[1 - end_]) owed_ += n;
        // Cut short: the caller comes back at once, or because the stream is pending.
        const bool cut = n == script_.read;
        (void)over();
        if (cut && pending() && heads()) return {status::blocked, n};
        return {pending() || in().size() != 0 || in().ended ? status::more : status::blocked, n};
    }

    bool take_record() noexcept
    {
        lane_of_octets& from = in();
        const std::size_t n = std::min(from.size(), record);
        const auto begin = from.octets.begin() + std::ptrdiff_t(from.taken);
        try {
            come_.assign(begin, begin + std::ptrdiff_t(n));
        } catch (...) {
            come_.clear();
            given_ = 0;
            return false;
        }
        given_ = 0;
        from.taken += n;
        if (from.size() == 0 || from.taken >= from.room) {
            from.octets.erase(from.octets.begin(), from.octets.begin() + std::ptrdiff_t(from.taken));
            from.taken = 0;
        }
        return true;
    }

    io_outcome write_some(const iovec* from, int count) noexcept
    {
        waits_for_acknowledgement_ = false;
        in().acknowledged += std::exchange(owed_, 0);
        if (over()) return {status::failed, 0, errc::connection_reset};
        if (out().deaf) return {status::failed, 0, errc::broken_pipe};
        if (!pass_on_held()) return {status::failed, 0, errc::out_of_memory};
        if (!held_.empty()) return {status::blocked};
        std::size_t size = 0;
        for (int i = 0; i < count; ++i) size += from[i].iov_len;
        if (size == 0) return {status::more};
        if (nothing_now(writes_)) return {status::blocked};
        const std::size_t room = script_.hold ? script_.hold : out().room - out().size();
        const std::size_t window = script_.ack ? script_.ack - unacknowledged_ : stream_script::never;
        const std::size_t most = std::min({size, room, window, script_.write, still_to_pass()});
        if (!append(from, most, script_.hold ? held_ : out().octets) || !pass_on_held()) {
            return {status::failed, 0, errc::out_of_memory};
        }
        unacknowledged_ += script_.ack ? most : 0;
        pass(most);
        (void)over();
        if (most == size) return {status::more, most};
        waits_for_acknowledgement_ = most == window;
        // Cut short: the caller goes on at once, or when it is told of room.
        const bool cut = most == script_.write && !waits_for_acknowledgement_ && most < room && held_.empty();
        return {cut && heads() ? status::more : status::blocked, most};
    }

    // What was accepted before there was room for it.
    bool pass_on_held() noexcept
    {
        const std::size_t n = std::min(held_.size(), out().room - out().size());
        if (n == 0) return true;
        const iovec piece{held_.data(), n};
        if (!append(&piece, n, out().octets)) return false;
        held_.erase(held_.begin(), held_.begin() + std::ptrdiff_t(n));
        return true;
    }

    static bool append(const iovec* from, std::size_t most, std::vector<std::byte>& to) noexcept
    {
        const std::size_t before = to.size();
        try {
            for (; most != 0; ++from) {
                const auto* const octets = static_cast<const std::byte*>(from->iov_base);
                const std::size_t part = std::min(from->iov_len, most);
                to.insert(to.end(), octets, octets + part);
                most -= part;
            }
            return true;
        } catch (...) {
            to.resize(before);
            return false;
        }
    }

    const std::shared_ptr<link> link_;
    const std::size_t end_;
    const stream_script script_;
    const std::string endpoint_;
    std::vector<std::byte> come_;  ///< taken in, from given_ on not given out
    std::size_t given_ = 0;
    std::vector<std::byte> held_;  ///< accepted, not on their way yet
    std::size_t owed_ = 0;         ///< octets given out that the other end wants acknowledged
    std::size_t unacknowledged_ = 0;
    bool waits_for_acknowledgement_ = false;
    std::size_t passed_ = 0;
    std::size_t reads_ = 0;
    std::size_t writes_ = 0;
    std::uint32_t random_;
};

}  // namespace

std::pair<std::unique_ptr<stream>, std::unique_ptr<stream>>
make_streams(const stream_script& first, const stream_script& second, const std::string& endpoint)
{
    const auto shared = std::make_shared<link>();
    shared->ways[1].room = first.room;
    shared->ways[0].room = second.room;
    shared->acknowledges = {first.ack != 0, second.ack != 0};
    return {std::make_unique<memory_stream>(shared, 0, first, endpoint),
            std::make_unique<memory_stream>(shared, 1, second, endpoint)};
}

}  // namespace zlink::transport::memory
