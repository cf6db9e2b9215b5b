// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets from a peer become messages in a lane. Whatever pieces they come in, only whole messages are shown, with
// commands where they belong. No more than the high-water mark and one small read comes.
#include "engine/connection/connection_reader.hpp"

#include "support/allocated.hpp"
#include "unit/engine/stream_fixture.hpp"
#include "wire/decoded_inbound.hpp"
#include "wire/zmtp_inbound.hpp"

#include <ctime>
#include <functional>

namespace zlink::engine::test {
namespace {

using outcome = connection_reader::outcome;

// Keeps what it is told.
class recorder final : public wire::command_handler {
public:
    std::vector<std::string> commands;
    std::function<bool(const std::string&)> verdict;

private:
    bool on_command(std::span<const std::byte> body) noexcept override
    {
        commands.push_back(text(body.data(), body.size()));
        return !verdict || verdict(commands.back());
    }
};

struct settings {
    std::int64_t max_msg_size = -1;
    std::size_t in_batch = 512 * 1024;
    std::size_t large_from = 8192;
    std::size_t max_transfer = 0;
    std::uint64_t hwm = 0;
};

std::unique_ptr<wire::inbound> inbound(const settings& s, std::unique_ptr<wire::frame_decoder> how)
{
    if (how) return std::make_unique<wire::decoded_inbound>(std::move(how), s.max_transfer);
    return std::make_unique<wire::zmtp_inbound>(
        wire::zmtp_inbound::limits{s.max_msg_size, s.in_batch, s.large_from, s.max_transfer});
}

struct reading {
    explicit reading(const settings& s = {}, std::unique_ptr<wire::frame_decoder> how = nullptr)
        : lane(s.hwm),
          reader(inbound(s, std::move(how)))
    {}

    outcome read_once() { return reader.read_once(peer.stream(), arena, lane.writer, &commands); }

    /// Until there is nothing more now.
    outcome read()
    {
        outcome what;
        do {
            what = read_once();
        } while (what == outcome::more);
        return what;
    }

    /// Sends octets of any length and reads meanwhile.
    void pass(std::string_view octets)
    {
        while (!octets.empty()) {
            octets.remove_prefix(peer.send_some(octets));
            ASSERT_EQ(outcome::drained, read());
        }
    }

