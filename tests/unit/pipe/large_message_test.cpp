// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Large messages for an idle connection: sent from the caller's memory, and copied only as far as they have to wait.
#include "lane_fixture.hpp"
#include "pipe/pipe.hpp"
#include "support/idle_io.hpp"

namespace zlink::pipe::test {
namespace {

class silent_queue final : public activation_queue {
private:
    void wake() noexcept override {}
};

// A connection whose kernel has room for so many octets.
class connection final : public idle_io {
public:
    explicit connection(pipe_end& end) noexcept : end_(end) {}

    std::size_t room = 0;
    std::string sent;
    bool waits = false;                ///< the last call was allowed to
    const void* first_body = nullptr;  ///< where the first call found it

    std::string send(std::size_t most)
    {
        room = most;
        sent.clear();
        (void)write_large(true);
        return sent;
    }

    write_outcome write_large(bool may_wait) noexcept override
    {
        waits = may_wait;
        while (end_.reader.has_news()) {
            iovec pieces[8];
            const lane_reader::gathered batch = end_.reader.gather(pieces, 8, 32 * 1024, 4096);
            if (!first_body && batch.count > 1) first_body = pieces[1].iov_base;
            std::size_t taken = 0;
            for (int i = 0; i < batch.count; ++i) {
                const std::size_t n = std::min(pieces[i].iov_len, room - taken);
                sent += text(static_cast<const std::byte*>(pieces[i].iov_base), n);
                taken += n;
            }
            room -= taken;
            (void)end_.reader.commit(taken);
            if (taken != batch.bytes) return write_outcome::hand_over;
        }
        return write_outcome::done;
    }
    write_outcome write_inline(bool) noexcept override { return write_outcome::hand_over; }
    read_outcome read_inline() noexcept override { return read_outcome::hand_over; }

private:
    pipe_end& end_;
};

class large_message_test : public testing::Test {
protected:
    large_message_test() : here_(new silent_queue), there_(new silent_queue)
    {
        pipe* p = pipe::create({0, 0, 8192});
        out_ = &p->first();
        io_.emplace(p->second());
        out_->attach(*here_);
        p->second().attach(*there_);
        p->second().reader.begin_octets();
    }
    ~large_message_test() override
    {
        pipe_end& io_end = out_->peer();
        out_->close();
        io_end.close();
        for (silent_queue* q : {here_, there_}) {
            for (pipe_end* end = q->take_all(); end;) {
                pipe_end* const after = end->next_in_queue;
                end->discard();
                end = after;
            }
            q->release();
        }
    }

    /// Application threads may write.
    void offer()
    {
        shared_io& io = out_->parent().io;
        io.write_token.offered() ? io.write_token.give_back() : io.offer(*io_);
    }

    /// The connection is idle: it looks again when it is told.
    void idle()
    {
        offer();
        out_->peer().reader.go_dormant();
    }

    void send(const parts& message, bool dont_wait = false)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            // The caller's memory is the caller's again as soon as a frame is taken.
            const std::string_view body = place(message[i]);
            const bool more = i + 1 < message.size();
            ASSERT_TRUE(out_->writer.write({bytes(body), body.size(), more, nullptr, true, dont_wait}));
            if (!more) out_->publish();
            std::fill_n(placed_, body.size(), '!');
        }
    }

    bool told()
    {
        pipe_end* end = there_->take_all();
        return end && (end->take_events() & event_data);
    }

    silent_queue* here_;
    silent_queue* there_;
    pipe_end* out_;
    std::optional<connection> io_;

private:
    // Where bodies of a program's lie well (message/placement.hpp): in the middle of a page, wherever the heap is.
    std::string_view place(const std::string& body)
    {
        constexpr std::size_t page = 4096;
        memory_.resize(body.size() + 2 * page);
        char* const start = memory_.data();
        placed_ = start + (page - reinterpret_cast<std::uintptr_t>(start) % page) + page / 2;
        std::copy(body.begin(), body.end(), placed_);
        return {placed_, body.size()};
    }

    std::string memory_;

protected:
    char* placed_ = nullptr;
};

