// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Recording reader: whatever the file says, every record it gives encodes to the octets it was read from.
#include "pure/recording.hpp"

#include "fuzz_input.hpp"

#include <cstring>

using namespace zlink;
using namespace zlink::tool;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string octets(reinterpret_cast<const char*>(data), size);
    std::size_t at = 0;
    recording_reader reader([&](char* to, std::size_t wanted) {
        const std::size_t got = std::min(wanted, octets.size() - at);
        std::memcpy(to, octets.data() + at, got);
        at += got;
        return got;
    });
    recording_header header;
    recorded_message message;
    if (!reader.read_header(header)) {
        fuzz::require(!reader.error().empty() && !reader.next(message));
        return 0;
    }
    std::size_t end = recording_header_size;
    while (reader.next(message)) {
        const auto again = encode(message);
        fuzz::require(again && octets.compare(end, again->size(), *again) == 0);
        end += again->size();
    }
    fuzz::require(reader.error().empty() == (end == octets.size()));
    fuzz::require(!reader.next(message));
    return 0;
}
