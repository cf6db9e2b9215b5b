// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Greeting reader: never takes too much, and comes to the same verdict however the octets are split.
#include "zmtp/greeting.hpp"

#include "fuzz_input.hpp"

using namespace zlink;
using zmtp::greeting_reader;
using stage = greeting_reader::stage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();

    greeting_reader whole;
    const std::size_t taken = whole.advance(in.rest());
    fuzz::require(taken <= in.rest().size() && taken <= zmtp::greeting_size && taken == whole.octets().size());
    fuzz::require(std::ranges::equal(whole.octets(), in.rest().first(taken)));

    greeting_reader split;
    std::size_t taken_by_split = 0;
    for (fuzz::parts parts(in.rest(), seed); !parts.empty();) taken_by_split += split.advance(parts.next());
    fuzz::require(taken_by_split == taken && split.current() == whole.current());

    if (whole.current() == stage::unversioned) {
        fuzz::require(taken <= zmtp::signature_size && whole.version() == zmtp::protocol_version::zmtp_1_0);
    } else if (whole.current() == stage::complete) {
        fuzz::require(taken == (whole.revision() < 3 ? zmtp::v2_greeting_size : zmtp::greeting_size));
        fuzz::require(!(whole.mechanism_is("NULL") && whole.mechanism_is("CURVE")));
    } else {
        fuzz::require(taken == in.rest().size());
    }
    return 0;
}