TEST_F(large_message_test, is_waited_for_only_if_its_sender_waits)
{
    for (const bool dont_wait : {true, false, true}) {
        idle();
        io_->room = 1'000'000;
        send({pattern_of(100'000)}, dont_wait);
        EXPECT_NE(dont_wait, io_->waits);
    }
}

TEST_F(large_message_test, goes_out_uncopied_if_the_kernel_takes_it)
{
    const std::string body = pattern_of(100'000);
    idle();
    io_->room = 1'000'000;
    send({body});
    EXPECT_EQ(encode({body}), io_->sent);
    EXPECT_EQ(placed_, io_->first_body);
    EXPECT_FALSE(told());
    EXPECT_EQ(0u, out_->writer.large_bytes_unread());
    // And the next one does.
    io_->sent.clear();
    send({pattern_of(20'000, 1)});
    EXPECT_EQ(encode({pattern_of(20'000, 1)}), io_->sent);
    EXPECT_FALSE(told());
}

TEST_F(large_message_test, is_kept_where_the_kernel_stops)
{
    const std::string body = pattern_of(100'000);
    const std::string wire = encode({"envelope", body});
    for (const std::size_t room :
         {std::size_t{0}, std::size_t{5}, std::size_t{12}, std::size_t{50'000}, wire.size() - 1}) {
        idle();
        io_->room = room;
        io_->sent.clear();
        send({"envelope", body});
        std::string sent = io_->sent;
        EXPECT_EQ(room, sent.size());
        EXPECT_TRUE(told()) << room;
        sent += io_->send(1'000'000);
        EXPECT_TRUE(wire == sent) << room;
    }
}

TEST_F(large_message_test, is_sent_whole_on_the_next_connection)
{
    const std::string body = pattern_of(100'000);
    idle();
    io_->room = 60'000;
    send({"envelope", body});
    out_->peer().reader.rewind();
    EXPECT_TRUE(encode({"envelope", body}) == io_->send(1'000'000));
}

TEST_F(large_message_test, with_several_large_frames_goes_out_at_once)
{
    const parts message{pattern_of(30'000), "small", pattern_of(40'000, 1), "", pattern_of(50'000, 2)};
    idle();
    io_->room = 1'000'000;
    send(message);
    EXPECT_TRUE(encode(message) == io_->sent);
    EXPECT_FALSE(told());
}

TEST_F(large_message_test, waits_for_a_connection_that_is_busy)
{
    const std::string body = pattern_of(100'000);
    offer();
    io_->room = 1'000'000;
    send({body});  // the connection looks by itself
    EXPECT_EQ("", io_->sent);
    EXPECT_FALSE(told());

    out_->peer().reader.go_dormant();
    ASSERT_TRUE(out_->parent().io.write_token.take_or_ask());  // the I/O thread is at it
    send({body});
    EXPECT_EQ("", io_->sent);
    EXPECT_TRUE(told());
    EXPECT_TRUE(encode_all({{body}, {body}}) == io_->send(1'000'000));
}

TEST_F(large_message_test, that_another_holder_keeps_is_not_copied)
{
    message::owned_frame frame;
    ASSERT_TRUE(frame.init_size(100'000));
    const std::string body = pattern_of(100'000);
    std::memcpy(frame.data(), body.data(), body.size());
    idle();
    io_->room = 50'000;
    ASSERT_TRUE(out_->writer.write(outgoing::of(frame, false)));
    out_->publish();
    EXPECT_EQ(frame.data(), io_->first_body);
    EXPECT_TRUE(told());
    std::string sent = io_->sent;
    sent += io_->send(1'000'000);
    EXPECT_TRUE(encode({body}) == sent);
}

// Whatever its size: what a sender may not leave to an I/O thread.
TEST_F(large_message_test, or_small_ones_are_written_though_the_io_thread_is_awake)
{
    using written = pipe_end::written;
    EXPECT_EQ(written::left, out_->write_published()) << "no application may";
    offer();
    send({"one"});
    send({"two"});
    io_->room = 1'000'000;
    EXPECT_EQ(written::all, out_->write_published());
    EXPECT_EQ(encode_all({{"one"}, {"two"}}), io_->sent);
    EXPECT_EQ(written::all, out_->write_published()) << "nothing is there";
    EXPECT_FALSE(told());

    io_->sent.clear();
    io_->room = 3;
    send({"three"});
    EXPECT_EQ(written::left, out_->write_published());
    EXPECT_FALSE(told()) << "it is awake";
    out_->peer().reader.go_dormant();
    EXPECT_EQ(written::left, out_->write_published());
    EXPECT_TRUE(told());

    ASSERT_TRUE(out_->parent().io.write_token.take_or_ask());
    EXPECT_EQ(written::busy, out_->write_published());
    out_->parent().io.write_token.give_back();
    io_->room = 1'000'000;
    EXPECT_EQ(written::all, out_->write_published());
    EXPECT_EQ(encode({"three"}), io_->sent);
}

TEST_F(large_message_test, taken_back_leaves_nothing)
{
    idle();
    io_->room = 1'000'000;
    ASSERT_TRUE(out_->writer.write({bytes(pattern_of(20'000)), 20'000, true}));
    out_->writer.rollback();
    send({"small"});
    EXPECT_EQ("", io_->sent);
    EXPECT_TRUE(told());
    EXPECT_EQ(encode({"small"}), io_->send(1'000'000));
}

}  // namespace
}  // namespace zlink::pipe::test
