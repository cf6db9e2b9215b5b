// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// nng's pub0 and sub0. pub0 drops what a subscriber has no room for, so the sender keeps fewer messages on their way
// than the buffers hold.
#include "harness/run.hpp"
#include "nng/nng_ends.hpp"

#include <nng/protocol/pubsub0/pub.h>
#include <nng/protocol/pubsub0/sub.h>

namespace {

struct publisher : bench::nng_end {
    publisher(bench::nng_context&, const bench::settings& of) : nng_end(of, nng_pub0_open) {}
};

struct subscriber : bench::nng_end {
    subscriber(bench::nng_context&, const bench::settings& of) : nng_end(of, nng_sub0_open)
    {
        bench::must_nng(nng_socket_set(socket(), NNG_OPT_SUB_SUBSCRIBE, "", 0), "NNG_OPT_SUB_SUBSCRIBE");
    }
};

struct pubsub_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PUBSUB";
    static constexpr bool two_way = false;
    static constexpr bool repeats_hello = true;
    static constexpr std::uint64_t window = 500;
    using context = bench::nng_context;
    using sender = publisher;
    using receiver = subscriber;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<pubsub_pattern>(argc, argv, {.transports = "tcp ipc inproc"});
}