    stream_pair peer;
    wire::receive_arena arena;
    joined_lane lane;
    connection_reader reader;
    recorder commands;
};

std::string ping()
{
    return command_frame("\4PING..");
}

// --- messages
// ---------------------------------------------------------------------------------------------------------

const messages all_kinds{{"a"},
                         {""},
                         {"", "", "b"},
                         {pattern_of(254), pattern_of(255), pattern_of(256)},
                         {pattern_of(300)},  // large here
                         {"c", pattern_of(310), "d"},
                         {pattern_of(320), pattern_of(330)},
                         {"e"}};

settings with_small_large_frames()
{
    settings s;
    s.large_from = 300;
    return s;
}

TEST(connection_reader_test, reads_messages)
{
    reading r;
    r.peer.send(encode_all({{"a"}, {"b", "c"}, {""}}));
    EXPECT_EQ(outcome::drained, r.read());
    EXPECT_EQ((messages{{"a"}, {"b", "c"}, {""}}), r.lane.take_all());
    EXPECT_EQ(outcome::drained, r.read());
    EXPECT_FALSE(r.reader.has_unread());
    EXPECT_EQ(errc::none, r.reader.error());
}

TEST(connection_reader_test, reads_a_stream_split_at_any_offset)
{
    const std::string wire = encode_all(all_kinds);
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        reading r(with_small_large_frames());
        r.peer.send(wire.substr(0, offset));
        ASSERT_EQ(outcome::drained, r.read()) << offset;
        r.peer.send(wire.substr(offset));
        ASSERT_EQ(outcome::drained, r.read()) << offset;
        ASSERT_EQ(all_kinds, r.lane.take_all()) << offset;
    }
}

TEST(connection_reader_test, reads_a_stream_octet_by_octet)
{
    reading r(with_small_large_frames());
    for (const char octet : encode_all(all_kinds)) {
        r.peer.send({&octet, 1});
        ASSERT_EQ(outcome::drained, r.read());
    }
    EXPECT_EQ(all_kinds, r.lane.take_all());
}

TEST(connection_reader_test, shows_a_multipart_message_when_it_is_whole)
{
    const parts message{"a", pattern_of(300), "b", pattern_of(310)};
    const std::string wire = encode(message);
    for (std::size_t offset = 0; offset < wire.size(); ++offset) {
        reading r(with_small_large_frames());
        r.peer.send(encode({"before"}) + wire.substr(0, offset));
        ASSERT_EQ(outcome::drained, r.read());
        ASSERT_EQ((messages{{"before"}}), r.lane.take_all()) << offset;
        ASSERT_EQ(1u, r.lane.writer.written());
        r.peer.send(wire.substr(offset));
        ASSERT_EQ(outcome::drained, r.read());
        ASSERT_EQ(message, r.lane.take()) << offset;
    }
}

TEST(connection_reader_test, understands_the_long_form_of_short_lengths)
{
    reading r;
    r.peer.send(std::string("\2\0\0\0\0\0\0\0\1a\3\0\0\0\0\0\0\0\0\0\1b", 22));
    EXPECT_EQ(outcome::drained, r.read());
    EXPECT_EQ((messages{{"a"}, {"", "b"}}), r.lane.take_all());
}

// --- large bodies
// -----------------------------------------------------------------------------------------------------

TEST(connection_reader_test, reads_large_bodies_into_memory_of_their_own)
{
    constexpr std::size_t at_once = wire::large_body::allocated_at_once;
    for (const std::size_t size :
         {std::size_t{8192}, std::size_t{100'000}, at_once - 1, at_once, at_once + 1, 3 * at_once + 12'345}) {
        reading r;
        const std::string body = pattern_of(size);
        r.pass(encode_all({{"before"}, {body}, {"behind"}}));
        EXPECT_EQ(parts{"before"}, r.lane.take());
        ASSERT_TRUE(parts{body} == r.lane.take()) << size;
        EXPECT_TRUE(r.lane.last.by_reference || size < 8192 + 100);
        EXPECT_EQ(parts{"behind"}, r.lane.take());
        EXPECT_EQ(outcome::drained, r.read());
    }
}

TEST(connection_reader_test, reads_multipart_messages_of_large_bodies)
{
    reading r;
    const parts message{pattern_of(2'000'000, 1), "small", pattern_of(50'000, 2), "", pattern_of(1'500'000, 3)};
    r.pass(encode(message) + encode({"next"}));
    EXPECT_TRUE(message == r.lane.take());
    EXPECT_EQ(parts{"next"}, r.lane.take());
}

TEST(connection_reader_test, an_announced_length_alone_costs_nothing)
{
    reading r;
    r.peer.send(std::string("\2\0\0\1\0\0\0\0\0", 9) + "some octets");  // a terabyte
    EXPECT_EQ(outcome::drained, r.read());
    EXPECT_EQ(0u, r.lane.writer.written());
}

// Large frames are those that are read into memory of their own; where they begin is the user's choice.
TEST(connection_reader_test, frames_of_any_size_pass_wherever_large_ones_begin)
{
    for (const std::size_t large_from :
         {std::size_t{1}, std::size_t{2}, std::size_t{300}, std::size_t{2'000'000}, std::size_t{10'000'000}}) {
        settings s;
        s.large_from = large_from;
        reading r(s);
        const messages sent{{""}, {"a"}, {"bc"}, {pattern_of(1000)}, {pattern_of(40'000)}, {pattern_of(1'200'000)},
                            {"x"}};
        for (const parts& m : sent) r.pass(encode(m));
        EXPECT_TRUE(sent == r.lane.take_all()) << large_from;
    }
}

TEST(connection_reader_test, tells_whether_there_is_likely_to_be_more)
{
    settings s;
    s.in_batch = 1000;
    reading r(s);
    EXPECT_FALSE(r.reader.has_more());
    r.peer.send(encode({pattern_of(1500)}));
    EXPECT_EQ(outcome::more, r.read_once());
    EXPECT_TRUE(r.reader.has_more());
    EXPECT_EQ(outcome::drained, r.read());
    EXPECT_FALSE(r.reader.has_more());
}

// One call goes on where a full read stopped inside a large body.
TEST(connection_reader_test, reads_a_large_message_in_one_go)
{
    reading r;
    for (int i = 0; i < 5; ++i) r.pass(encode({pattern_of(100'000)}));
    (void)r.lane.take_all();
    r.peer.send(encode({pattern_of(100'000, 1)}));
    EXPECT_EQ(outcome::drained, r.read_once());
    EXPECT_TRUE(messages{{pattern_of(100'000, 1)}} == r.lane.take_all());
}

TEST(connection_reader_test, small_messages_behind_large_ones_are_read_together_again)
{
    reading r;
    for (int i = 0; i < 5; ++i) r.pass(encode({pattern_of(100'000)}));
    (void)r.lane.take_all();
    messages sent;
    for (int i = 0; i < 2000; ++i) sent.push_back({pattern_of(100, std::size_t(i))});
    r.pass(encode_all(sent));
    EXPECT_TRUE(sent == r.lane.take_all());
}

// --- commands
// ---------------------------------------------------------------------------------------------------------

TEST(connection_reader_test, gives_commands_to_their_handler_behind_the_messages_before_them)
{
    reading r;
    std::vector<std::uint64_t> written;
    r.commands.verdict = [&](const std::string&) {
        written.push_back(r.lane.writer.written());
        return true;
    };
    const std::string wire = ping() + encode({"a"}) + encode({"b", "c"}) + ping() + command_frame(pattern_of(300)) +
                             encode({"d"}) + command_frame("");
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        r.commands.commands.clear();
        written.clear();
        const std::uint64_t before = r.lane.writer.written();
        r.peer.send(wire.substr(0, offset));
        ASSERT_EQ(outcome::drained, r.read());
        r.peer.send(wire.substr(offset));
        ASSERT_EQ(outcome::drained, r.read());
        ASSERT_EQ((std::vector<std::string>{"\4PING..", "\4PING..", pattern_of(300), ""}), r.commands.commands);
        ASSERT_EQ((std::vector<std::uint64_t>{before, before + 2, before + 2, before + 3}), written) << offset;
        ASSERT_EQ((messages{{"a"}, {"b", "c"}, {"d"}}), r.lane.take_all()) << offset;
    }
}

double cpu_seconds()
{
    timespec t{};
    EXPECT_EQ(0, ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// A command, or a frame that is not large, of which a peer sends an octet at a time.
TEST(connection_reader_test, an_octet_costs_no_more_when_much_of_its_frame_is_there)
{
    settings s;
    s.large_from = 1024 * 1024;
    const std::string body = pattern_of(900'000);
    for (const bool command : {true, false}) {
        reading r(s);
        const std::string wire = command ? command_frame(body) : encode({body});
        std::size_t sent = 0;
        const auto one_by_one = [&](std::size_t octets) {
            const double start = cpu_seconds();
            for (const std::size_t end = sent + octets; sent < end; ++sent) {
                r.peer.send(std::string_view(wire).substr(sent, 1));
                EXPECT_EQ(outcome::drained, r.read());
            }
            return cpu_seconds() - start;
        };
        const double early = one_by_one(2000);
        const std::size_t most = 890'000;
        r.pass(std::string_view(wire).substr(sent, most - sent));
        sent = most;
        const double late = one_by_one(2000);
        EXPECT_LT(late, 6 * early);
        r.pass(std::string_view(wire).substr(sent));
        if (command) {
            EXPECT_EQ(std::vector<std::string>{body}, r.commands.commands);
        } else {
            EXPECT_EQ(messages{{body}}, r.lane.take_all());
        }
    }
}

TEST(connection_reader_test, goes_on_reading_behind_a_frame_that_came_slowly)
{
    settings s;
    s.large_from = 1024 * 1024;
    for (const std::size_t large : {5000, 20'000, 60'000}) {
        const messages sent{{"a", pattern_of(large)}, {"b"}, {pattern_of(large + 1), "c"}};
        const std::string wire = encode_all(sent) + ping() + encode({"d"});
        for (const std::size_t step : {1, 7, 300, 5000}) {
            reading r(s);
            for (std::size_t at = 0; at < wire.size(); at += step) {
                r.peer.send(std::string_view(wire).substr(at, step));
                ASSERT_EQ(outcome::drained, r.read());
            }
            messages got = r.lane.take_all();
            ASSERT_EQ(parts{"d"}, got.back());
            got.pop_back();
            ASSERT_EQ(sent, got) << large << " " << step;
            ASSERT_EQ(1u, r.commands.commands.size());
        }
    }
}

// What one connection's program leaves unread does not keep the memory of what all others have sent meanwhile.
TEST(connection_reader_test, a_little_that_is_unread_keeps_no_shared_chunk)
{
    if (!zlink::test::tells_of_allocations) GTEST_SKIP() << "this C library does not tell what is allocated";
    constexpr int times = 1000;
    constexpr std::size_t most_kept = 4 * 1024 * 1024;  // where each kept a chunk it would be 64 MB
    wire::receive_arena arena(true);
    reading unread, others;
    const auto pass = [&](reading& r, const parts& message) {
        r.peer.send(encode(message));
        outcome what;
        do {
            what = r.reader.read_once(r.peer.stream(), arena, r.lane.writer, &r.commands);
        } while (what == outcome::more);
        ASSERT_EQ(outcome::drained, what);
    };
    const std::size_t before = zlink::test::allocated();
    const parts little{"ten octets", "and more"}, much{pattern_of(7000), pattern_of(7000)};
    for (int i = 0; i < times; ++i) {
        pass(unread, little);
        for (int k = 0; k < 5; ++k) pass(others, much);
        while (others.lane.reader.readable()) ASSERT_EQ(much, others.lane.take());
    }
    EXPECT_GT(before + most_kept, zlink::test::allocated());
    EXPECT_EQ(messages(times, little), unread.lane.take_all());
}

TEST(connection_reader_test, copies_of_small_reads_are_the_messages_that_came)
{
    wire::receive_arena arena(true);
    for (const std::size_t step : {1, 5, 100, 3000, 100'000}) {
        reading r(with_small_large_frames());
        const std::string wire = encode_all(all_kinds) + ping() + encode_all(all_kinds);
        messages got;
        for (std::size_t at = 0; at < wire.size(); at += step) {
            r.peer.send(std::string_view(wire).substr(at, step));
            outcome what;
            do {
                what = r.reader.read_once(r.peer.stream(), arena, r.lane.writer, &r.commands);
            } while (what == outcome::more);
            ASSERT_EQ(outcome::drained, what);
            if (step % 2) continue;
            for (parts& m : r.lane.take_all()) got.push_back(std::move(m));
        }
        for (parts& m : r.lane.take_all()) got.push_back(std::move(m));
        messages expected = all_kinds;
        expected.insert(expected.end(), all_kinds.begin(), all_kinds.end());
        EXPECT_EQ(expected, got) << step;
        EXPECT_EQ(1u, r.commands.commands.size());
    }
}

// libzmq sends PING and PONG as soon as it gets to it.
TEST(connection_reader_test, takes_commands_between_the_frames_of_a_message)
{
    for (const parts& message : {parts{"a", "b"}, parts{pattern_of(300), pattern_of(300)}}) {
        const std::string wire = encode(message);
        const std::size_t cut = wire.size() / 2;
        reading r(with_small_large_frames());
        r.peer.send(wire.substr(0, cut) + ping() + wire.substr(cut) + encode({"next"}));
        EXPECT_EQ(outcome::drained, r.read());
        EXPECT_EQ(1u, r.commands.commands.size());
        EXPECT_EQ((messages{message, {"next"}}), r.lane.take_all());
    }
}

// Each command ends a span of its own, and room for spans is bounded.
TEST(connection_reader_test, takes_any_number_of_commands_between_messages)
{
    reading r;
    std::string wire;
    messages sent;
    for (int i = 0; i < 3000; ++i) {
        sent.push_back({std::to_string(i)});
        wire += encode(sent.back()) + command_frame("c");
    }
    r.pass(wire);
    EXPECT_EQ(3000u, r.commands.commands.size());
    EXPECT_EQ(sent, r.lane.take_all());
}

TEST(connection_reader_test, ends_when_the_handler_says_so)
{
    reading r;
    r.commands.verdict = [](const std::string&) { return false; };
    r.peer.send(encode({"a"}) + ping() + encode({"b"}));
    EXPECT_EQ(outcome::failed, r.read());
    EXPECT_EQ(errc::protocol_error, r.reader.error());
    EXPECT_EQ((messages{{"a"}}), r.lane.take_all());
    EXPECT_EQ(outcome::failed, r.read());
}

TEST(connection_reader_test, refuses_commands_that_are_too_long_to_keep)
{
    reading r;
    r.peer.send(std::string("\6\0\0\0\0\0\x20\0\0", 9) + "BEGINNING");  // two megabytes
    EXPECT_EQ(outcome::failed, r.read());
    EXPECT_EQ(errc::protocol_error, r.reader.error());
}

TEST(connection_reader_test, hands_over_at_a_command_when_there_is_no_handler)
{
    const std::string wire = encode({"a"}) + ping() + encode({"b"}) + ping() + encode({"c"});
    for (std::size_t offset = 0; offset <= wire.size(); ++offset) {
        reading r;
        const auto read_alone = [&] { return r.reader.read_once(r.peer.stream(), r.arena, r.lane.writer, nullptr); };
        r.peer.send(wire.substr(0, offset));
        outcome what = outcome::drained;
        while (offset && (what = read_alone()) == outcome::more) {
        }
        const std::size_t command_end = encode({"a"}).size() + ping().size();
        ASSERT_EQ(offset < command_end ? outcome::drained : outcome::hand_over, what) << offset;
        ASSERT_EQ(what == outcome::hand_over, r.reader.has_unread());
        if (what == outcome::hand_over) {
            // Still so: the command is kept.
            ASSERT_EQ(outcome::hand_over, read_alone());
            ASSERT_TRUE(r.reader.has_unread());
        }
        r.peer.send(wire.substr(offset));
        ASSERT_EQ(outcome::drained, r.read());
        ASSERT_EQ(2u, r.commands.commands.size());
        ASSERT_EQ((messages{{"a"}, {"b"}, {"c"}}), r.lane.take_all()) << offset;
    }
}

TEST(connection_reader_test, reads_nothing_while_octets_are_left_over)
{
    reading r;
    r.peer.send(ping() + encode({"a"}));
    ASSERT_EQ(outcome::hand_over, r.reader.read_once(r.peer.stream(), r.arena, r.lane.writer, nullptr));
    r.peer.send(encode({"b"}));
    ASSERT_EQ(outcome::more, r.read_once());
    EXPECT_EQ((messages{{"a"}}), r.lane.take_all());
    EXPECT_EQ(encode({"b"}).size(), r.peer.waiting_here());
    EXPECT_EQ(outcome::drained, r.read_once());
    EXPECT_EQ((messages{{"b"}}), r.lane.take_all());
}

// --- octets from the handshake
// ----------------------------------------------------------------------------------------

TEST(connection_reader_test, begins_with_what_the_handshake_left)
{
    const std::string wire = encode({"a"}) + ping() + encode({"b", pattern_of(20'000)}) + encode({"c"});
    for (const std::size_t offset : {std::size_t{1}, std::size_t{3}, std::size_t{5}, std::size_t{20}, wire.size()}) {
        reading r;
        ASSERT_TRUE(r.reader.feed(octets_of(wire.substr(0, offset))));
        EXPECT_TRUE(r.reader.has_unread());
        r.peer.send(wire.substr(offset));
        EXPECT_EQ(outcome::drained, r.read());
        EXPECT_EQ(1u, r.commands.commands.size());
        EXPECT_EQ((messages{{"a"}, {"b", pattern_of(20'000)}, {"c"}}), r.lane.take_all()) << offset;
    }
}

TEST(connection_reader_test, may_be_fed_nothing)
{
    reading r;
    ASSERT_TRUE(r.reader.feed({}));
    EXPECT_FALSE(r.reader.has_unread());
    EXPECT_EQ(outcome::drained, r.read());
}

// Of a stream of ZMTP 1.0: what was fed comes first, and frames may be cut anywhere.
TEST(connection_reader_test, decodes_what_the_lane_does_not_take_as_it_is)
{
    const std::string wire("\2\1x\3\0yz\4\0abc", 12);
    for (std::size_t cut = 0; cut < wire.size(); ++cut) {
        reading r({}, wire::make_zmtp1_decoder(-1));
        ASSERT_TRUE(r.reader.feed(octets_of(wire.substr(0, cut))));
        EXPECT_EQ(cut != 0, r.reader.has_unread());
        r.peer.send(wire.substr(cut));
        EXPECT_EQ(outcome::drained, r.read());
        EXPECT_FALSE(r.reader.has_unread());
        EXPECT_EQ((messages{{"x", "yz"}, {"abc"}}), r.lane.take_all()) << cut;
    }
}

TEST(connection_reader_test, ends_on_a_frame_of_another_framing)
{
    reading r({}, wire::make_zmtp1_decoder(3));
    r.peer.send(std::string("\2\0x\5\0long", 9));
    EXPECT_EQ(outcome::failed, r.read());
    EXPECT_EQ(errc::message_too_long, r.reader.error());
    EXPECT_EQ((messages{{"x"}}), r.lane.take_all());
}

TEST(connection_reader_test, each_piece_of_a_raw_stream_is_a_message)
{
    reading r({}, wire::make_raw_decoder());
    for (const std::string piece : {"GET / ", "HTTP/1.0", "\r\n"}) {
        r.peer.send(piece);
        EXPECT_EQ(outcome::drained, r.read());
        EXPECT_EQ((messages{{piece}}), r.lane.take_all());
    }
    r.peer.hang_up();
    EXPECT_EQ(outcome::closed, r.read());
}

// --- errors and the end
// -----------------------------------------------------------------------------------------------

TEST(connection_reader_test, fails_on_reserved_bits_behind_what_came_before)
{
    for (const int flags : {0x08, 0x10, 0x20, 0x40, 0x80, 0xf8, 0x05}) {
        reading r;
        r.peer.send(encode({"a"}) + encode({"half", "b"}).substr(0, 6) + std::string{char(flags), '\1', 'x'});
        EXPECT_EQ(outcome::failed, r.read()) << flags;
        EXPECT_EQ(errc::protocol_error, r.reader.error());
        EXPECT_EQ((messages{{"a"}}), r.lane.take_all());
        r.peer.send(encode({"too late"}));
        EXPECT_EQ(outcome::failed, r.read());
        EXPECT_EQ(messages{}, r.lane.take_all());
    }
}

TEST(connection_reader_test, fails_on_messages_beyond_the_limit)
{
    for (const std::size_t limit :
         {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{255}, std::size_t{1000}, std::size_t{50'000}}) {
        settings s;
        s.max_msg_size = std::int64_t(limit);
        reading r(s);
        const std::string longest = pattern_of(limit);
        r.pass(encode({longest}));
        EXPECT_EQ(parts{longest}, r.lane.take());
        r.peer.send(encode({longest + "x"}).substr(0, 9));  // its header says enough
        EXPECT_EQ(outcome::failed, r.read()) << limit;
        EXPECT_EQ(errc::message_too_long, r.reader.error());
    }
}

TEST(connection_reader_test, fails_on_impossible_lengths)
{
    reading r;
    r.peer.send("\2\xff\xff\xff\xff\xff\xff\xff\xff");
    EXPECT_EQ(outcome::failed, r.read());
    EXPECT_EQ(errc::message_too_long, r.reader.error());
}

TEST(connection_reader_test, tells_the_end_of_the_stream_behind_the_last_message)
{
    for (const std::string& unfinished :
         {std::string{}, std::string("\1"), encode({pattern_of(20'000)}).substr(0, 9'000)}) {
        reading r;
        r.peer.send(encode({"last"}) + unfinished);
        r.peer.hang_up();
        EXPECT_EQ(outcome::closed, [&] {
            for (int i = 0; i < 10; ++i) {
                const outcome what = r.read_once();
                if (what != outcome::more && what != outcome::drained) return what;
            }
            return outcome::more;
        }());
        EXPECT_EQ((messages{{"last"}}), r.lane.take_all());
    }
}

TEST(connection_reader_test, tells_what_the_system_says)
{
    reading r;
    const auto closed = transport::ipc::make_stream(unique_fd());
    EXPECT_EQ(outcome::failed, r.reader.read_once(*closed, r.arena, r.lane.writer, nullptr));
    EXPECT_EQ(from_errno(EBADF), r.reader.error());
}

// --- how much it reads
// ------------------------------------------------------------------------------------------------

// Octets taken from the kernel by one read.
std::size_t one_read(reading& r)
{
    const std::size_t before = r.peer.waiting_here();
    (void)r.read_once();
    return before - r.peer.waiting_here();
}

TEST(connection_reader_test, reads_little_at_first_and_more_when_there_is_more)
{
    settings s;
    s.in_batch = 40'000;
    reading r(s);
    std::string wire;
    while (wire.size() < 150'000) wire += encode({"0123456789"});
    wire.resize(r.peer.send_some(wire));
    std::size_t largest = one_read(r);
    EXPECT_LE(largest, 8192u);
    while (r.peer.waiting_here()) largest = std::max(largest, one_read(r));
    EXPECT_GT(largest, 16'384u);
    EXPECT_LE(largest, 40'000u);
}

TEST(connection_reader_test, no_read_is_larger_than_the_batch)
{
    for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        settings s;
        s.in_batch = batch;
        reading r(s);
        const messages sent{{"a"}, {pattern_of(300)}, {"b", "c"}, {pattern_of(3000)}};
        r.peer.send(encode_all(sent) + ping());
        while (r.peer.waiting_here()) ASSERT_LE(one_read(r), batch);
        EXPECT_EQ(sent, r.lane.take_all());
        EXPECT_EQ(1u, r.commands.commands.size());
    }
}

TEST(connection_reader_test, no_read_is_larger_than_the_largest_transfer)
{
    settings s;
    s.max_transfer = 1000;
    reading r(s);
    const messages sent{{"a"}, {pattern_of(20'000)}, {"b"}, {pattern_of(8192)}, {pattern_of(3000)}, {"c"}};
    r.peer.send(encode_all(sent));
    while (r.peer.waiting_here()) ASSERT_LE(one_read(r), 1000u);
    EXPECT_EQ(sent, r.lane.take_all());
}

// A thread that reads while the lane has room takes no more than the mark and what one small read brings.
TEST(connection_reader_test, overshoots_the_high_water_mark_by_one_small_read)
{
    const std::string body = "ten octets";
    const std::size_t frame = encode({body}).size();
    for (const std::uint64_t hwm : {1, 2, 10, 1000, 5000}) {
        settings s;
        s.hwm = hwm;
        reading r(s);
        std::string wire;
        while (wire.size() < 200'000) wire += encode({body});
        std::size_t sent = 0, taken = 0;
        while (sent < wire.size()) {
            const std::size_t n = r.peer.send_some(std::string_view(wire).substr(sent));
            sent += n;
            for (int i = 0; i < 100 && r.lane.writer.has_room(); ++i) {
                if (r.read_once() != outcome::more) break;
            }
            ASSERT_LE(r.lane.writer.uncredited(), hwm + 8192 / frame + 1) << hwm;
            for (const parts& m : r.lane.take_all()) {
                ASSERT_EQ(parts{body}, m);
                ++taken;
            }
        }
        while (r.read_once() == outcome::more || r.peer.waiting_here()) taken += r.lane.take_all().size();
        taken += r.lane.take_all().size();
        EXPECT_EQ(wire.size() / frame, taken);
    }
}

// Connections of one thread share an arena; what they read does not mix.
TEST(connection_reader_test, several_may_share_an_arena)
{
    reading a, b;
    for (int i = 0; i < 300; ++i) {
        const parts of_a{std::to_string(i), pattern_of(std::size_t(i) * 20, 1)};
        const parts of_b{pattern_of(std::size_t(i) * 30, 2), std::to_string(i)};
        const std::string wire_a = encode(of_a), wire_b = encode(of_b);
        a.peer.send(wire_a.substr(0, wire_a.size() / 2));
        ASSERT_EQ(outcome::drained, a.read());
        b.peer.send(wire_b);
        while (b.reader.read_once(b.peer.stream(), a.arena, b.lane.writer, nullptr) == outcome::more) {
        }
        a.peer.send(wire_a.substr(wire_a.size() / 2));
        ASSERT_EQ(outcome::drained, a.read());
        if (i % 10 != 0) continue;  // let some pile up
        for (const parts& m : a.lane.take_all()) ASSERT_EQ(pattern_of(m[1].size(), 1), m[1]);
        for (const parts& m : b.lane.take_all()) ASSERT_EQ(pattern_of(m[0].size(), 2), m[0]);
    }
}

// Its reads bring something, but at first none of the caller's octets.
class stream_of_records final : public transport::stream {
public:
    [[nodiscard]] transport::io_outcome read(const iovec* to, int) noexcept override
    {
        using status = transport::io_outcome::status;
        switch (++reads_) {
        case 1: return {status::more};
        case 2: return {status::blocked};
        case 3: *static_cast<char*>(to->iov_base) = 'x'; return {status::blocked, 1};
        default: return {status::closed};
        }
    }
    [[nodiscard]] transport::io_outcome write(const iovec*, int) noexcept override { return {}; }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return false; }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] std::string local_endpoint() const override { return {}; }
    [[nodiscard]] std::string peer_endpoint() const override { return {}; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

private:
    int reads_ = 0;
};

TEST(connection_reader_test, a_read_that_brings_no_octets_is_no_message)
{
    reading r({}, wire::make_raw_decoder());
    stream_of_records from;
    const auto read_once = [&] { return r.reader.read_once(from, r.arena, r.lane.writer, &r.commands); };
    EXPECT_EQ(outcome::more, read_once());
    EXPECT_EQ(outcome::drained, read_once());
    EXPECT_FALSE(r.lane.reader.readable());
    EXPECT_EQ(outcome::drained, read_once());
    EXPECT_EQ((messages{{"x"}}), r.lane.take_all());
    EXPECT_EQ(outcome::closed, read_once());
}

}  // namespace
}  // namespace zlink::engine::test
