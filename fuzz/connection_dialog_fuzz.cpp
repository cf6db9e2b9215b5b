// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Both directions of a connection: however the octets are split, the same is told of them.
#include "pure/connection_dialog.hpp"

#include "fuzz_input.hpp"

#include <string>
#include <vector>

using namespace zlink;
using namespace zlink::tool;

namespace {

using heard = std::vector<std::string>;

// A side's octets in pieces of 1 to `piece` octets; 0: at once.
void give(connection_dialog& dialog, int side, std::span<const std::byte> octets, std::uint8_t piece)
{
    for (fuzz::parts parts(octets, piece); !parts.empty();) {
        const auto part = parts.next();
        dialog.take(side, {reinterpret_cast<const char*>(part.data()), part.size()});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t piece = in.choice();
    const std::size_t of_first = std::size_t{in.choice()} * 256 + in.choice();
    const auto first = in.take(of_first);
    const auto second = in.rest();
    std::vector<heard> told;
    for (const std::uint8_t cut : {std::uint8_t{0}, piece}) {
        heard sides[2];
        connection_dialog dialog([&](int side, const std::string& sentence) {
            fuzz::require((side == 0 || side == 1) && !sentence.empty() && sentence.size() < 1'000'000);
            sides[side].push_back(sentence);
        });
        give(dialog, 0, first, cut);
        give(dialog, 1, second, cut);
        dialog.end(0);
        dialog.end(1);
        told.insert(told.end(), {sides[0], sides[1]});
    }
    fuzz::require(told[0] == told[2] && told[1] == told[3]);
    return 0;
}
