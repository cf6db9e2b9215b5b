// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a SOCKS5 proxy answers. Any octets mean the same however they are split, no more is taken than was asked for,
// and a dialog that fails says why.
#include "fuzz_input.hpp"
#include "socks/dialog.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace zlink;

namespace {

struct outcome {
    socks::dialog::state state;
    errc error;
    std::size_t taken;
    std::string said;

    bool operator==(const outcome&) const = default;
};

constexpr std::size_t longest_answers = 2 + 2 + 4 + 1 + 255 + 2;

outcome run(socks::dialog d, std::span<const std::byte> octets, std::uint8_t seed)
{
    outcome out{socks::dialog::state::in_progress, errc::none, 0, {}};
    const auto speak = [&] {
        const auto some = d.output();
        out.said.append(reinterpret_cast<const char*>(some.data()), some.size());
        d.consume_output(some.size());
    };
    speak();
    for (fuzz::parts parts(octets, seed); !parts.empty();) {
        auto part = parts.next();
        while (!part.empty() && d.wanted() != 0) {
            const std::size_t taken = d.advance(part);
            fuzz::require(taken != 0 && taken <= part.size());
            part = part.subspan(taken);
            out.taken += taken;
            speak();
        }
    }
    out.state = d.current();
    out.error = d.error();
    fuzz::require(out.taken <= longest_answers);
    fuzz::require((out.state == socks::dialog::state::in_progress) == (d.wanted() != 0));
    fuzz::require((out.state == socks::dialog::state::failed) == !d.reason().empty());
    fuzz::require((out.state == socks::dialog::state::failed) == (out.error != errc::none));
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const std::uint8_t how = in.choice();
    const auto dialog = [&] {
        socks::destination to{"example.com", {}, 5555};
        if (how & 6) to = {{}, std::vector<std::uint8_t>(how & 2 ? 4 : 16), 5555};
        return socks::dialog(std::move(to), how & 1 ? socks::credentials{"joe", "secret"} : socks::credentials{});
    };
    fuzz::require(run(dialog(), in.rest(), 0) == run(dialog(), in.rest(), seed));
    return 0;
}
