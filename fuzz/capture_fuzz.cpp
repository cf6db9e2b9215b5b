// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Files of captures, down to ZMTP: no file makes it read where nothing is, or hold more than it was given.
#include "pure/capture_dialogs.hpp"

#include "fuzz_input.hpp"

#include <cstring>

using namespace zlink;
using namespace zlink::tool;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string octets(reinterpret_cast<const char*>(data), size);
    std::size_t at = 0;
    capture_reader reader([&](char* to, std::size_t wanted) {
        const std::size_t got = std::min(wanted, octets.size() - at);
        std::memcpy(to, octets.data() + at, got);
        at += got;
        return got;
    });
    std::uint64_t highest = 0;
    capture_dialogs dialogs(
        [&](std::uint64_t, std::uint64_t connection, int side, const std::string& sentence) {
            fuzz::require(connection >= 1 && (side == 0 || side == 1) && !sentence.empty());
            highest = std::max(highest, connection);
        },
        {});
    captured_packet packet;
    std::size_t packets = 0;
    while (reader.next(packet)) {
        fuzz::require(packet.octets.size() <= size);
        dialogs.take(packet);
        ++packets;
    }
    dialogs.end();
    fuzz::require(dialogs.packets() == packets && dialogs.segments() <= packets && highest == dialogs.connections());
    fuzz::require(!reader.next(packet) || !reader.error().empty());
    return 0;
}
