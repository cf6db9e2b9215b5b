// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Replies of a ZAP handler: whatever the frames hold, it is an answer that keeps its promises, or an error of ZAP.
#include "fuzz_input.hpp"
#include "zmtp/zap.hpp"

#include <vector>

using namespace zlink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    std::vector<zmtp::zap_frame> frames;
    for (std::size_t left = in.choice() % 9; left > 0; --left) {
        frames.push_back(in.take(left == 1 ? in.rest().size() : in.choice()));
    }
    zmtp::zap_answer answer;
    const zmtp::handshake_error error = zmtp::parse_zap_reply({frames, "1"}, answer);
    if (error == zmtp::handshake_error::none) {
        fuzz::require(frames.size() == 7 && frames[0].empty());
        fuzz::require(answer.status % 100 == 0 && answer.status >= 200 && answer.status <= 500);
        fuzz::require(answer.user_id.size() == frames[5].size());
    } else {
        fuzz::require(std::uint32_t(error) >= 0x20000000 && std::uint32_t(error) <= 0x20000005);
        fuzz::require(!zmtp::to_text(error).empty());
    }
    return 0;
}
