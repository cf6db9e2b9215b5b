// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Upgrades to WebSocket, both sides. Any octets mean the same however they are split, take no more than a head may
// have. An answer that a server makes is one that its client understands.
#include "fuzz_input.hpp"
#include "zws/accept_key.hpp"
#include "zws/upgrade.hpp"

#include <string>
#include <string_view>

using namespace zlink;

namespace {

struct outcome {
    zws::upgrade::state state;
    std::size_t taken;
    std::string answer;

    bool operator==(const outcome&) const = default;
};

outcome run(zws::upgrade u, std::span<const std::byte> octets, std::uint8_t seed)
{
    outcome out{zws::upgrade::state::in_progress, 0, {}};
    for (fuzz::parts parts(octets, seed); !parts.empty() && u.current() == zws::upgrade::state::in_progress;) {
        out.taken += u.advance(parts.next());
    }
    out.state = u.current();
    fuzz::require(out.taken <= zws::http_head::longest);
    fuzz::require((out.state == zws::upgrade::state::failed) == !u.reason().empty());
    const auto left = u.output();
    out.answer.assign(reinterpret_cast<const char*>(left.data()), left.size());
    return out;
}

const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";
const auto protocols = zws::protocols_of("NULL", false);

zws::upgrade client()
{
    return zws::upgrade(zws::upgrade::client_side{"host", "/", protocols, key});
}

zws::upgrade server()
{
    return zws::upgrade(zws::upgrade::server_side{"/", protocols, {"https://example.com"}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const auto octets = in.rest();
    const outcome asked = run(server(), octets, 0);
    fuzz::require(asked == run(server(), octets, seed));
    fuzz::require(run(client(), octets, 0) == run(client(), octets, seed));
    if (asked.state == zws::upgrade::state::failed) fuzz::require(asked.answer.starts_with("HTTP/1.1 4"));
    if (asked.state == zws::upgrade::state::done && asked.answer.find(zws::accept_for(key)) != std::string::npos) {
        const auto answer = std::as_bytes(std::span(asked.answer));
        fuzz::require(run(client(), answer, seed).state == zws::upgrade::state::done);
    }
    return 0;
}
