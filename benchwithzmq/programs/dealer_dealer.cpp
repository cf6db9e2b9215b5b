// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DEALER to DEALER.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

struct dealer_dealer_pattern : bench::pattern_defaults {
    static constexpr const char* name = "DEALER_DEALER";
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_DEALER>;
    using receiver = bench::socket_end<ZMQ_DEALER>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<dealer_dealer_pattern>(argc, argv);
}
