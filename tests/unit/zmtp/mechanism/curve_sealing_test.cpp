// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// MESSAGE commands: what is sealed is opened, once, in order, unaltered; batches of any size, in place, in the child of
// a fork.
#include "base/process_generation.hpp"
#include "message/frame_header.hpp"
#include "unit/zmtp/mechanism/curve_fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;
using zlink::message::flag_command;
using zlink::message::flag_more;

namespace {

constexpr std::size_t overhead = 33;

zlink::crypto::secret_key shared()
{
    return zlink::crypto::agree(zlink::fuzz::curve_pair(0x33).open, zlink::fuzz::curve_pair(0x44).secret);
}

/// Both ends of one direction, and a peer that does the same by hand.
struct curve_sealing_test : testing::Test {
    sealing client = curve::make_client_sealing(shared(), 2, 1);
    sealing server = curve::make_server_sealing(shared(), 1, 2);
    zlink::fuzz::curve_client_peer by_hand;

    curve_sealing_test() { by_hand.theirs = zlink::fuzz::curve_pair(0x44).open; }

    octets next(const octets& body, std::uint8_t flags = 0) { return sealed(*client.out, body, flags); }
};

octets pattern(std::size_t size, std::size_t seed = 0)
{
    octets out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = std::byte((i * 7 + seed) & 0xff);
    return out;
}

TEST_F(curve_sealing_test, overhead_is_what_the_rfc_has)
{
    EXPECT_EQ(client.out->overhead(), overhead);
    EXPECT_EQ(server.in->overhead(), overhead);
    EXPECT_EQ(next({}).size(), overhead);
}

TEST_F(curve_sealing_test, flags_are_those_of_the_box)
{
    for (const auto& [frame, in_box] : {std::pair{0, 0}, {int(flag_more), 1}, {int(flag_command), 2}}) {
        const octets body = next(wire({"x"}), std::uint8_t(frame));
        zlink::fuzz::curve_server_peer peer;
        peer.theirs = by_hand.transient.open;
        EXPECT_EQ(text(*peer.open_message(body)), text(wire({in_box, "x"})));
        EXPECT_EQ(int(opened(*server.in, body)->flags), frame);
    }
    // Reserved ones are passed over.
    EXPECT_EQ(opened(*server.in, by_hand.message(100, 0xfd, {}))->flags, flag_more);
    EXPECT_EQ(opened(*server.in, by_hand.message(101, 0xff, {}))->flags, flag_more | flag_command);
}

TEST_F(curve_sealing_test, frames_of_all_sizes_come_through)
{
    for (std::size_t size : {0, 1, 15, 16, 30, 31, 32, 63, 64, 65, 127, 255, 256, 1000, 4096, 65536, 1000003}) {
        const octets body = pattern(size);
        EXPECT_EQ(opened(*server.in, next(body))->text, text(body)) << size;
    }
}

TEST_F(curve_sealing_test, batches_of_any_size)
{
    for (std::size_t count = 1; count < 70; ++count) {
        std::vector<octets> bodies, out;
        std::vector<frame_to_seal> frames;
        for (std::size_t i = 0; i < count; ++i) {
            bodies.push_back(pattern(i * 5 % 97, i));
            out.emplace_back(bodies.back().size() + overhead);
        }
        for (std::size_t i = 0; i < count; ++i)
            frames.push_back({std::uint8_t(i % 2 ? flag_more : 0), bodies[i], out[i].data()});
        client.out->seal(frames);

        std::vector<octets> back(count, octets(200));
        std::vector<frame_to_open> sealed_frames;
        for (std::size_t i = 0; i < count; ++i) sealed_frames.push_back({out[i], back[i].data()});
        const auto outcome = server.in->open(sealed_frames);
        ASSERT_EQ(outcome.opened, count);
        ASSERT_EQ(outcome.error, handshake_error::none);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(sealed_frames[i].flags, i % 2 ? flag_more : 0);
            back[i].resize(sealed_frames[i].size);
            ASSERT_EQ(hex(back[i]), hex(bodies[i]));
        }
    }
    EXPECT_EQ(client.out->overhead(), overhead);
    client.out->seal({});
    EXPECT_EQ(server.in->open({}).opened, 0u);
}

TEST_F(curve_sealing_test, opens_in_place_and_towards_the_front)
{
    // As a receive chunk has them: frames with headers one behind the other, opened into one span from the chunk's
    // beginning.
    std::vector<octets> bodies;
    octets chunk;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < 40; ++i) {
        bodies.push_back(pattern(i * 11 % 130, i));
        const octets body = next(bodies.back());
        chunk.insert(chunk.end(), 2, std::byte{0});
        places.emplace_back(chunk.size(), body.size());
        chunk.insert(chunk.end(), body.begin(), body.end());
    }
    std::vector<frame_to_open> frames;
    std::byte* to = chunk.data();
    for (const auto& [at, size] : places) {
        frames.push_back({std::span(chunk).subspan(at, size), to});
        to += size - overhead;
    }
    ASSERT_EQ(server.in->open(frames).opened, frames.size());
    to = chunk.data();
    for (const octets& body : bodies) {
        ASSERT_EQ(hex(std::span(to, body.size())), hex(body));
        to += body.size();
    }
}

