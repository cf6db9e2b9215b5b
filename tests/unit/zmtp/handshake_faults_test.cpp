// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every handshake that is known to work, again with a fault at each step: a piece cut short, an octet altered, an octet
// too many. A side that receives that must not take the handshake for done, and has to say why.
#include "fuzz/conversation.hpp"
#include "unit/zmtp/handshake_script.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace zlink::zmtp;
using namespace zlink::zmtp::test;
using zlink::fuzz::conversation;
using zlink::fuzz::pairing;
using zlink::fuzz::pairings;

namespace {

/// Faults must not lead to states that contradict themselves.
void expect_sound(handshake& h)
{
    if (h.current() == state::failed) {
        EXPECT_NE(h.error(), handshake_error::none);
        EXPECT_FALSE(h.error_text().empty());
        EXPECT_EQ(h.question(), nullptr);
    } else {
        EXPECT_EQ(h.error(), handshake_error::none);
    }
}

/// The conversation again, with one piece spoilt.
template <class Spoil>
void replay(const pairing& p, std::size_t step, const Spoil& spoil, const std::function<void(handshake&)>& expect)
{
    conversation talk(p);
    talk.run([&](std::size_t number, octets& piece) { return number != step || spoil(piece); });
    expect_sound(talk.connecting());
    expect_sound(talk.bound());
    expect(talk.receiver(step));
}

class handshake_faults_test : public testing::TestWithParam<pairing> {
protected:
    handshake_faults_test() { good_.run(); }

    conversation good_{GetParam()};
};

TEST_P(handshake_faults_test, without_fault_it_works)
{
    EXPECT_EQ(good_.connecting().current(), state::done) << good_.connecting().error_text();
    EXPECT_EQ(good_.bound().current(), state::done) << good_.bound().error_text();
    EXPECT_EQ(bool(good_.bound().take_sealing().in), GetParam().sealed);
    EXPECT_EQ(bool(good_.connecting().take_sealing().out), GetParam().sealed);
}

TEST_P(handshake_faults_test, piece_cut_short_does_not_end_the_handshake)
{
    for (std::size_t step = 0; step < good_.pieces().size(); ++step) {
        for (std::size_t size = 0; size < good_.pieces()[step].size(); ++size) {
            const auto cut = [size](octets& piece) {
                piece.resize(size);
                return false;
            };
            replay(GetParam(), step, cut,
                   [&](handshake& h) { EXPECT_NE(h.current(), state::done) << "step " << step << " cut at " << size; });
        }
    }
}

TEST_P(handshake_faults_test, command_with_an_octet_too_few_is_refused)
{
    for (std::size_t step = 0; step < good_.pieces().size(); ++step) {
        if (!good_.is_command(step)) continue;
        const auto shorten = [](octets& piece) {
            piece = command_frame(
                octets(piece.begin() + std::ptrdiff_t(conversation::header_size(piece)), piece.end() - 1));
            return true;
        };
        replay(GetParam(), step, shorten,
               [&](handshake& h) { EXPECT_EQ(h.current(), state::failed) << "step " << step; });
    }
}

TEST_P(handshake_faults_test, command_with_an_octet_too_many_is_refused)
{
    for (std::size_t step = 0; step < good_.pieces().size(); ++step) {
        if (!good_.is_command(step)) continue;
        const auto lengthen = [](octets& piece) {
            octets body(piece.begin() + std::ptrdiff_t(conversation::header_size(piece)), piece.end());
            body.push_back(std::byte{0});
            piece = command_frame(body);
            return true;
        };
        replay(GetParam(), step, lengthen,
               [&](handshake& h) { EXPECT_EQ(h.current(), state::failed) << "step " << step; });
    }
}

TEST_P(handshake_faults_test, altered_octet_is_noticed_where_it_can_be)
{
    for (std::size_t step = 0; step < good_.pieces().size(); ++step) {
        for (std::size_t at = 0; at < good_.pieces()[step].size(); ++at) {
            for (const auto mask : {std::byte{0x01}, std::byte{0x80}}) {
                const auto alter = [&](octets& piece) {
                    piece[at] ^= mask;
                    return true;
                };
                replay(GetParam(), step, alter, [&](handshake& h) {
                    if (GetParam().sealed && good_.is_command(step)) {
                        EXPECT_NE(h.current(), state::done) << "step " << step << " octet " << at;
                    }
                });
            }
        }
    }
}

TEST_P(handshake_faults_test, command_said_twice_is_refused)
{
    for (std::size_t step = 0; step < good_.pieces().size(); ++step) {
        if (!good_.is_command(step)) continue;
        conversation talk(GetParam());
        talk.run([&](std::size_t number, octets& piece) {
            if (number == step) piece.insert(piece.end(), piece.begin(), piece.end());
            return true;
        });
        // After the last command what follows is traffic, and stays unread.
        handshake& h = talk.receiver(step);
        EXPECT_TRUE(h.current() == state::failed || (h.current() == state::done && step + 2 >= good_.pieces().size()))
            << "step " << step;
    }
}

INSTANTIATE_TEST_SUITE_P(mechanisms, handshake_faults_test, testing::ValuesIn(pairings()),
                         [](const auto& pair) { return pair.param.name; });

TEST(handshake_faults_table_test, has_each_mechanism)
{
    for (const mechanism_row& row : all_mechanisms()) {
        EXPECT_TRUE(std::ranges::count(pairings(), row.kind, &pairing::mechanism)) << row.name;
    }
}

}  // namespace
