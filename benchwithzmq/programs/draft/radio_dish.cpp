// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO to one DISH. RADIO blocks when the high-water mark is reached, so that nothing is dropped.
#include "draft_patterns.hpp"
#include "harness/run.hpp"

int main(int argc, char** argv)
{
    return bench::run<bench::radio_dish>(argc, argv);
}
