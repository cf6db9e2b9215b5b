// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A writer to a peer that needs other octets than the lane's. It gathers the lane, stages others in their place, and
// commits the lane's frame by frame, when the stream has accepted what stands for them.
#include "lane_fixture.hpp"

#include <deque>
#include <random>

namespace zlink::pipe::test {
namespace {

class staging_writer {
public:
    explicit staging_writer(lane_reader& lane) : lane_(lane) { lane_.begin_octets(); }

    /// Stages whole frames, as many as `most` octets of the lane have, and one at least. False: the lane is empty.
    bool stage(std::size_t most)
    {
        std::string octets = gather(most);
        // One that is longer than that is gathered once more, for all of it.
        while (!octets.empty() && frame_at(octets, 0) == 0) octets = gather(most *= 2);
        for (std::size_t at = 0, size = 0; (size = frame_at(octets, at)) != 0; at += size) {
            const auto h = message::decode_header(bytes(octets) + at);
            const std::string_view body = std::string_view(octets).substr(at + h.size, h.body_size);
            staged_ += (h.flags & message::flag_more) ? '+' : '.';
            staged_ += std::to_string(body.size()) + ':';
            staged_.append(body.rbegin(), body.rend());
            frames_.push_back({staged_.size(), size});
        }
        return !octets.empty();
    }

    /// The stream takes up to `n` of the octets staged.
    std::string accept(std::size_t n)
    {
        const std::string out = staged_.substr(accepted_, n);
        accepted_ += out.size();
        while (!frames_.empty() && frames_.front().staged_end <= accepted_) {
            credit |= lane_.commit(frames_.front().lane_size);
            frames_.pop_front();
        }
        if (frames_.empty()) {
            staged_.clear();
            accepted_ = 0;
        }
        return out;
    }

    [[nodiscard]] bool empty() const { return frames_.empty(); }

    void lose_connection()
    {
        lane_.rewind();
        staged_.clear();
        frames_.clear();
        accepted_ = 0;
    }

    bool credit = false;

private:
    struct frame {
        std::size_t staged_end;
        std::size_t lane_size;
    };

    std::string gather(std::size_t most)
    {
        iovec to[32];
        const auto g = lane_.gather(to, 32, most, most);
        std::string octets;
        for (int i = 0; i < g.count; ++i) octets += text(static_cast<std::byte*>(to[i].iov_base), to[i].iov_len);
        EXPECT_EQ(g.bytes, octets.size());
        return octets;
    }

    /// The size of the frame there; 0: it is cut, or there is none.
    static std::size_t frame_at(const std::string& octets, std::size_t at)
    {
        const std::size_t left = octets.size() - at;
        if (left < message::short_header_size) return 0;
        if (left < message::long_header_size && (octets[at] & message::flag_long)) return 0;
        const auto h = message::decode_header(bytes(octets) + at);
        return h.size + h.body_size <= left ? h.size + std::size_t(h.body_size) : 0;
    }

    lane_reader& lane_;
    std::string staged_;
    std::size_t accepted_ = 0;
    std::deque<frame> frames_;
};

/// The whole messages of what a connection carried; what follows the last of them is dropped, as by a peer.
std::vector<parts> messages_of(const std::string& wire)
{
    std::vector<parts> messages;
    parts message;
    for (std::size_t at = 0; at < wire.size();) {
        const std::size_t colon = wire.find(':', at);
        if (colon == std::string::npos) break;
        const std::size_t size = std::stoul(wire.substr(at + 1, colon - at - 1));
        if (wire.size() - colon - 1 < size) break;
        const std::string body = wire.substr(colon + 1, size);
        message.emplace_back(body.rbegin(), body.rend());
        if (wire[at] == '.') messages.push_back(std::exchange(message, {}));
        at = colon + 1 + size;
    }
    return messages;
}

const std::vector<parts> to_stage{{"a"},
                                  {"", "bc", ""},
                                  {pattern_of(300)},
                                  {"id", pattern_of(9000), "tail"},
                                  {pattern_of(1100, 1), pattern_of(1100, 2), pattern_of(10, 3)},
                                  {pattern_of(8200, 4)},
                                  {pattern_of(8200, 5), pattern_of(70000, 6)},
                                  {"end"}};

TEST(lane_staging_test, a_frame_is_committed_once_the_stream_has_accepted_it)
{
    joined_lane l(3);
    l.put_all({{"1", "2"}, {"3"}, {"4"}});
    staging_writer w(l.reader);
    ASSERT_TRUE(w.stage(1000));
    EXPECT_FALSE(l.writer.has_room_or_wait()) << "what is staged counts";
    // "+1:1" and ".1:2": the first message, without one of its octets.
    (void)w.accept(7);
    EXPECT_FALSE(w.credit);
    EXPECT_EQ(3u, l.reader.octets_to(lane_reader::boundary::message)) << "its second frame";
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::frame));
    (void)w.accept(1);
    EXPECT_EQ(0u, l.reader.octets_to(lane_reader::boundary::message));
    (void)w.accept(100);
    EXPECT_TRUE(w.credit);
    EXPECT_TRUE(l.writer.has_room());
    EXPECT_FALSE(w.stage(1000));
}

