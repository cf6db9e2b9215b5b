// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "bench/bench.hpp"

#include <array>
#include <ctime>
#include <fstream>

#include <zmq.h>

namespace zlink::tool::bench {

std::span<const pattern> patterns()
{
    static constexpr std::array all{
        pattern{"dealer-router", ZMQ_DEALER, ZMQ_ROUTER, true},
        pattern{"req-rep", ZMQ_REQ, ZMQ_REP, true},
        pattern{"pair", ZMQ_PAIR, ZMQ_PAIR, true},
        pattern{"push-pull", ZMQ_PUSH, ZMQ_PULL, false},
        pattern{"pub-sub", ZMQ_XPUB, ZMQ_SUB, false},
    };
    return all;
}

std::uint64_t monotonic_ns() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}

std::string this_machine()
{
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

}  // namespace zlink::tool::bench
