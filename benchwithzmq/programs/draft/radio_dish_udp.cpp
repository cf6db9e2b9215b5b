// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO to one DISH over udp. Few messages are on their way at a time, because what no queue has room for is lost.
#include "draft_patterns.hpp"
#include "harness/run.hpp"

namespace {

struct radio_dish_udp : bench::radio_dish {
    static constexpr const char* name = "RADIO_DISH_UDP";
    // Small datagrams of this number fit into the kernel's default buffer of a socket, large ones into half of it.
    static constexpr std::uint64_t window = 64;
};

}  // namespace

int main(int argc, char** argv)
{
    // libzmq writes past the end of a buffer of its own above some 7,900 octets.
    return bench::run<radio_dish_udp>(argc, argv, {.transports = "udp", .largest_size = 2048});
}
