// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CHANNEL to CHANNEL. Four threads share the sending socket.
#include "draft_patterns.hpp"
#include "shared_socket.hpp"

namespace {

struct shared_channel : bench::channel {
    static constexpr const char* name = "SHARED_CHANNEL";
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_shared<shared_channel>(argc, argv);
}