TEST_F(curve_sealing_test, cve_2014_7203_replayed_and_reordered_are_refused)
{
    const octets first = next(wire({"1"})), second = next(wire({"2"})), third = next(wire({"3"}));
    EXPECT_TRUE(opened(*server.in, first));
    EXPECT_FALSE(opened(*server.in, first, handshake_error::zmtp_invalid_sequence));
    EXPECT_TRUE(opened(*server.in, third));
    EXPECT_FALSE(opened(*server.in, second, handshake_error::zmtp_invalid_sequence));
    EXPECT_FALSE(opened(*server.in, third, handshake_error::zmtp_invalid_sequence));
}

TEST_F(curve_sealing_test, replayed_in_one_batch)
{
    const octets first = next(wire({"1"})), second = next(wire({"2"}));
    octets out(400, std::byte{0xee});
    std::array<frame_to_open, 3> frames{{{first, out.data()}, {second, out.data() + 100}, {first, out.data() + 200}}};
    const auto outcome = server.in->open(frames);
    EXPECT_EQ(outcome.opened, 2u);
    EXPECT_EQ(outcome.error, handshake_error::zmtp_invalid_sequence);
    EXPECT_EQ(out[200], std::byte{0xee});
}

TEST_F(curve_sealing_test, numbers_may_leap_but_not_past_the_end)
{
    EXPECT_TRUE(opened(*server.in, by_hand.message(1000, 0, wire({"x"}))));
    EXPECT_TRUE(opened(*server.in, by_hand.message(~std::uint64_t{0}, 0, wire({"x"}))));
    EXPECT_FALSE(opened(*server.in, by_hand.message(0, 0, wire({"x"})), handshake_error::zmtp_invalid_sequence));
}

TEST_F(curve_sealing_test, a_number_of_an_altered_message_does_not_count)
{
    octets bad = by_hand.message(500, 0, wire({"x"}));
    bad.back() ^= std::byte{1};
    EXPECT_FALSE(opened(*server.in, bad, handshake_error::zmtp_cryptographic));
    EXPECT_TRUE(opened(*server.in, by_hand.message(400, 0, wire({"x"}))));
}

TEST_F(curve_sealing_test, each_octet_altered_is_noticed_and_nothing_is_written)
{
    const octets good = next(wire({"a frame of some length"}));
    for (std::size_t at = 0; at < good.size(); ++at) {
        octets bad = good;
        bad[at] ^= std::byte{0x01};
        octets out(good.size(), std::byte{0xee});
        frame_to_open frame{bad, out.data()};
        const auto outcome = server.in->open({&frame, 1});
        EXPECT_EQ(outcome.opened, 0u);
        // The lowest bit of the number makes a 2 of the 3, which INITIATE has used.
        EXPECT_EQ(outcome.error, at < 8     ? handshake_error::zmtp_unexpected_command
                                 : at == 15 ? handshake_error::zmtp_invalid_sequence
                                            : handshake_error::zmtp_cryptographic)
            << at;
        EXPECT_EQ(hex(out), hex(octets(good.size(), std::byte{0xee})));
    }
    EXPECT_TRUE(opened(*server.in, good));
}

TEST_F(curve_sealing_test, each_length_is_noticed)
{
    const octets good = next(wire({"short"}));
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(opened(*server.in, octets(good.begin(), good.begin() + std::ptrdiff_t(size)),
                            size < 8          ? handshake_error::zmtp_malformed_command_unspecified
                            : size < overhead ? handshake_error::zmtp_malformed_command_message
                                              : handshake_error::zmtp_cryptographic));
    }
    octets longer = good;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(opened(*server.in, longer, handshake_error::zmtp_cryptographic));
    EXPECT_FALSE(opened(*server.in, wire({"hello"}), handshake_error::zmtp_malformed_command_unspecified));
    EXPECT_FALSE(opened(*server.in, wire({4, "PING", 0, 0}), handshake_error::zmtp_unexpected_command));
}

TEST_F(curve_sealing_test, good_frames_before_a_bad_one_are_opened)
{
    for (const std::size_t bad : {0u, 1u, 7u, 15u, 16u, 17u, 39u}) {
        std::vector<octets> bodies;
        for (std::size_t i = 0; i < 40; ++i) bodies.push_back(next(pattern(i)));
        bodies[bad].back() ^= std::byte{1};
        octets out(40 * 64, std::byte{0xee});
        std::vector<frame_to_open> frames;
        for (std::size_t i = 0; i < 40; ++i) frames.push_back({bodies[i], out.data() + i * 64});
        const auto outcome = server.in->open(frames);
        EXPECT_EQ(outcome.opened, bad);
        EXPECT_EQ(outcome.error, handshake_error::zmtp_cryptographic);
        for (std::size_t at = bad * 64; at < out.size(); ++at) ASSERT_EQ(out[at], std::byte{0xee}) << at;
    }
}

TEST_F(curve_sealing_test, directions_do_not_mix)
{
    EXPECT_FALSE(opened(*client.in, next(wire({"to the server"})), handshake_error::zmtp_cryptographic));
}

TEST_F(curve_sealing_test, a_child_of_fork_neither_seals_nor_opens)
{
    zlink::watch_forks();
    const octets before = next(wire({"parent"}));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const octets body = wire({"child"});
        octets out(body.size() + overhead, std::byte{0xee});
        const frame_to_seal frame{0, body, out.data()};
        client.out->seal({&frame, 1});
        octets to(before.size());
        frame_to_open back{before, to.data()};
        const bool sealed_nothing = out == octets(out.size());
        const bool opened_nothing = server.in->open({&back, 1}).opened == 0;
        client = {};  // what a program does that closes inherited sockets
        ::_exit(sealed_nothing && opened_nothing ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(opened(*server.in, before));
}

}  // namespace
