// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of a lane become octets for a peer. That holds in every encoding, however little the kernel takes at a time,
// with commands between messages and nowhere else.
#include "engine/connection/connection_writer.hpp"

#include "fuzz/toy_sealing.hpp"
#include "pipe/conflation.hpp"
#include "pipe/pipe.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <algorithm>
#include <functional>
#include <random>

namespace zlink::engine::test {
namespace {

using outcome = connection_writer::outcome;

constexpr connection_writer::limits usual{{32 * 1024, 4 * 1024}, 0};

enum class encoding { plain, subscriptions, zmtp_1_0, raw, sealed, sealed_subscriptions };

std::unique_ptr<wire::frame_encoder> encoder(encoding how)
{
    switch (how) {
    case encoding::plain:
    case encoding::sealed: return nullptr;
    case encoding::subscriptions:
    case encoding::sealed_subscriptions: return wire::make_subscription_encoder();
    case encoding::zmtp_1_0: return wire::make_zmtp1_encoder();
    case encoding::raw: return wire::make_raw_encoder();
    }
    return nullptr;
}

bool is_sealed(encoding how)
{
    return how == encoding::sealed || how == encoding::sealed_subscriptions;
}

// Without numbers: the same messages are the same octets.
std::unique_ptr<zmtp::sealer> sealer(encoding how)
{
    return is_sealed(how) ? std::make_unique<toy::sealer>(nullptr, 0) : nullptr;
}

/// Frames in lane form, as they go over the wire.
std::string on_wire(encoding how, const std::string& plain)
{
    std::uint64_t number = 0;
    return is_sealed(how) ? toy::frames(plain, number, 0) : plain;
}

struct writing {
    explicit writing(encoding how = encoding::plain, const connection_writer::limits& l = usual, std::uint64_t hwm = 0)
        : lane(hwm),
          writer(wire::outbound(encoder(how), sealer(how)), l)
    {
        lane.reader.begin_octets();
    }

    outcome write_once() { return writer.write_once(peer.stream(), lane.reader, credit); }

    outcome write()
    {
        outcome what;
        do {
            what = write_once();
        } while (what == outcome::more);
        return what;
    }

