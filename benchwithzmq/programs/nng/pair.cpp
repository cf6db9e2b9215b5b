// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// nng's pair0.
#include "harness/run.hpp"
#include "nng/nng_ends.hpp"

#include <nng/protocol/pair0/pair.h>

namespace {

struct pair_end : bench::nng_end {
    pair_end(bench::nng_context&, const bench::settings& of) : nng_end(of, nng_pair0_open) {}
};

struct pair_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PAIR";
    using context = bench::nng_context;
    using sender = pair_end;
    using receiver = pair_end;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<pair_pattern>(argc, argv, {.transports = "tcp ipc inproc"});
}
