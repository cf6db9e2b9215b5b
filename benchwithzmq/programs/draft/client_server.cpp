// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CLIENT to SERVER.
#include "draft_patterns.hpp"
#include "harness/run.hpp"

int main(int argc, char** argv)
{
    return bench::run<bench::client_server>(argc, argv);
}
