// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What an application's thread does with a token that it holds. The tests are of when it writes and reads itself, and
// when it leaves the rest to the worker.
#include "engine/connection/inline_path.hpp"

#include "base/process_generation.hpp"
#include "engine/connection/command_path.hpp"
#include "load/limits.hpp"
#include "load/thread_waits.hpp"
#include "path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <unistd.h>

#include <chrono>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;
using read_outcome = pipe::inline_io::read_outcome;
using write_outcome = pipe::inline_io::write_outcome;
using zmtp::protocol_version;

class inline_path_test : public path_fixture {
protected:
    explicit inline_path_test(bool yields = false) : path_fixture(yields)
    {
        watch_forks();
        end_.reader.begin_octets();
    }

    /// Whether a connection like that offers its tokens.
    [[nodiscard]] bool offers(traffic_context at)
    {
        inline_path path{at, writer_, reader_, commands_.heartbeat()};
        path.begin();
        const bool does = pipe_.io.read_token.offered() && pipe_.io.write_token.offered();
        end(path);
        return does;
    }
    /// As the worker does: with both tokens.
    void end(inline_path& path)
    {
        ASSERT_TRUE(pipe_.io.read_token.take_or_ask() && pipe_.io.write_token.take_or_ask());
        path.end();
    }
    /// What an application does with one of the tokens.
    template <class Action>
    auto with(pipe::io_token& token, Action act)
    {
        if (!token.offered()) token.offer();
        EXPECT_TRUE(token.try_take());
        const auto result = act();
        EXPECT_FALSE(token.give());
        return result;
    }
    write_outcome write_inline(bool held)
    {
        return with(pipe_.io.write_token, [&] { return path_.write_inline(held); });
    }
    write_outcome write_large(bool may_wait)
    {
        return with(pipe_.io.write_token, [&] { return path_.write_large(may_wait); });
    }
    connection_reader::outcome read_by_worker()
    {
        EXPECT_TRUE(pipe_.io.read_token.take_or_ask());
        return reader_.read_once(stream_, worker_.arena(), end_.writer, &commands_);
    }
    read_outcome read_inline()
    {
        return with(pipe_.io.read_token, [&] { return path_.read_inline(); });
    }
    /// All threads together have spent more time than they may.
    void spend_budget() { worker_.own_writes().spend(runtime::clock::now(), 10s); }

    command_path commands_{at_, *this};
    connection_writer writer_ = make_writer(at_.frames, options_, at_.version, stream_, nullptr);
    connection_reader reader_{at_.frames.make_inbound(options_, at_.version, stream_, nullptr)};
    inline_path path_{at_, writer_, reader_, commands_.heartbeat()};
};

// --- tokens
// ------------------------------------------------------------------------------------------------------------

TEST_F(inline_path_test, offers_both_tokens)
{
    path_.begin();
    EXPECT_TRUE(pipe_.io.write_token.available());
    ASSERT_EQ(pipe::io_token::taken::fresh, pipe_.io.read_token.take());
    EXPECT_EQ(&path_, &pipe_.io.connection());
    (void)pipe_.io.read_token.give();
    EXPECT_TRUE(pipe_.io.read_token.available());
    end(path_);
    EXPECT_FALSE(pipe_.io.read_token.offered());
    EXPECT_FALSE(pipe_.io.write_token.offered());
}

TEST_F(inline_path_test, offers_tokens_to_peers_whose_frames_lie_in_the_lane_as_on_the_wire)
{
    EXPECT_TRUE(offers(context(protocol_version::zmtp_3_0)));
    EXPECT_FALSE(offers(context(protocol_version::zmtp_2_0)));
    EXPECT_FALSE(offers(context(protocol_version::zmtp_3_1, true))) << "the stream wraps another";
}

TEST_F(inline_path_test, offers_no_tokens_if_the_options_are_against_it)
{
    options_.inline_io = false;
    EXPECT_FALSE(offers(at_));
    options_.inline_io = true;
    options_.raw = true;
    EXPECT_FALSE(offers(at_));
    options_.raw = false;
    options_.conflate = true;
    EXPECT_FALSE(offers(at_));
    options_.conflate = false;
    EXPECT_TRUE(offers(at_));
}