TEST(lane_staging_test, a_message_that_was_cut_is_staged_once_more)
{
    for (const std::size_t batch : {1, 10, 400, 5000, 1 << 20}) {
        for (std::size_t cut = 0; cut < 1500; cut += 1 + cut / 20) {
            joined_lane l;
            l.put_all(to_stage);
            staging_writer w(l.reader);
            std::string first, second;
            while (first.size() < cut && (!w.empty() || w.stage(batch))) first += w.accept(cut - first.size());
            w.lose_connection();
            while (w.stage(batch)) {
                while (!w.empty()) second += w.accept(1000);
            }
            std::vector<parts> received = messages_of(first);
            for (parts& m : messages_of(second)) received.push_back(std::move(m));
            ASSERT_EQ(to_stage, received) << batch << " octets at a time, " << cut << " before the loss";
        }
    }
}

TEST(lane_staging_test, nothing_is_lost_or_doubled_however_streams_take_it_and_break)
{
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        joined_lane l(round % 3 == 0 ? 0 : 1 + random() % 100);
        staging_writer w(l.reader);
        std::vector<parts> sent, received;
        std::string wire;
        for (int step = 0; sent.size() < 200 || received.size() < sent.size(); ++step) {
            ASSERT_LT(step, 100'000);
            if (sent.size() < 200 && l.writer.has_room()) {
                sent.push_back(to_stage[random() % to_stage.size()]);
                l.put(sent.back());
            }
            if (w.empty() && random() % 2) (void)w.stage(1 + random() % 4000);
            wire += w.accept(random() % 3000);
            if (random() % 50 == 0 || (sent.size() == 200 && w.empty() && !l.reader.has_news())) {
                for (parts& m : messages_of(wire)) received.push_back(std::move(m));
                wire.clear();
                w.lose_connection();
            }
        }
        ASSERT_EQ(sent, received) << round;
    }
}

// As frames come from a connection: spans of another's chunks, with bodies outside of them.
TEST(lane_staging_test, spans_that_came_encoded_are_committed_in_the_middle)
{
    for (std::size_t cut = 0; cut < 120; ++cut) {
        joined_lane l;
        std::vector<parts> sent;
        for (int i = 0; i < 5; ++i) {
            const std::vector<parts> some{{"x", std::to_string(i)}, {"y"}, {"z", "z"}};
            const std::string encoded = encode_all(some);
            ASSERT_TRUE(l.writer.append_copy(bytes(encoded), bytes(encoded) + encoded.size(), 3));
            l.put({pattern_of(9000, std::size_t(i))});
            sent.insert(sent.end(), some.begin(), some.end());
            sent.push_back({pattern_of(9000, std::size_t(i))});
        }
        staging_writer w(l.reader);
        std::string first, second;
        ASSERT_TRUE(w.stage(1 << 20));
        first = w.accept(cut);
        w.lose_connection();
        while (w.stage(100)) second += w.accept(1 << 20);
        std::vector<parts> received = messages_of(first);
        for (parts& m : messages_of(second)) received.push_back(std::move(m));
        ASSERT_EQ(sent, received) << cut;
    }
}

}  // namespace
}  // namespace zlink::pipe::test
