// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// SCATTER to GATHER.
#include "draft_patterns.hpp"
#include "harness/run.hpp"

int main(int argc, char** argv)
{
    return bench::run<bench::scatter_gather>(argc, argv);
}
