// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Requests to the server of statistics. Any octets mean the same however they are split, and come to an end within the
// longest head. What is accepted has a page; what is refused has a status that is known.
#include "fuzz_input.hpp"
#include "stats/http_request.hpp"
#include "transport/local_service/service_place.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

using namespace zlink;

namespace {

std::string_view text_of(std::span<const std::byte> octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

struct outcome {
    bool done = false;
    int status = 0;
    stats::page what = stats::page::words;
    bool peers = false;

    bool operator==(const outcome&) const = default;
};

outcome run(std::span<const std::byte> octets, std::uint8_t seed)
{
    stats::http_request request(&transport::local_service::is_loopback_host);
    bool done = false;
    for (fuzz::parts parts(octets, seed); !parts.empty() && !done;) done = request.advance(text_of(parts.next()));
    return {done, request.status(), request.asked().what, request.asked().peers};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t seed = in.choice();
    const auto octets = in.rest();
    const outcome whole = run(octets, 0);
    fuzz::require(whole == run(octets, seed));
    fuzz::require(whole.done == (whole.status != 0));
    if (octets.size() >= zws::http_head::longest) fuzz::require(whole.done);
    constexpr int known[] = {0, 200, 400, 403, 404, 405, 431, 505};
    fuzz::require(std::find(std::begin(known), std::end(known), whole.status) != std::end(known));
    if (whole.done && whole.status != 200) fuzz::require(!stats::http_refusal(whole.status).empty());
    (void)transport::local_service::parse_place(text_of(octets));
    return 0;
}