// --- writing
// -----------------------------------------------------------------------------------------------------------

TEST_F(inline_path_test, writes_messages_that_were_held)
{
    send({"one"});
    send({"two", "parts"});
    EXPECT_EQ(write_outcome::done, write_inline(true));
    EXPECT_EQ(encode({"one"}) + encode({"two", "parts"}), stream_.output);
    EXPECT_EQ(1, stream_.writes);
}

TEST_F(inline_path_test, leaves_the_rest_to_the_worker_if_the_stream_is_full)
{
    stream_.room = 3;
    send({"message"});
    EXPECT_EQ(write_outcome::hand_over, write_inline(true));
    EXPECT_TRUE(writer_.in_the_middle());
    stream_.room = scripted_stream::endless;
    EXPECT_EQ(write_outcome::done, write_inline(true));
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(inline_path_test, leaves_an_error_to_the_worker)
{
    stream_.write_error = errc::connection_reset;
    send({"message"});
    EXPECT_EQ(write_outcome::hand_over, write_inline(true));
    EXPECT_EQ(write_outcome::hand_over, write_large(false));
}

TEST_F(inline_path_test, leaves_a_message_to_the_worker_if_threads_have_spent_their_time)
{
    spend_budget();
    send({"message"});
    EXPECT_EQ(write_outcome::hand_over, write_inline(false));
    EXPECT_EQ(0, stream_.writes);
    EXPECT_EQ(write_outcome::done, write_inline(true)) << "held messages are always worth it";
}

TEST_F(inline_path_test, writes_an_answer_while_the_worker_sleeps)
{
    spend_budget();
    (void)run_until_idle();
    load::note_wait_of_this_thread();
    send({"message"});
    EXPECT_EQ(write_outcome::done, write_inline(false));
    EXPECT_EQ(encode({"message"}), stream_.output);
}

TEST_F(inline_path_test, leaves_an_answer_to_a_worker_that_is_awake)
{
    spend_budget();
    load::note_wait_of_this_thread();
    send({"message"});
    EXPECT_EQ(write_outcome::hand_over, write_inline(false));
    EXPECT_EQ(0, stream_.writes);
}

TEST_F(inline_path_test, writes_large_messages_to_the_last)
{
    std::string wire;
    for (int i = 0; i < int(hwm); ++i) {
        send({pattern_of(200'000)});
        wire += encode({pattern_of(200'000)});
    }
    EXPECT_EQ(write_outcome::done, write_large(false));
    EXPECT_EQ(wire, stream_.output);
}

TEST_F(inline_path_test, leaves_a_large_message_to_the_worker_if_its_peer_makes_no_room)
{
    stream_.room = 100'000;
    send({pattern_of(200'000)});
    EXPECT_EQ(write_outcome::hand_over, write_large(true));
    EXPECT_EQ(100'000u, stream_.output.size());
}

class inline_path_that_yields_test : public inline_path_test {
protected:
    inline_path_that_yields_test() : inline_path_test(true) {}
};

// A thread that yields goes last on a core that others want. The worker, which the kernel wakes, would have gone first.
TEST_F(inline_path_that_yields_test, leaves_large_messages_to_the_worker_if_room_comes_late)
{
    const auto writes_one = [&](std::chrono::nanoseconds room_after) {
        stream_.room = 100'000;
        stream_.on_full = [&, room_after] {
            const auto begun = runtime::clock::now();
            while (runtime::clock::now() - begun < room_after) {
            }
            stream_.room = scripted_stream::endless;
        };
        send({pattern_of(200'000)});
        if (write_large(true) == write_outcome::done) return true;
        EXPECT_EQ(write_outcome::done, write_large(false));
        return false;
    };
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(writes_one(load::limits::yielding::late_for_room + 1us)) << i;
    EXPECT_FALSE(writes_one(0us));
}

TEST_F(inline_path_test, tells_the_worker_of_a_large_chunk_once)
{
    int told = 0;
    for (int i = 0; i < 10; ++i) {
        send({pattern_of(4000)});
        EXPECT_EQ(write_outcome::done, write_inline(true));
        if (events() & pipe::event_chunk) ++told;
    }
    EXPECT_EQ(1, told);
}

// --- reading
// -----------------------------------------------------------------------------------------------------------

TEST_F(inline_path_test, reads_whole_messages)
{
    EXPECT_EQ(read_outcome::nothing, read_inline());
    stream_.input = encode({"one"}) + encode({"two"}).substr(0, 3);
    EXPECT_EQ(read_outcome::messages, read_inline());
    EXPECT_EQ(parts{"one"}, received());
    EXPECT_EQ(std::nullopt, received());
    stream_.input = encode({"two"}).substr(3);
    EXPECT_EQ(read_outcome::messages, read_inline());
    EXPECT_EQ(parts{"two"}, received());
}

TEST_F(inline_path_test, does_not_read_into_a_full_lane)
{
    for (std::uint64_t i = 0; i < hwm; ++i) stream_.input += encode({"message"});
    EXPECT_EQ(read_outcome::messages, read_inline());
    const int reads = stream_.reads;
    stream_.input = encode({"message"});
    EXPECT_EQ(read_outcome::hand_over, read_inline());
    EXPECT_EQ(reads, stream_.reads);
}

TEST_F(inline_path_test, leaves_a_command_to_the_worker)
{
    stream_.input = command_frame(std::string("\4PING\0\0", 7));
    EXPECT_EQ(read_outcome::hand_over, read_inline());
    EXPECT_TRUE(path_.waits_for_io());
    const int reads = stream_.reads;
    EXPECT_EQ(read_outcome::hand_over, read_inline()) << "until the worker has taken it";
    EXPECT_EQ(reads, stream_.reads);
    EXPECT_NE(connection_reader::outcome::failed, read_by_worker());
    EXPECT_FALSE(path_.waits_for_io());
    EXPECT_TRUE(events() & pipe::event_data) << "a PONG waits to be written";
}

TEST_F(inline_path_test, leaves_the_end_of_the_stream_to_the_worker)
{
    stream_.ended = true;
    EXPECT_EQ(read_outcome::hand_over, read_inline());
    EXPECT_EQ(connection_reader::outcome::closed, read_by_worker());
}

TEST_F(inline_path_test, leaves_a_mistake_of_the_peer_to_the_worker)
{
    stream_.input = "\xff\xff";
    EXPECT_EQ(read_outcome::hand_over, read_inline());
    EXPECT_EQ(connection_reader::outcome::failed, read_by_worker());
}

TEST_F(inline_path_test, switches_the_workers_interest_in_input_off_and_on)
{
    pipe_.io.read_token.offer();
    ASSERT_TRUE(pipe_.io.read_token.try_take());
    path_.resume_reading();
    EXPECT_EQ(runtime::events::readable, asked_for());
    interest_.change_and_rearm(runtime::events::writable, 0);
    path_.pause_reading();
    EXPECT_EQ(runtime::events::writable, asked_for()) << "the interest in room stays";
    path_.resume_reading();
    EXPECT_EQ(runtime::events::readable | runtime::events::writable, asked_for());
}

// --- and what it tells
// -------------------------------------------------------------------------------------------------

TEST_F(inline_path_test, counts_the_sessions_of_its_worker)
{
    worker_.load = 3;
    EXPECT_EQ(3u, path_.neighbours());
    worker_.load = 0;
}

TEST_F(inline_path_test, a_child_of_fork_does_not_touch_the_connection)
{
    send({"message"});
    stream_.input = encode({"message"});
    const auto leaves_it_alone = [&] {
        return write_inline(true) == write_outcome::hand_over && write_large(true) == write_outcome::hand_over &&
               read_inline() == read_outcome::hand_over && stream_.reads + stream_.writes == 0;
    };
    EXPECT_EXIT(::_exit(leaves_it_alone() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace zlink::engine::test
