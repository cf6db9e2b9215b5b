// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a peer may do wrong: only the connection concerned ends; the process lives, memory does not grow, and other
// peers go on undisturbed. libzmq does not promise all of it.
#include "conformance/bad_input_fixture.hpp"

#include <unistd.h>

#include <fstream>
#include <random>

namespace zlink::test {
namespace {

using std::chrono::milliseconds;
using zlink::test::socket;

struct memory_use {
    std::uint64_t virtual_bytes = 0;
    std::uint64_t resident_bytes = 0;

    static memory_use now()
    {
        std::ifstream statm("/proc/self/statm");
        memory_use use;
        statm >> use.virtual_bytes >> use.resident_bytes;
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        use.virtual_bytes *= page;
        use.resident_bytes *= page;
        return use;
    }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t megabyte = std::uint64_t{8} << 20;  // sanitizers keep freed memory and notes of their own
#else
constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;
#endif

std::uint64_t growth(std::uint64_t before, std::uint64_t after)
{
    return after > before ? after - before : 0;
}

/// The header of a frame whose length is announced in eight octets.
std::string long_header(std::uint64_t length, std::uint8_t flags = 0)
{
    return std::string(1, static_cast<char>(flags | long_bit)) + big_endian(length, 8);
}

struct bad_script {
    const char* name;
    std::string bytes;
};

std::ostream& operator<<(std::ostream& out, const bad_script& script)
{
    return out << script.name;
}

std::string script_name(const ::testing::TestParamInfo<bad_script>& instance)
{
    return instance.param.name;
}

std::string greeting_with(std::size_t offset, char octet)
{
    std::string greeting = zmtp3_greeting();
    greeting[offset] = octet;
    return greeting;
}

const std::vector<bad_script> bad_openings{
    {"Silence", ""},
    {"HalfASignature", zmtp_signature().substr(0, 5)},
    {"SignatureAlone", zmtp_signature()},
    {"HalfAGreeting", zmtp3_greeting().substr(0, 40)},
    {"GreetingAlone", zmtp3_greeting()},
    {"HttpRequest", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
    {"TlsClientHello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)},
    {"ZeroLengthIdentityOf1_0", std::string(1, '\0')},
    {"SignatureWithoutItsLastBit", "\xff" + std::string(8, '\0') + '\x7e' + std::string(54, '\0')},
    {"UnknownMechanism", zmtp3_greeting(1, "NONESUCH")},
    {"EmptyMechanism", zmtp3_greeting(1, "")},
    {"MechanismWithoutPadding", zmtp3_greeting(1, "ABCDEFGHIJKLMNOPQRST")},
    {"CurveWhereNullIsSpoken", zmtp3_greeting(1, "CURVE")},
    {"MechanismInLowerCase", zmtp3_greeting(1, "null")},
    {"JunkBehindTheMechanism", greeting_with(20, 'x')},
    {"MessageInPlaceOfReady", zmtp3_greeting() + zmtp_frame("message")},
    {"HelloInPlaceOfReady", zmtp3_greeting() + zmtp_command("HELLO", std::string(194, 'h'))},
    {"SubscribeInPlaceOfReady", zmtp3_greeting() + zmtp_command("SUBSCRIBE", "topic")},
    {"PingInPlaceOfReady", zmtp3_greeting() + zmtp_command("PING", std::string(2, '\0'))},
    {"ErrorInPlaceOfReady", zmtp3_greeting() + zmtp_command("ERROR", "\x06reason")},
    {"BrokenError", zmtp3_greeting() + zmtp_command("ERROR", "\xffshort")},
    {"EmptyError", zmtp3_greeting() + zmtp_command("ERROR")},
    {"EmptyCommand", zmtp3_greeting() + zmtp_frame("", command_bit)},
    {"CommandNameLongerThanTheCommand", zmtp3_greeting() + zmtp_frame("\xffREADY", command_bit)},
    {"ReadyOfAnotherType", zmtp3_greeting() + zmtp_ready("PULL")},
    {"ReadyOfNoKnownType", zmtp3_greeting() + zmtp_ready("BOGUS")},
    {"ReadyOfAVeryLongType", zmtp3_greeting() + zmtp_ready(std::string(5000, 'T'))},
    {"ReadyCutInAName", zmtp3_greeting() + zmtp_command("READY", "\x0bSocket-Ty")},
    {"ReadyCutBeforeAValue", zmtp3_greeting() + zmtp_command("READY", "\x0bSocket-Type")},
    {"ReadyCutInALength", zmtp3_greeting() + zmtp_command("READY", std::string("\x0bSocket-Type\0\0", 14))},
    {"ReadyValueOf4GB", zmtp3_greeting() + zmtp_command("READY", "\x0bSocket-Type\xff\xff\xff\xffPUSH")},
    {"ReadyValueOneTooLong",
     zmtp3_greeting() + zmtp_command("READY", std::string("\x0bSocket-Type\0\0\0\x05PUSH", 20))},
    {"ReadyWithAnIdentityThatIsTooLong",
     zmtp3_greeting() + zmtp_command("READY", zmtp_property("Identity", std::string(256, 'i')) +
                                                  zmtp_property("Socket-Type", "PULL"))},
    {"ReadyAnnouncedWithATerabyte", zmtp3_greeting() + long_header(std::uint64_t{1} << 40, command_bit) + "\x05READY"},
    {"ReadyAnnouncedWith2To63", zmtp3_greeting() + long_header(std::uint64_t{1} << 63, command_bit) + "\x05READY"},
    {"ReservedBitsBeforeReady", zmtp3_greeting() + zmtp_frame("x", 0xf0)},
    {"IdentityOf2_0ThatIsTooLong",
     zmtp_signature() + '\x01' + '\x08' + long_header(std::uint64_t{1} << 40) + std::string(1000, 'i')},
    {"SocketTypeOf2_0ThatDoesNotExist", zmtp_signature() + '\x01' + '\x63'},
    {"IdentityOf1_0ThatIsTooLong", '\xff' + big_endian(std::uint64_t{1} << 40, 8) + '\0' + std::string(1000, 'i')},
};

class bad_opening_test : public bad_input_test, public ::testing::WithParamInterface<bad_script> {};

TEST_P(bad_opening_test, ends_that_connection_alone)
{
    raw_peer peer = bad_peer();
    (void)peer.try_send_bytes(GetParam().bytes);
    expect_good_peer_undisturbed();
    expect_end(peer);
}

TEST_P(bad_opening_test, followed_by_the_end_of_the_peer)
{
    raw_peer orderly = bad_peer();
    (void)orderly.try_send_bytes(GetParam().bytes);
    orderly.close();
    events_->await(end_of_connection);
    raw_peer hard = bad_peer();
    (void)hard.try_send_bytes(GetParam().bytes);
    hard.reset();
}

TEST_P(bad_opening_test, from_a_server_ends_that_connection_alone)
{
    raw_listener bad_listener;
    raw_listener good_listener;
    socket client = ctx_.open(ZMQ_PULL);
    client.set(ZMQ_HANDSHAKE_IVL, 200);
    client.set(ZMQ_RECONNECT_IVL, 10);
    client.connect(bad_listener.endpoint());
    client.connect(good_listener.endpoint());
    raw_peer good = good_listener.accept();
    good.handshake(zmtp_version::v3_1, "PUSH");
    raw_peer bad = bad_listener.accept();
    (void)bad.try_send_bytes(GetParam().bytes);
    EXPECT_TRUE(bad.wait_for_end());
    good.send_message({"from another server"});
    EXPECT_EQ("from another server", client.recv());
}

INSTANTIATE_TEST_SUITE_P(openings, bad_opening_test, ::testing::ValuesIn(bad_openings), script_name);

const std::vector<bad_script> bad_traffic{
    {"ReservedBitsAll", zmtp_frame("x", 0xf8)},
    {"ReservedBitLowest", zmtp_frame("x", 0x08)},
    {"ReservedBitHighest", zmtp_frame("x", 0x80)},
    {"ReservedBitsInALongFrame", zmtp_frame(std::string(300, 'x'), 0x40)},
    {"LengthOf2To63", long_header(std::uint64_t{1} << 63) + "x"},
    {"LengthOf2To64LessOne", long_header(~std::uint64_t{0}) + "x"},
    {"ReadyAgain", zmtp_ready("PUSH")},
    {"EmptyCommand", zmtp_frame("", command_bit)},
    {"CommandNameLongerThanTheCommand", zmtp_frame("\xffPING", command_bit)},
    {"PingWithoutATtl", zmtp_command("PING")},
    {"PingWithHalfATtl", zmtp_command("PING", std::string(1, '\0'))},
    {"ErrorInTraffic", zmtp_command("ERROR", "\x06reason")},
    {"CommandOfATerabyte", long_header(std::uint64_t{1} << 40, command_bit) + "\x04PING"},
    {"SubscribeToAPull", zmtp_command("SUBSCRIBE", "topic")},
    {"CancelToAPull", zmtp_command("CANCEL", "topic")},
};

class bad_traffic_test : public bad_input_test, public ::testing::WithParamInterface<bad_script> {};

TEST_P(bad_traffic_test, ends_that_connection_alone)
{
    raw_peer peer = bad_peer_in_traffic();
    peer.send_message({"fine so far"});
    EXPECT_EQ("fine so far", server_.recv());
    (void)peer.try_send_bytes(GetParam().bytes);
    expect_good_peer_undisturbed();
    EXPECT_TRUE(peer.wait_for_end());
    // Monitors hear why, then that it is over.
    const bool too_long = std::string_view(GetParam().name).starts_with("LengthOf");
    EXPECT_EQ(too_long ? ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE : ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED,
              static_cast<int>(events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL).value));
    events_->await(ZMQ_EVENT_DISCONNECTED);
}

TEST_P(bad_traffic_test, in_the_middle_of_a_multipart_drops_its_beginning)
{
    raw_peer peer = bad_peer_in_traffic();
    (void)peer.try_send_bytes(zmtp_frame("never to be seen", more_bit) + GetParam().bytes);
    expect_end(peer);
    expect_no_message(server_);
}

INSTANTIATE_TEST_SUITE_P(frames, bad_traffic_test, ::testing::ValuesIn(bad_traffic), script_name);

TEST_F(bad_input_test, frames_over_maxmsgsize_end_the_connection_at_their_header)
{
    const std::int64_t limit = 1000;
    socket limited = ctx_.open(ZMQ_PULL);
    ASSERT_EQ(0, zmq_setsockopt(limited, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    monitor events(ctx_, limited);
    const std::string endpoint = limited.bind("tcp://127.0.0.1:*");
    for (const std::uint64_t size : {std::uint64_t{1001}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.handshake(zmtp_version::v3_1, "PUSH");
        peer.send_message({std::string(1000, 'k')});
        EXPECT_EQ(std::string(1000, 'k'), limited.recv());
        (void)peer.try_send_bytes(long_header(size));
        EXPECT_TRUE(peer.wait_for_end()) << size;
        EXPECT_EQ(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE,
                  static_cast<int>(events.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL).value));
        events.await(ZMQ_EVENT_DISCONNECTED);
    }
}

TEST_F(bad_input_test, announced_terabyte_takes_no_memory)
{
    const auto before = memory_use::now();
    std::vector<raw_peer> peers;
    for (int i = 0; i < 8; ++i) {
        peers.push_back(bad_peer_in_traffic());
        (void)peers.back().try_send_bytes(long_header(std::uint64_t{1} << 40) + std::string(50000, 't'));
    }
    expect_good_peer_undisturbed();
    const auto after = memory_use::now();
    EXPECT_LT(growth(before.resident_bytes, after.resident_bytes), 64 * megabyte);
    EXPECT_LT(growth(before.virtual_bytes, after.virtual_bytes), 2048 * megabyte);
}

TEST_F(bad_input_test, announced_gigabyte_grows_only_as_its_bytes_arrive)
{
    const auto before = memory_use::now();
    raw_peer peer = bad_peer_in_traffic();
    peer.send_bytes(long_header(std::uint64_t{1} << 30) + std::string(std::size_t{4} << 20, 'g'));
    expect_good_peer_undisturbed();
    EXPECT_LT(growth(before.resident_bytes, memory_use::now().resident_bytes), 64 * megabyte);
    peer.close();
    events_->await(ZMQ_EVENT_DISCONNECTED);
    expect_no_message(server_);
}

TEST_F(bad_input_test, pings_without_end_take_no_memory)
{
    raw_peer peer = bad_peer_in_traffic();
    peer.set_patience(milliseconds(300));
    std::string pings;
    while (pings.size() < 64 * 1024) pings += zmtp_command("PING", big_endian(0, 2) + "sixteen octets..");
    const auto before = memory_use::now();
    // The answers are never read; sooner or later the library may stop reading, too.
    for (int i = 0; i < 800 && peer.try_send_bytes(pings); ++i) {
    }
    EXPECT_LT(growth(before.resident_bytes, memory_use::now().resident_bytes), 64 * megabyte);
    expect_good_peer_undisturbed();
}

TEST_F(bad_input_test, multipart_without_end_is_given_up_with_its_connection)
{
    raw_peer peer = bad_peer_in_traffic();
    std::string frames;
    for (int i = 0; i < 1000; ++i) frames += zmtp_frame("part", more_bit);
    peer.send_bytes(frames);
    expect_good_peer_undisturbed();
    peer.close();
    events_->await(ZMQ_EVENT_DISCONNECTED);
    expect_good_peer_undisturbed();
}

TEST_F(bad_input_test, half_a_frame_then_the_end_delivers_nothing)
{
    const std::string frame = zmtp_frame(std::string(300, 'h'));
    for (std::size_t cut = 1; cut < frame.size(); cut = cut < 16 ? cut + 1 : cut + 97) {
        raw_peer peer = bad_peer_in_traffic();
        peer.send_bytes(frame.substr(0, cut));
        if (cut % 2 == 0) {
            peer.close();
        } else {
            peer.reset();
        }
        events_->await(ZMQ_EVENT_DISCONNECTED);
    }
    expect_no_message(server_);
}

TEST_F(bad_input_test, conversation_cut_at_every_offset)
{
    const std::string conversation = zmtp3_greeting() + zmtp_ready("PUSH", "identity");
    for (std::size_t cut = 0; cut < conversation.size(); ++cut) {
        raw_peer peer = bad_peer();
        (void)peer.try_send_bytes(conversation.substr(0, cut));
        if (cut % 2 == 0) {
            peer.close();
        } else {
            peer.reset();
        }
    }
    expect_good_peer_undisturbed();
}

TEST_F(bad_input_test, conversation_with_every_octet_changed)
{
    const std::string conversation = zmtp3_greeting() + zmtp_ready("PUSH", "identity");
    for (std::size_t offset = 0; offset < conversation.size(); ++offset) {
        for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
            std::string changed = conversation;
            changed[offset] = static_cast<char>(static_cast<unsigned char>(changed[offset]) ^ flip);
            raw_peer peer = bad_peer();
            (void)peer.try_send_bytes(changed);
        }
    }
    expect_good_peer_undisturbed();
}

TEST_F(bad_input_test, random_bytes_in_every_phase)
{
    std::mt19937 random(20240229);
    const auto noise = [&](std::size_t size) {
        std::string bytes(size, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        return bytes;
    };
    const auto before = memory_use::now();
    for (int i = 0; i < 300; ++i) {
        raw_peer peer = bad_peer();
        const std::size_t size = random() % 3000;
        switch (i % 4) {
        case 0: (void)peer.try_send_bytes(noise(size)); break;
        case 1: (void)peer.try_send_bytes(zmtp_signature() + noise(size)); break;
        case 2: (void)peer.try_send_bytes(zmtp3_greeting() + noise(size)); break;
        default:
            // PAIR does not fit PULL; random frames must not come through as messages.
            (void)peer.try_send_bytes(zmtp3_greeting() + zmtp_ready("PAIR") + noise(size));
        }
        if (i % 8 < 4) peer.reset();
    }
    expect_good_peer_heard_among_others();
    EXPECT_LT(growth(before.resident_bytes, memory_use::now().resident_bytes), 128 * megabyte);
}

TEST_F(bad_input_test, frames_before_a_bad_command_stay_whole)
{
    raw_peer first = bad_peer_in_traffic();
    raw_peer second = bad_peer_in_traffic();
    // A READY in traffic ends the connection; the message stands in front of it in the same piece.
    first.send_bytes(zmtp_frame(std::string(200, 'a')) + zmtp_ready("PUSH"));
    EXPECT_TRUE(first.wait_for_end());
    second.send_message({std::string(200, 'b')});
    EXPECT_EQ(std::string(200, 'a'), server_.recv());
    EXPECT_EQ(std::string(200, 'b'), server_.recv());
}

TEST_F(bad_input_test, random_traffic)
{
    std::mt19937 random(20250101);
    socket xpub = ctx_.open(ZMQ_XPUB);
    socket router = ctx_.open(ZMQ_ROUTER);
    socket rep = ctx_.open(ZMQ_REP);
    const std::pair<std::string, std::string> targets[] = {{xpub.bind("tcp://127.0.0.1:*"), "SUB"},
                                                           {router.bind("tcp://127.0.0.1:*"), "DEALER"},
                                                           {rep.bind("tcp://127.0.0.1:*"), "REQ"}};
    for (int i = 0; i < 150; ++i) {
        const auto& [endpoint, type] = targets[static_cast<std::size_t>(i) % 3];
        raw_peer peer = raw_peer::connect_to(endpoint);
        peer.handshake(zmtp_version::v3_1, type);
        std::string noise(random() % 2000, '\0');
        for (char& byte : noise) byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 6);
        (void)peer.try_send_bytes(noise);
        if (i % 2 == 0) peer.reset();
        xpub.drain();
        router.drain();
        (void)rep.recv_frame(ZMQ_DONTWAIT);
    }
    expect_good_peer_undisturbed();
}

TEST_F(bad_input_test, many_silent_peers_keep_nobody_out)
{
    std::vector<raw_peer> silent;
    for (int i = 0; i < 200; ++i) silent.push_back(bad_peer());
    expect_good_peer_undisturbed();
    socket late = ctx_.open(ZMQ_PUSH);
    late.connect(endpoint_);
    late.send("late");
    EXPECT_EQ("late", server_.recv());
    for (raw_peer& peer : silent) EXPECT_TRUE(peer.wait_for_end());
}

TEST_F(bad_input_test, peer_that_never_reads_stops_nobody_else)
{
    socket pub = ctx_.open(ZMQ_PUB);
    pub.set(ZMQ_SNDHWM, 100);
    const std::string endpoint = pub.bind("tcp://127.0.0.1:*");
    raw_peer lazy = raw_peer::connect_to(endpoint);
    lazy.handshake(zmtp_version::v3_1, "SUB");
    lazy.send_command("SUBSCRIBE");
    socket eager = ctx_.open(ZMQ_SUB);
    eager.subscribe("");
    eager.connect(endpoint);
    sync_subscription(pub, eager);
    const auto before = memory_use::now();
    const std::string body(100000, 'p');
    for (int i = 0; i < 1000; ++i) {
        pub.send(body);
        ASSERT_EQ(body.size(), eager.recv().size()) << i;
    }
    EXPECT_LT(growth(before.resident_bytes, memory_use::now().resident_bytes), 96 * megabyte);
}

TEST_F(bad_input_test, several_io_threads_take_it_as_well)
{
    context ctx;
    ASSERT_EQ(0, zmq_ctx_set(ctx, ZMQ_IO_THREADS, 3));
    socket server = ctx.open(ZMQ_PULL);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    for (const bad_script& script : bad_openings) {
        raw_peer peer = raw_peer::connect_to(endpoint);
        (void)peer.try_send_bytes(script.bytes);
    }
    socket client = ctx.open(ZMQ_PUSH);
    client.connect(endpoint);
    client.send("through");
    EXPECT_EQ("through", server.recv());
}

TEST_F(bad_input_test, disconnect_ends_the_retries)
{
    raw_listener listener;
    const std::string endpoint = listener.endpoint();
    listener.close();
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 10);
    monitor events(ctx_, client);
    client.connect(endpoint);
    events.await(ZMQ_EVENT_CONNECT_RETRIED);
    client.disconnect(endpoint);
    EXPECT_EQ(-1, zmq_disconnect(client, endpoint.c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
    const auto deadline = std::chrono::steady_clock::now() + milliseconds(patience_ms);
    while (events.next(150) && std::chrono::steady_clock::now() < deadline) {
    }
    EXPECT_FALSE(events.next(100));
}

}  // namespace
}  // namespace zlink::test