    /// Writes until nothing is left, the peer reading meanwhile at most `step` octets at a time.
    std::string pass(std::size_t step = 100'000)
    {
        std::string wire;
        while (true) {
            const outcome what = write();
            EXPECT_NE(outcome::failed, what);
            const std::string got = peer.receive(step);
            wire += got;
            if (got.empty() && what != outcome::blocked) return wire;
        }
    }

    stream_pair peer;
    joined_lane lane;
    connection_writer writer;
    pipe::owed_credit credit;
};

std::string ping()
{
    return command_frame("\4PING..");
}

std::string pong(std::string_view context)
{
    return command_frame("\4PONG" + std::string(context));
}

void send_ping(connection_writer& writer, bool urgent = false)
{
    pending_commands commands;
    commands.put_ping(octets_of(ping()));
    writer.send_commands(commands, urgent);
}

void send_pong(connection_writer& writer, std::string_view context)
{
    pending_commands commands;
    commands.put_pongs(octets_of(pong(context)));
    writer.send_commands(commands, false);
}

const messages all_kinds{{"a"},
                         {""},
                         {"", "", "b"},
                         {pattern_of(255), pattern_of(256)},
                         {"c", pattern_of(9000), "d"},
                         {pattern_of(8192, 3)},
                         {pattern_of(70'000), pattern_of(200'000)},
                         {"e"}};

// The same messages as every encoding puts them on the wire.
std::string as_v1(const messages& all)
{
    std::string wire;
    for (const parts& m : all) {
        for (std::size_t i = 0; i < m.size(); ++i) {
            const std::uint64_t length = m[i].size() + 1;
            if (length < 255) {
                wire += char(length);
            } else {
                wire += '\xff';
                for (int shift = 56; shift >= 0; shift -= 8) wire += char(length >> shift & 0xff);
            }
            wire += char(i + 1 < m.size());
            wire += m[i];
        }
    }
    return wire;
}

std::string as_bodies(const messages& all)
{
    std::string wire;
    for (const parts& m : all) {
        for (const std::string& body : m) wire += body;
    }
    return wire;
}

std::string as_sealed(const messages& all)
{
    return on_wire(encoding::sealed, encode_all(all));
}

struct wire_format {
    encoding how;
    std::string (*expected)(const messages&);
};

constexpr wire_format formats[] = {{encoding::plain, encode_all}, {encoding::subscriptions, encode_all},
                                   {encoding::zmtp_1_0, as_v1},   {encoding::raw, as_bodies},
                                   {encoding::sealed, as_sealed}, {encoding::sealed_subscriptions, as_sealed}};

class every_encoding_test : public testing::TestWithParam<wire_format> {};

std::string name_of(const testing::TestParamInfo<wire_format>& format)
{
    constexpr const char* names[]{"plain", "subscriptions", "zmtp_1_0", "raw", "sealed", "sealed_subscriptions"};
    return names[int(format.param.how)];
}

INSTANTIATE_TEST_SUITE_P(connection_writer, every_encoding_test, testing::ValuesIn(formats), name_of);

TEST_P(every_encoding_test, nothing_to_write)
{
    writing w(GetParam().how);
    EXPECT_EQ(outcome::idle, w.write_once());
    EXPECT_EQ("", w.peer.receive());
    EXPECT_FALSE(w.writer.in_the_middle());
    EXPECT_FALSE(w.credit.due());
}

TEST_P(every_encoding_test, messages_go_out_whole_and_in_order)
{
    writing w(GetParam().how);
    w.lane.put_all(all_kinds);
    EXPECT_TRUE(GetParam().expected(all_kinds) == w.pass());
    EXPECT_FALSE(w.writer.in_the_middle());
    for (std::size_t size : pipe::test::telling_sizes) {
        w.lane.put({pattern_of(size), "end"});
        ASSERT_TRUE(GetParam().expected({{pattern_of(size), "end"}}) == w.pass()) << size;
    }
    EXPECT_EQ(outcome::idle, w.write_once());
}

TEST_P(every_encoding_test, unfinished_messages_stay_back)
{
    writing w(GetParam().how);
    w.lane.put({"a"});
    w.lane.write("b", true);
    EXPECT_EQ(GetParam().expected({{"a"}}), w.pass());
    w.lane.write("c", false);
    w.lane.writer.publish();
    EXPECT_EQ(GetParam().expected({{"b", "c"}}), w.pass());
}

TEST_P(every_encoding_test, a_kernel_that_takes_little_gets_it_all_in_time)
{
    writing w(GetParam().how);
    w.peer.shrink_send_buffer();
    std::mt19937 random{1};
    messages sent;
    while (sent.size() < 300) {
        parts m;
        for (unsigned i = 0; i < 1 + random() % 3; ++i) m.push_back("x" + pattern_of(random() % 12'000, random()));
        sent.push_back(m);
    }
    const std::string expected = GetParam().expected(sent);
    w.lane.put_all(sent);
    std::string wire;
    int blocked = 0;
    while (wire.size() < expected.size()) {
        const outcome what = w.write_once();
        ASSERT_NE(outcome::failed, what);
        if (what == outcome::more) continue;
        blocked += what == outcome::blocked;
        const std::string got = w.peer.receive(1 + random() % 5000);
        ASSERT_FALSE(got.empty());
        wire += got;
    }
    EXPECT_EQ(outcome::idle, w.write_once());
    EXPECT_TRUE(expected == wire);
    EXPECT_GT(blocked, 10);
    EXPECT_FALSE(w.writer.in_the_middle());
}

TEST_P(every_encoding_test, no_call_writes_more_than_the_largest_transfer)
{
    for (const std::size_t most : {std::size_t{1}, std::size_t{10}, std::size_t{1000}}) {
        writing w(GetParam().how, {{32 * 1024, 4 * 1024}, most});
        const messages sent{{"a", "b"}, {pattern_of(300, 3)}, {pattern_of(9000, 3)}, {"c", pattern_of(8192), "d"}};
        w.lane.put_all(sent);
        std::string wire;
        while (w.write_once() == outcome::more) {
            ASSERT_LE(w.peer.waiting_there(), most);
            wire += w.peer.receive(most);
        }
        EXPECT_TRUE(GetParam().expected(sent) == wire);
    }
}

// A socket that waits for room in the lane is told when messages have gone.
TEST_P(every_encoding_test, what_is_written_gives_credit)
{
    writing w(GetParam().how, usual, 4);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) {
            ASSERT_TRUE(w.lane.writer.has_room_or_wait());
            w.lane.put({"message"});
        }
        ASSERT_FALSE(w.lane.writer.has_room_or_wait());
        pipe::owed_credit credit;
        while (w.writer.write_once(w.peer.stream(), w.lane.reader, credit) == outcome::more) {
        }
        EXPECT_TRUE(credit.due());
    }
}

// Takes as many octets as it is told, and asks what is to be seen while it does. Stands for a kernel whose peer answers
// at once.
class stream_that_looks final : public transport::stream {
public:
    using looking = std::function<void()>;

