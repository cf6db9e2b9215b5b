// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two of our own shake hands while somebody between them spoils one piece. Both end or wait, and where the mechanism
// seals its commands nobody takes the spoilt handshake for done.
#include "conversation.hpp"
#include "fuzz_input.hpp"

using namespace zlink;
using zmtp::handshake;

namespace {

/// Alters, takes away or puts in some octets, as the input says.
void spoil(std::vector<std::byte>& piece, fuzz::input in)
{
    while (!in.rest().empty() && !piece.empty()) {
        const std::uint8_t how = in.choice();
        const std::size_t at = (std::size_t(in.choice()) << 8 | in.choice()) % piece.size();
        const auto position = piece.begin() + std::ptrdiff_t(at);
        switch (how % 3) {
        case 0: *position ^= std::byte(in.choice()); break;
        case 1: piece.erase(position); break;
        case 2: piece.insert(position, std::byte(in.choice())); break;
        default: break;
        }
    }
}

void check(handshake& h)
{
    if (h.current() == handshake::state::failed) {
        fuzz::require(h.error() != zmtp::handshake_error::none && !h.error_text().empty() && !h.question());
    } else {
        fuzz::require(h.error() == zmtp::handshake_error::none);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::vector<fuzz::pairing> pairs = fuzz::pairings();
    fuzz::input in(data, size);
    const fuzz::pairing& pair = pairs[in.choice() % pairs.size()];
    const std::size_t step = in.choice() % 12;

    fuzz::conversation talk(pair);
    bool altered = false;
    talk.run([&](std::size_t number, std::vector<std::byte>& piece) {
        if (number != step) return true;
        const std::vector<std::byte> before = piece;
        spoil(piece, in);
        // What is only put behind a command is the next one, or traffic.
        altered = piece.size() < before.size() || !std::ranges::equal(before, std::span(piece).first(before.size()));
        return true;
    });
    check(talk.connecting());
    check(talk.bound());
    if (altered && pair.sealed && talk.is_command(step)) {
        fuzz::require(talk.receiver(step).current() != handshake::state::done);
    }
    if (!altered && step >= talk.pieces().size()) {
        fuzz::require(talk.connecting().current() == handshake::state::done);
        fuzz::require(talk.bound().current() == handshake::state::done);
    }
    return 0;
}
