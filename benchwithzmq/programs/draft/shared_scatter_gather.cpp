// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SCATTER to GATHER. Four threads share the sending socket.
#include "draft_patterns.hpp"
#include "shared_socket.hpp"

namespace {

struct shared_scatter_gather : bench::scatter_gather {
    static constexpr const char* name = "SHARED_SCATTER_GATHER";
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_shared<shared_scatter_gather>(argc, argv);
}