    stream_that_looks(std::size_t takes, looking look) : takes_(takes), look_(std::move(look)) {}

    [[nodiscard]] transport::io_outcome read(const iovec*, int) noexcept override { return {}; }
    [[nodiscard]] transport::io_outcome write(const iovec* from, int count) noexcept override
    {
        look_();
        std::size_t all = 0;
        for (int i = 0; i < count; ++i) all += from[i].iov_len;
        using status = transport::io_outcome::status;
        return {takes_ < all ? status::blocked : status::more, std::min(all, takes_)};
    }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return false; }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] std::string local_endpoint() const override { return {}; }
    [[nodiscard]] std::string peer_endpoint() const override { return {}; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

private:
    std::size_t takes_;
    looking look_;
};

// The peer's answer may be here before the thread that writes goes on. The thread that has it finds the room that it
// proves.
TEST_P(every_encoding_test, there_is_room_as_soon_as_the_peer_can_have_answered)
{
    for (const std::uint64_t hwm : {1u, 2u, 3u, 10u, 100u}) {
        writing w(GetParam().how, usual, hwm);
        bool looked = false, room = false;
        stream_that_looks to(1 << 20, [&] {
            looked = true;
            room = w.lane.writer.has_room();
        });
        for (int round = 0; round < 3; ++round) {
            while (w.lane.writer.has_room_or_wait()) w.lane.put({"parts of", pattern_of(300), "a message"});
            while (w.writer.write_once(to, w.lane.reader, w.credit) == outcome::more) {
            }
            ASSERT_TRUE(looked) << hwm;
            ASSERT_TRUE(room) << "high-water mark " << hwm << ", round " << round;
            ASSERT_TRUE(w.lane.writer.has_room()) << hwm;
        }
    }
}

// What the stream did not take makes no room.
TEST_P(every_encoding_test, there_is_no_room_after_a_write_that_took_nothing)
{
    writing w(GetParam().how, usual, 10);
    stream_that_looks to(0, [] {});
    while (w.lane.writer.has_room_or_wait()) w.lane.put({"message"});
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(outcome::blocked, w.writer.write_once(to, w.lane.reader, w.credit));
        EXPECT_FALSE(w.lane.writer.has_room_or_wait());
    }
}

// The socket learns of a thread that waits for room ahead of the write: that thread may read the answer next.
TEST_P(every_encoding_test, the_sender_is_told_before_the_write)
{
    pipe::pipe* const p = pipe::pipe::create({10, 10, 8192});
    pipe::pipe_end &socket = p->first(), &io = p->second();
    io.reader.begin_octets();
    connection_writer writer(wire::outbound(encoder(GetParam().how), sealer(GetParam().how)), usual);
    while (socket.writer.has_room_or_wait()) {
        ASSERT_TRUE(socket.writer.write({pipe::test::bytes("message"), 7, false}));
        socket.writer.publish();
    }
    std::uint32_t told = 0;
    stream_that_looks to(1 << 20, [&] { told |= socket.take_events(); });
    {
        pipe::owed_credit credit(&io);
        while (writer.write_once(to, io.reader, credit) == outcome::more) {
        }
    }
    EXPECT_TRUE(told & pipe::event_credit);
    EXPECT_EQ(0u, socket.take_events() & pipe::event_credit);
    socket.close();
    io.close();
}

TEST_P(every_encoding_test, what_comes_first_comes_before_messages)
{
    writing w(GetParam().how);
    w.lane.put({"a"});
    ASSERT_TRUE(w.writer.send_first(octets_of("rest of the ")));
    ASSERT_TRUE(w.writer.send_first(octets_of("handshake")));
    EXPECT_TRUE(w.writer.in_the_middle());
    EXPECT_EQ("rest of the handshake" + GetParam().expected({{"a"}}), w.pass());
}

TEST_P(every_encoding_test, a_peer_that_is_gone_is_an_error)
{
    writing w(GetParam().how);
    w.lane.put({pattern_of(100'000)});
    w.peer.hang_up();
    EXPECT_EQ(outcome::failed, w.write());
    EXPECT_TRUE(w.writer.error() == errc::broken_pipe || w.writer.error() == errc::connection_reset);
}

TEST_P(every_encoding_test, tells_what_the_system_says)
{
    writing w(GetParam().how);
    w.lane.put({"a"});
    const auto closed = transport::ipc::make_stream(unique_fd());
    EXPECT_EQ(outcome::failed, w.writer.write_once(*closed, w.lane.reader, w.credit));
    EXPECT_EQ(from_errno(EBADF), w.writer.error());
}

// Messages count for the mark, and are not lost, until the stream has accepted their octets.
TEST_P(every_encoding_test, what_waits_for_the_peer_is_not_taken_from_the_lane)
{
    writing w(GetParam().how, usual, 4);
    w.peer.shrink_send_buffer();
    const messages sent{{"first", pattern_of(100'000)}, {"second"}, {"third"}, {"fourth"}};
    w.lane.put_all(sent);
    ASSERT_EQ(outcome::blocked, w.write());
    EXPECT_FALSE(w.lane.writer.has_room_or_wait());
    EXPECT_FALSE(w.credit.due());
    EXPECT_TRUE(GetParam().expected(sent) == w.pass());
    EXPECT_TRUE(w.credit.due());
}

// What a lost connection got only in part goes out whole on the next one, with all that follows.
TEST_P(every_encoding_test, another_connection_begins_with_the_unfinished_message)
{
    const auto& expected = GetParam().expected;
    const messages sent{{"first", "message"}, {"second"}, {"third", "", "message"}};
    for (std::size_t most = 1; most < expected(sent).size(); ++most) {
        writing w(GetParam().how, {{32 * 1024, 4 * 1024}, most});
        w.lane.put_all(sent);
        (void)w.write_once();
        w.lane.reader.rewind();
        stream_pair next;
        connection_writer writer(wire::outbound(encoder(GetParam().how), sealer(GetParam().how)), usual);
        while (writer.write_once(next.stream(), w.lane.reader, w.credit) == outcome::more) {
        }
        std::size_t whole = 0;
        while (whole < sent.size() && expected({sent.begin(), sent.begin() + long(whole) + 1}).size() <= most) ++whole;
        ASSERT_EQ(expected({sent.begin() + long(whole), sent.end()}), next.receive()) << most;
    }
}

// Nothing of them is on the wire, and nothing of them stays behind.
TEST(connection_writer_test, empty_raw_messages_leave_the_lane)
{
    writing w(encoding::raw, usual, 2);
    for (int i = 0; i < 3; ++i) {
        w.lane.put_all({{""}, {""}});
        ASSERT_FALSE(w.lane.writer.has_room_or_wait());
        EXPECT_EQ("", w.pass());
        ASSERT_TRUE(w.lane.writer.has_room_or_wait());
    }
}

// --- plain
// ------------------------------------------------------------------------------------------------------------

TEST(connection_writer_test, gathers_a_batch_in_one_call)
{
    writing w;
    messages sent;
    for (int i = 0; i < 1000; ++i) sent.push_back({std::to_string(i)});
    w.lane.put_all(sent);
    EXPECT_EQ(outcome::more, w.write_once());
    EXPECT_EQ(encode_all(sent), w.peer.receive());
    EXPECT_EQ(outcome::idle, w.write_once());
}

TEST(connection_writer_test, a_batch_of_small_messages_is_as_large_as_was_asked_for)
{
    writing w(encoding::plain, {{5000, 1000}, 0});
    messages sent;
    for (int i = 0; i < 3000; ++i) sent.push_back({"0123456789"});
    w.lane.put_all(sent);
    EXPECT_EQ(outcome::more, w.write_once());
    EXPECT_EQ(5000u, w.peer.waiting_there());
    EXPECT_EQ(encode_all(sent), w.pass());
}

TEST(connection_writer_test, knows_when_it_stands_inside_a_message)
{
    writing w(encoding::plain, {{32 * 1024, 4 * 1024}, 10});
    w.lane.put({"a message of more than ten octets"});
    EXPECT_EQ(outcome::more, w.write_once());
    EXPECT_TRUE(w.writer.in_the_middle());
    (void)w.pass();
    EXPECT_FALSE(w.writer.in_the_middle());
}

TEST(connection_writer_test, of_a_conflating_lane_the_newest_message_goes_out)
{
    pipe::conflation between;
    pipe::lane_writer in(between.written, 0, 8192);
    pipe::lane_reader out(between.read, 0);
    out.begin_octets();
    const auto put = [&](const std::string& m) {
        ASSERT_TRUE(in.write({pipe::test::bytes(m), m.size(), false}));
        in.publish();
        (void)between.pass(in);
    };
    stream_pair peer;
    connection_writer writer(wire::outbound(nullptr), usual);
    pipe::owed_credit credit;
    for (const std::string& newest : {std::string("newest"), pattern_of(20'000)}) {
        put("old");
        put(newest);
        while (writer.write_once(peer.stream(), out, credit) == outcome::more) {
        }
        EXPECT_EQ(encode({newest}), peer.receive());
    }
}

// --- commands
// ---------------------------------------------------------------------------------------------------------

class commanding_test : public testing::TestWithParam<encoding> {
protected:
    [[nodiscard]] static std::string as_sent(const std::string& plain) { return on_wire(GetParam(), plain); }
};

std::string name_of_encoding(const testing::TestParamInfo<encoding>& how)
{
    return name_of({{how.param, nullptr}, how.index});
}

INSTANTIATE_TEST_SUITE_P(connection_writer, commanding_test,
                         testing::Values(encoding::plain, encoding::subscriptions, encoding::sealed,
                                         encoding::sealed_subscriptions),
                         name_of_encoding);

TEST_P(commanding_test, an_idle_connection_sends_them_at_once)
{
    writing w(GetParam());
    send_ping(w.writer);
    EXPECT_TRUE(w.writer.has_commands());
    EXPECT_EQ(outcome::more, w.write_once());
    EXPECT_FALSE(w.writer.has_commands());
    EXPECT_EQ(as_sent(ping()), w.peer.receive());
    EXPECT_EQ(outcome::idle, w.write_once());
}

TEST_P(commanding_test, they_go_before_messages_that_wait)
{
    writing w(GetParam());
    w.lane.put({"a", "b"});
    send_ping(w.writer);
    send_pong(w.writer, "second");
    EXPECT_EQ(as_sent(ping()) + as_sent(pong("second")) + as_sent(encode({"a", "b"})), w.pass());
}

// Whatever was written when the command came, what the peer gets is whole messages with the command between two of
// them.
TEST_P(commanding_test, they_never_cut_a_message)
{
    for (const std::size_t most : {1, 3, 7, 50, 1000}) {
        // Large bodies lie outside of the lane's octets.
        const std::size_t large = most < 50 ? 400 : 9000;
        const messages sent{
            {"first", "message"}, {"second"}, {"third", pattern_of(300), "message"}, {pattern_of(large), "4"}};
        for (int before = 0; before < 80; ++before) {
            writing w(GetParam(), {{32 * 1024, 4 * 1024}, most});
            w.lane.put_all(sent);
            std::string wire;
            for (int i = 0; i < before; ++i) (void)w.write_once();
            send_ping(w.writer);
            wire = w.pass();
            const std::size_t at = wire.find(as_sent(ping()));
            ASSERT_NE(std::string::npos, at);
            std::size_t whole = 0;
            while (whole < sent.size() && as_sent(encode_all({sent.begin(), sent.begin() + long(whole)})).size() < at)
                ++whole;
            EXPECT_EQ(as_sent(encode_all({sent.begin(), sent.begin() + long(whole)})).size(), at)
                << most << " " << before;
            wire.erase(at, as_sent(ping()).size());
            ASSERT_TRUE(as_sent(encode_all(sent)) == wire);
        }
    }
}

TEST_P(commanding_test, they_go_out_between_two_of_many_messages)
{
    writing w(GetParam());
    w.peer.shrink_send_buffer();
    const messages sent(2000, {"message", pattern_of(100)});
    w.lane.put_all(sent);
    EXPECT_EQ(outcome::blocked, w.write());
    send_ping(w.writer);
    std::string wire = w.pass(1000);
    const std::size_t at = wire.find(as_sent(ping()));
    ASSERT_NE(std::string::npos, at);
    EXPECT_EQ(0u, at % as_sent(encode(sent[0])).size());
    wire.erase(at, as_sent(ping()).size());
    EXPECT_TRUE(as_sent(encode_all(sent)) == wire);
}

TEST_P(commanding_test, the_newest_ping_and_all_pongs_wait)
{
    writing w(GetParam(), {{32 * 1024, 4 * 1024}, 4});
    send_pong(w.writer, "first");
    EXPECT_EQ(outcome::more, w.write_once());
    for (const char* context : {"second", "third"}) send_pong(w.writer, context);
    send_ping(w.writer);
    send_ping(w.writer);
    EXPECT_EQ(as_sent(pong("first")) + as_sent(ping()) + as_sent(pong("second")) + as_sent(pong("third")), w.pass());
}

// However little the kernel takes at a time: what is written before a command ends with the message.
TEST_P(commanding_test, they_go_out_at_the_next_boundary)
{
    for (const std::size_t large : {100, 9000}) {
        writing w(GetParam(), {{1000, 1000}, 0});
        w.peer.shrink_send_buffer();
        const messages sent(300, {"message", pattern_of(large)});
        w.lane.put_all(sent);
        EXPECT_EQ(outcome::blocked, w.write());
        const std::string before = w.peer.receive();
        std::string wire = before;
        send_ping(w.writer);
        while (w.writer.has_commands() || !w.writer.commands_written()) {
            ASSERT_NE(outcome::failed, w.write_once());
            wire += w.peer.receive();
        }
        wire += w.peer.receive();
        const std::size_t one = as_sent(encode(sent[0])).size();
        const std::size_t at = wire.find(as_sent(ping()));
        ASSERT_NE(std::string::npos, at);
        EXPECT_EQ(0u, at % one);
        if (GetParam() == encoding::plain) {
            EXPECT_GE(before.size() + one, at);
        }
        wire.erase(at, as_sent(ping()).size());
        EXPECT_TRUE(as_sent(encode_all(sent)) == wire + w.pass());
    }
}

TEST(connection_writer_test, urgent_commands_go_out_between_two_frames)
{
    for (const std::size_t large : {100, 9000}) {
        for (const std::size_t most : {1, 7, 50, 1000}) {
            const parts sent{"a", pattern_of(large), "", pattern_of(300), pattern_of(large), "z"};
            for (int before = 1; before < 30; ++before) {
                writing w(encoding::plain, {{32 * 1024, 4 * 1024}, most});
                w.lane.put(sent);
                std::size_t written = 0;
                for (int i = 0; i < before; ++i) (void)w.write_once();
                written = w.peer.waiting_there();
                send_ping(w.writer, true);
                std::string wire = w.pass();
                const std::size_t at = wire.find(ping());
                ASSERT_NE(std::string::npos, at);
                std::size_t frame_end = 0;
                for (const std::string& body : sent) {
                    if (frame_end >= written) break;
                    frame_end += body.size() + (body.size() > 255 ? 9 : 2);
                }
                EXPECT_EQ(frame_end, at) << large << " " << most << " " << written;
                wire.erase(at, ping().size());
                ASSERT_TRUE(encode(sent) == wire);
            }
        }
    }
}

// What is sealed goes out before them, as it was sealed before them.
TEST(connection_writer_test, urgent_commands_go_out_behind_the_frames_that_are_sealed)
{
    const parts sent{"a", pattern_of(100), "", pattern_of(9000), "z"};
    const std::string plain = encode(sent), command = on_wire(encoding::sealed, ping());
    for (const encoding how : {encoding::sealed, encoding::sealed_subscriptions}) {
        for (std::size_t before = 1; before < sent.size(); ++before) {
            writing w(how, {{1, 1}, 0});
            w.lane.put(sent);
            for (std::size_t i = 0; i < before; ++i) (void)w.write_once();
            const std::size_t written = w.peer.waiting_there();
            send_ping(w.writer, true);
            std::string wire = w.pass();
            EXPECT_EQ(written, wire.find(command));
            wire.erase(written, command.size());
            EXPECT_TRUE(on_wire(how, plain) == wire);
        }
    }
}

TEST_P(commanding_test, one_that_is_cut_itself_is_finished_first)
{
    writing w(GetParam(), {{32 * 1024, 4 * 1024}, 4});
    send_ping(w.writer);
    EXPECT_EQ(outcome::more, w.write_once());
    EXPECT_TRUE(w.writer.in_the_middle());
    w.lane.put({"a"});
    send_pong(w.writer, "second");
    EXPECT_EQ(as_sent(ping()) + as_sent(pong("second")) + as_sent(encode({"a"})), w.pass());
}

// --- subscriptions
// ----------------------------------------------------------------------------------------------------

TEST(connection_writer_test, subscriptions_become_commands)
{
    writing w(encoding::subscriptions);
    const auto sent_as = [&](const parts& message) {
        w.lane.put(message);
        return w.pass();
    };
    EXPECT_EQ(command_frame("\x09SUBSCRIBEtopic"), sent_as({"\1topic"}));
    EXPECT_EQ(command_frame("\x06"
                            "CANCELtopic"),
              sent_as({std::string("\0topic", 6)}));
    EXPECT_EQ(command_frame("\x09SUBSCRIBE"), sent_as({"\1"}));
    const std::string long_topic = pattern_of(1000);
    EXPECT_EQ(command_frame("\x09SUBSCRIBE" + long_topic), sent_as({"\1" + long_topic}));
    const std::string longer_topic = pattern_of(100'000);
    EXPECT_EQ(command_frame("\x06"
                            "CANCEL" +
                            longer_topic),
              sent_as({std::string(1, '\0') + longer_topic}));
}

TEST(connection_writer_test, what_only_looks_like_a_subscription_stays_a_message)
{
    writing w(encoding::subscriptions);
    for (const parts& message : {parts{"\2topic"}, parts{""}, parts{"\1topic", "more"}, parts{"x", "\1topic"},
                                 parts{"x", "\1topic", std::string("\0topic", 6)}}) {
        w.lane.put(message);
        EXPECT_EQ(encode(message), w.pass());
    }
}

TEST(connection_writer_test, other_encodings_leave_subscriptions_alone)
{
    writing plain, old(encoding::zmtp_1_0);
    plain.lane.put({"\1topic"});
    EXPECT_EQ(encode({"\1topic"}), plain.pass());
    old.lane.put({"\1topic"});
    EXPECT_EQ(std::string("\7\0\1topic", 8), old.pass());
}

}  // namespace
}  // namespace zlink::engine::test
